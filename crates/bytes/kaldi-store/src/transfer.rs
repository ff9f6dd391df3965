//! Copies of objects, files and folders. What is there already is left out, so that a copy that has broken off goes on.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, FileTimes};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bstr::{BStr, BString};
use kaldi_io::log::warning;
use kaldi_io::{Output, WorkStage, count_delivered, is_remote, make_folder};
use opendal::Metadata;

use crate::commands::{copy, named};
use crate::copying::{base_name, failed, is_local_folder, join, list_of_some, list_with_facts, path};
use crate::engine::Object;
use crate::side_by_side::each;
use crate::stores::running;
use crate::upload::PART;
use crate::{Error, Result};

/// How objects are copied.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CopyOptions {
    /// Whether sources are folders, whose contents go into the target.
    pub recursive: bool,
    /// Whether one among several objects that is there already is left out.
    pub skip: bool,
    /// Whether to say only what would be copied.
    pub dry_run: bool,
    /// Objects that are copied at the same time.
    pub at_once: usize,
}

impl Default for CopyOptions {
    fn default() -> Self {
        Self { recursive: false, skip: true, dry_run: false, at_once: 4 }
    }
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// Objects and files.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that were there already.
    pub skipped: u64,
}

/// What is known of an object or a file before its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    length: Option<u64>,
    /// The entity tag of an object, without quotes.
    tag: Option<String>,
    /// When an object was written, or anything of a file was changed last.
    changed: Option<SystemTime>,
    /// The time of a file's content, which a copy of an object takes over.
    modified: Option<SystemTime>,
}

impl Known {
    pub(crate) fn of_object(metadata: &Metadata) -> Self {
        let tag = metadata.etag().map(|tag| tag.trim_start_matches("W/").trim_matches('"').to_ascii_lowercase());
        let changed = metadata.last_modified().map(SystemTime::from);
        Self { length: Some(metadata.content_length()), tag, changed, modified: changed }
    }

    pub(crate) fn of_file(metadata: &fs::Metadata) -> Self {
        let time = |seconds: i64, nanoseconds: i64| {
            UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanoseconds).unwrap_or(0))
        };
        let modified = time(metadata.mtime(), metadata.mtime_nsec());
        // A file that was moved here may be older than what it has replaced; the time of that is the second one.
        let changed = modified.max(time(metadata.ctime(), metadata.ctime_nsec()));
        Self { length: Some(metadata.len()), tag: None, changed: Some(changed), modified: Some(modified) }
    }

    /// What is there under a name; `None` if nothing is.
    fn of(name: &BStr) -> Result<Option<Self>> {
        if !is_remote(name) {
            return match fs::metadata(path(name)) {
                Ok(metadata) => Ok(Some(Self::of_file(&metadata))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(failed(name, &error)),
            };
        }
        let running = running().map_err(Error::Start)?;
        let object = named(Object::parse(name), name)?;
        let Ok((operator, key)) = running.engine.stored(&object) else {
            // On the web. It may be another object tomorrow, at the same length.
            return Ok(Some(Self::default()));
        };
        match running.handle.block_on(operator.stat(&key)) {
            Ok(metadata) => Ok(Some(Self::of_object(&metadata))),
            Err(error) if error.kind() == opendal::ErrorKind::NotFound => Ok(None),
            Err(error) => named(Err(crate::fault::Fault::of_store(&error)), name),
        }
    }

    /// The number of parts that the tag was computed of, if it is one of MD5 sums: 0 for that of the whole object.
    fn parts(&self) -> Option<u64> {
        let tag = self.tag.as_deref()?;
        let (sum, parts) = tag.split_once('-').unwrap_or((tag, "0"));
        let is_sum = sum.len() == 32 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        parts.parse().ok().filter(|_| is_sum)
    }
}

/// One copy.
struct Job {
    from: BString,
    to: BString,
    source: Known,
    /// What is under the name of the target; `None` if nobody has looked.
    target: Option<Option<Known>>,
}

/// Copies objects and files. The target is a folder if its name ends with a slash or is that of a folder of the disk, or if there
/// are several sources. With `recursive`, sources are folders, whose contents go into the target.
///
/// # Errors
/// If one of them cannot be read or written, or there is nothing in a folder. The others are copied.
pub fn cp(from: &[&BStr], to: &BStr, options: &CopyOptions) -> Result<Copied> {
    let jobs = jobs(from, to, options)?;
    let mut targets = HashSet::new();
    if let Some(twice) = jobs.iter().find(|job| !targets.insert(&job.to)) {
        let message = format!("two sources would be copied to {}", twice.to);
        return Err(failed(twice.from.as_ref(), &io::Error::other(message)));
    }
    let is_one = !options.recursive && from.len() == 1;
    let (count, bytes, skipped) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let verb = if options.dry_run { "looking" } else { "copying" };
    let stage = WorkStage::begin(verb, "objects", Some(jobs.len() as u64));
    each(&jobs, options.at_once, |job| {
        let is_there = !is_one && options.skip && job.is_there()?;
        if options.dry_run {
            job.say(is_there)?;
        } else if !is_there {
            bytes.fetch_add(job.copy()?, Ordering::Relaxed);
        }
        if is_there { &skipped } else { &count }.fetch_add(1, Ordering::Relaxed);
        count_delivered();
        stage.step();
        Ok(())
    })?;
    Ok(Copied { count: count.into_inner(), bytes: bytes.into_inner(), skipped: skipped.into_inner() })
}

