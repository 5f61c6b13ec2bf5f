//! The golden files: `goldens/<scenario>/<product>`.

use super::difference::difference;
use super::harness::Settled;
use super::products::PRODUCTS;
use super::scenarios::SCENARIOS;
use std::fs;
use std::path::PathBuf;

/// The folder of a scenario's goldens.
fn folder(scenario: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens").join(scenario)
}

/// Compares what was made with its golden, or writes it.
pub fn settle(scenario: &str, file: &str, made: &[u8], accept: bool) -> Result<Settled, String> {
    let path = folder(scenario).join(file);
    let golden = fs::read(&path);
    match golden {
        Ok(golden) if golden == made => Ok(Settled::Equal),
        _ if accept => {
            let written = fs::create_dir_all(folder(scenario)).and_then(|()| fs::write(&path, made));
            written.map(|()| Settled::Accepted).map_err(|error| format!("cannot write the golden: {error}"))
        }
        Ok(golden) => Err(difference(&golden, made).unwrap_or_default()),
        Err(error) => Err(format!("there is no golden to compare with: {error}")),
    }
}

/// Fails for a golden that no scenario makes.
pub fn nothing_else() -> Result<Settled, String> {
    let mut strays = Vec::new();
    let goldens = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens");
    for entry in fs::read_dir(&goldens).map_err(|error| error.to_string())?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Code of the harness lies beside the scenarios.
        let holds_code = ["main.rs", "mod.rs"].iter().any(|file| entry.path().join(file).exists());
        if !entry.path().is_dir() || holds_code {
            continue;
        }
        if !SCENARIOS.contains(&name.as_str()) {
            strays.push(name);
            continue;
        }
        for file in fs::read_dir(entry.path()).map_err(|error| error.to_string())?.flatten() {
            let file = file.file_name().to_string_lossy().into_owned();
            if !PRODUCTS.iter().any(|product| product.file == file) {
                strays.push(format!("{name}/{file}"));
            }
        }
    }
    strays.sort();
    if strays.is_empty() { Ok(Settled::Equal) } else { Err(format!("no scenario makes: {}", strays.join(", "))) }
}
