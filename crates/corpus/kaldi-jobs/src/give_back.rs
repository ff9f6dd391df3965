//! Joined outputs cut into those of the pieces again, for pieces that stay when the lists change.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;

use crate::command_words::OutputKind;
use crate::input_fingerprints::Stamp;
use crate::object::Target;
use crate::plan::Join;
use crate::{Error, Folder, Plan, Result};

/// A file of a piece that is in a joined one.
struct Part {
    /// The number of the piece.
    number: usize,
    /// What the piece has made.
    stamp: Stamp,
    /// Its bytes in the joined file.
    range: Range<u64>,
}

impl Plan {
    /// Makes the files of the pieces again that are in `new` as well, out of the joined outputs. Those that cannot be made again
    /// are left out: such pieces run.
    pub(crate) fn give_back(&self, folder: &Folder, new: &Self) -> Result<()> {
        let joined = folder.joined_outputs(self)?;
        // If this is not the last that is done here, the next start removes what is not needed.
        folder.forget_that_it_is_clean()?;
        let stay: HashSet<(usize, Vec<u64>)> = new.pieces.iter().map(|piece| (piece.number, piece.signs())).collect();
        let stays = |number: usize| self.piece(number).is_some_and(|piece| stay.contains(&(number, piece.signs())));
        let mut first = 0;
        for (position, name) in self.outputs.iter().enumerate() {
            let kind = OutputKind::of(name)?;
            let num_files = kind.of_piece(name, 1, position, folder.path()).1.len();
            for (at, whole) in kind.files().into_iter().enumerate().filter(|(_, whole)| joined.contains(*whole)) {
                let Target::File(whole) = Target::of(&self.folder, whole) else { continue };
                let is_joined = match (&kind, self.join) {
                    (_, Join::Nothing) => false,
                    (OutputKind::File(_), _) => self.reduce.is_none(),
                    (OutputKind::ArchiveAndScript(..), Join::Auto) => at == 1,
                    _ => true,
                };
                if !is_joined {
                    continue;
                }
                let parts = self.parts(folder, first + at)?;
                let with_offsets =
                    matches!(kind, OutputKind::ArchiveAndScript(..)) && self.join == Join::All && at == 1;
                let archives = if with_offsets { self.parts(folder, first)? } else { Vec::new() };
                for (place, part) in parts.iter().enumerate().filter(|(_, part)| stays(part.number)) {
                    let files = kind.of_piece(name, part.number, position, folder.path()).1;
                    let Target::File(target) = Target::of(&self.folder, &files[at]) else { continue };
                    match archives.get(place) {
                        Some(archive) => self.cut_script(&whole, &target, (&files[0], &archive.range))?,
                        None => copy_part(&whole, &part.range, &target)?,
                    }
                    part.stamp.set_time(&target)?;
                }
            }
            first += num_files;
        }
        Ok(())
    }

    /// File number `at` of all pieces, in the order of the list, as they are in a joined file; none if a record is missing.
    fn parts(&self, folder: &Folder, at: usize) -> Result<Vec<Part>> {
        let (mut parts, mut start) = (Vec::new(), 0);
        for number in self.numbers() {
            let Some(stamp) = folder
                .record(number)?
                .and_then(|mut record| (at < record.files.len()).then(|| record.files.swap_remove(at)))
            else {
                return Ok(Vec::new());
            };
            let end = start + stamp.size();
            parts.push(Part { number, stamp, range: start..end });
            start = end;
        }
        Ok(parts)
    }

    /// The lines of a joined script file that point into a part of the joined archive, as they were before.
    fn cut_script(&self, whole: &Path, target: &Path, (archive, range): (&str, &Range<u64>)) -> Result<()> {
        let mut reader = BufReader::new(File::open(whole).map_err(Error::read(whole))?);
        let mut output = create(target)?;
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).map_err(Error::read(whole))? > 0 {
            let text = line.trim_ascii_end();
            let offset = text.rsplit_once_str(b":").and_then(|(_, offset)| offset.to_str().ok()?.parse::<u64>().ok());
            if let Some(offset) = offset.filter(|offset| range.contains(offset)) {
                let key = crate::split_list::key_of(text);
                let line = [key, format!(" {archive}:{}\n", offset - range.start).as_bytes()].concat();
                output.write_all(&line).map_err(Error::write(target))?;
            }
            line.clear();
        }
        output.flush().map_err(Error::write(target))
    }
}

fn copy_part(whole: &Path, range: &Range<u64>, target: &Path) -> Result<()> {
    let mut source = File::open(whole).map_err(Error::read(whole))?;
    source.seek(SeekFrom::Start(range.start)).map_err(Error::read(whole))?;
    let mut output = create(target)?.into_inner().map_err(|error| Error::write(target)(error.into_error()))?;
    io::copy(&mut source.take(range.end - range.start), &mut output).map_err(Error::write(target))?;
    Ok(())
}

/// A file in which a part is made again. Its record says whether it is complete.
fn create(target: &Path) -> Result<BufWriter<File>> {
    let place: PathBuf = std::fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    Ok(BufWriter::new(File::create(&place).map_err(Error::write(&place))?))
}
