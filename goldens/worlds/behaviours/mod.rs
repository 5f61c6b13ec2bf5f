//! The behaviours, one a file. The order of the lists is the order in which behaviours shape a world.

pub(super) use super::behaviour::{Behaviour, Phase, Unknowable, View};
pub(super) use super::clock::ClockFormat;
pub(super) use super::http::{Request, Response, encode};
pub(super) use super::json::{Json, obj};
pub(super) use super::prng::slug;
pub(super) use super::query::Listing;
pub(super) use super::recorder::Recorder;
pub(super) use super::spec::*;
pub(super) use super::world::{Entity, Route, World};
pub(super) use super::write::{Write, WriteKind};

pub mod absence_by_method;
pub mod absence_no_content;
pub mod acting;
pub mod action;
pub mod archived_apart;
pub mod asking;
pub mod batch_action;
pub mod batch_members;
pub mod body_data;
pub mod bulk_create;
pub mod bulk_delete;
pub mod bulk_update;
pub mod cascade_delete;
pub mod child_count;
pub mod child_ids;
pub mod child_ids_joined;
pub mod child_mean;
pub mod child_sum;
pub mod clock_created_only;
pub mod clock_date;
pub mod clock_epoch_millis;
pub mod clock_epoch_seconds;
pub mod clock_micros;
pub mod clock_millis;
pub mod clock_millis_as_micros;
pub mod clock_nested;
pub mod clock_no_zone;
pub mod clock_null_until_edit;
pub mod clock_on_update;
pub mod clock_pair;
pub mod clock_seconds;
pub mod clock_zero_millis;
pub mod clock_zero_never;
pub mod conditions_post;
pub mod conflict_clock;
pub mod conflict_in_use;
pub mod conflict_name;
pub mod conflict_version;
pub mod count_nested;
pub mod count_read;
pub mod count_text;
pub mod create_bare_number;
pub mod create_defaults;
pub mod create_id_only;
pub mod create_no_body;
pub mod create_ok;
pub mod cursor;
pub mod cursor_after;
pub mod cursor_encoded;
pub mod default_child;
pub mod delete_deactivates;
pub mod delete_entity;
pub mod delete_nulls_reference;
pub mod delete_ok_text;
pub mod delete_tombstone;
pub mod derived_display;
pub mod derived_slug;
pub mod derived_slug_kept;
pub mod derived_trimmed;
pub mod derived_url;
pub mod directus;
pub mod django_filters;
pub mod document_write;
pub mod documents;
pub mod dotted_filters;
pub mod embed_param;
pub mod embedded_copy;
pub mod error_embeds_id;
pub mod error_fresh_id;
pub mod error_html;
pub mod error_text;
pub mod expires;
pub mod filter_brackets;
pub mod filter_clock;
pub mod filter_compare;
pub mod filter_equal;
pub mod filter_expression;
pub mod filter_json;
pub mod filter_language;
pub mod filter_negation;
pub mod filter_one_of;
pub mod filter_parent;
pub mod filter_repeated;
pub mod flat_over_nested;
pub mod form_bodies;
pub mod grandchildren;
pub mod group_counts;
pub mod has_children;
pub mod has_more;
pub mod hits_post;
pub mod id_caller;
pub mod id_hex;
pub mod id_in_query;
pub mod id_inside;
pub mod id_list;
pub mod id_name;
pub mod id_path;
pub mod id_per_parent;
pub mod id_sequence_shared;
pub mod id_text_number;
pub mod id_token;
pub mod id_tuple;
pub mod id_tuple_in_query;
pub mod id_uuid;
pub mod ignored_parameter;
pub mod item_data;
pub mod item_one_element;
pub mod item_one_key;
pub mod json_api;
pub mod key_values;
pub mod laravel_page;
pub mod list_clock_spelling;
pub mod list_counted;
pub mod list_keyed;
pub mod list_missing_when_empty;
pub mod list_one_key;
pub mod list_two_levels;
pub mod lookup;
pub mod mode_match;
pub mod mode_partial;
pub mod move_action;
pub mod nested;
pub mod nested_merge;
pub mod null_left_out;
pub mod odata;
pub mod offset_limit;
pub mod one_default;
pub mod order_member;
pub mod order_name;
pub mod order_newest;
pub mod order_nulls_first;
pub mod order_nulls_last;
pub mod order_three;
pub mod order_words;
pub mod other_caller;
pub mod page_brackets;
pub mod page_links;
pub mod page_number;
pub mod page_refused;
pub mod page_zero;
pub mod pair_members;
pub mod parent_bump;
pub mod partition_required;
pub mod pinned_first;
pub mod post_reads;
pub mod projection;
pub mod rails_query;
pub mod reference_forms;
pub mod relation_expanded;
pub mod rendered_text;
pub mod reorder_on_update;
pub mod request_ids;
pub mod route_by_name;
pub mod row_id_moves;
pub mod search;
pub mod search_case;
pub mod second_api;
pub mod secret_once;
pub mod sent_renamed;
pub mod sequence_beside;
pub mod slow_overlap;
pub mod slug_made_unique;
pub mod soft_delete;
pub mod sort_colon;
pub mod sort_dash;
pub mod sort_direction;
pub mod sorted_tags;
pub mod spring_page;
pub mod stamp;
pub mod star;
pub mod start_end;
pub mod state_counts;
pub mod state_event;
pub mod state_word;
pub mod stored_unlike_sent;
pub mod sub_list;
pub mod tag_copies;
pub mod text_size;
pub mod toggle;
pub mod total_only_with_page;
pub mod turned_slug;
pub mod typed_columns;
pub mod update_bare_id;
pub mod update_empty_object;
pub mod update_no_content;
pub mod update_ok_text;
pub mod update_post;
pub mod update_put;
pub mod update_takes_number;
pub mod upsert;
pub mod upsert_by_post;
pub mod variant;
pub mod version_number;
pub mod version_renewed;
pub mod view_fields;
pub mod volatile_document;
pub mod wildcards;
pub mod write_by_get;
pub mod write_by_name;

