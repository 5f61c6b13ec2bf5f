//! The Evidence record of the third generation (`evidence.md` 1.1), its identity and its printed form.

use crate::json::{
    CanonicalDigest, Object, Sink, Value, write_canonical, write_canonical_object, write_compact, write_compact_object,
};

/// What the record is about. Only `digest`, `format` and `architecture` are part of the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// File name, never empty (`artifact` when the path has none).
    pub name: String,
    /// Lower-case hex SHA-256 of the artifact.
    pub sha256: String,
    /// Artifact format; captures are `file`.
    pub format: String,
    /// Processor architecture; captures have none.
    pub architecture: Option<String>,
    /// The path as it was given; may be empty.
    pub local_path: String,
}

/// Who produced the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Stable identifier.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Format version of the producer, not of the program.
    pub version: Option<String>,
}

/// How sure the record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Read from the artifact.
    Observed,
    /// Computed from observed facts.
    Derived,
    /// Concluded, not computed.
    Inferred,
}

/// Where the record's facts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The shipped artifact itself.
    ShippedArtifact,
    /// A replay under our control, such as a browser scenario.
    ControlledReplay,
    /// A recording made earlier, such as a HAR.
    HistoricalReference,
    /// A service elsewhere.
    ExternalService,
    /// A person's conclusion.
    AnalystInference,
}

/// The machine a record was made on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Identifier of it.
    pub id: String,
    /// Platform word.
    pub platform: String,
    /// Architecture word.
    pub architecture: String,
    /// `none`, `process`, `container` or `virtual-machine`.
    pub isolation: String,
}

/// A place the record cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// `{kind:"address"}`
    Address {
        /// The address value as recorded.
        address: Value,
    },
    /// `{kind:"address-range"}`
    AddressRange {
        /// First address.
        start: Value,
        /// Last address.
        end: Value,
    },
    /// `{kind:"artifact-path"}`
    ArtifactPath {
        /// Non-empty path.
        path: String,
    },
    /// `{kind:"file-offset"}`
    FileOffset {
        /// Byte offset.
        offset: u64,
    },
    /// `{kind:"file-offset-range"}`
    FileOffsetRange {
        /// First byte.
        start: u64,
        /// Last byte.
        end: u64,
    },
}

/// One Evidence record. Make one with [`Evidence::seal`], read one with [`super::authenticate`]; its id then matches its
/// content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// `ev_` and 64 hex digits; computed, see [`Evidence::seal`].
    pub evidence_id: String,
    /// What the record is about.
    pub subject: Option<Subject>,
    /// Who produced it.
    pub provider: Provider,
    /// Always present in this generation; `None` is `null`.
    pub analysis_profile: Option<Value>,
    /// `rea.analysis`, `rea.analysis-view`, …
    pub predicate_type: String,
    /// Snake-case operation name.
    pub operation: String,
    /// What the operation was asked.
    pub parameters: Object,
    /// A producer's own representation.
    pub raw_result: Value,
    /// The operation's result.
    pub normalized_result: Value,
    /// How sure.
    pub confidence: Confidence,
    /// Whose word.
    pub authority: Authority,
    /// On which machine.
    pub environment: Option<Environment>,
    /// What the record does not establish.
    pub limitations: Vec<String>,
    /// Places it cites.
    pub locations: Vec<Location>,
    /// Other records it rests on.
    pub evidence_links: Vec<String>,
}

impl Confidence {
    /// The printed word.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Observed => "observed",
            Confidence::Derived => "derived",
            Confidence::Inferred => "inferred",
        }
    }
}

impl Authority {
    /// The printed word.
    pub fn as_str(self) -> &'static str {
        match self {
            Authority::ShippedArtifact => "shipped-artifact",
            Authority::ControlledReplay => "controlled-replay",
            Authority::HistoricalReference => "historical-reference",
            Authority::ExternalService => "external-service",
            Authority::AnalystInference => "analyst-inference",
        }
    }
}

impl Subject {
    /// The subject of a file at `path`: the last segment is its name, or `artifact` when that is empty.
    pub fn of_file(path: &str, sha256: &str) -> Self {
        let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("artifact");
        Self {
            name: name.to_owned(),
            sha256: sha256.to_owned(),
            format: "file".to_owned(),
            architecture: None,
            local_path: path.to_owned(),
        }
    }

    fn to_value(&self) -> Value {
        Object::new()
            .with("name", &self.name)
            .with("digest", Object::new().with("sha256", &self.sha256))
            .with("format", &self.format)
            .with("architecture", self.architecture.as_ref())
            .with("local_path", &self.local_path)
            .into()
    }

    /// What takes part in the identity.
    fn identity(&self) -> Value {
        Object::new()
            .with("digest", Object::new().with("sha256", &self.sha256))
            .with("format", &self.format)
            .with("architecture", self.architecture.as_ref())
            .into()
    }
}

impl Provider {
    /// `{id, name, version}`.
    pub fn to_value(&self) -> Value {
        Object::new().with("id", &self.id).with("name", &self.name).with("version", self.version.as_ref()).into()
    }
}

impl Environment {
    fn to_value(&self) -> Value {
        Object::new()
            .with("id", &self.id)
            .with("platform", &self.platform)
            .with("architecture", &self.architecture)
            .with("isolation", &self.isolation)
            .into()
    }
}

impl Location {
    fn to_value(&self) -> Value {
        let object = Object::new();
        match self {
            Location::Address { address } => object.with("kind", "address").with("address", address.clone()),
            Location::AddressRange { start, end } => {
                object.with("kind", "address-range").with("start", start.clone()).with("end", end.clone())
            }
            Location::ArtifactPath { path } => object.with("kind", "artifact-path").with("path", path),
            Location::FileOffset { offset } => object.with("kind", "file-offset").with("offset", *offset),
            Location::FileOffsetRange { start, end } => {
                object.with("kind", "file-offset-range").with("start", *start).with("end", *end)
            }
        }
        .into()
    }
}

