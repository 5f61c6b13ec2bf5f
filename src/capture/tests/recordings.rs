//! The recorded applications, read in place.

use super::*;

#[test]
fn every_recording_gives_records() {
    let Some(folder) = beside("captures") else { return };
    let mut files = 0;
    for app in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(app.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "har") {
                continue;
            }
            files += 1;
            let capture = load_capture(&path, &InspectOptions::default()).unwrap();
            assert!(!capture.records.is_empty(), "{}", path.display());
            println!("{} {} {:?}", path.display(), capture.records.len(), tolerated(&capture.evidence.limitations));
            let ui = path.ends_with("capture-ui.har");
            for record in capture.records.iter() {
                if ui {
                    continue;
                }
                assert!(
                    record.start.is_some() && record.duration_ms.is_some(),
                    "{} {}",
                    path.display(),
                    record.ordinal
                );
                assert!(record.request.is_some() && record.answer.is_some(), "{} {}", path.display(), record.ordinal);
            }
        }
    }
    assert!(files >= 38, "{files}");
}