/// What reads show without a query.
pub const READS: &[&dyn Behaviour] = &[
    &id_sequence_shared::IdSequenceShared,
    &id_uuid::IdUuid,
    &id_hex::IdHex,
    &id_token::IdToken,
    &id_per_parent::IdPerParent,
    &id_text_number::IdTextNumber,
    &id_caller::IdCaller,
    &id_name::IdName,
    &id_tuple::IdTuple,
    &id_in_query::IdInQuery,
    &id_tuple_in_query::IdTupleInQuery,
    &list_one_key::ListOneKey,
    &list_counted::ListCounted,
    &list_two_levels::ListTwoLevels,
    &list_keyed::ListKeyed,
    &list_missing_when_empty::ListMissingWhenEmpty,
    &item_one_key::ItemOneKey,
    &item_data::ItemData,
    &item_one_element::ItemOneElement,
    &nested::Nested,
    &flat_over_nested::FlatOverNested,
    &route_by_name::RouteByName,
    &second_api::SecondApi,
    &list_clock_spelling::ListClockSpelling,
    &relation_expanded::RelationExpanded,
    &view_fields::ViewFields,
    &state_word::StateWord,
    &sorted_tags::SortedTags,
    &clock_micros::ClockMicros,
    &clock_millis::ClockMillis,
    &clock_zero_millis::ClockZeroMillis,
    &clock_millis_as_micros::ClockMillisAsMicros,
    &clock_seconds::ClockSeconds,
    &clock_no_zone::ClockNoZone,
    &clock_epoch_seconds::ClockEpochSeconds,
    &clock_epoch_millis::ClockEpochMillis,
    &clock_date::ClockDate,
    &clock_pair::ClockPair,
    &clock_null_until_edit::ClockNullUntilEdit,
    &clock_created_only::ClockCreatedOnly,
    &request_ids::RequestIds,
    &documents::Documents,
    &error_fresh_id::ErrorFreshId,
    &error_embeds_id::ErrorEmbedsId,
    &error_text::ErrorText,
    &error_html::ErrorHtml,
    &absence_by_method::AbsenceByMethod,
    &absence_no_content::AbsenceNoContent,
    &slow_overlap::SlowOverlap,
    &derived_url::DerivedUrl,
    &derived_slug::DerivedSlug,
    &derived_display::DerivedDisplay,
    &child_count::ChildCount,
    &child_ids::ChildIds,
    &child_ids_joined::ChildIdsJoined,
    &child_sum::ChildSum,
    &null_left_out::NullLeftOut,
    &volatile_document::VolatileDocument,
    &other_caller::OtherCaller,
    &id_path::IdPath,
    &clock_zero_never::ClockZeroNever,
    &child_mean::ChildMean,
    &clock_nested::ClockNested,
];

