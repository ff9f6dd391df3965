//! Blocks of objects that are kept on disk, if `KALDI_STORE_CACHE` names a folder for them.
//!
//! Each block is a file of its own. Its name consists of hashes of the object's address and version, so that blocks of
//! an object that has changed are not found any more, and no name contains a secret. Many processes may use the same
//! folder.
//!
//! ```text
//! e3/e3b0c44298fc1c149afbf4c8996fb924-00000000      the first block of an object
//!
//! begin   what
//!     0   KSBLOCK1
//!     8   sum of the address and the version (SHA-256)
//!    40   number of the block, 8 bytes
//!    48   number of bytes, 4 bytes
//!    52   sum of the bytes (CRC-32), 4 bytes
//!    56   the bytes
//! ```

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use kaldi_io::log::{vlog, warning};
use kaldi_io::sync::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::metadata::ObjectMetadata;

/// Bytes of a block. The last one of an object may have less.
pub const BLOCK: u64 = 1 << 18;

const MAGIC: &[u8; 8] = b"KSBLOCK1";

/// Bytes before those of the block.
const HEAD: usize = 56;

/// The most blocks that wait for the disk.
const WAITING: usize = 64;

/// Bytes that one process writes before it checks the files of others again.
const RECOUNT: u64 = 64 << 20;

/// An incomplete file of a killed process is removed when it has this age.
const LEFT: Duration = Duration::from_secs(3600);

/// One version of an object: a hash of its address, its length and the version given by its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity([u8; 32]);

impl Identity {
    /// The identity of an object; `None` if the answers of its server are not enough to identify it.
    pub fn of(address: &[u8], metadata: &ObjectMetadata) -> Option<Self> {
        let version = metadata.lasting_version().filter(|_| metadata.has_ranges)?;
        let mut sum = Sha256::new();
        for part in [address, version.as_bytes(), &metadata.length?.to_le_bytes()] {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        Some(Self(sum.finalize().into()))
    }

    fn file(&self, block: u64) -> PathBuf {
        let mut name = String::new();
        for byte in &self.0[..16] {
            let _ = write!(name, "{byte:02x}");
        }
        let folder = name[..2].to_owned();
        let _ = write!(name, "-{block:08x}");
        Path::new(&folder).join(name)
    }

    fn head(&self, block: u64, bytes: &[u8]) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(MAGIC);
        head[8..40].copy_from_slice(&self.0);
        head[40..48].copy_from_slice(&block.to_le_bytes());
        head[48..52].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        head[52..].copy_from_slice(&crc32fast::hash(bytes).to_le_bytes());
        head
    }
}

/// A block that is to be written.
type Kept = (Identity, u64, Bytes);

/// The folder of the blocks.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Writes blocks while others arrive.
    writer: Mutex<Option<(Sender<Kept>, JoinHandle<()>)>>,
}

impl Cache {
    /// Keeps blocks in a folder, with about `bound` bytes at most.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn new(folder: PathBuf, bound: u64) -> io::Result<Self> {
        let (sender, receiver) = channel(WAITING);
        let work = Writing { folder: folder.clone(), bound, counted: None, since: 0 };
        let log = kaldi_io::log::Log::current();
        let thread = std::thread::Builder::new().name("cache".to_owned());
        let thread = thread.spawn(move || log.enter(|| work.run(receiver)))?;
        Ok(Self { folder, writer: Mutex::new(Some((sender, thread))) })
    }

    /// Whether a block may exist.
    pub fn has(&self, identity: &Identity, block: u64) -> bool {
        self.folder.join(identity.file(block)).exists()
    }

    /// The block of `length` bytes, if it exists and is undamaged.
    pub fn load(&self, identity: &Identity, block: u64, length: usize) -> Option<Bytes> {
        let path = self.folder.join(identity.file(block));
        let file = File::open(&path).ok()?;
        let mut bytes = Vec::with_capacity(HEAD + length + 1);
        let is_read = (&file).take((HEAD + length + 1) as u64).read_to_end(&mut bytes).is_ok();
        if !is_read || bytes.len() != HEAD + length || bytes[..HEAD] != identity.head(block, &bytes[HEAD..]) {
            vlog!(1, "{}: the block is damaged and is fetched again", path.display());
            let _ = fs::remove_file(&path);
            return None;
        }
        // The times of the files show which ones were not used for long.
        let _ = file.set_modified(SystemTime::now());
        Some(Bytes::from(bytes).slice(HEAD..))
    }

    /// Keeps a block. If the disk is slower than the network, this waits for it.
    pub async fn keep(&self, identity: &Identity, block: u64, bytes: Bytes) {
        let sender = self.writer.lock().as_ref().map(|(sender, _)| sender.clone());
        if let Some(sender) = sender {
            // If the thread has given up, it has logged that.
            let _ = sender.send((identity.clone(), block, bytes)).await;
        }
    }

    /// Waits until all blocks are written.
    pub fn close(&self) {
        let writer = self.writer.lock().take();
        if let Some((sender, thread)) = writer {
            drop(sender);
            let _ = thread.join();
        }
    }
}

