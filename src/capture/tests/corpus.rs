//! The HAR corpus: what each real file is imported as, or where it is refused. The files are read in place when the folder
//! is there and are never copied.

use super::*;

#[test]
fn every_file_of_the_corpus() {
    let Some(folder) = beside("har-corpus") else { return };
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        match load_capture(&path, &InspectOptions::default()) {
            Ok(capture) => println!("    {:?} => {} {:?}", path.file_name().unwrap(), capture.records.len(), tolerated(&capture.evidence.limitations)),
            Err(error) => println!("    {:?} refused {error}", path.file_name().unwrap()),
        }
    }
}