/// What queries do.
pub const QUERIES: &[&dyn Behaviour] = &[
    &page_number::PageNumber,
    &page_zero::PageZero,
    &offset_limit::OffsetLimit,
    &page_links::PageLinks,
    &page_refused::PageRefused,
    &cursor::Cursor,
    &total_only_with_page::TotalOnlyWithPage,
    &sort_dash::SortDash,
    &sort_direction::SortDirection,
    &sort_colon::SortColon,
    &order_newest::OrderNewest,
    &order_name::OrderName,
    &order_member::OrderMember,
    &order_three::OrderThree,
    &order_nulls_first::OrderNullsFirst,
    &order_nulls_last::OrderNullsLast,
    &filter_equal::FilterEqual,
    &filter_parent::FilterParent,
    &partition_required::PartitionRequired,
    &filter_one_of::FilterOneOf,
    &filter_repeated::FilterRepeated,
    &filter_json::FilterJson,
    &filter_language::FilterLanguage,
    &filter_negation::FilterNegation,
    &filter_compare::FilterCompare,
    &filter_clock::FilterClock,
    &search::Search,
    &search_case::SearchCase,
    &projection::Projection,
    &count_nested::CountNested,
    &count_text::CountText,
    &has_more::HasMore,
    &post_reads::PostReads,
    &ignored_parameter::IgnoredParameter,
    &variant::Variant,
    &page_brackets::PageBrackets,
    &filter_brackets::FilterBrackets,
];

/// What writes do.
pub const WRITES: &[&dyn Behaviour] = &[
    &create_id_only::CreateIdOnly,
    &create_bare_number::CreateBareNumber,
    &create_no_body::CreateNoBody,
    &create_ok::CreateOk,
    &update_put::UpdatePut,
    &update_post::UpdatePost,
    &update_no_content::UpdateNoContent,
    &update_ok_text::UpdateOkText,
    &update_empty_object::UpdateEmptyObject,
    &update_bare_id::UpdateBareId,
    &delete_entity::DeleteEntity,
    &delete_tombstone::DeleteTombstone,
    &delete_ok_text::DeleteOkText,
    &clock_on_update::ClockOnUpdate,
    &create_defaults::CreateDefaults,
    &action::Action,
    &write_by_get::WriteByGet,
    &turned_slug::TurnedSlug,
    &upsert::Upsert,
    &upsert_by_post::UpsertByPost,
    &conflict_name::ConflictName,
    &conflict_clock::ConflictClock,
    &conflict_in_use::ConflictInUse,
    &cascade_delete::CascadeDelete,
    &delete_nulls_reference::DeleteNullsReference,
    &delete_deactivates::DeleteDeactivates,
    &parent_bump::ParentBump,
    &embedded_copy::EmbeddedCopy,
    &lookup::Lookup,
    &default_child::DefaultChild,
    &reorder_on_update::ReorderOnUpdate,
    &version_number::VersionNumber,
    &version_renewed::VersionRenewed,
    &form_bodies::FormBodies,
    &stored_unlike_sent::StoredUnlikeSent,
    &sent_renamed::SentRenamed,
    &stamp::Stamp,
    &secret_once::SecretOnce,
    &soft_delete::SoftDelete,
    &bulk_create::BulkCreate,
    &bulk_delete::BulkDelete,
    &document_write::DocumentWrite,
    &derived_slug_kept::DerivedSlugKept,
    &rendered_text::RenderedText,
    &sequence_beside::SequenceBeside,
    &update_takes_number::UpdateTakesNumber,
    &tag_copies::TagCopies,
    &row_id_moves::RowIdMoves,
    &reference_forms::ReferenceForms,
    &body_data::BodyData,
    &write_by_name::WriteByName,
    &derived_trimmed::DerivedTrimmed,
    &grandchildren::Grandchildren,
    &sub_list::SubList,
    &conflict_version::ConflictVersion,
    &slug_made_unique::SlugMadeUnique,
    &bulk_update::BulkUpdate,
];

