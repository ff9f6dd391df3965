//! Compares tar files with a manifest of NeMo, whose reader passes over what does not fit, silently.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, BString};

use super::nemo::{NemoLine, without_sub};
use crate::manifest::Objects;
use crate::shard::{FaultKind, FoundMember, ShardFault, nemo_shard_number};
use crate::{CorpusPlace, Error, Result};

/// A line may claim so much more sound than there is, in seconds: NeMo tolerates it.
const TOLERANCE: f64 = 0.2;

/// The lines of manifests, and what is wrong with them.
pub struct NemoCheck {
    lines: Vec<(CorpusPlace, NemoLine)>,
    /// The lines of each shard by their numbers, as far as they were not found.
    open: HashMap<u64, Vec<u32>>,
    names: HashSet<BString>,
    /// Members that their shard has no line for, but another one: the name of the shard that has them.
    elsewhere: HashMap<BString, String>,
    faults: Vec<ShardFault>,
}

impl NemoCheck {
    /// Reads manifests.
    ///
    /// # Errors
    /// If one cannot be read. Lines that make no sense are faults.
    pub fn read<'a>(manifests: impl IntoIterator<Item = &'a BStr>) -> Result<Self> {
        let mut check = Self {
            lines: Vec::new(),
            open: HashMap::new(),
            names: HashSet::new(),
            elsewhere: HashMap::new(),
            faults: Vec::new(),
        };
        for manifest in manifests {
            let mut objects = Objects::open(manifest)?;
            loop {
                let line = match objects.next_object() {
                    Ok(None) => break,
                    Ok(Some(object)) => NemoLine::read(&object, "audio_filepath").map(|line| (object.place, line)),
                    Err(error) => Err(error),
                };
                match line {
                    Ok((place, line)) => check.add_line(place, line),
                    Err(Error::Content { place, message }) => {
                        check.faults.push(fault(FaultKind::BadManifest, &place, message));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(check)
    }

    fn add_line(&mut self, place: CorpusPlace, line: NemoLine) {
        self.open.entry(line.shard).or_default().push(self.lines.len() as u32);
        self.names.extend(without_sub(line.member.as_ref()));
        self.names.insert(line.member.clone());
        self.lines.push((place, line));
    }

    /// Compares the members of a shard with its lines. Returns faults of the shard.
    ///
    /// # Errors
    /// If its name has no number.
    pub fn add_shard(&mut self, shard: &str, members: &[FoundMember]) -> Result<Vec<ShardFault>, String> {
        let Some(number) = nemo_shard_number(shard.into()) else {
            return Err(format!("{shard}: expected a name with a number, such as audio_0.tar"));
        };
        let by_name: HashMap<&BStr, usize> = members.iter().zip(0..).map(|(it, at)| (it.path.as_ref(), at)).collect();
        let mut is_listed = vec![false; members.len()];
        for at in self.open.remove(&number).unwrap_or_default() {
            let (place, line) = &self.lines[at as usize];
            let found = by_name.get(BStr::new(&line.member)).copied();
            let found = found.or_else(|| by_name.get(BStr::new(&without_sub(line.member.as_ref())?)).copied());
            let Some(found) = found else {
                self.open.entry(number).or_default().push(at);
                continue;
            };
            is_listed[found] = true;
            let end = line.seconds.map(|seconds| line.start.unwrap_or(0.0) + seconds);
            if let (Some(end), Some(seconds)) = (end, members[found].seconds)
                && end > seconds + TOLERANCE
            {
                let message = format!("expected sound up to {end} s, got {seconds} s in {shard}");
                self.faults.push(fault(FaultKind::BadDuration, place, message).of_member(&line.member));
            }
        }
        let mut faults = Vec::new();
        for (member, _) in members.iter().zip(is_listed).filter(|(_, is_listed)| !is_listed) {
            if self.names.contains(&member.path) {
                self.elsewhere.insert(member.path.clone(), shard.to_owned());
            } else {
                let message = "expected a line of the manifest for this member, got none: NeMo passes over it";
                let fault = ShardFault::new(FaultKind::UnlistedMember, shard, member.header, message);
                faults.push(fault.of_member(&member.path));
            }
        }
        Ok(faults)
    }

    /// The faults of the manifests, by their lines, when all shards were added.
    pub fn finish(self) -> Vec<ShardFault> {
        let Self { lines, open, elsewhere, mut faults, .. } = self;
        for at in open.into_values().flatten() {
            let (place, line) = &lines[at as usize];
            let whole = without_sub(line.member.as_ref());
            let found = elsewhere.get(&line.member).or_else(|| elsewhere.get(&whole?));
            let (kind, message) = match found {
                Some(shard) => {
                    (FaultKind::WrongShard, format!("expected it in shard {}, found it in {shard}", line.shard))
                }
                None => (FaultKind::MissingMember, format!("expected it in shard {}, found it nowhere", line.shard)),
            };
            faults.push(fault(kind, place, message).of_member(&line.member));
        }
        faults.sort_by(|a, b| (&a.shard, a.offset).cmp(&(&b.shard, b.offset)));
        faults
    }
}

fn fault(kind: FaultKind, place: &CorpusPlace, message: String) -> ShardFault {
    ShardFault::new(kind, &place.name, place.line.unwrap_or(0), message)
}
