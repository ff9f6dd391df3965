//! The cuts of a Shar folder, with what its tar files have of each.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::folder::{SharFiles, SharFolder};
use crate::concat_reader::{InTurn, OpenFile};
use crate::grouping::KeyNames;
use crate::source::Wanted;
use crate::{Error, FaultKind, Grouping, ListLines, Member, Members, Payload, Result, Shard, ShardFault, excerpt};

/// A cut, and what the wanted fields have of it.
#[derive(Clone, Debug)]
pub struct SharSample<T> {
    /// Its key: the name with [`_` instead of white space](crate::sample_key).
    pub id: BString,
    /// Its line, which [`Cut::parse`](super::Cut::parse) reads.
    pub line: Vec<u8>,
    /// The name of the file of cuts.
    pub list: Arc<str>,
    /// The number of the line, from 1.
    pub number: u64,
    /// What the wanted fields have, in their order.
    pub parts: Vec<SharPart<T>>,
}

/// What a field has of a cut.
#[derive(Clone, Debug)]
pub enum SharPart<T> {
    /// Nothing.
    None,
    /// A member of a tar file.
    Member {
        /// Its suffix, in lower case.
        suffix: BString,
        /// Its place.
        member: Member,
        /// What was made of its content.
        value: T,
        /// What lhotse says about it: an object in JSON.
        manifest: Vec<u8>,
    },
    /// A value in JSON.
    Json(Vec<u8>),
}

/// The cuts of a Shar folder in order. It can start again.
///
/// A tar file must have the members of every cut of its file of cuts, in their order.
pub struct SharStream {
    folder: SharFolder,
    fields: Vec<String>,
    wanted: Wanted,
    next: usize,
    files: InTurn<Open>,
}

/// A file of cuts that is being read, with the files of the wanted fields.
struct Open {
    cuts: ListLines,
    name: Arc<str>,
    tracks: Vec<Track>,
    names: KeyNames,
}

/// The file of a field.
enum Track {
    /// A tar file, and where its last member ended.
    Tar(Box<Members>, Shard, u64),
    Lines(ListLines, String),
    /// The folder has no such field.
    Absent,
}

/// The name in a line.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    id: std::borrow::Cow<'a, str>,
}

impl SharStream {
    /// Reads the cuts of a folder. `wanted` says whether contents of members are read, or only their headers. A field that the
    /// folder does not have has nothing of any cut.
    pub fn new(folder: SharFolder, fields: &[&str], wanted: Wanted) -> Self {
        let fields = fields.iter().map(|&field| field.to_owned()).collect();
        Self { folder, fields, wanted, next: 0, files: InTurn::new() }
    }

    /// Continues with the next file of cuts if something of one cannot be opened or is damaged. `tell` is called with the error.
    pub fn leave_out_damaged(&mut self, tell: impl FnMut(Error) + Send + 'static) {
        self.files.on_damage = Some(Box::new(tell));
    }

    /// Sets how tar files will be read from now on.
    pub fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    /// The folder.
    pub fn folder(&self) -> &SharFolder {
        &self.folder
    }

