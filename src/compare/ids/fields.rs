//! Which names hold identifiers, which page a list: the words of the id mapping, and nothing else.

/// Members that hold the identity of the object they are in.
pub(crate) const OWN_ID_FIELDS: [&str; 3] = ["id", "uuid", "guid"];

/// Members whose items are identifiers.
const ID_LIST_FIELDS: [&str; 3] = ["ids", "uuids", "guids"];

/// Text fields that name an entity for people or in addresses. Where an array's objects can be paired by one of these,
/// no other text pairs them: a state word or a colour that happens to be unique is a poor name.
pub(crate) const NAMING_FIELDS: [&str; 14] = [
    "name",
    "slug",
    "key",
    "title",
    "login",
    "username",
    "user_name",
    "email",
    "path",
    "label",
    "code",
    "display_name",
    "displayName",
    "full_name",
];

/// Query parameters that page or size a list. Their values are never identifiers, even where the text equals one.
const PAGING_PARAMETERS: [&str; 37] = [
    "limit",
    "page",
    "offset",
    "start",
    "end",
    "size",
    "count",
    "skip",
    "take",
    "top",
    "first",
    "last",
    "from",
    "to",
    "per_page",
    "perpage",
    "page_size",
    "pagesize",
    "page_number",
    "pagenumber",
    "page_index",
    "pageindex",
    "page_limit",
    "max",
    "max_results",
    "maxresults",
    "rows",
    "length",
    "depth",
    "days",
    "hours",
    "minutes",
    "seconds",
    "draw",
    "pages",
    "batch_size",
    "num",
];

/// Whether the member called `name` holds an identifier: `id`, `uuid`, `guid`, or a name ending in `_id`, `Id`, `ID`,
/// `_uuid` or `Uuid`.
pub(crate) fn is_identifier_field(name: &str) -> bool {
    OWN_ID_FIELDS.contains(&name) || ["_id", "Id", "ID", "_uuid", "Uuid"].iter().any(|end| name.ends_with(end))
}

/// Whether the member called `name` is the identity of the object it is in.
pub(crate) fn is_own_id_field(name: &str) -> bool {
    OWN_ID_FIELDS.contains(&name)
}

/// Whether the member called `name` holds a list of identifiers.
pub(crate) fn is_id_list_field(name: &str) -> bool {
    ID_LIST_FIELDS.contains(&name)
}

/// Whether the query parameter called `name` pages a list. Bracketed spellings (`pagination[page]`, `page[size]`) count
/// by each of their words, and one leading underscore is ignored.
pub(crate) fn is_paging_parameter(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower
        .split(['[', ']', '.'])
        .filter(|word| !word.is_empty())
        .any(|word| PAGING_PARAMETERS.contains(&word.trim_start_matches('_')) || word == "pagination")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::id("id")]
    #[case::uuid("uuid")]
    #[case::guid("guid")]
    #[case::snake("folder_id")]
    #[case::camel("folderId")]
    #[case::upper("folderID")]
    #[case::mongo("_id")]
    #[case::snake_uuid("team_uuid")]
    #[case::camel_uuid("teamUuid")]
    fn identifier_fields(#[case] name: &str) {
        assert!(is_identifier_field(name));
    }

    #[rstest]
    #[case::word_ending("paid")]
    #[case::uid_needs_the_state("uid")]
    #[case::upper_word("ID")]
    #[case::guid_suffix("user_guid")]
    #[case::list("ids")]
    #[case::other("identity")]
    fn other_fields(#[case] name: &str) {
        assert_eq!(is_identifier_field(name), name == "ID");
    }

    #[rstest]
    #[case("limit", true)]
    #[case("page", true)]
    #[case("pageSize", true)]
    #[case("per_page", true)]
    #[case("_start", true)]
    #[case("pagination[page]", true)]
    #[case("page[size]", true)]
    #[case("project", false)]
    #[case("folder_id", false)]
    #[case("filter[owner]", false)]
    fn paging_parameters(#[case] name: &str, #[case] pages: bool) {
        assert_eq!(is_paging_parameter(name), pages);
    }
}
