//! What is known of an object before its bytes.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::Response;

/// An object that has not changed for so long may be known by the time of its last change, which servers tell in seconds.
const SETTLED: Duration = Duration::from_secs(60);

/// What a server says about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its number of bytes.
    pub length: Option<u64>,
    /// What is another text where the object is another one: an entity tag, or the time of its last change.
    pub version: Option<String>,
    /// Where the version is no more than the time of the last change: that time.
    pub changed: Option<SystemTime>,
    /// Whether parts of it can be asked for.
    pub has_ranges: bool,
}

impl Facts {
    /// The version, where no other bytes can have the same one.
    pub fn lasting_version(&self) -> Option<&str> {
        let is_lasting = |version: &&str| match self.changed {
            Some(time) => time.elapsed().is_ok_and(|age| age > SETTLED),
            None => !version.starts_with("W/"),
        };
        self.version.as_deref().filter(is_lasting)
    }

    /// Whether both can be facts of the same object. What one of them does not say is not compared.
    pub fn agree(&self, other: &Self) -> bool {
        let differ = |one: &Option<u64>, other: &Option<u64>| one.is_some() && other.is_some() && one != other;
        !differ(&self.length, &other.length)
            && (self.version.is_none() || other.version.is_none() || self.version == other.version)
    }
}

/// An answer to a request for bytes.
pub struct Reply {
    /// What it says about the object.
    pub facts: Facts,
    /// The place of its first byte, which may be before the one that was asked for.
    pub start: u64,
    /// The bytes.
    pub body: Body,
}

/// Bytes on their way.
pub enum Body {
    /// Of the web.
    Web(Response),
    /// Of a store.
    Stored(futures::stream::BoxStream<'static, opendal::Result<Bytes>>),
    /// None.
    Empty,
}

/// Bytes that are asked for: from one place to another, or to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first byte.
    pub start: u64,
    /// Behind the last byte.
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
        let facts = |length, version: Option<&str>| Facts {
            length,
            version: version.map(ToOwned::to_owned),
            ..Facts::default()
        };
        let known = facts(Some(5), Some("a"));
        for other in [facts(None, None), facts(Some(5), None), facts(None, Some("a"))] {
            assert!(known.agree(&other) && other.agree(&known), "{other:?}");
        }
        for other in [facts(Some(6), Some("a")), facts(Some(5), Some("b")), facts(None, Some("b"))] {
            assert!(!known.agree(&other), "{other:?}");
        }
    }

    #[test]
    fn a_time_is_a_version_when_it_has_passed() {
        let facts = |version: &str, age: Option<u64>| Facts {
            version: Some(version.to_owned()),
            changed: age.map(|age| SystemTime::now() - Duration::from_secs(age)),
            ..Facts::default()
        };
        for (facts, is_lasting) in [
            (facts("\"1\"", None), true),
            (facts("W/\"1\"", None), false),
            (facts("a time", Some(3)), false),
            (facts("a time", Some(100)), true),
            (Facts::default(), false),
        ] {
            assert_eq!(facts.lasting_version().is_some(), is_lasting, "{facts:?}");
        }
    }
}
