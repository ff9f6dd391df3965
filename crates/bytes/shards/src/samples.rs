//! The samples of a shard.

use std::collections::HashMap;

use bstr::{BStr, BString};

use crate::grouping::{KeyNames, sample_key};
use crate::{FaultKind, Grouping, Member, Members, Payload, Result, ShardFault};

/// Members of one key, in their order, with the value made of each content. The key has [`_` instead of white space](crate::sample_key).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TarSample<T> {
    /// The key.
    pub key: BString,
    /// The members.
    pub fields: Vec<Field<T>>,
}

/// One member of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<T> {
    /// Its name in the sample: the suffix.
    pub name: BString,
    /// Its place in the shard.
    pub member: Member,
    /// The value made of its content.
    pub value: T,
}

impl<T> TarSample<T> {
    /// The first field that `wanted` means; `wav` means sound of any suffix.
    pub fn field(&self, wanted: &BStr) -> Option<&Field<T>> {
        self.fields.iter().find(|field| crate::is_field(field.name.as_ref(), wanted))
    }
}

/// The samples of a shard, from its start to its end. Members that are no files are skipped.
pub struct TarSamples {
    members: Members,
    grouping: Grouping,
    /// The fields of the samples so far.
    seen: SampleKeys,
    /// The key and the field of the next sample's first member, which was read after the sample before.
    next: Option<(BString, BString)>,
    /// What is wrong with a member after the delivered sample.
    fault: Option<crate::Error>,
    ended: bool,
}

impl TarSamples {
    /// Groups the members of a shard.
    pub fn new(members: Members, grouping: Grouping) -> Self {
        Self { members, grouping, seen: SampleKeys::default(), next: None, fault: None, ended: false }
    }

    /// The members.
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// The next sample; `None` at the end. `look` is called for each of its fields, by name, while the content can be
    /// read.
    ///
    /// # Errors
    /// Those of [`Members::next_member`] and `look`; if a sample continues after another one, a key or a field comes
    /// twice, or a name has no suffix. After an error, the next call returns `None`.
    pub fn next_sample<T>(
        &mut self,
        mut look: impl FnMut(&BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<Option<TarSample<T>>> {
        if let Some(fault) = self.fault.take() {
            self.ended = true;
            return Err(fault);
        }
        if self.ended {
            return Ok(None);
        }
        let sample = self.read(&mut look);
        self.ended = sample.is_err();
        sample
    }

    fn read<T>(
        &mut self,
        look: &mut impl FnMut(&BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<Option<TarSample<T>>> {
        let first = match self.next.take() {
            None => self.advance()?,
            first => first,
        };
        let Some((key, mut name)) = first else { return Ok(None) };
        let mut fields = Vec::new();
        loop {
            if let Some((member, mut payload)) = self.members.current() {
                let member = member.clone();
                let value = look(name.as_ref(), &member, &mut payload)?;
                fields.push(Field { name, member, value });
            }
            match self.advance() {
                Ok(Some((next, field))) if next == key => name = field,
                Ok(next) => {
                    self.next = next;
                    return Ok(Some(TarSample { key: sample_key(key.as_ref()).into_owned(), fields }));
                }
                // What is wrong belongs to another sample, so this one is whole.
                Err(error) if self.is_of_other(&error, key.as_ref()) => {
                    self.fault = Some(error);
                    return Ok(Some(TarSample { key: sample_key(key.as_ref()).into_owned(), fields }));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Closes the shard. If the end was reached, a failed command is an error.
    ///
    /// # Errors
    /// If a command failed.
    pub fn finish(self) -> Result<()> {
        self.members.finish()
    }

    /// Whether a file is damaged in a member of another sample.
    fn is_of_other(&self, error: &crate::Error, key: &BStr) -> bool {
        let crate::Error::Fault(fault) = error else { return false };
        if !matches!(fault.kind, FaultKind::Truncated | FaultKind::Damaged) {
            return false;
        }
        let member = fault.member.as_ref().and_then(|path| self.grouping.split(path.as_ref()));
        member.is_some_and(|(other, _)| other != key)
    }

    /// Goes to the next member that belongs to a sample. Returns its key and its name in the sample.
    fn advance(&mut self) -> Result<Option<(BString, BString)>> {
        loop {
            let Some((member, _)) = self.members.next_member()? else { return Ok(None) };
            if !member.is_file || self.grouping.passes_over(member.path.as_ref()) {
                continue;
            }
            let member = member.clone();
            let Some((key, name)) = self.grouping.split(member.path.as_ref()) else {
                return Err(no_suffix(self.members.name(), &member).into());
            };
            let (key, name) = (key.to_owned(), name.into_owned());
            if let Some(fault) = self.seen.add(self.members.name(), &member, &key, &name) {
                return Err(fault.into());
            }
            return Ok(Some((key, name)));
        }
    }
}

/// The fault of a member that belongs to no sample.
pub fn no_suffix(shard: &str, member: &Member) -> ShardFault {
    let message = "expected a name with a suffix, such as .wav or .txt, got none";
    ShardFault::new(FaultKind::NoSuffix, shard, member.header, message).of_member(&member.path)
}

/// The keys of a shard, with their fields.
#[derive(Debug, Default)]
pub struct SampleKeys {
    fields: HashMap<BString, Vec<BString>>,
    names: KeyNames,
    current: Option<BString>,
}

impl SampleKeys {
    /// Adds a member. Returns what is wrong with it, compared with the ones before.
    pub fn add(&mut self, shard: &str, member: &Member, key: &BString, name: &BString) -> Option<ShardFault> {
        let is_current = self.current.as_ref() == Some(key);
        if !is_current {
            self.current = Some(key.clone());
        }
        let Some(fields) = self.fields.get_mut(key) else {
            self.fields.insert(key.clone(), vec![name.clone()]);
            let fault = |message| {
                ShardFault::new(FaultKind::DuplicateKey, shard, member.header, message).of_member(&member.path)
            };
            return self.names.add(key.as_ref()).err().map(fault).map(|fault| fault.of_sample(key.clone()));
        };
        let is_new = !fields.contains(name);
        if is_new {
            fields.push(name.clone());
        }
        let (kind, message) = match (is_current, is_new) {
            (true, true) => return None,
            (true, false) => (FaultKind::DuplicateField, "expected each member of a sample once, got a second one"),
            (false, true) => (FaultKind::Interleaved, "belongs to a sample that others have followed already"),
            (false, false) => (FaultKind::DuplicateKey, "has the key of a sample that came before"),
        };
        Some(ShardFault::new(kind, shard, member.header, message).of_member(&member.path).of_sample(key.clone()))
    }
}
