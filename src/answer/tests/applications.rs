//! The recorded applications of `scenarios/`: every one is admitted, and every cited record answers its own line.

use super::fixture::{printed, replayed};
use crate::answer::{Call, Engine, EngineOptions, load_pair};
use crate::capture::{InspectOptions, Record};
use crate::json::parse;
use rstest::rstest;
use std::path::Path;

/// The call that is a record's own line and body, as a comparison makes it.
pub(super) fn own_call(engine: &Engine, tool: usize, record: &Record) -> Call {
    let request = record.request.as_ref().unwrap();
    let template = &engine.manifest.tools[tool].template;
    let path = template.matches(&request.path).unwrap_or_else(|| panic!("{} {}", template.spelling(), request.path));
    let query = request.query.as_deref().unwrap_or_default();
    Call {
        tool,
        path: path.into_iter().map(str::to_owned).collect(),
        query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        raw_query: request.query.clone(),
        body: request.body.text().and_then(|text| parse(text.as_bytes()).ok()),
    }
}

#[rstest]
#[case("changedetection")]
#[case("ghost")]
#[case("ihatemoney")]
#[case("jupyter-server")]
#[case("label-studio")]
#[case("mlflow")]
#[case("n8n")]
#[case("nautobot")]
#[case("prefect")]
#[case("rabbitmq")]
#[case("readme")]
#[case("strapi")]
#[case("wordpress")]
fn every_cited_record_answers_its_own_line(#[case] application: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(application).join("capture.har");
    let options = InspectOptions { label: Some("capture.har".into()), ..InspectOptions::default() };
    let (capture, manifest) = load_pair(&path, None, &options).unwrap();
    let engine = Engine::new(capture, manifest, &EngineOptions { replay_only: true, name: None }).unwrap();
    for (index, tool) in engine.manifest.tools.iter().enumerate() {
        for ordinal in &tool.records {
            let record = engine.capture.records.iter().find(|record| record.ordinal == *ordinal).unwrap();
            let call = own_call(&engine, index, record);
            let reply = replayed(&engine, &call);
            let request = record.request.as_ref().unwrap();
            assert!(reply.replay.exact_match, "{application} {ordinal} {}", request.path);
            assert_eq!(&*reply.replay.recorded_path, &request.path, "{application} {ordinal}");
            if let Some(query) = &request.query {
                assert_eq!(reply.replay.recorded_query.as_deref(), Some(format!("?{query}").as_str()));
            }
            assert_eq!(reply.replay.body_match, call.body.is_some().then_some(true), "{application} {ordinal}");
            printed(&reply);
        }
    }
}
