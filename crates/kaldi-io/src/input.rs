//! Streams to read from.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::sync::Arc;

use bstr::BStr;

use crate::pipe::ShellChild;
use crate::xfilename::printable_rxfilename;
use crate::{Error, Result, Rxfilename};

/// An open rxfilename: an unbuffered stream of bytes that knows its name and position.
#[derive(Debug)]
#[must_use]
pub struct Input {
    file: Arc<File>,
    child: Option<ShellChild>,
    name: String,
    /// Offset of the next byte.
    offset: u64,
    /// The file's length, where it is a regular file.
    length: Option<u64>,
    at_end: bool,
}

impl Input {
    /// Opens what `name` says: standard input, a file, a file from an offset on, or a command's output.
    ///
    /// # Errors
    /// Where the name is invalid, or the file or command cannot be opened.
    pub fn open(name: &BStr) -> Result<Self> {
        Self::open_parsed(&Rxfilename::parse(name)?, &printable_rxfilename(name))
    }

    /// Opens an rxfilename that is classified already; messages call it `name`.
    ///
    /// # Errors
    /// Where the file or command cannot be opened.
    pub fn open_parsed(rxfilename: &Rxfilename, name: &str) -> Result<Self> {
        match rxfilename {
            Rxfilename::Stdin => {
                let stdin = io::stdin().as_fd().try_clone_to_owned();
                let file = stdin.map(File::from).map_err(|source| Error::Open { name: name.to_owned(), source })?;
                // A file that stands as standard input may have been read in part by another program.
                let offset = (&file).stream_position().unwrap_or(0);
                Ok(Self::with_file(file, name, offset))
            }
            Rxfilename::File(path) => Ok(Self::with_file(open(path, name)?, name, 0)),
            Rxfilename::Offset(path, offset) => {
                // Messages add the offset themselves.
                let bare = name.rsplit_once(':').map_or(name, |(bare, _)| bare);
                let mut file = open(path, name)?;
                let seek = file.seek(SeekFrom::Start(*offset));
                seek.map_err(|source| Error::Read { name: bare.to_owned(), offset: *offset, source })?;
                Ok(Self::with_file(file, bare, *offset))
            }
            Rxfilename::Pipe(command) => {
                let (child, file) = ShellChild::reading(command.as_ref())?;
                Ok(Self { child: Some(child), ..Self::with_file(file, name, 0) })
            }
        }
    }

    fn with_file(file: File, name: &str, offset: u64) -> Self {
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Self { file: Arc::new(file), child: None, name: name.to_owned(), offset, length, at_end: false }
    }

    /// What messages call the stream.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Offset of the next byte in the file, or bytes read so far from a pipe.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes left, where that can be known (regular files that do not grow).
    pub fn remaining(&self) -> Option<u64> {
        self.length.map(|length| length.saturating_sub(self.offset))
    }

    /// Whether the end has been seen.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// Appends up to `limit` bytes to `buffer` with one read; returns how many, 0 at the end.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> Result<usize> {
        let count = read_into(&self.file, None, buffer, limit);
        let count = count.map_err(|source| Error::Read { name: self.name.clone(), offset: self.offset, source })?;
        self.offset += count as u64;
        self.at_end |= count == 0;
        Ok(count)
    }

    /// Reads everything that is left.
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn read_to_end(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let limit = |input: &Self| input.remaining().map_or(1 << 16, |left| (left + 1).min(1 << 20) as usize);
        while self.read_some(&mut bytes, limit(self))? > 0 {}
        Ok(bytes)
    }

    /// Goes on at `offset`, in a regular file.
    ///
    /// # Errors
    /// Where the stream cannot be moved.
    pub fn seek(&mut self, offset: u64) -> Result<()> {
        let seek = (&*self.file).seek(SeekFrom::Start(offset));
        seek.map_err(|source| Error::Read { name: self.name.clone(), offset, source })?;
        self.offset = offset;
        Ok(())
    }

    /// The open file, for reading at other places than the stream's. Who keeps it keeps it open.
    pub fn as_file(&self) -> &Arc<File> {
        &self.file
    }

    /// Gives the stream up: closes it, asks its command to end where there is one, and waits for that.
    pub fn stop(self) {
        let Self { file, child, .. } = self;
        drop(file);
        if let Some(child) = child {
            child.stop();
        }
    }

    /// Closes the stream and waits for its command, if any. Its status counts only where the end was seen: stopping
    /// early is the reader's right.
    ///
    /// # Errors
    /// Where the command failed.
    pub fn finish(self) -> Result<()> {
        let Self { file, child, at_end, .. } = self;
        drop(file);
        let Some(mut child) = child else { return Ok(()) };
        let status = child.wait()?;
        if at_end && !status.success() { Err(child.failed(status)) } else { Ok(()) }
    }
}

