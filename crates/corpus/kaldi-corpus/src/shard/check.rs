//! Finds everything that is wrong with a shard, not only the first fault.

use bstr::{BStr, BString, ByteSlice};

use crate::shard::sound::check_sound;
use crate::shard::{
    Error, FaultKind, FieldError, FieldPath, Grouping, Member, Members, Payload, Result, ShardFault, ShardName,
    is_sound,
};
use shards::{SampleKeys, no_suffix};

/// A fault of a content, and what was expected and found.
type Found = (FaultKind, String);

/// What a shard is checked for.
#[derive(Clone, Debug)]
pub struct ShardChecks {
    /// The rule by which members are grouped.
    pub grouping: Grouping,
    /// Whether the other rule must make the same samples.
    pub both: bool,
    /// The fields that each sample must have.
    pub fields: Vec<FieldPath>,
    /// Whether only headers are checked: of members and of sounds.
    pub quick: bool,
    /// Whether the members are wanted.
    pub members: bool,
}

/// What was found in a shard.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// All faults, by their place.
    pub faults: Vec<ShardFault>,
    /// The keys of the samples, each once, with the offset of the first header.
    pub keys: Vec<(BString, u64)>,
    /// The members, if they are wanted.
    pub members: Vec<FoundMember>,
}

/// A member that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundMember {
    /// Its name.
    pub path: BString,
    /// The offset of its header.
    pub header: u64,
    /// The duration of its sound in seconds, if a header has it.
    pub seconds: Option<f64>,
}

impl ShardChecks {
    /// Reads a shard and collects its faults.
    pub fn run(&self, shard: ShardName) -> Findings {
        let name = shard.name().to_string();
        let mut findings = Findings::default();
        if let Err(error) = shard.open().and_then(|members| self.read(members, &mut findings)) {
            findings.faults.push(match error {
                Error::Fault(fault) => *fault,
                error => ShardFault::new(FaultKind::Unreadable, &name, 0, error.to_string()),
            });
        }
        findings.faults.sort_by_key(|fault| fault.offset);
        findings
    }

    fn read(&self, mut members: Members, findings: &mut Findings) -> Result<()> {
        let mut sample =
            Open { checks: self, shard: members.name().to_owned(), keys: SampleKeys::default(), current: None };
        loop {
            // After a fault of the file, nothing is known: the sample may continue there.
            let next = match members.next_member() {
                Ok(Some((member, mut payload))) => sample.add(member, &mut payload, findings).map(Some),
                Ok(None) => Ok(None),
                Err(error) => Err(error),
            };
            match next {
                Ok(Some(())) => {}
                Ok(None) => break,
                Err(Error::Fault(fault)) => return Err(sample.name(*fault).into()),
                Err(error) => return Err(error),
            }
        }
        sample.close(findings);
        if let Some(offset) = members.trailing_data() {
            let message = "expected zeros after the end mark, got data, which no program reads";
            findings.faults.push(ShardFault::new(FaultKind::TrailingData, members.name(), offset, message));
        }
        members.finish()
    }
}

/// The sample whose members are being read.
struct Open<'a> {
    checks: &'a ShardChecks,
    shard: String,
    keys: SampleKeys,
    current: Option<OpenSample>,
}

/// A sample, as far as its members were read.
struct OpenSample {
    key: BString,
    /// The offset of the first header.
    header: u64,
    suffixes: Vec<BString>,
    /// What is wrong with entries in JSON: the number of the wanted field, and that of the member.
    entries: Vec<(usize, usize, ShardFault)>,
    /// Whether nothing is missing, since it is known to be no sample.
    is_whole: bool,
}

impl OpenSample {
    fn new(key: &BString, member: &Member) -> Self {
        Self { key: key.clone(), header: member.header, suffixes: Vec::new(), entries: Vec::new(), is_whole: false }
    }
}