    /// The next cut; `None` at the end. `look` is called with the number of the field, for each member that has data.
    ///
    /// # Errors
    /// If something cannot be read; if a tar file has not the members of the cuts. After an error, the next call returns `None`.
    pub fn next_with<T>(
        &mut self,
        mut look: impl FnMut(usize, &Shard, &BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<Option<SharSample<T>>> {
        let (folder, fields, next) = (&self.folder, &self.fields, &mut self.next);
        let open = || {
            let Some(files) = folder.files().get(*next) else { return Ok(None) };
            *next += 1;
            Ok(Some(Open::new(files, fields, self.wanted)))
        };
        self.files.next(open, |open| open.next(&mut look))
    }

    /// Goes back to the first cut.
    pub fn restart(&mut self) {
        self.next = 0;
        self.files.restart(true);
    }

    /// Ends the reading and closes everything.
    ///
    /// # Errors
    /// If a file cannot be closed.
    pub fn finish(&mut self) -> Result<()> {
        self.files.finish()
    }
}

impl Open {
    fn new(files: &SharFiles, fields: &[String], wanted: Wanted) -> Result<Self> {
        let cuts = ListLines::open(files.cuts.as_ref())?;
        let name = kaldi_io::printable_rxfilename(files.cuts.as_ref()).as_ref().into();
        let tracks = fields.iter().map(|field| match files.fields.get(field) {
            None => Ok(Track::Absent),
            Some(file) if file.contains_str(".jsonl") => {
                Ok(Track::Lines(ListLines::open(file.as_ref())?, field.clone()))
            }
            Some(file) => {
                let members = Members::open(file.as_ref(), wanted)?;
                let shard = Shard { name: members.name().into(), bytes: members.positioned(), wanted };
                Ok(Track::Tar(Box::new(members), shard, 0))
            }
        });
        let tracks = tracks.collect::<Result<_>>()?;
        Ok(Self { cuts, name, tracks, names: KeyNames::default() })
    }

    fn next<T>(
        &mut self,
        look: &mut impl FnMut(usize, &Shard, &BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<Option<SharSample<T>>> {
        let Some(line) = self.cuts.next_line()? else {
            self.tracks.iter_mut().try_for_each(|track| track.end(&self.name))?;
            return Ok(None);
        };
        let id: BString = match serde_json::from_slice::<Named<'_>>(&line) {
            Ok(Named { id }) => id.as_bytes().into(),
            Err(error) => {
                return Err(self.cuts.error(format!("expected a cut with an \"id\", got {}: {error}", excerpt(&line))));
            }
        };
        let parts = self.tracks.iter_mut().enumerate().map(|(field, track)| {
            track.next(id.as_ref(), |shard, suffix, member, payload| look(field, shard, suffix, member, payload))
        });
        let parts = parts.collect::<Result<_>>()?;
        let id = self.names.add(id.as_ref()).map_err(|message| self.cuts.error(message))?;
        Ok(Some(SharSample { id, line, list: Arc::clone(&self.name), number: self.cuts.number(), parts }))
    }
}

impl OpenFile for Open {
    fn finish(self) -> Result<()> {
        for track in self.tracks {
            match track {
                Track::Tar(members, ..) => members.finish()?,
                Track::Lines(lines, _) => lines.finish()?,
                Track::Absent => {}
            }
        }
        self.cuts.finish()
    }
}

impl Track {
    /// What the field has of the next cut, which has this name.
    fn next<T>(
        &mut self,
        id: &BStr,
        look: impl FnOnce(&Shard, &BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<SharPart<T>> {
        match self {
            Self::Absent => Ok(SharPart::None),
            Self::Lines(lines, field) => of_lines(lines, field, id),
            Self::Tar(members, shard, end) => of_tar(members, shard, end, id, look),
        }
    }

    /// Makes sure that there is nothing of other cuts.
    fn end(&mut self, cuts: &str) -> Result<()> {
        let expected = |what: &str| format!("expected the end after the last cut of {cuts}, got {what}");
        match self {
            Self::Absent => Ok(()),
            Self::Lines(lines, _) => match lines.next_line()? {
                Some(line) => Err(lines.error(expected(&excerpt(&line)))),
                None => Ok(()),
            },
            Self::Tar(members, shard, _) => match members.next_member()? {
                Some((member, _)) => Err(other(&shard.name, member, expected("a member"))),
                None => Ok(()),
            },
        }
    }
}

/// The value of a line, which has the name of the cut.
fn of_lines<T>(lines: &mut ListLines, field: &str, id: &BStr) -> Result<SharPart<T>> {
    let Some(line) = lines.next_line()? else {
        return Err(lines.error(format!("expected a line of the cut {id} after this one, got the end of the file")));
    };
    let object: std::collections::HashMap<String, &RawValue> = serde_json::from_slice(&line)
        .map_err(|error| lines.error(format!("expected an object with \"cut_id\", got {}: {error}", excerpt(&line))))?;
    let of = object.get("cut_id").and_then(|of| serde_json::from_str::<String>(of.get()).ok()).unwrap_or_default();
    if of != *id {
        return Err(lines.error(format!("expected a line of the cut {id}, got {}", excerpt(&line))));
    }
    let value = object.get(field).filter(|value| value.get() != "null");
    Ok(value.map_or(SharPart::None, |value| SharPart::Json(value.get().as_bytes().to_vec())))
}

/// The two members of a cut.
fn of_tar<T>(
    members: &mut Members,
    shard: &Shard,
    end: &mut u64,
    id: &BStr,
    look: impl FnOnce(&Shard, &BStr, &Member, &mut Payload<'_>) -> Result<T>,
) -> Result<SharPart<T>> {
    let ends = |place: u64| {
        let message = format!("expected two members of the cut {id}, got the end of the tar file");
        ShardFault::new(FaultKind::MissingMember, &shard.name, place, message).into()
    };
    let Some((member, mut payload)) = members.next_member()? else { return Err(ends(*end)) };
    let member = member.clone();
    let suffix = suffix_of(&member, id).map_err(|message| other(&shard.name, &member, message))?;
    let is_placeholder = suffix == "nodata";
    let value = if is_placeholder { None } else { Some(look(shard, suffix.as_ref(), &member, &mut payload)?) };
    let Some((second, mut payload)) = members.next_member()? else { return Err(ends(member.offset)) };
    let second_suffix = suffix_of(second, id).map_err(|message| other(&shard.name, second, message))?;
    if second_suffix != if is_placeholder { "nometa" } else { "json" } {
        let expected = if is_placeholder { ".nometa" } else { ".json" };
        return Err(other(
            &shard.name,
            second,
            format!("expected the member {expected} of the cut {id}, got .{second_suffix}"),
        ));
    }
    *end = second.offset + second.size;
    let manifest = payload.read()?;
    Ok(match value {
        Some(value) => SharPart::Member { suffix, member, value, manifest },
        None => SharPart::None,
    })
}

/// The suffix of a member, which belongs to a cut.
fn suffix_of(member: &Member, id: &BStr) -> std::result::Result<BString, String> {
    match Grouping::Wenet.split(member.path.as_ref()) {
        Some((key, suffix)) if key == id && member.is_file => Ok(suffix.to_ascii_lowercase().into()),
        Some((key, _)) if member.is_file => Err(format!("expected a member of the cut {id}, got one of {key}")),
        _ => Err(format!("expected a file of the cut {id}, got none")),
    }
}

/// The fault of a member that is not of the cut.
fn other(shard: &str, member: &Member, message: String) -> Error {
    ShardFault::new(FaultKind::UnlistedMember, shard, member.header, message).of_member(&member.path).into()
}