/// Whole conventions of queries, as families of applications have them.
pub const CONVENTIONS: &[&dyn Behaviour] = &[
    &pair_members::PairMembers,
    &id_inside::IdInside,
    &odata::Odata,
    &json_api::JsonApi,
    &directus::Directus,
    &django_filters::DjangoFilters,
    &start_end::StartEnd,
    &id_list::IdList,
    &dotted_filters::DottedFilters,
    &spring_page::SpringPage,
    &filter_expression::FilterExpression,
    &rails_query::RailsQuery,
    &laravel_page::LaravelPage,
    &mode_partial::ModePartial,
    &mode_match::ModeMatch,
    &wildcards::Wildcards,
    &embed_param::EmbedParam,
    &conditions_post::ConditionsPost,
    &hits_post::HitsPost,
    &count_read::CountRead,
    &has_children::HasChildren,
    &cursor_after::CursorAfter,
    &cursor_encoded::CursorEncoded,
    &order_words::OrderWords,
];

/// What applications do beside plain records: actions, marks, orders, links, copies, counts by state.
pub const HABITS: &[&dyn Behaviour] = &[
    &star::Star,
    &move_action::MoveAction,
    &archived_apart::ArchivedApart,
    &batch_action::BatchAction,
    &batch_members::BatchMembers,
    &one_default::OneDefault,
    &state_counts::StateCounts,
    &nested_merge::NestedMerge,
    &toggle::Toggle,
    &state_event::StateEvent,
    &expires::Expires,
    &text_size::TextSize,
    &group_counts::GroupCounts,
    &pinned_first::PinnedFirst,
    &typed_columns::TypedColumns,
    &key_values::KeyValues,
];

/// Every behaviour.
pub fn all() -> Vec<&'static dyn Behaviour> {
    [READS, QUERIES, WRITES, CONVENTIONS, HABITS].concat()
}

/// The behaviour of a name.
pub fn named(name: &str) -> Option<&'static dyn Behaviour> {
    all().into_iter().find(|behaviour| behaviour.name() == name)
}

/// Whether behaviours may be on together: no two decide the same thing.
pub fn compatible(behaviours: &[&'static dyn Behaviour]) -> bool {
    let mut slots: Vec<&str> = behaviours.iter().flat_map(|behaviour| behaviour.slots()).copied().collect();
    let count = slots.len();
    slots.sort_unstable();
    slots.dedup();
    slots.len() == count
}

/// Creates the second and the fifth book again (probes: the fourth), by the name they have.
pub(super) fn create_again(phase: Phase, recorder: &mut Recorder) {
    let range: &[usize] = match phase {
        Phase::Writes => &[1, 4],
        Phase::ProbeCrud => &[3],
        _ => return,
    };
    for at in range {
        let Some(book) = recorder.world.entities[BOOK].get(*at).cloned() else { continue };
        let mut body = recorder.draft(BOOK, book.parent.as_deref());
        body.set("name", book.member("name"));
        recorder.wait(1_500);
        let path = recorder.world.create_path(BOOK, book.parent.as_deref());
        let request = recorder.with_body(BOOK, Request::new("POST", &path), body);
        recorder.send(request);
        recorder.look(BOOK, book.parent.as_deref(), &book.key);
    }
}

/// After a write of a shelf: its books, in their lists and two of them alone.
pub(super) fn look_at_books(recorder: &mut Recorder, of: usize, shelf: &str) {
    if of != SHELF {
        return;
    }
    let books: Vec<Entity> =
        recorder.world.entities[BOOK].iter().filter(|book| book.parent.as_deref() == Some(shelf)).cloned().collect();
    let list = recorder.world.list_path(BOOK, Some(shelf));
    recorder.get(&list);
    for book in books.iter().take(2) {
        recorder.item(BOOK, book.parent.as_deref(), &book.key);
    }
}

/// The clock members most worlds have.
pub(super) fn created_and_updated(format: ClockFormat) -> Vec<ClockMember> {
    vec![
        ClockMember { member: "created_at", tick: Tick::Created, format },
        ClockMember { member: "updated_at", tick: Tick::Updated, format },
    ]
}
