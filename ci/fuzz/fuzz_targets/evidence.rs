//! Whatever bytes come: no panic, and what authenticates is printed as a record that authenticates again. An id cannot be
//! guessed, so the record is sealed first where the shape is right.

#![no_main]

use rea::evidence::{AuthenticationError, authenticate};

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let sealed = match authenticate(text) {
        Ok(evidence) => evidence,
        Err(AuthenticationError::IdMismatch { recorded, computed }) => {
            let text = String::from_utf8_lossy(text).replace(&recorded, &computed);
            match authenticate(text.as_bytes()) {
                Ok(evidence) => evidence,
                // The id also stood somewhere in the content, or was spelled with escapes.
                Err(_) => return,
            }
        }
        Err(error) => {
            assert!(!error.to_document("fuzz", "evidence", None).to_value().to_compact().is_empty());
            return;
        }
    };
    let printed = sealed.to_compact_bytes();
    match authenticate(&printed) {
        Ok(again) => assert_eq!(again, sealed),
        Err(error) => panic!("what was printed does not authenticate: {error}"),
    }
});
