//! A document written in part.

use super::*;

/// A document written in part.
pub struct DocumentWrite;

impl Behaviour for DocumentWrite {
    fn name(&self) -> &'static str {
        "document_write"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["settings"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        let value = obj! { "title" => "Library", "loan_days" => 14_i64, "open" => true };
        spec.documents.push(Document { path: "/settings", value, writable: true });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let bodies = match phase {
            Phase::Writes => vec![
                obj! { "title" => "Town library" },
                obj! { "loan_days" => 21_i64 },
                obj! { "title" => "Library", "open" => false },
            ],
            Phase::ProbeCrud => vec![obj! { "title" => "Old library" }, obj! { "loan_days" => 7_i64, "open" => true }],
            _ => return,
        };
        let path = format!("{}/settings", recorder.world.spec.base);
        for body in bodies {
            recorder.wait(1_200);
            recorder.send(Request::new("PATCH", &path).with_json(body));
            recorder.get(&path);
        }
    }
}
