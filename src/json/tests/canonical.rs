//! Known answers of the canonical form.

use crate::json::{canonical_bytes, canonical_sha256, parse};

#[test]
fn the_published_vector_has_its_digest() {
    let text = r#"{"b":1.0,"a":[1e21,1e-7,-0.0,123456789012345680000,0.1],"€":"\u2028\u007f\u0001\"\\/\ud800","😀":1,"～":2,"10":0,"2":0,"__proto__":{"x":null}}"#;
    let value = parse(text.as_bytes()).unwrap();
    let canonical = concat!(
        r#"{"10":0,"2":0,"__proto__":{"x":null},"a":[1e+21,1e-7,0,123456789012345680000,0.1],"b":1,"#,
        "\"€\":\"\u{2028}\u{7f}",
        r#"\u0001\"\\/\ud800","😀":1,"～":2}"#
    );
    assert_eq!(String::from_utf8(canonical_bytes(&value)).unwrap(), canonical);
    assert_eq!(canonical_sha256(&value), "9368cf704bc806012673181155649a9191f764c835baeb07119c112daa96e390");
}