fn jobs(from: &[&BStr], to: &BStr, options: &CopyOptions) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    if !options.recursive {
        let is_folder = to.ends_with(b"/") || from.len() > 1 || is_local_folder(to);
        for from in from {
            let to = if is_folder { join(to, base_name(from)?.as_ref()) } else { (*to).to_owned() };
            // A single copy needs no look at its source before it is read, and may be one of a stream.
            let source =
                if from.len() > 1 && options.skip { Known::of(from)?.unwrap_or_default() } else { Known::default() };
            jobs.push(Job { from: (*from).to_owned(), to, source, target: None });
        }
        return Ok(jobs);
    }
    let there = if options.skip && is_remote(to) { Some(objects_there(to)) } else { None };
    for folder in from {
        let parts = match is_remote(folder) {
            true => list_of_some(folder)?,
            false => local_files(folder)?,
        };
        for (part, source) in parts {
            // The names of a store are not ours.
            if part.split(|&byte| byte == b'/').any(|word| matches!(word, b"" | b"." | b"..")) {
                let message = format!("expected names of files in the folder, got {part:?}");
                return Err(failed(folder, &io::Error::other(message)));
            }
            let target = there.as_ref().map(|there| there.get(&part).cloned());
            jobs.push(Job { from: join(folder, part.as_ref()), to: join(to, part.as_ref()), source, target });
        }
    }
    Ok(jobs)
}

/// The objects that are in a folder of a store already. One that cannot be listed is as good as empty.
fn objects_there(folder: &BStr) -> HashMap<BString, Known> {
    match list_with_facts(folder) {
        Ok(objects) => objects.into_iter().collect(),
        Err(error) => {
            warning!("{error}; so all objects are copied");
            HashMap::new()
        }
    }
}

