//! Sound of tarred manifests of NeMo, found line by line.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::BString;
use kaldi_io::sync::Mutex;
use kaldi_io::{Blob, ReadAt};
use shards::{Members, Wanted};

use crate::RawUtterance;
use crate::manifest::nemo_tar;
use crate::shard::{Stored, without_sub};

/// The tar files beside a manifest of NeMo. The headers of each are read when it is asked for first.
#[derive(Debug)]
pub struct NemoSounds {
    folder: PathBuf,
    tars: Mutex<HashMap<u64, Arc<Result<Tar, String>>>>,
}

/// A tar file, and offset and size of each of its members.
#[derive(Debug)]
struct Tar {
    file: ClosedFile,
    members: HashMap<BString, (u64, u64)>,
}

/// A file that is open only while it is read: there may be thousands.
#[derive(Clone, Debug)]
struct ClosedFile {
    path: PathBuf,
    length: u64,
}

impl ReadAt for ClosedFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        if offset.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let start = buffer.len();
        buffer.resize(start + length, 0);
        let read = File::open(&self.path).and_then(|file| file.read_exact_at(&mut buffer[start..], offset));
        read.inspect_err(|_| buffer.truncate(start))
    }
}

impl NemoSounds {
    /// Those of a manifest in this folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), tars: Mutex::default() }
    }

    /// The sound of a line, if it is in a tar file: the line has `shard_id`.
    ///
    /// # Errors
    /// If the tar file cannot be read or is compressed, or does not have it.
    pub fn find(&self, line: &RawUtterance) -> Result<Option<Stored>, String> {
        let Some(shard) = line.extra.get("shard_id") else { return Ok(None) };
        let shard = shard.parse::<u64>().ok();
        let shard = shard.ok_or_else(|| "expected the number of a tar file as the field \"shard_id\"".to_owned())?;
        let tar = {
            let mut tars = self.tars.lock();
            let open = || Arc::new(Tar::open(nemo_tar(&self.folder, shard)));
            Arc::clone(tars.entry(shard).or_insert_with(open))
        };
        let Tar { file, members } = tar.as_ref().as_ref().map_err(String::clone)?;
        let member = BString::from(line.wav.as_str());
        let found = members.get(&member).or_else(|| members.get(&without_sub(member.as_ref())?));
        let name = file.path.display().to_string();
        let (offset, size) = *found.ok_or_else(|| format!("expected the member {member} in {name}, got none"))?;
        Ok(Some(Stored::Blob(Blob::stored(name, Arc::new(file.clone()), offset, size))))
    }
}

impl Tar {
    fn open(path: PathBuf) -> Result<Self, String> {
        let mut read = Members::open(path.as_os_str().as_encoded_bytes().into(), Wanted::Headers)
            .map_err(|error| error.to_string())?;
        let length = read.plain_file().and_then(|file| file.metadata().ok()).map(|metadata| metadata.len());
        let expected = || format!("{}: expected a tar file that is not compressed", path.display());
        let length = length.ok_or_else(expected)?;
        let mut members = HashMap::new();
        while let Some((member, _)) = read.next_member().map_err(|error| error.to_string())? {
            if member.is_file {
                members.insert(member.path.clone(), (member.offset, member.size));
            }
        }
        read.finish().map_err(|error| error.to_string())?;
        Ok(Self { file: ClosedFile { path, length }, members })
    }
}
