//! What can be wrong with a shard.

use std::fmt;

use bstr::BString;
use kaldi_io::quote_name;

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file cannot be opened or read.
    Unreadable,
    /// The file ends too early, or has no end mark.
    Truncated,
    /// Bytes that make no sense: a wrong checksum, a broken compressed stream.
    Damaged,
    /// Bytes other than zeros after the end mark, which no reader looks at.
    TrailingData,
    /// A member that is not a regular file, such as a folder. WeNet then drops the whole shard.
    NotAFile,
    /// A member whose name has no suffix, so it belongs to no sample. WeNet then drops the whole shard.
    NoSuffix,
    /// A sample continues after other ones.
    Interleaved,
    /// A key that another sample already has.
    DuplicateKey,
    /// A sample has two members of one suffix.
    DuplicateField,
    /// A sample lacks sound, or another field that it should have.
    MissingField,
    /// A key with white space or control characters, which lists and tables cannot have.
    BadKey,
    /// A name with several dots, which webdataset and WeNet split differently.
    DottedKey,
    /// Sound that cannot be read.
    BadSound,
    /// Text that is not UTF-8, or an entry in JSON that is no text.
    BadText,
    /// Text without a word.
    EmptyText,
    /// A manifest has a line of a member that its shard does not have.
    MissingMember,
    /// A shard has a member of which the manifest has no line.
    UnlistedMember,
    /// A member is in another shard than its line says.
    WrongShard,
    /// A line of a manifest that makes no sense.
    BadManifest,
    /// A line of a manifest claims more sound than there is.
    BadDuration,
}

impl FaultKind {
    /// The kind as one word, as in `check-shards --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Truncated => "truncated",
            Self::Damaged => "damaged",
            Self::TrailingData => "trailing-data",
            Self::NotAFile => "not-a-file",
            Self::NoSuffix => "no-suffix",
            Self::Interleaved => "interleaved",
            Self::DuplicateKey => "duplicate-key",
            Self::DuplicateField => "duplicate-field",
            Self::MissingField => "missing-field",
            Self::BadKey => "bad-key",
            Self::DottedKey => "dotted-key",
            Self::BadSound => "bad-sound",
            Self::BadText => "bad-text",
            Self::EmptyText => "empty-text",
            Self::MissingMember => "missing-member",
            Self::UnlistedMember => "unlisted-member",
            Self::WrongShard => "wrong-shard",
            Self::BadManifest => "bad-manifest",
            Self::BadDuration => "bad-duration",
        }
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardFault {
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// The name of the shard, or that of the manifest if one of its lines is wrong.
    pub shard: String,
    /// The key of the sample, if it is known.
    pub key: Option<BString>,
    /// The name of the member, if it is known.
    pub member: Option<BString>,
    /// The offset in the shard, in bytes; for a compressed one, in the decompressed data. For a manifest, the number of the line.
    pub offset: u64,
    /// What was expected and what was found.
    pub message: String,
}

impl ShardFault {
    /// A fault of a shard without a known sample.
    pub fn new(kind: FaultKind, shard: &str, offset: u64, message: impl Into<String>) -> Self {
        Self { kind, shard: shard.to_owned(), key: None, member: None, offset, message: message.into() }
    }

    /// The same fault, of a member.
    #[must_use]
    pub fn of_member(mut self, path: &BString) -> Self {
        self.member = Some(path.clone());
        self
    }

    /// The same fault, of a sample.
    #[must_use]
    pub fn of_sample(mut self, key: BString) -> Self {
        self.key = Some(key);
        self
    }
}

impl fmt::Display for ShardFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The error of a stream has its place in its message.
        if self.kind == FaultKind::Unreadable {
            return f.write_str(&self.message);
        }
        write!(f, "{}:{}: ", self.shard, self.offset)?;
        match (&self.member, &self.key) {
            (Some(member), _) => write!(f, "{}: ", quote_name(member))?,
            (None, Some(key)) => write!(f, "{}: ", quote_name(key))?,
            (None, None) => {}
        }
        f.write_str(&self.message)
    }
}