/// Waits until a read of one of `inputs` at least would not have to wait, and tells of each whether it is so. Where the
/// system cannot tell, it is the first one's turn, whose read may then wait.
pub fn wait_readable(inputs: &[&Input]) -> Vec<bool> {
    let poll = |input: &&Input| libc::pollfd { fd: input.file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut polled: Vec<libc::pollfd> = inputs.iter().map(poll).collect();
    loop {
        #[allow(unsafe_code)]
        // SAFETY: the pointer and the count are those of `polled`; its descriptors are kept open by `inputs`.
        let count = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, -1) };
        if count > 0 {
            return polled.iter().map(|polled| polled.revents != 0).collect();
        }
        if count < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return (0..inputs.len()).map(|index| index == 0).collect();
        }
    }
}

/// Appends `length` bytes of a file from `offset` on to `buffer`, whatever the file's position is.
///
/// # Errors
/// Where the system refuses, or the file ends before.
pub fn read_at(file: &File, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
    let end = buffer.len().saturating_add(length);
    buffer.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut at = offset;
    while buffer.len() < end {
        match read_into(file, Some(at), buffer, end - buffer.len())? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => at += count as u64,
        }
    }
    Ok(())
}

/// Appends up to `limit` bytes to `buffer` with one read, at the file's position or at a given one; returns how many. The
/// memory need not be cleared before, as it would have to be for the standard library's functions.
fn read_into(file: &File, at: Option<u64>, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    buffer.try_reserve(limit).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let fd = file.as_raw_fd();
    let count = loop {
        let spare = buffer.spare_capacity_mut().as_mut_ptr().cast();
        let count = match at.map(libc::off_t::try_from) {
            #[allow(unsafe_code)]
            // SAFETY: `spare` is writable memory of at least `limit` bytes, as reserved above.
            None => unsafe { libc::read(fd, spare, limit) },
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Some(Ok(at)) => unsafe { libc::pread(fd, spare, limit, at) },
            Some(Err(_)) => return Err(io::ErrorKind::InvalidInput.into()),
        };
        if let Ok(count) = usize::try_from(count) {
            break count;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };
    #[allow(unsafe_code)]
    // SAFETY: the system has just filled `count` bytes behind the old length.
    unsafe {
        buffer.set_len(buffer.len() + count);
    }
    Ok(count)
}

fn open(path: &Path, name: &str) -> Result<File> {
    File::open(path).map_err(|source| Error::Open { name: name.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn who_has_bytes_or_has_ended_is_readable() {
        let [silent, bytes, ended] =
            ["exec sleep 20 |", "echo a; exec sleep 20 |", "true |"].map(|c| Input::open(c.into()).unwrap());
        while wait_readable(&[&silent, &bytes, &ended]) != [false, true, true] {}
        assert_eq!(wait_readable(&[&bytes, &silent]), [true, false]);
        for input in [silent, bytes, ended] {
            input.stop();
        }
    }

    #[test]
    fn a_part_of_a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "0123456789").unwrap();
        let file = File::open(&path).unwrap();
        let mut buffer = b"> ".to_vec();
        read_at(&file, 3, &mut buffer, 5).unwrap();
        read_at(&file, 10, &mut buffer, 0).unwrap();
        assert_eq!(buffer, b"> 34567");
        assert_eq!(read_at(&file, 8, &mut buffer, 3).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(read_at(&file, 0, &mut buffer, usize::MAX).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
        assert_eq!(read_at(&file, u64::MAX, &mut buffer, 1).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!((&file).stream_position().unwrap(), 0);
    }

    #[test]
    fn a_command_that_is_given_up_is_not_waited_for() {
        let start = Instant::now();
        Input::open("exec sleep 100 |".into()).unwrap().stop();
        assert!(start.elapsed() < Duration::from_secs(50));
    }
}