impl Evidence {
    /// Computes `evidence_id` from everything else and returns the sealed record (`evidence.md` 1.2). The result becomes
    /// shared, so that [`Evidence::to_value`] and clones never copy it.
    #[must_use]
    pub fn seal(mut self) -> Self {
        self.evidence_id = self.computed_id();
        self.share();
        self
    }

    /// Makes the deep values shared.
    pub(super) fn share(&mut self) {
        self.raw_result = std::mem::take(&mut self.raw_result).into_shared();
        self.normalized_result = std::mem::take(&mut self.normalized_result).into_shared();
    }

    /// The id that the content has: the digest of the canonical form of everything but the id itself and the subject's
    /// name and path.
    pub fn computed_id(&self) -> String {
        self.identity(true)
    }

    /// The id that a generation before 6.2 gave a record without a profile: `analysis_profile` took no part.
    pub(super) fn id_without_profile(&self) -> String {
        self.identity(false)
    }

    fn identity(&self, with_profile: bool) -> String {
        let mut digest = CanonicalDigest::new();
        // The names are ASCII and stand in the order of the canonical form; the deep values go to the digest as they are.
        digest.put(b"{");
        if with_profile {
            digest.put(b"\"analysis_profile\":");
            write_canonical(self.analysis_profile.as_ref().unwrap_or(&Value::Null), &mut digest);
            digest.put(b",");
        }
        put_canonical(&mut digest, "\"authority\":", &self.authority.as_str().into());
        put_canonical(&mut digest, ",\"confidence\":", &self.confidence.as_str().into());
        put_canonical(&mut digest, ",\"environment\":", &self.environment_value());
        put_canonical(&mut digest, ",\"evidence_links\":", &texts(&self.evidence_links));
        put_canonical(&mut digest, ",\"limitations\":", &texts(&self.limitations));
        put_canonical(&mut digest, ",\"locations\":", &self.locations_value());
        put_canonical(&mut digest, ",\"normalized_result\":", &self.normalized_result);
        put_canonical(&mut digest, ",\"operation\":", &self.operation.as_str().into());
        digest.put(b",\"parameters\":");
        write_canonical_object(&self.parameters, &mut digest);
        put_canonical(&mut digest, ",\"predicate_type\":", &self.predicate_type.as_str().into());
        put_canonical(&mut digest, ",\"provider\":", &self.provider.to_value());
        put_canonical(&mut digest, ",\"raw_result\":", &self.raw_result);
        let subject = self.subject.as_ref().map_or(Value::Null, Subject::identity);
        put_canonical(&mut digest, ",\"subject\":", &subject);
        digest.put(b"}");
        format!("ev_{}", digest.finish())
    }

    /// The record in printed member order. Deep values are shared, not copied, where they are shared already.
    pub fn to_value(&self) -> Value {
        self.head()
            .with("parameters", self.parameters.clone())
            .with("raw_result", self.raw_result.clone())
            .with("normalized_result", self.normalized_result.clone())
            .into_iter()
            .chain(self.tail())
            .collect::<Object>()
            .into()
    }

    /// Writes the compact text, without a newline. Nothing is copied.
    pub fn write_compact(&self, sink: &mut impl Sink) {
        for (index, (name, value)) in self.head().iter().enumerate() {
            put_member(if index == 0 { "{" } else { "," }, name.as_str().unwrap_or_default(), value, sink);
        }
        sink.put(b",\"parameters\":");
        write_compact_object(&self.parameters, sink);
        put_member(",", "raw_result", &self.raw_result, sink);
        put_member(",", "normalized_result", &self.normalized_result, sink);
        for (name, value) in &self.tail() {
            put_member(",", name.as_str().unwrap_or_default(), value, sink);
        }
        sink.put(b"}");
    }

    /// The compact text with one trailing newline, as `--format json` writes it when redirected.
    pub fn to_compact_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_compact(&mut bytes);
        bytes.push(b'\n');
        bytes
    }

    /// The members printed before `parameters`.
    fn head(&self) -> Object {
        Object::new()
            .with("evidence_id", &self.evidence_id)
            .with("subject", self.subject.as_ref().map_or(Value::Null, Subject::to_value))
            .with("provider", self.provider.to_value())
            .with("analysis_profile", self.analysis_profile.clone())
            .with("predicate_type", &self.predicate_type)
            .with("operation", &self.operation)
    }

    /// The members printed after `normalized_result`.
    fn tail(&self) -> Object {
        Object::new()
            .with("confidence", self.confidence.as_str())
            .with("authority", self.authority.as_str())
            .with("environment", self.environment_value())
            .with("limitations", texts(&self.limitations))
            .with("locations", self.locations_value())
            .with("evidence_links", texts(&self.evidence_links))
    }

    fn environment_value(&self) -> Value {
        self.environment.as_ref().map_or(Value::Null, Environment::to_value)
    }

    fn locations_value(&self) -> Value {
        self.locations.iter().map(Location::to_value).collect()
    }
}

fn texts(items: &[String]) -> Value {
    items.iter().map(Value::from).collect()
}

/// Puts a piece of text and then a value's canonical form.
fn put_canonical(digest: &mut CanonicalDigest, before: &str, value: &Value) {
    digest.put(before.as_bytes());
    write_canonical(value, digest);
}

/// Puts a member whose name needs no escape.
fn put_member(before: &str, name: &str, value: &Value, sink: &mut impl Sink) {
    sink.put(before.as_bytes());
    sink.put(b"\"");
    sink.put(name.as_bytes());
    sink.put(b"\":");
    write_compact(value, sink);
}
