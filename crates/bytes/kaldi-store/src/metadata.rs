//! Metadata of an object: length, ETag or time, known before its bytes.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

use crate::client::Arriving;

/// If an object has not changed for this long, the time of its last change identifies it; servers give it in seconds.
const SETTLED: Duration = Duration::from_secs(60);

/// What a server says about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectMetadata {
    /// Its number of bytes.
    pub length: Option<u64>,
    /// A text that changes with the object: an entity tag, or the time of its last change.
    pub version: Option<String>,
    /// The time of the last change, if the version is nothing more than that.
    pub changed: Option<SystemTime>,
    /// Whether parts of it can be requested.
    pub has_ranges: bool,
}

impl ObjectMetadata {
    /// The version, if it can only belong to these bytes.
    pub fn lasting_version(&self) -> Option<&str> {
        let is_lasting = |version: &&str| match self.changed {
            Some(time) => time.elapsed().is_ok_and(|age| age > SETTLED),
            None => !version.starts_with("W/"),
        };
        self.version.as_deref().filter(is_lasting)
    }

    /// Whether both can be facts of the same object. Facts that one of them lacks are not compared.
    pub fn agree(&self, other: &Self) -> bool {
        let differ = |one: &Option<u64>, other: &Option<u64>| one.is_some() && other.is_some() && one != other;
        !differ(&self.length, &other.length)
            && (self.version.is_none() || other.version.is_none() || self.version == other.version)
    }
}

/// An answer to a request for bytes.
pub struct Reply {
    /// What it says about the object.
    pub metadata: ObjectMetadata,
    /// The place of its first byte, which may be before the requested one.
    pub start: u64,
    /// The bytes.
    pub body: Body,
}

/// Bytes that arrive.
pub enum Body {
    /// From the web.
    Web(Arriving),
    /// From a store.
    Stored(futures::stream::BoxStream<'static, opendal::Result<Bytes>>),
    /// None.
    Empty,
}

/// The requested bytes: from one place to another, or to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first byte.
    pub start: u64,
    /// After the last byte.
    pub end: Option<u64>,
}

impl From<Range<u64>> for Part {
    fn from(range: Range<u64>) -> Self {
        Self { start: range.start, end: Some(range.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_not_compared() {
        let metadata = |length, version: Option<&str>| ObjectMetadata {
            length,
            version: version.map(ToOwned::to_owned),
            ..ObjectMetadata::default()
        };
        let known = metadata(Some(5), Some("a"));
        for other in [metadata(None, None), metadata(Some(5), None), metadata(None, Some("a"))] {
            assert!(known.agree(&other) && other.agree(&known), "{other:?}");
        }
        for other in [metadata(Some(6), Some("a")), metadata(Some(5), Some("b")), metadata(None, Some("b"))] {
            assert!(!known.agree(&other), "{other:?}");
        }
    }

    #[test]
    fn a_time_is_a_version_when_it_has_passed() {
        let metadata = |version: &str, age: Option<u64>| ObjectMetadata {
            version: Some(version.to_owned()),
            changed: age.map(|age| SystemTime::now() - Duration::from_secs(age)),
            ..ObjectMetadata::default()
        };
        for (metadata, is_lasting) in [
            (metadata("\"1\"", None), true),
            (metadata("W/\"1\"", None), false),
            (metadata("a time", Some(3)), false),
            (metadata("a time", Some(100)), true),
            (ObjectMetadata::default(), false),
        ] {
            assert_eq!(metadata.lasting_version().is_some(), is_lasting, "{metadata:?}");
        }
    }
}
