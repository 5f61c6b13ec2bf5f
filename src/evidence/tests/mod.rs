//! Records and files as they come: known answers, foreign records, and every way to be wrong.

mod files;
mod foreign;
mod identity;
mod memory;
mod refused;

/// The record of `evidence.md` 1.2, as another producer would write it.
const VECTOR: &str = r#"{"evidence_id":"ev_131d934e9db5160007d994ec9ba96ee4bcb63f1d298c39b49dbfdf206e9abcd0","subject":{"name":"a.har","digest":{"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"format":"file","architecture":null,"local_path":"/captures/a.har"},"provider":{"id":"example","name":"Example","version":"1"},"analysis_profile":null,"predicate_type":"rea.analysis","operation":"inspect_web_network_capture","parameters":{"capture_path":"/captures/a.har","format":"har","record_ordinals":[0],"sensitive_value_count":0},"raw_result":null,"normalized_result":{"n":1.5,"t":"é","z":[]},"confidence":"observed","authority":"historical-reference","environment":null,"limitations":[],"locations":[{"kind":"artifact-path","path":"/captures/a.har"}],"evidence_links":[]}"#;