/// The work of the thread that writes blocks.
struct Writing {
    folder: PathBuf,
    bound: u64,
    /// All bytes in the folder when they were counted last.
    counted: Option<u64>,
    /// Bytes written since then.
    since: u64,
}

impl Writing {
    fn run(mut self, mut blocks: Receiver<Kept>) {
        while let Some((identity, block, bytes)) = blocks.blocking_recv() {
            let done = self.write(&identity, block, &bytes).and_then(|()| self.keep_bound());
            if let Err(error) = done {
                warning!("{}: cannot keep parts of objects there, going on without: {error}", self.folder.display());
                return;
            }
        }
    }

    fn write(&mut self, identity: &Identity, block: u64, bytes: &[u8]) -> io::Result<()> {
        let path = self.folder.join(identity.file(block));
        if let Some(folder) = path.parent() {
            // Objects may be private: a new folder is readable only by its owner.
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let (mut file, pending) = whole_file::create(&path)?;
        file.write_all(&identity.head(block, bytes))?;
        file.write_all(bytes)?;
        pending.seal(file)?.publish()?;
        self.since += (HEAD + bytes.len()) as u64;
        Ok(())
    }

    /// Removes the blocks that were not used for longest, if all of them together are too large.
    fn keep_bound(&mut self) -> io::Result<()> {
        let is_within = self.counted.is_some_and(|counted| counted + self.since <= self.bound);
        if is_within && self.since < RECOUNT {
            return Ok(());
        }
        let mut files = files(&self.folder)?;
        let mut total: u64 = files.iter().map(|(_, length, _)| length).sum();
        if total > self.bound {
            files.sort();
            for (_, length, path) in files {
                // Another process may have removed it.
                let _ = fs::remove_file(path);
                total -= length;
                if total <= self.bound / 10 * 9 {
                    break;
                }
            }
        }
        (self.counted, self.since) = (Some(total), 0);
        Ok(())
    }
}

/// The files of blocks with their times and lengths. Remains of other processes are removed; other files are not
/// touched.
fn files(folder: &Path) -> io::Result<Vec<(SystemTime, u64, PathBuf)>> {
    let mut files = Vec::new();
    for inner in fs::read_dir(folder)? {
        let inner = inner?;
        if !is_hexadecimal(inner.file_name().as_encoded_bytes(), 2) || !inner.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(inner.path())? {
            // Another process may remove it in the meantime.
            let Ok(file) = file else { continue };
            let Ok(metadata) = file.metadata() else { continue };
            let Ok(modified) = metadata.modified() else { continue };
            let name = file.file_name();
            if name.as_encoded_bytes().starts_with(b".kaldi-tables-") {
                if modified.elapsed().is_ok_and(|age| age > LEFT) {
                    let _ = fs::remove_file(file.path());
                }
            } else if is_block(name.as_encoded_bytes()) {
                files.push((modified, metadata.len(), file.path()));
            }
        }
    }
    Ok(files)
}

fn is_block(name: &[u8]) -> bool {
    matches!(name.split_at_checked(32), Some((sum, [b'-', number @ ..])) if is_hexadecimal(sum, 32) && is_hexadecimal(number, 8))
}

fn is_hexadecimal(name: &[u8], length: usize) -> bool {
    name.len() == length && name.iter().all(u8::is_ascii_hexdigit)
}
