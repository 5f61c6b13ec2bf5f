//! The templates of the recorded applications. Each table was written from what the application's own notes say about
//! its endpoints; it says which method and template spellings are right, and there are no others.

use super::recording::spellings;
use crate::capture::{InspectOptions, load_capture};
use crate::manifest::{DEFAULT_BUILD_RULES, Manifest, project_manifest};
use rstest::rstest;
use std::path::PathBuf;

/// Where a recording lies: with the scenarios, or beside the project.
fn recording(application: &str, file: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    ["scenarios", "../shared/captures"]
        .map(|folder| root.join(folder).join(application).join(file))
        .into_iter()
        .find(|path| path.exists())
}

fn manifest(application: &str, file: &str) -> Option<Manifest> {
    let path = recording(application, file)?;
    let capture = load_capture(&path, &InspectOptions::default()).unwrap();
    Some(project_manifest(&capture, &DEFAULT_BUILD_RULES).unwrap())
}

/// `"GET PUT /x"` is two spellings.
fn expand(rows: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = rows
        .iter()
        .flat_map(|row| {
            let (methods, template) = row.rsplit_once(' ').unwrap();
            methods.split(' ').map(move |method| format!("{method} {template}"))
        })
        .collect();
    out.sort();
    out
}

// `{*}` stands for `{sibling-variance}`: a place where a caller's name, or a malformed id that was asked for, varies.
#[rstest]
#[case::changedetection("changedetection", &[
    "POST /api/v1/import",
    "DELETE GET POST PUT /api/v1/notifications",
    "GET /api/v1/search",
    "GET /api/v1/systeminfo",
    "POST /api/v1/tag",
    "DELETE GET PUT /api/v1/tag/{*}",
    "GET /api/v1/tags",
    "GET POST /api/v1/watch",
    "DELETE GET PUT /api/v1/watch/{*}",
    "GET /api/v1/watch/{*}/difference/previous/latest",
    "GET /api/v1/watch/{*}/difference/{numeric}/{numeric}",
    "DELETE GET /api/v1/watch/{*}/history",
    "GET /api/v1/watch/{*}/history/latest",
    "GET /api/v1/watch/{*}/history/{numeric}",
])]
#[case::ghost("ghost", &[
    "GET /ghost/api/admin/labels/",
    "GET POST /ghost/api/admin/members/",
    "DELETE GET PUT /ghost/api/admin/members/{*}/",
    "GET POST /ghost/api/admin/pages/",
    "DELETE GET PUT /ghost/api/admin/pages/{*}/",
    "GET POST /ghost/api/admin/posts/",
    "DELETE GET PUT /ghost/api/admin/posts/{*}/",
    "GET /ghost/api/admin/posts/slug/{*}/",
    "POST /ghost/api/admin/session/",
    "GET PUT /ghost/api/admin/settings/",
    "GET /ghost/api/admin/site/",
    "GET POST /ghost/api/admin/tags/",
    "DELETE GET PUT /ghost/api/admin/tags/{*}/",
    "GET /ghost/api/admin/tags/slug/{*}/",
    "GET /ghost/api/admin/users/me/",
])]
#[case::ihatemoney("ihatemoney", &[
    "GET /api/currencies",
    "POST /api/projects",
    "GET PUT /api/projects/{*}",
    "GET POST /api/projects/{*}/bills",
    "DELETE GET PUT /api/projects/{*}/bills/{*}",
    "GET POST /api/projects/{*}/members",
    "DELETE GET PUT /api/projects/{*}/members/{*}",
    "GET /api/projects/{*}/statistics",
])]
#[case::jupyter_server("jupyter-server", &[
    "GET /api",
    "GET PATCH PUT /api/config/{*}",
    "GET /api/contents",
    "DELETE GET PATCH POST /api/contents/{*}",
    "GET /api/contents/{*}/checkpoints",
    "DELETE /api/contents/{*}/checkpoints/{*}",
    "DELETE GET PATCH PUT /api/contents/{*}/{*}",
    "GET POST /api/contents/{*}/{*}/checkpoints",
    "DELETE POST /api/contents/{*}/{*}/checkpoints/{*}",
    "GET PUT /api/contents/{*}/{*}/{*}",
    "GET POST /api/kernels",
    "DELETE GET /api/kernels/{uuid}",
    "GET /api/kernelspecs",
    "GET /api/kernelspecs/{*}",
    "GET /api/me",
    "GET POST /api/sessions",
    "DELETE GET PATCH /api/sessions/{uuid}",
    "GET /api/status",
])]
#[case::label_studio("label-studio", &[
    "DELETE GET PATCH /api/annotations/{numeric}/",
    "GET /api/current-user/whoami",
    "GET POST /api/dm/views/",
    "DELETE GET PATCH /api/dm/views/{*}/",
    "GET /api/labels/",
    "GET /api/labels/{numeric}/",
    "GET POST /api/predictions/",
    "DELETE GET PATCH /api/predictions/{*}/",
    "GET POST /api/projects/",
    "GET /api/projects/counts/",
    "DELETE GET PATCH /api/projects/{numeric}/",
    "GET /api/projects/{numeric}/tasks/",
    "GET POST /api/tasks/",
    "DELETE GET PATCH /api/tasks/{numeric}/",
    "GET POST /api/tasks/{numeric}/annotations/",
    "GET /api/users/",
    "GET /api/users/{numeric}/",
    "GET /api/version",
])]
#[case::mlflow("mlflow", &[
    "POST /api/2.0/mlflow/experiments/create",
    "POST /api/2.0/mlflow/experiments/delete",
    "GET /api/2.0/mlflow/experiments/get",
    "GET /api/2.0/mlflow/experiments/get-by-name",
    "POST /api/2.0/mlflow/experiments/restore",
    "GET /api/2.0/mlflow/experiments/search",
    "POST /api/2.0/mlflow/experiments/set-experiment-tag",
    "POST /api/2.0/mlflow/experiments/update",
    "GET /api/2.0/mlflow/metrics/get-history",
    "POST /api/2.0/mlflow/model-versions/create",
    "DELETE /api/2.0/mlflow/model-versions/delete",
    "GET /api/2.0/mlflow/model-versions/get",
    "GET /api/2.0/mlflow/model-versions/search",
    "PATCH /api/2.0/mlflow/model-versions/update",
    "GET POST /api/2.0/mlflow/registered-models/alias",
    "POST /api/2.0/mlflow/registered-models/create",
    "DELETE /api/2.0/mlflow/registered-models/delete",
    "GET /api/2.0/mlflow/registered-models/get",
    "POST /api/2.0/mlflow/registered-models/get-latest-versions",
    "POST /api/2.0/mlflow/registered-models/rename",
    "GET /api/2.0/mlflow/registered-models/search",
    "POST /api/2.0/mlflow/registered-models/set-tag",
    "PATCH /api/2.0/mlflow/registered-models/update",
    "POST /api/2.0/mlflow/runs/create",
    "POST /api/2.0/mlflow/runs/delete",
    "GET /api/2.0/mlflow/runs/get",
    "POST /api/2.0/mlflow/runs/log-metric",
    "POST /api/2.0/mlflow/runs/log-parameter",
    "POST /api/2.0/mlflow/runs/restore",
    "POST /api/2.0/mlflow/runs/search",
    "POST /api/2.0/mlflow/runs/set-tag",
    "POST /api/2.0/mlflow/runs/update",
    "GET /version",
])]
// The ids are sixteen random letters and digits; one that has no digit, and the id that names nothing, are values too.
#[case::n8n("n8n", &[
    "GET POST /api/v1/tags",
    "DELETE GET PUT /api/v1/tags/{*}",
    "GET POST /api/v1/workflows",
    "DELETE GET PUT /api/v1/workflows/{*}",
    "GET PUT /api/v1/workflows/{*}/tags",
    "GET POST /rest/credentials",
    "DELETE GET PATCH /rest/credentials/{*}",
    "GET POST /rest/login",
    "GET POST /rest/tags",
    "DELETE PATCH /rest/tags/{*}",
    "GET /rest/users",
    "GET POST /rest/workflows",
    "DELETE GET PATCH /rest/workflows/{*}",
    "POST /rest/workflows/{*}/archive",
    "POST /rest/workflows/{*}/unarchive",
])]
#[case::nautobot("nautobot", &[
    "GET POST /api/dcim/device-types/",
    "DELETE GET PATCH /api/dcim/device-types/{uuid}/",
    "GET /api/dcim/location-types/",
    "GET POST /api/dcim/locations/",
    "DELETE GET PATCH /api/dcim/locations/{uuid}/",
    "GET POST /api/dcim/manufacturers/",
    "DELETE GET PATCH PUT /api/dcim/manufacturers/{*}/",
    "GET POST /api/extras/tags/",
    "DELETE GET PATCH /api/extras/tags/{uuid}/",
    "GET POST /api/tenancy/tenant-groups/",
    "DELETE GET PATCH /api/tenancy/tenant-groups/{uuid}/",
    "GET POST /api/tenancy/tenants/",
    "DELETE GET PATCH /api/tenancy/tenants/{uuid}/",
])]
// Artifacts are read by uuid and, in another endpoint, by key: two parameters at one place.
#[case::prefect("prefect", &[
    "POST /api/artifacts/",
    "POST /api/artifacts/count",
    "POST /api/artifacts/filter",
    "DELETE GET PATCH /api/artifacts/{uuid}",
    "GET /api/artifacts/{*}/latest",
    "POST /api/deployments/",
    "POST /api/deployments/count",
    "POST /api/deployments/filter",
    "POST /api/deployments/paginate",
    "GET /api/deployments/name/{*}/{*}",
    "DELETE GET PATCH /api/deployments/{uuid}",
    "POST /api/flows/",
    "POST /api/flows/count",
    "POST /api/flows/filter",
    "POST /api/flows/paginate",
    "GET /api/flows/name/{*}",
    "DELETE GET PATCH /api/flows/{uuid}",
    "GET /api/health",
    "GET /api/hello",
    "POST /api/v2/concurrency_limits/",
    "POST /api/v2/concurrency_limits/filter",
    "DELETE GET PATCH /api/v2/concurrency_limits/{*}",
    "POST /api/variables/",
    "POST /api/variables/count",
    "POST /api/variables/filter",
    "DELETE GET PATCH /api/variables/name/{*}",
    "DELETE GET PATCH /api/variables/{*}",
    "GET /api/version",
    "POST /api/work_pools/",
    "POST /api/work_pools/filter",
    "DELETE GET PATCH /api/work_pools/{*}",
    "POST /api/work_pools/{*}/queues",
    "POST /api/work_pools/{*}/queues/filter",
    "DELETE GET /api/work_pools/{*}/queues/{*}",
])]
#[case::rabbitmq("rabbitmq", &[
    "GET /api/bindings/{*}",
    "GET POST /api/bindings/{*}/e/{*}/q/{*}",
    "DELETE /api/bindings/{*}/e/{*}/q/{*}/{*}",
    "GET PUT /api/cluster-name",
    "GET /api/exchanges/{*}",
    "DELETE GET PUT /api/exchanges/{*}/{*}",
    "GET /api/exchanges/{*}/{*}/bindings/source",
    "GET /api/global-parameters",
    "GET PUT /api/global-parameters/{*}",
    "GET /api/permissions",
    "DELETE GET PUT /api/permissions/{*}/{*}",
    "GET /api/policies",
    "GET /api/policies/{*}",
    "DELETE GET PUT /api/policies/{*}/{*}",
    "GET /api/queues",
    "GET /api/queues/{*}",
    "DELETE GET PUT /api/queues/{*}/{*}",
    "GET /api/queues/{*}/{*}/bindings",
    "GET /api/users",
    "GET /api/users/without-permissions",
    "DELETE GET PUT /api/users/{*}",
    "GET /api/users/{*}/permissions",
    "GET /api/vhosts",
    "DELETE GET PUT /api/vhosts/{*}",
    "GET /api/vhosts/{*}/permissions",
])]
// A number and an id of letters alone were asked for where only document ids exist.
#[case::strapi("strapi", &[
    "GET POST /api/articles",
    "DELETE GET PUT /api/articles/{*}",
    "POST /api/auth/local",
    "GET POST /api/categories",
    "DELETE GET PUT /api/categories/{*}",
    "GET POST /api/labels",
    "DELETE GET PUT /api/labels/{*}",
    "GET PUT /api/site-setting",
    "GET /api/users",
    "GET /api/users-permissions/roles",
    "GET /api/users/count",
    "GET /api/users/me",
    "GET /api/users/{numeric}",
])]
#[case::wordpress("wordpress", &[
    "GET POST /wp-json/wp/v2/categories",
    "DELETE GET PUT /wp-json/wp/v2/categories/{*}",
    "GET POST /wp-json/wp/v2/comments",
    "DELETE GET PUT /wp-json/wp/v2/comments/{numeric}",
    "GET POST /wp-json/wp/v2/pages",
    "DELETE GET PUT /wp-json/wp/v2/pages/{numeric}",
    "GET POST /wp-json/wp/v2/posts",
    "DELETE GET PUT /wp-json/wp/v2/posts/{*}",
    "GET PUT /wp-json/wp/v2/settings",
    "GET POST /wp-json/wp/v2/tags",
    "DELETE GET PUT /wp-json/wp/v2/tags/{numeric}",
    "GET POST /wp-json/wp/v2/users",
    "DELETE GET PUT /wp-json/wp/v2/users/{numeric}",
])]
fn templates(#[case] application: &str, #[case] rows: &[&str]) {
    let Some(manifest) = manifest(application, "capture.har") else {
        eprintln!("skipped: no recording of {application} here");
        return;
    };
    let expected = expand(
        &rows
            .iter()
            .map(|row| row.replace("{*}", "{sibling-variance}"))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    let found = spellings(&manifest);
    let missing: Vec<_> = expected.iter().filter(|row| !found.contains(row)).collect();
    let surplus: Vec<_> = found.iter().filter(|row| !expected.contains(row)).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}, surplus {surplus:#?}");
}

/// `(reason, origin)` of all excluded groups, with their counts.
fn excluded(manifest: &Manifest) -> Vec<(&str, &str, usize)> {
    manifest.excluded_groups.iter().map(|group| (group.reason, group.origin.as_str(), group.records)).collect()
}

#[test]
fn a_browser_session_of_a_single_page_application() {
    let Some(manifest) = manifest("rabbitmq", "capture-ui.har") else {
        eprintln!("skipped: no recording here");
        return;
    };
    let here = manifest.origin.as_str();
    // Scripts, styles and images; the page itself, script templates and a redirect.
    assert_eq!(excluded(&manifest), [("static-asset", here, 53), ("no-json-answer", here, 32)]);
    let cited: usize = manifest.tools.iter().map(|tool| tool.records.len()).sum();
    assert_eq!(cited, 177 - 53 - 32);
    let found = spellings(&manifest);
    for row in expand(&[
        "GET PUT /api/vhosts/{*}",
        "DELETE GET PUT /api/users/{*}",
        "GET /api/users/{*}/permissions",
        "GET /api/users/{*}/topic-permissions",
        "DELETE GET PUT /api/queues/{*}/{*}",
        "GET /api/queues/{*}/{*}/bindings",
        "GET /api/exchanges/{*}",
        "GET /api/exchanges/{*}/{*}/bindings/source",
        "GET /api/exchanges/{*}/{*}/bindings/destination",
        "GET /api/overview",
        "GET /api/nodes",
        "GET /api/operator-policies",
    ]) {
        let row = row.replace("{*}", "{sibling-variance}");
        assert!(found.contains(&row), "{row} is missing in {found:#?}");
    }
    assert!(!found.iter().any(|row| row.contains("/js/") || row.ends_with("/mgmt")), "{found:#?}");
}

#[test]
fn a_browser_session_of_server_rendered_pages() {
    let Some(manifest) = manifest("wordpress", "capture-ui.har") else {
        eprintln!("skipped: no recording here");
        return;
    };
    let here = manifest.origin.clone();
    let others: Vec<_> = excluded(&manifest)
        .into_iter()
        .filter(|(reason, origin, _)| *reason == "other-origin" && *origin != here)
        .collect();
    assert_eq!(others.iter().map(|(_, _, records)| records).sum::<usize>(), 20, "{others:?}");
    let count = |reason: &str| {
        excluded(&manifest).iter().filter(|(held, _, _)| *held == reason).map(|(_, _, records)| records).sum::<usize>()
    };
    let cited: usize = manifest.tools.iter().map(|tool| tool.records.len()).sum();
    assert_eq!(cited + 20 + count("static-asset") + count("no-json-answer"), 361);
    assert_eq!(
        spellings(&manifest),
        expand(&[
            "POST /wp-admin/admin-ajax.php",
            "GET /wp-json/",
            "GET /wp-json/wp/v2/block-patterns/categories",
            "GET /wp-json/wp/v2/block-patterns/patterns",
            "GET /wp-json/wp/v2/blocks",
            "OPTIONS POST /wp-json/wp/v2/posts/{numeric}",
            "GET /wp-json/wp/v2/taxonomies",
            "GET /wp-json/wp/v2/themes",
            "GET /wp-json/wp/v2/users",
            "GET POST /wp-json/wp/v2/users/me",
        ])
    );
}
