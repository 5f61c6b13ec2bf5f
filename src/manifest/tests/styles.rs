//! Templates of small hand-made captures in the usual styles of web interfaces: what a rule must find and what it must
//! leave alone.

use super::recording::{Line, names, project, spellings};
use crate::manifest::{DEFAULT_BUILD_RULES, TemplateRule};
use rstest::rstest;

#[rstest]
#[case::json_api(&[
    ("GET", "/articles", 200, r#"{"data":[{"type":"articles","id":"1","attributes":{"title":"A"}},{"type":"articles","id":"2","attributes":{"title":"B"}}]}"#),
    ("GET", "/articles/1", 200, r#"{"data":{"type":"articles","id":"1","attributes":{"title":"A"}}}"#),
    ("GET", "/articles/1/comments", 200, r#"{"data":[{"type":"comments","id":"5","attributes":{"body":"x"}}]}"#),
    ("GET", "/articles/1/relationships/author", 200, r#"{"data":{"type":"people","id":"9"}}"#),
    ("GET", "/people", 200, r#"{"data":[{"type":"people","id":"9","attributes":{"name":"P"}}]}"#),
    ("GET", "/people/9", 200, r#"{"data":{"type":"people","id":"9","attributes":{"name":"P"}}}"#),
], &[
    "GET /articles",
    "GET /articles/{numeric}",
    "GET /articles/{numeric}/comments",
    "GET /articles/{numeric}/relationships/author",
    "GET /people",
    "GET /people/{numeric}",
])]
#[case::nested_resources(&[
    ("GET", "/posts", 200, r#"[{"id":1,"slug":"hello-world","title":"Hello"}]"#),
    ("GET", "/posts/hello-world", 200, r#"{"id":1,"slug":"hello-world","title":"Hello"}"#),
    ("PATCH", "/posts/hello-world", 204, ""),
    ("GET", "/posts/new", 200, r#"{"title":"","body":""}"#),
    ("GET", "/posts/hello-world/comments/3", 200, r#"{"id":3,"text":"x"}"#),
    ("DELETE", "/posts/missing", 404, r#"{"error":"not found"}"#),
], &[
    "DELETE /posts/{sibling-variance}",
    "GET /posts",
    "GET /posts/new",
    "GET /posts/{sibling-variance}",
    "GET /posts/{sibling-variance}/comments/{numeric}",
    "PATCH /posts/{sibling-variance}",
])]
#[case::owners_and_repositories(&[
    ("GET", "/user", 200, r#"{"id":1,"login":"octocat"}"#),
    ("GET", "/users/octocat", 200, r#"{"id":1,"login":"octocat"}"#),
    ("GET", "/users/octocat/repos", 200, r#"[{"id":7,"name":"hello-world","owner":{"login":"octocat","id":1}}]"#),
    ("GET", "/orgs/acme/repos", 200, r#"[{"id":8,"name":"web","owner":{"login":"acme","id":2}},{"id":9,"name":"api","owner":{"login":"acme","id":2}}]"#),
    ("GET", "/repos/octocat/hello-world", 200, r#"{"id":7,"name":"hello-world","full_name":"octocat/hello-world","owner":{"login":"octocat","id":1}}"#),
    ("GET", "/repos/octocat/hello-world/issues", 200, r#"[{"id":70,"number":1,"title":"T"}]"#),
    ("GET", "/repos/octocat/hello-world/issues/1", 200, r#"{"id":70,"number":1,"title":"T"}"#),
    ("GET", "/repos/octocat/hello-world/branches/main", 200, r#"{"name":"main","protected":false}"#),
    ("GET", "/search/repositories", 200, r#"{"total_count":1,"items":[{"id":7,"name":"hello-world"}]}"#),
], &[
    "GET /orgs/{sibling-variance}/repos",
    "GET /repos/{sibling-variance}/{sibling-variance}",
    "GET /repos/{sibling-variance}/{sibling-variance}/branches/{sibling-variance}",
    "GET /repos/{sibling-variance}/{sibling-variance}/issues",
    "GET /repos/{sibling-variance}/{sibling-variance}/issues/{numeric}",
    "GET /search/repositories",
    "GET /user",
    "GET /users/{sibling-variance}",
    "GET /users/{sibling-variance}/repos",
])]
#[case::namespaces_and_kinds(&[
    ("GET", "/api/v1", 200, r#"{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get"]},{"name":"namespaces","singularName":"namespace","namespaced":false,"kind":"Namespace","verbs":["get"]}]}"#),
    ("GET", "/api/v1/namespaces", 200, r#"{"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"default","uid":"a"},"spec":{}},{"metadata":{"name":"kube-system","uid":"b"},"spec":{}}]}"#),
    ("GET", "/api/v1/namespaces/default", 200, r#"{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default","uid":"a"},"spec":{},"status":{"phase":"Active"}}"#),
    ("GET", "/api/v1/namespaces/default/pods", 200, r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{}},{"metadata":{"name":"db","namespace":"default"},"spec":{}}]}"#),
    ("GET", "/api/v1/namespaces/default/pods/web", 200, r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default"},"spec":{},"status":{"phase":"Running"}}"#),
    ("GET", "/api/v1/namespaces/default/services", 200, r#"{"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{}}]}"#),
    ("GET", "/api/v1/namespaces/default/services/web", 200, r#"{"kind":"Service","apiVersion":"v1","metadata":{"name":"web","namespace":"default"},"spec":{},"status":{}}"#),
    ("GET", "/api/v1/pods", 200, r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[{"metadata":{"name":"web","namespace":"default"},"spec":{}}]}"#),
    ("GET", "/apis/apps/v1/namespaces/default/deployments/web", 200, r#"{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"default"},"spec":{},"status":{}}"#),
], &[
    "GET /api/v1",
    "GET /api/v1/namespaces",
    "GET /api/v1/namespaces/{sibling-variance}",
    "GET /api/v1/namespaces/{sibling-variance}/pods",
    "GET /api/v1/namespaces/{sibling-variance}/pods/{sibling-variance}",
    "GET /api/v1/namespaces/{sibling-variance}/services",
    "GET /api/v1/namespaces/{sibling-variance}/services/{sibling-variance}",
    "GET /api/v1/pods",
    "GET /apis/apps/v1/namespaces/{sibling-variance}/deployments/{sibling-variance}",
])]
#[case::search_indices(&[
    ("GET", "/_cluster/health", 200, r#"{"cluster_name":"c","status":"green"}"#),
    ("PUT", "/books/_doc/1", 201, r#"{"_index":"books","_id":"1","result":"created"}"#),
    ("GET", "/books/_doc/1", 200, r#"{"_index":"books","_id":"1","found":true,"_source":{"title":"A"}}"#),
    ("POST", "/books/_search", 200, r#"{"took":1,"hits":{"total":{"value":1},"hits":[{"_index":"books","_id":"1","_source":{"title":"A"}}]}}"#),
    ("GET", "/movies/_doc/first", 200, r#"{"_index":"movies","_id":"first","found":true,"_source":{"name":"M"}}"#),
    ("POST", "/movies/_search", 200, r#"{"took":1,"hits":{"total":{"value":1},"hits":[{"_index":"movies","_id":"first","_source":{"name":"M"}}]}}"#),
], &[
    "GET /_cluster/health",
    "GET /{sibling-variance}/_doc/{sibling-variance}",
    "POST /{sibling-variance}/_search",
    "PUT /{sibling-variance}/_doc/{sibling-variance}",
])]
#[case::kinds_below_one_word(&[
    ("GET", "/collections/tasks/records", 200, r#"{"items":[{"id":"a1","collection":"tasks","title":"A","done":false},{"id":"a2","collection":"tasks","title":"B","done":true}]}"#),
    ("GET", "/collections/labels/records", 200, r#"{"items":[{"id":"b1","collection":"labels","name":"A","color":"red"},{"id":"b2","collection":"labels","name":"B","color":"red"}]}"#),
    ("GET", "/collections/tasks/records/a1", 200, r#"{"id":"a1","collection":"tasks","title":"A","done":false}"#),
], &[
    "GET /collections/labels/records",
    "GET /collections/tasks/records",
    "GET /collections/tasks/records/{sibling-variance}",
])]
#[case::scopes_below_one_word(&[
    ("GET", "/queues/red/all", 200, r#"{"items":[{"id":"a1","vhost":"red","title":"A","done":false},{"id":"a2","vhost":"red","title":"B","done":true}]}"#),
    ("GET", "/queues/blue/all", 200, r#"{"items":[{"id":"b1","vhost":"blue","title":"A","done":true},{"id":"b2","vhost":"blue","title":"B","done":true}]}"#),
], &["GET /queues/{sibling-variance}/all"])]
#[case::keys_in_parentheses(&[
    ("GET", "/odata/Users", 200, r#"{"value":[{"UserName":"alice","Age":3},{"UserName":"bob","Age":4}]}"#),
    ("GET", "/odata/Users('alice')", 200, r#"{"UserName":"alice","Age":3}"#),
    ("GET", "/odata/Users('bob')", 200, r#"{"UserName":"bob","Age":4}"#),
    ("GET", "/odata/Users('bob')/Orders", 200, r#"{"value":[{"OrderID":4}]}"#),
    ("GET", "/odata/Products(1)", 200, r#"{"ProductID":1,"Price":2}"#),
    ("GET", "/odata/Products", 200, r#"{"value":[{"ProductID":1,"Price":2}]}"#),
], &[
    "GET /odata/Products",
    "GET /odata/Products({prefix-variance})",
    "GET /odata/Users",
    "GET /odata/Users({prefix-variance})",
    "GET /odata/Users({prefix-variance})/Orders",
])]
#[case::file_tree(&[
    ("GET", "/files", 200, r#"{"name":"","path":"","content":[{"name":"docs","path":"docs"},{"name":"a.txt","path":"a.txt"}]}"#),
    ("GET", "/files/docs", 200, r#"{"name":"docs","path":"docs","content":[{"name":"b.txt","path":"docs/b.txt"}]}"#),
    ("GET", "/files/a.txt", 200, r#"{"name":"a.txt","path":"a.txt","content":null}"#),
    ("GET", "/files/docs/b.txt", 200, r#"{"name":"b.txt","path":"docs/b.txt","content":null}"#),
    ("PUT", "/files/docs/My%20notes.txt", 201, r#"{"name":"My notes.txt","path":"docs/My notes.txt","content":null}"#),
    ("GET", "/files/docs/b.txt/versions", 200, r#"[{"id":"first","at":1}]"#),
    ("DELETE", "/files/docs/b.txt/versions/first", 204, ""),
], &[
    "DELETE /files/{sibling-variance}/{sibling-variance}/versions/{sibling-variance}",
    "GET /files",
    "GET /files/{sibling-variance}",
    "GET /files/{sibling-variance}/{sibling-variance}",
    "GET /files/{sibling-variance}/{sibling-variance}/versions",
    "PUT /files/{sibling-variance}/{sibling-variance}",
])]
#[case::remote_procedures(&[
    ("POST", "/api/rpc/users.list", 200, r#"{"users":[{"id":"u1","name":"A"},{"id":"u2","name":"B"}]}"#),
    ("POST", "/api/rpc/users.info", 200, r#"{"user":{"id":"u1","name":"A"}}"#),
    ("POST", "/api/rpc/users.create", 200, r#"{"user":{"id":"u3","name":"C"}}"#),
    ("GET", "/api/rpc/users.identity", 200, r#"{"user":{"id":"u1","name":"A"}}"#),
    ("GET", "/api/rpc/users.profile?id=u2", 200, r#"{"user":{"id":"u2","name":"B"}}"#),
    ("POST", "/api/rpc/chat.post", 200, r#"{"ok":true}"#),
    ("POST", "/api/rpc/chat.delete", 200, r#"{"ok":true}"#),
], &[
    "GET /api/rpc/users.identity",
    "GET /api/rpc/users.profile",
    "POST /api/rpc/chat.delete",
    "POST /api/rpc/chat.post",
    "POST /api/rpc/users.create",
    "POST /api/rpc/users.info",
    "POST /api/rpc/users.list",
])]
#[case::after_uid(&[
    ("GET", "/api/search", 200, r#"[{"id":1,"uid":"home","title":"Home","type":"dash-db"}]"#),
    ("GET", "/api/dashboards/uid/home", 200, r#"{"dashboard":{"uid":"home","title":"Home"},"meta":{"slug":"home"}}"#),
    ("DELETE", "/api/dashboards/uid/gone", 404, r#"{"message":"not found"}"#),
    ("POST", "/api/dashboards/db", 200, r#"{"uid":"home","status":"success","version":2}"#),
    ("GET", "/api/folders", 200, r#"[{"id":2,"uid":"ops","title":"Ops"}]"#),
    ("GET", "/api/folders/ops", 200, r#"{"id":2,"uid":"ops","title":"Ops"}"#),
    ("GET", "/api/datasources", 200, r#"[{"id":1,"uid":"p1","name":"Prom","type":"prometheus"}]"#),
    ("GET", "/api/datasources/1", 200, r#"{"id":1,"uid":"p1","name":"Prom","type":"prometheus"}"#),
    ("GET", "/api/datasources/uid/p1", 200, r#"{"id":1,"uid":"p1","name":"Prom","type":"prometheus"}"#),
    ("GET", "/api/datasources/name/Prom", 200, r#"{"id":1,"uid":"p1","name":"Prom","type":"prometheus"}"#),
    ("GET", "/api/org", 200, r#"{"id":1,"name":"Main"}"#),
    ("GET", "/api/org/users", 200, r#"[{"userId":1,"login":"admin"}]"#),
    ("GET", "/api/users/lookup?loginOrEmail=admin", 200, r#"{"id":1,"login":"admin"}"#),
    ("GET", "/api/users/1", 200, r#"{"id":1,"login":"admin"}"#),
], &[
    "DELETE /api/dashboards/uid/{after-uid-literal}",
    "GET /api/dashboards/uid/{after-uid-literal}",
    "GET /api/datasources",
    "GET /api/datasources/name/{sibling-variance}",
    "GET /api/datasources/uid/{after-uid-literal}",
    "GET /api/datasources/{numeric}",
    "GET /api/folders",
    "GET /api/folders/{sibling-variance}",
    "GET /api/org",
    "GET /api/org/users",
    "GET /api/search",
    "GET /api/users/lookup",
    "GET /api/users/{numeric}",
    "POST /api/dashboards/db",
])]
#[case::prefixed_ids(&[
    ("GET", "/v1/customers", 200, r#"{"object":"list","data":[{"id":"cus_8Fj2","object":"customer","email":"a@x"}],"has_more":false}"#),
    ("GET", "/v1/customers/cus_8Fj2", 200, r#"{"id":"cus_8Fj2","object":"customer","email":"a@x"}"#),
    ("POST", "/v1/customers/cus_8Fj2", 200, r#"{"id":"cus_8Fj2","object":"customer","email":"b@x"}"#),
    ("GET", "/v1/customers/search", 200, r#"{"object":"search_result","data":[{"id":"cus_8Fj2","object":"customer","email":"a@x"}]}"#),
    ("DELETE", "/v1/plans/plan_1", 204, ""),
    ("DELETE", "/v1/plans/plan_2", 204, ""),
], &[
    "DELETE /v1/plans/{sibling-variance}",
    "GET /v1/customers",
    "GET /v1/customers/search",
    "GET /v1/customers/{sibling-variance}",
    "POST /v1/customers/{sibling-variance}",
])]
#[case::the_signed_in_user(&[
    ("GET", "/api/users", 200, r#"[{"id":1,"name":"A"},{"id":2,"name":"B"}]"#),
    ("GET", "/api/users/1", 200, r#"{"id":1,"name":"A"}"#),
    ("GET", "/api/users/2", 200, r#"{"id":2,"name":"B"}"#),
    ("GET", "/api/users/me", 200, r#"{"id":1,"name":"A"}"#),
    ("PATCH", "/api/users/me", 200, r#"{"id":1,"name":"Z"}"#),
    ("GET", "/api/users/count", 200, "2"),
    ("GET", "/api/users/1/keys", 200, "[]"),
    ("GET", "/api/users/me/keys", 200, "[]"),
], &[
    "GET /api/users",
    "GET /api/users/count",
    "GET /api/users/me",
    "GET /api/users/me/keys",
    "GET /api/users/{numeric}",
    "GET /api/users/{numeric}/keys",
    "PATCH /api/users/me",
])]
#[case::an_index_of_endpoints(&[
    ("GET", "/api/", 200, r#"{"users":"http://h/api/users/","groups":"http://h/api/groups/"}"#),
    ("GET", "/api/users/", 200, r#"{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":"A"}]}"#),
    ("GET", "/api/groups/", 200, r#"{"count":0,"next":null,"previous":null,"results":[]}"#),
    ("GET", "/api/users/1/", 200, r#"{"id":1,"name":"A"}"#),
], &["GET /api/", "GET /api/groups/", "GET /api/users/", "GET /api/users/{numeric}/"])]
#[case::collections_of_one_shape(&[
    ("GET", "/api/tags", 200, r#"{"data":[{"id":1,"name":"x"}]}"#),
    ("GET", "/api/labels", 200, r#"{"data":[{"id":4,"name":"y"}]}"#),
    ("GET", "/api/tags/1", 200, r#"{"data":{"id":1,"name":"x"}}"#),
    ("GET", "/api/labels/4", 200, r#"{"data":{"id":4,"name":"y"}}"#),
], &["GET /api/labels", "GET /api/labels/{numeric}", "GET /api/tags", "GET /api/tags/{numeric}"])]
#[case::documents_of_one_shape(&[
    ("GET", "/stats/daily", 200, r#"{"from":"a","to":"b","visits":3}"#),
    ("GET", "/stats/weekly", 200, r#"{"from":"a","to":"c","visits":9}"#),
    ("GET", "/stats/export", 200, r#"{"url":"x","expires":1}"#),
], &["GET /stats/export", "GET /stats/{sibling-variance}"])]
#[case::versions(&[
    ("GET", "/api/2/things/7", 200, r#"{"id":7}"#),
    ("GET", "/rest/3/things/7", 200, r#"{"id":7}"#),
], &["GET /api/2/things/{numeric}", "GET /rest/3/things/{numeric}"])]
#[case::numbers_after_api_that_vary(&[
    ("GET", "/api/2/name", 200, r#"{"name":"x"}"#),
    ("GET", "/api/3/name", 200, r#"{"name":"y"}"#),
], &["GET /api/{numeric}/name"])]
#[case::two_kinds_of_id_at_one_place(&[
    ("GET", "/users/1", 200, r#"{"id":"1","name":"Owner"}"#),
    ("GET", "/users/507f1f77bcf86cd799439011", 200, r#"{"id":"507f1f77bcf86cd799439011","name":"B"}"#),
    ("GET", "/files/507f1f77bcf86cd799439011", 200, r#"{"id":"507f1f77bcf86cd799439011"}"#),
    ("GET", "/files/507177890000000000000011", 200, r#"{"id":"507177890000000000000011"}"#),
], &["GET /files/{hex}", "GET /users/{sibling-variance}"])]
#[case::lists_by_state_beside_items(&[
    ("GET", "/jobs", 200, r#"[{"id":1,"state":"open"},{"id":2,"state":"done"}]"#),
    ("GET", "/jobs/1", 200, r#"{"id":1,"state":"open"}"#),
    ("GET", "/jobs/open", 200, r#"[{"id":1,"state":"open"}]"#),
], &["GET /jobs", "GET /jobs/open", "GET /jobs/{numeric}"])]
#[case::one_scope_read_only_through_what_it_holds(&[
    ("GET", "/vhosts/shop", 200, r#"{"name":"shop","tracing":false}"#),
    ("GET", "/bindings/shop", 200, r#"[{"source":"a","vhost":"shop","destination":"q"},{"source":"b","vhost":"shop","destination":"q"}]"#),
    ("GET", "/artifacts/week-note/latest", 200, r#"{"id":"6f9619ff-8b86-d011-b42d-00c04fc964ff","key":"week-note"}"#),
], &["GET /artifacts/{sibling-variance}/latest", "GET /bindings/{sibling-variance}", "GET /vhosts/{sibling-variance}"])]
#[case::values_beside_an_empty_and_a_refused_one(&[
    ("GET", "/queues/shop", 200, r#"[{"name":"q","vhost":"shop"},{"name":"r","vhost":"shop"}]"#),
    ("GET", "/queues/billing", 200, r#"[{"name":"q","vhost":"billing"}]"#),
    ("GET", "/queues/sandbox", 200, "[]"),
    ("PUT", "/queues/nowhere/new", 404, "{}"),
    ("PUT", "/queues/shop/q", 201, ""),
    ("GET", "/queues/shop/q", 200, r#"{"name":"q","vhost":"shop"}"#),
], &["GET /queues/{sibling-variance}", "GET /queues/{sibling-variance}/{sibling-variance}", "PUT /queues/{sibling-variance}/{sibling-variance}"])]
#[case::plus_for_a_space(&[
    ("GET", "/pastries/Millefeuille", 200, r#"{"name":"Millefeuille","price":4}"#),
    ("GET", "/pastries/Eclair+Cafe", 200, r#"{"name":"Eclair Cafe","price":2}"#),
    ("PATCH", "/pastries/Eclair+Cafe", 200, r#"{"name":"Eclair Cafe","price":3}"#),
], &["GET /pastries/{sibling-variance}", "PATCH /pastries/{sibling-variance}"])]
#[case::lookups_by_query(&[
    ("GET", "/api/things/get?id=1", 200, r#"{"thing":{"id":"1","name":"a","size":2}}"#),
    ("GET", "/api/things/get-by-name?name=b", 200, r#"{"thing":{"id":"2","name":"b","size":2}}"#),
    ("POST", "/api/things/create", 200, r#"{"thing":{"id":"3","name":"c","size":2}}"#),
    ("POST", "/api/things/update", 200, "{}"),
    ("POST", "/api/things/delete", 200, "{}"),
], &["GET /api/things/get", "GET /api/things/get-by-name", "POST /api/things/create", "POST /api/things/delete", "POST /api/things/update"])]
#[case::organisations_read_only_through_what_they_hold(&[
    ("GET", "/orgs/acme/members", 200, r#"[{"id":1,"name":"A"}]"#),
    ("GET", "/orgs/globex/members", 200, r#"[{"id":2,"name":"B"},{"id":3,"name":"C"}]"#),
    ("GET", "/orgs/nobody/members", 404, r#"{"error":"x"}"#),
], &["GET /orgs/{sibling-variance}/members"])]
fn default_rules(#[case] lines: &[Line], #[case] expected: &[&str]) {
    assert_eq!(spellings(&project(lines, &DEFAULT_BUILD_RULES)), expected);
}

const MIXED: &[Line] = &[
    ("GET", "/items/7", 200, r#"{"id":7}"#),
    ("GET", "/items/nope", 404, r#"{"error":"x"}"#),
    ("GET", "/d/uid/home", 200, r#"{"a":1}"#),
    ("GET", "/t/V1StGXR8Z5jdHi6B", 200, r#"{"a":1}"#),
    ("GET", "/p/user-1", 200, r#"{"a":1}"#),
    ("GET", "/p/user-2", 200, r#"{"b":1}"#),
];

#[rstest]
#[case(&[], &["/d/uid/home", "/items/nope", "/items/{numeric}", "/p/user-1", "/p/user-2", "/t/V1StGXR8Z5jdHi6B"])]
#[case(&[TemplateRule::AfterUidLiteral], &["/d/uid/{after-uid-literal}", "/items/nope", "/items/{numeric}", "/p/user-1", "/p/user-2", "/t/V1StGXR8Z5jdHi6B"])]
#[case(&[TemplateRule::OpaqueToken], &["/d/uid/home", "/items/nope", "/items/{numeric}", "/p/user-1", "/p/user-2", "/t/{opaque-token}"])]
#[case(&[TemplateRule::SiblingVariance], &["/d/uid/home", "/items/{sibling-variance}", "/p/user-1", "/p/user-2", "/t/V1StGXR8Z5jdHi6B"])]
#[case(&[TemplateRule::PrefixVariance], &["/d/uid/home", "/items/nope", "/items/{numeric}", "/p/{prefix-variance}", "/t/V1StGXR8Z5jdHi6B"])]
fn each_rule_alone(#[case] rules: &[TemplateRule], #[case] expected: &[&str]) {
    let found: Vec<String> =
        spellings(&project(MIXED, rules)).iter().map(|row| row.trim_start_matches("GET ").to_owned()).collect();
    assert_eq!(found, expected);
}

#[test]
fn one_path_has_one_template_for_all_methods() {
    let manifest = project(
        &[
            ("PUT", "/users/bob", 201, ""),
            ("GET", "/users/bob", 200, r#"{"name":"bob"}"#),
            ("DELETE", "/users/alice", 204, ""),
            ("POST", "/users/bob/reset", 204, ""),
        ],
        &DEFAULT_BUILD_RULES,
    );
    assert_eq!(
        names(&manifest),
        ["delete_users_by_name", "get_users_by_name", "post_users_reset_by_name", "put_users_by_name"]
    );
}

#[rstest]
#[case::plain(&[("GET", "/api/users/2", 200, r#"{"id":2}"#)], &["get_users_by_id"])]
#[case::member(&[("DELETE", "/api/folders/ops1-x", 404, "{}"), ("GET", "/api/folders/ops1-x", 200, r#"{"uid":"ops1-x"}"#)],
    &["delete_folders_by_uid", "get_folders_by_uid"])]
#[case::nested(&[("GET", "/api/projects/4/bills/7", 200, r#"{"id":7,"what":"x"}"#)], &["get_projects_bills_by_project_id_by_id"])]
#[case::collision(&[("GET", "/rest/workflows", 200, "[]"), ("GET", "/api/v1/workflows", 200, "[]")],
    &["get_api_v1_workflows", "get_rest_workflows"])]
#[case::camel(&[("POST", "/api/userGroups/addMember", 200, "{}")], &["post_user_groups_add_member"])]
#[case::long(&[("DELETE", "/bindings/shop/e/events/q/orders/a.b", 204, ""), ("GET", "/bindings/shop/e/events/q/orders", 200, r#"[{"source":"events","vhost":"shop","destination":"orders","properties_key":"a.b"},{"source":"events","vhost":"shop","destination":"orders","properties_key":"c"}]"#), ("GET", "/bindings/web/e/events/q/orders", 200, r#"[{"source":"events","vhost":"web","destination":"orders","properties_key":"d"}]"#), ("GET", "/bindings/web/e/logs/q/stock", 200, r#"[{"source":"logs","vhost":"web","destination":"stock","properties_key":"d"}]"#)],
    &["delete_bindings_e_q_by_vhost_by_source_by_destination_by", "get_bindings_e_q_by_vhost_by_source_by_destination"])]
#[case::only_api(&[("GET", "/api", 200, "{}"), ("GET", "/", 200, "{}")], &["get_api", "get_root"])]
#[case::slash(&[("GET", "/users", 200, "[]"), ("GET", "/users/", 200, "[]")], &["get_users", "get_users_2"])]
fn tool_names(#[case] lines: &[Line], #[case] expected: &[&str]) {
    assert_eq!(names(&project(lines, &DEFAULT_BUILD_RULES)), expected);
}

#[test]
fn argument_names_keep_apart_what_a_client_would_mix_up() {
    let long = "x".repeat(65);
    let target: &'static str =
        Box::leak(format!("/u/7?id=1&body=2&_secret=3&model_config=4&{long}=5&plain=6&plain=7").into_boxed_str());
    let manifest = project(&[("PUT", target, 200, r#"{"id":7}"#)], &DEFAULT_BUILD_RULES);
    let tool = &manifest.tools[0];
    assert_eq!(tool.parameters[0].argument, "id");
    let query: Vec<(&str, &str, bool)> =
        tool.query.iter().map(|q| (q.name.as_str(), q.argument.as_str(), q.repeated)).collect();
    assert_eq!(
        query,
        [
            ("id", "query_id", false),
            ("body", "body", false),
            ("_secret", "query_2", false),
            ("model_config", "query_3", false),
            (long.as_str(), "query_4", false),
            ("plain", "plain", true),
        ]
    );
    assert_eq!(tool.query[5].observed, ["6", "7"]);
    assert_eq!(tool.body_argument, "request_body");
}

#[test]
fn ten_thousand_items_are_one_tool() {
    // Every step over the siblings of a place has to be linear for this to end in reasonable time.
    let records = (0..10_000usize)
        .map(|n| {
            let name = format!("{}{}", ["ant", "bee", "cat", "dog"][n % 4], letters(n));
            super::recording::record(n, "GET", &format!("/zoos/{name}"), 200, &format!(r#"{{"name":"{name}"}}"#))
        })
        .chain((10_000..20_000usize).map(|n| {
            super::recording::record(n, "GET", &format!("/zoos/z{}/keepers", letters(n)), 200, r#"[{"id":1,"age":2}]"#)
        }))
        .collect();
    let manifest =
        crate::manifest::project_manifest(&super::recording::capture(records), &DEFAULT_BUILD_RULES).unwrap();
    assert_eq!(spellings(&manifest), ["GET /zoos/{sibling-variance}", "GET /zoos/{sibling-variance}/keepers"]);
}

/// A number in letters, so that no format or token rule takes it.
fn letters(mut n: usize) -> String {
    let mut out = String::new();
    loop {
        out.push(char::from(b'a' + u8::try_from(n % 26).unwrap()));
        n /= 26;
        if n == 0 {
            return out;
        }
    }
}