/// The files in a folder of the disk, by their names from there on, sorted. Links are followed.
fn local_files(folder: &BStr) -> Result<Vec<(BString, Known)>> {
    let begin = path(folder);
    let failed = |error: io::Error| failed(folder, &error);
    let mut found: Vec<(BString, Known)> = Vec::new();
    let (mut waiting, mut seen) = (vec![begin.clone()], HashSet::new());
    while let Some(next) = waiting.pop() {
        if !seen.insert(fs::canonicalize(&next).map_err(failed)?) {
            warning!("{}: this folder is copied under another name already", next.display());
            continue;
        }
        for entry in fs::read_dir(&next).map_err(failed)? {
            let place = entry.map_err(failed)?.path();
            let metadata = match fs::metadata(&place) {
                Ok(metadata) => metadata,
                Err(error) => return Err(self::failed(place.as_os_str().as_encoded_bytes().into(), &error)),
            };
            if metadata.is_dir() {
                waiting.push(place);
            } else if metadata.is_file() {
                let name = place.strip_prefix(&begin).unwrap_or(&place);
                found.push((name.as_os_str().as_encoded_bytes().into(), Known::of_file(&metadata)));
            } else {
                warning!("{}: this is no regular file, and is not copied", place.display());
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

impl Job {
    /// Whether the target has the same bytes, as far as that can be known without copying them.
    fn is_there(&self) -> Result<bool> {
        let there = match &self.target {
            Some(there) => there.clone(),
            None => Known::of(self.to.as_ref())?,
        };
        let Some(there) = there else { return Ok(false) };
        if self.source.length.is_none() || self.source.length != there.length {
            return Ok(false);
        }
        let (source, target) = (path(self.from.as_ref()), path(self.to.as_ref()));
        match (is_remote(&self.from), is_remote(&self.to)) {
            (false, false) => self.same(tag_of(&source, 0), tag_of(&target, 0)),
            (true, true) => match (self.source.parts(), there.parts()) {
                (Some(one), Some(other)) if one == other => Ok(self.source.tag == there.tag),
                // Sums of other parts say nothing.
                (Some(_), Some(_)) => Ok(false),
                _ => Ok(there.changed.is_some() && there.changed > self.source.changed),
            },
            (false, true) => match there.parts() {
                Some(parts) => self.same(tag_of(&source, parts), Ok(there.tag)),
                None => Ok(there.changed.is_some() && there.changed >= self.source.changed),
            },
            (true, false) => match self.source.parts() {
                Some(parts) => self.same(tag_of(&target, parts), Ok(self.source.tag.clone())),
                // A copy has the time of its object.
                None => Ok(is_time_of_object(there.modified, self.source.modified)),
            },
        }
    }

    fn same(&self, one: io::Result<Option<String>>, other: io::Result<Option<String>>) -> Result<bool> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok(one.is_some() && one == other),
            (Err(error), _) | (_, Err(error)) => Err(failed(self.from.as_ref(), &error)),
        }
    }

    fn say(&self, is_there: bool) -> Result<()> {
        let what = if is_there { "skip" } else { "copy" };
        let length = self.source.length.map_or("-".to_owned(), |length| length.to_string());
        let from = kaldi_io::log::hide_secrets(&self.from);
        Ok(kaldi_io::print([format!("{what} {length:>15} ").as_bytes(), &from, b" ", &self.to, b"\n"].concat())?)
    }

    /// Copies; returns the number of bytes.
    fn copy(&self) -> Result<u64> {
        if let (false, Some(folder)) = (is_remote(&self.to), path(self.to.as_ref()).parent()) {
            make_folder(folder)?.keep();
        }
        let mut output = Output::create(self.to.as_ref(), false)?;
        let length = copy(self.from.as_ref(), &mut output)?;
        output.finish()?;
        if let (true, false, Some(time)) = (is_remote(&self.from), is_remote(&self.to), self.source.modified) {
            // If the system refuses, the next copy is made again.
            let file = File::options().write(true).open(path(self.to.as_ref()));
            let _ = file.and_then(|file| file.set_times(FileTimes::new().set_modified(time)));
        }
        Ok(length)
    }
}

/// Whether the time of a file is that of an object. Stores give times in seconds or milliseconds; what a file got when it was written has
/// nanoseconds.
fn is_time_of_object(file: Option<SystemTime>, object: Option<SystemTime>) -> bool {
    let since = |time: Option<SystemTime>| time?.duration_since(UNIX_EPOCH).ok();
    let (Some(file), Some(object)) = (since(file), since(object)) else { return false };
    file.as_secs() == object.as_secs() && file.subsec_nanos() % 1_000_000 == 0
}

/// The entity tag that stores give to the bytes of a file: their MD5 sum, or that of the sums of so many parts. `None` if parts of
/// our length would be another number.
fn tag_of(path: &Path, parts: u64) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    if parts == 0 {
        return Ok(Some(format!("{:x}", sum_of(&mut file)?.1)));
    }
    let (mut sums, mut count) = (md5::Context::new(), 0);
    loop {
        let (length, sum) = sum_of(&mut (&mut file).take(PART as u64))?;
        if length == 0 {
            break;
        }
        sums.consume(sum.0);
        count += 1;
    }
    Ok((count == parts).then(|| format!("{:x}-{parts}", sums.finalize())))
}

/// The number of bytes, and their MD5 sum.
fn sum_of(bytes: &mut impl Read) -> io::Result<(u64, md5::Digest)> {
    let (mut context, mut block, mut length) = (md5::Context::new(), vec![0; 1 << 18], 0);
    loop {
        let got = bytes.read(&mut block)?;
        if got == 0 {
            return Ok((length, context.finalize()));
        }
        context.consume(&block[..got]);
        length += got as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_sums_of_the_bytes_or_of_parts() {
        let known = |tag: &str| Known { tag: Some(tag.to_owned()), ..Known::default() };
        assert_eq!(known("0cc175b9c0f1b6a831c399e269772661").parts(), Some(0));
        assert_eq!(known("0cc175b9c0f1b6a831c399e269772661-3").parts(), Some(3));
        for tag in ["0x8d8", "0cc175b9c0f1b6a831c399e26977266", "0cc175b9c0f1b6a831c399e269772661-x", ""] {
            assert_eq!(known(tag).parts(), None, "{tag}");
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        fs::write(&file, "a").unwrap();
        assert_eq!(tag_of(&file, 0).unwrap().as_deref(), Some("0cc175b9c0f1b6a831c399e269772661"));
        // The sum of the sum, as S3 has it for an object in one part.
        let of_part = format!("{:x}-1", md5::compute(md5::compute("a").0));
        assert_eq!(tag_of(&file, 1).unwrap(), Some(of_part));
        assert_eq!(tag_of(&file, 2).unwrap(), None);
        let bytes = vec![7; PART + 1];
        fs::write(&file, &bytes).unwrap();
        let sums = [md5::compute(&bytes[..PART]).0, md5::compute(&bytes[PART..]).0].concat();
        assert_eq!(tag_of(&file, 2).unwrap(), Some(format!("{:x}-2", md5::compute(sums))));
    }
}
