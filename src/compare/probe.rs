//! A probe: one recorded call sequence against the live application, in the order in which it was made.

use std::path::Path;

use super::error::CompareError;
use super::result::Unobserved;
use crate::capture::{Capture, InspectOptions, Record, load_capture};
use crate::manifest::primary_origin;

/// One call sequence and what is made of it.
#[derive(Clone, Debug)]
pub struct Probe {
    /// What reports call it.
    pub name: String,
    /// The recording.
    pub capture: Capture,
    /// Indexes of the records whose request is made, in the order in which they were made.
    pub(crate) made: Vec<usize>,
    /// What is not made, or made and not compared, by ordinal.
    pub(crate) unobserved: Vec<Unobserved>,
}

impl Probe {
    /// Reads a probe from a `.har` or from capture Evidence. Reports call it by its file name without extensions.
    ///
    /// # Errors
    /// As [`load_capture`] and [`Probe::new`].
    pub fn load(path: &Path, options: &InspectOptions) -> Result<Self, CompareError> {
        let capture = load_capture(path, options)
            .map_err(|error| CompareError::Probe { name: path.display().to_string(), error })?;
        Self::new(probe_name(path), capture)
    }

    /// Prepares a probe.
    ///
    /// # Errors
    /// A browser scenario without response bodies, or one that writes without request bodies.
    pub fn new(name: impl Into<String>, capture: Capture) -> Result<Self, CompareError> {
        let name = name.into();
        let origin = own_origin(&capture.records);
        let mut made = Vec::new();
        let mut unobserved = Vec::new();
        for index in timeline(&capture.records) {
            let record = &capture.records[index];
            let reason = match &record.request {
                None => Some(record.no_request_reason.unwrap_or("no-request-line")),
                Some(request) if Some(request.origin.as_str()) != origin => Some("other-origin"),
                Some(_) => {
                    made.push(index);
                    record.answer.is_none().then_some("no-answer")
                }
            };
            unobserved.extend(reason.map(|reason| Unobserved { ordinal: record.ordinal, reason }));
        }
        unobserved.sort_by_key(|entry| entry.ordinal);
        refuse_bodiless_browser(&name, &capture, &made)?;
        Ok(Self { name, capture, made, unobserved })
    }

    /// The probe with its paths read as those of the environment's capture are.
    ///
    /// # Errors
    /// As [`Probe::load`].
    pub(super) fn read_as(&self, capture: &Capture) -> Result<Self, CompareError> {
        let read = self.capture.read_as(capture);
        let read = read.map_err(|error| CompareError::Probe { name: self.name.clone(), error })?;
        Self::new(self.name.clone(), read)
    }
}

/// The name of a probe file: `probes/n8n/crud.har` and `crud.capture.json` are `crud`.
fn probe_name(path: &Path) -> String {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut name = file.as_str();
    for ending in [".json", ".har", ".capture"] {
        name = name.strip_suffix(ending).filter(|rest| !rest.is_empty()).unwrap_or(name);
    }
    name.to_owned()
}

/// Record indexes in the order in which the requests were made: by exact start, equal starts by ordinal; in record order
/// when any request has no readable start.
fn timeline(records: &[Record]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    let timed = records.iter().filter(|record| record.request.is_some()).all(|record| record.start.is_some());
    if timed {
        order.sort_by(|a, b| {
            let (a, b) = (&records[*a], &records[*b]);
            a.start.cmp(&b.start).then(a.ordinal.cmp(&b.ordinal))
        });
    }
    order
}

/// The probe's own application: its primary origin, chosen as a manifest chooses its own; the origin most asked when
/// nothing JSON-like was answered, so that the requests are still made.
fn own_origin(records: &[Record]) -> Option<&str> {
    primary_origin(records).or_else(|| {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for request in records.iter().filter_map(|record| record.request.as_ref()) {
            match counts.iter_mut().find(|(origin, _)| *origin == request.origin) {
                Some((_, count)) => *count += 1,
                None => counts.push((&request.origin, 1)),
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max()?;
        counts.into_iter().find(|(_, count)| *count == most).map(|(origin, _)| origin)
    })
}

fn refuse_bodiless_browser(name: &str, capture: &Capture, made: &[usize]) -> Result<(), CompareError> {
    if capture.evidence.operation != "capture_browser_scenario" {
        return Ok(());
    }
    let network = capture.evidence.parameters.get("capture").and_then(|capture| capture.get("network"));
    let selected = |side: &str| network.and_then(|network| network.get(side)).and_then(|it| it.as_bool()) == Some(true);
    if !selected("response_body") {
        return Err(CompareError::BrowserResponseBodies { name: name.to_owned() });
    }
    if selected("request_body") {
        return Ok(());
    }
    for &index in made {
        let record = &capture.records[index];
        let method = record.request.as_ref().map_or("", |request| request.method.as_str());
        if matches!(method, "POST" | "PUT" | "PATCH") {
            return Err(CompareError::BrowserRequestBodies {
                name: name.to_owned(),
                ordinal: record.ordinal,
                method: method.to_owned(),
            });
        }
    }
    Ok(())
}
