//! What lists name and what has changed since the pieces were made of it.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bstr::ByteSlice;
use kaldi_io::log::{log, warning};
use kaldi_io::remote_name;

use crate::folder::Record;
use crate::input_fingerprints::names_in;
use crate::split_list::{each_line, key_of};
use crate::{Folder, Plan, Result};

/// How long files are looked at: a list may name millions, on a slow file system.
const PATIENCE: Duration = Duration::from_secs(20);

/// A file that is newer than a piece that was made of it.
struct Newer {
    piece: usize,
    path: PathBuf,
    list: String,
    line: u64,
}

/// Names the pieces that are done and were made of files that have changed since; returns their numbers. `says_how` is whether to
/// say how they run again.
pub(crate) fn newer_pieces(plan: &Plan, folder: &Folder, says_how: bool) -> Result<Vec<usize>> {
    if folder.done_pieces()?.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: Vec<Newer> = Vec::new();
    let start = Instant::now();
    let mut is_complete = true;
    for position in 0..plan.lists.len() {
        is_complete &= look_at(plan, folder, position, start, &mut found)?;
    }
    if !is_complete {
        log!("looked for {} s at files that the lists name, and not at all of them", PATIENCE.as_secs());
    }
    let mut pieces: Vec<usize> = found.iter().map(|newer| newer.piece).collect();
    pieces.sort_unstable();
    pieces.dedup();
    if let Some(Newer { piece, path, list, line }) = found.first() {
        let what = format!("{} ({list}:{line}) is newer than piece {piece}, which was made of it", path.display());
        let all = match (pieces.len(), found.len()) {
            (1, 1) => String::new(),
            (num_pieces, num_files) => format!("; there are {num_files} such files of {num_pieces} pieces"),
        };
        match says_how {
            true => warning!("{what}{all}: `newer` runs these pieces again"),
            false => warning!("{what}{all}: these pieces run again"),
        }
    }
    Ok(pieces)
}

/// Looks at the files that a list names. Returns whether there was time for all of them.
fn look_at(plan: &Plan, folder: &Folder, position: usize, start: Instant, found: &mut Vec<Newer>) -> Result<bool> {
    let list = &plan.lists[position];
    if list.is_of_archive {
        return Ok(true);
    }
    let mut pieces = plan.pieces.iter().map(|piece| (piece.number, &piece.line_ranges[position]));
    let mut current = None;
    let (mut seen, mut is_complete) = (HashSet::new(), true);
    each_line(&plan.lines_of(position), |number, line| {
        let is_over =
            |current: &Option<(usize, u64, Option<SystemTime>)>| current.is_none_or(|(_, end, _)| number > end);
        while is_over(&current) {
            let Some((piece, line_range)) = pieces.next() else { return Ok(()) };
            let started = folder.record(piece)?.map(|Record { started, .. }| started);
            current = Some((piece, line_range.lines_before + line_range.lines, started));
        }
        let Some((piece, _, Some(started))) = current else { return Ok(()) };
        if start.elapsed() > PATIENCE {
            is_complete = false;
            return Ok(());
        }
        let value = line[key_of(line).len().min(line.len())..].trim_ascii().to_str_lossy();
        // A range of frames is no part of the name.
        let value = value.strip_suffix(']').and_then(|value| value.rsplit_once('[')).map_or(&*value, |(name, _)| name);
        for path in names_in(value) {
            let mut hasher = DefaultHasher::new();
            (piece, &path).hash(&mut hasher);
            if remote_name(&path).is_none()
                && seen.insert(hasher.finish())
                && changed_at(&plan.folder.join(&path)).is_some_and(|changed| changed > started)
            {
                let list = list.origin.path().display().to_string();
                found.push(Newer { piece, path, list, line: number });
            }
        }
        Ok(())
    })?;
    Ok(is_complete)
}

/// When a file was changed, or put in the place of another one; `None` if it is no regular file.
fn changed_at(path: &Path) -> Option<SystemTime> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let time = |seconds: i64, nanoseconds: i64| {
        UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanoseconds).unwrap_or(0))
    };
    Some(time(metadata.mtime(), metadata.mtime_nsec()).max(time(metadata.ctime(), metadata.ctime_nsec())))
}