impl Open<'_> {
    fn add(&mut self, member: &Member, payload: &mut Payload<'_>, findings: &mut Findings) -> Result<()> {
        let grouping = self.checks.grouping;
        if !member.is_file {
            let message = "expected a regular file, got a folder, a link or the like: WeNet then drops the whole shard";
            findings.faults.push(self.fault(FaultKind::NotAFile, member, message));
            return Ok(());
        }
        if grouping.passes_over(member.path.as_ref()) {
            return Ok(());
        }
        let Some((key, name)) = grouping.split(member.path.as_ref()) else {
            findings.faults.push(no_suffix(&self.shard, member));
            return Ok(());
        };
        let (key, name) = (key.to_owned(), name.into_owned());
        let is_new = self.current.as_ref().is_none_or(|current| current.key != key);
        if is_new {
            self.close(findings);
        }
        match self.keys.add(&self.shard, member, &key, &name) {
            Some(fault) if is_new => {
                findings.faults.push(fault);
                // One fault for all members that follow here.
                self.current = Some(OpenSample { is_whole: true, ..OpenSample::new(&key, member) });
            }
            Some(fault) => findings.faults.push(fault),
            None if is_new => {
                findings.keys.push((key.clone(), member.header));
                if kaldi_io::quote_name(&key) != key.as_bstr() {
                    let message = "expected a key without white space and control characters";
                    findings.faults.push(self.fault(FaultKind::BadKey, member, message).of_sample(key.clone()));
                }
                self.current = Some(OpenSample::new(&key, member));
                self.check_dots(member, &key, findings);
            }
            None => {}
        }
        let entries = self.entries(name.as_ref(), member, payload)?;
        if let Some(current) = &mut self.current {
            let number = current.suffixes.len();
            current.suffixes.push(name.clone());
            current
                .entries
                .extend(entries.into_iter().map(|(field, fault)| (field, number, fault.of_sample(key.clone()))));
        }
        let (seconds, fault) = self.examine(name.as_ref(), member, payload)?;
        if self.checks.members {
            findings.members.push(FoundMember { path: member.path.clone(), header: member.header, seconds });
        }
        if let Some((kind, message)) = fault {
            let fault = ShardFault { offset: member.offset, ..self.fault(kind, member, &message) };
            findings.faults.push(fault.of_sample(key));
        }
        Ok(())
    }

    /// What is wrong with the entries of a member in JSON, for each field that is wanted inside of it.
    fn entries(&self, suffix: &BStr, member: &Member, payload: &mut Payload<'_>) -> Result<Vec<(usize, ShardFault)>> {
        let mut faults = Vec::new();
        // What is read here is not read again.
        if self.checks.quick || is_sound(suffix) || suffix == "txt" {
            return Ok(faults);
        }
        let mut content = None;
        for (number, field) in self.checks.fields.iter().enumerate() {
            let Some(entry) = field.find([suffix]).map(|(_, entry)| entry).filter(|entry| !entry.is_empty()) else {
                continue;
            };
            if content.is_none() {
                content = Some(payload.read()?);
            }
            let (kind, message) = match field.text(content.as_deref().unwrap_or_default(), entry) {
                Ok(Some(text)) if text.trim_ascii().is_empty() => {
                    (FaultKind::EmptyText, format!("expected text as {field}, got none"))
                }
                Ok(Some(_)) => continue,
                Ok(None) => (FaultKind::MissingField, format!("expected text as {field}, got null")),
                Err(FieldError { kind, message }) => (kind, message),
            };
            faults.push((number, ShardFault { offset: member.offset, ..self.fault(kind, member, &message) }));
        }
        Ok(faults)
    }

    /// Returns the duration of a sound, and what is wrong with a content.
    fn examine(
        &self,
        field: &BStr,
        member: &Member,
        payload: &mut Payload<'_>,
    ) -> Result<(Option<f64>, Option<Found>)> {
        if is_sound(field) {
            let found = check_sound(field, member, payload, !self.checks.quick)?;
            return Ok((found.seconds, found.fault.map(|message| (FaultKind::BadSound, message))));
        }
        Ok((None, self.look_at_text(field, member, payload)?))
    }

    fn look_at_text(&self, field: &BStr, member: &Member, payload: &mut Payload<'_>) -> Result<Option<Found>> {
        if field != "txt" {
            return Ok(None);
        }
        if member.size == 0 {
            return Ok(Some((FaultKind::EmptyText, "expected text, got nothing".to_owned())));
        }
        if self.checks.quick {
            return Ok(None);
        }
        let text = payload.read()?;
        Ok(match std::str::from_utf8(&text) {
            Err(error) => {
                let message = format!("expected text in UTF-8, got something else at byte {}", error.valid_up_to());
                Some((FaultKind::BadText, message))
            }
            Ok(text) if text.trim().is_empty() => {
                Some((FaultKind::EmptyText, "expected text, got white space only".to_owned()))
            }
            Ok(_) => None,
        })
    }

    /// Checks if the other rule puts a member into another sample.
    fn check_dots(&self, member: &Member, key: &BString, findings: &mut Findings) {
        let other = match self.checks.grouping {
            Grouping::Wenet => Grouping::Webdataset,
            Grouping::Webdataset => Grouping::Wenet,
        };
        if !self.checks.both {
            return;
        }
        let split = other.split(member.path.as_ref()).map(|(key, _)| key.to_owned());
        if split.as_ref() == Some(key) {
            return;
        }
        let other_key =
            split.map_or("of no sample".to_owned(), |other| format!("of sample {}", kaldi_io::quote_name(&other)));
        let message = match self.checks.grouping {
            Grouping::Wenet => format!("has a dot in its key: webdataset takes it for a member {other_key}"),
            Grouping::Webdataset => format!("has several dots: WeNet takes it for a member {other_key}"),
        };
        findings.faults.push(self.fault(FaultKind::DottedKey, member, &message).of_sample(key.clone()));
    }

    /// Checks if the sample is complete, now that it has ended.
    fn close(&mut self, findings: &mut Findings) {
        let Some(sample) = self.current.take().filter(|sample| !sample.is_whole) else { return };
        for (number, wanted) in self.checks.fields.iter().enumerate() {
            match wanted.find(sample.suffixes.iter().map(|suffix| suffix.as_ref())) {
                Some((member, entry)) if !entry.is_empty() => {
                    let is_it = |it: &&(usize, usize, ShardFault)| (it.0, it.1) == (number, member);
                    findings.faults.extend(sample.entries.iter().find(is_it).map(|(_, _, fault)| fault.clone()));
                }
                Some(_) => {}
                None => {
                    let expected = match wanted.name() == "wav" {
                        true => "sound (.wav, .flac ...)".to_owned(),
                        false => format!(".{wanted}"),
                    };
                    let message = format!("expected a member {expected}, got none");
                    let fault = ShardFault::new(FaultKind::MissingField, &self.shard, sample.header, message);
                    findings.faults.push(fault.of_sample(sample.key.clone()));
                }
            }
        }
    }

    /// Adds the key of the sample to a fault that has only the name of a member.
    fn name(&self, fault: ShardFault) -> ShardFault {
        let key = fault.member.as_ref().and_then(|path| self.checks.grouping.split(path.as_ref()));
        let key = key.map(|(key, _)| key.to_owned());
        match key {
            Some(key) if fault.key.is_none() => fault.of_sample(key),
            _ => fault,
        }
    }

    fn fault(&self, kind: FaultKind, member: &Member, message: &str) -> ShardFault {
        ShardFault::new(kind, &self.shard, member.header, message).of_member(&member.path)
    }
}
