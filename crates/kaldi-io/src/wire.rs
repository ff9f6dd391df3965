//! What a tool and the program `kaldi-store` say to each other.
//!
//! The tool starts the program with one end of a socket as standard input. Each [`Request`] is one message on it. With a
//! request for a stream the tool passes one end of a second socket; on that one the program answers in [`Frame`]s, and the
//! bytes of an object that is written come as they are. The end of the first socket is the end of the tool.

use std::io::{self, Read};
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;

use bstr::BString;

/// A message has at most so many bytes.
pub const MESSAGE: usize = 1 << 16;

/// In the place of a length that is not known.
const UNKNOWN: u64 = u64::MAX;

/// What a tool asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Bytes of an object from `offset` on, `length` of them or all; with a socket for the answer.
    Read {
        /// The name of the object.
        url: BString,
        /// The first byte.
        offset: u64,
        /// The number of bytes; nothing for all.
        length: Option<u64>,
    },
    /// A new object; with a socket for its bytes.
    Write {
        /// The name of the object.
        url: BString,
        /// Tells the objects that are written at the same time from each other.
        id: u64,
    },
    /// The bytes of the object that is being written were `length`; it is to appear.
    Finish {
        /// That of the request to write.
        id: u64,
        /// All bytes that were sent.
        length: u64,
    },
    /// The tool shows more or fewer of its messages (`--verbose`) than it did when it started the program.
    Verbose {
        /// The level, as two's complement.
        level: u64,
    },
    /// Values that begin at these offsets of an object will be asked for soon.
    Expect {
        /// The name of the object.
        url: BString,
        /// How many requests may be on their way side by side.
        at_once: u64,
        /// Where the values begin.
        offsets: Vec<u64>,
    },
}

impl Request {
    /// The message.
    pub fn encode(&self) -> Vec<u8> {
        let (kind, numbers, url): (u8, Vec<u64>, &[u8]) = match self {
            Self::Read { url, offset, length } => (b'R', vec![*offset, length.unwrap_or(UNKNOWN)], url),
            Self::Write { url, id } => (b'W', vec![*id], url),
            Self::Finish { id, length } => (b'F', vec![*id, *length], b""),
            Self::Verbose { level } => (b'V', vec![*level], b""),
            Self::Expect { url, at_once, offsets } => (b'E', [&[*at_once], offsets.as_slice()].concat(), url),
        };
        let mut message = vec![kind];
        message.extend_from_slice(&(numbers.len() as u64).to_le_bytes());
        numbers.iter().for_each(|number| message.extend_from_slice(&number.to_le_bytes()));
        message.extend_from_slice(url);
        message
    }

    /// The request of a message; nothing where it is none.
    pub fn decode(message: &[u8]) -> Option<Self> {
        let (&kind, rest) = message.split_first()?;
        let (count, mut rest) = split_number(rest)?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            let (number, behind) = split_number(rest)?;
            numbers.push(number);
            rest = behind;
        }
        let url = BString::from(rest);
        Some(match (kind, numbers.as_slice()) {
            (b'R', &[offset, length]) => Self::Read { url, offset, length: (length != UNKNOWN).then_some(length) },
            (b'W', &[id]) => Self::Write { url, id },
            (b'V', &[level]) => Self::Verbose { level },
            (b'F', &[id, length]) => Self::Finish { id, length },
            (b'E', [at_once, offsets @ ..]) => Self::Expect { url, at_once: *at_once, offsets: offsets.to_vec() },
            _ => return None,
        })
    }
}

/// What the program answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The object is there. Its length, where that is known and the object can be read at any place.
    Opened(Option<u64>),
    /// So many bytes of the object follow.
    Data(usize),
    /// The stream has ended as it should.
    End,
    /// It has not, and why.
    Failed(io::ErrorKind, String),
}

/// The length of the begin of a frame: its kind and its length.
pub const FRAME_HEAD: usize = 5;

/// Kinds of errors that have a letter of their own.
const KINDS: [(u8, io::ErrorKind); 4] = [
    (b'n', io::ErrorKind::NotFound),
    (b'p', io::ErrorKind::PermissionDenied),
    (b't', io::ErrorKind::TimedOut),
    (b'u', io::ErrorKind::Unsupported),
];

impl Frame {
    /// The bytes of the frame; those of [`Frame::Data`] follow.
    pub fn encode(&self) -> Vec<u8> {
        let (kind, payload) = match self {
            Self::Opened(length) => (b'O', length.unwrap_or(UNKNOWN).to_le_bytes().to_vec()),
            Self::End => (b'E', Vec::new()),
            Self::Failed(kind, message) => {
                let letter = KINDS.iter().find(|(_, known)| known == kind).map_or(b'o', |(letter, _)| *letter);
                (b'X', [&[letter], message.as_bytes()].concat())
            }
            Self::Data(length) => {
                let length = u32::try_from(*length).unwrap_or(u32::MAX);
                return [&b"D"[..], &length.to_le_bytes()].concat();
            }
        };
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        [&[kind], length.to_le_bytes().as_slice(), &payload].concat()
    }

    /// Reads a frame, up to the bytes of [`Frame::Data`].
    ///
    /// # Errors
    /// Where the other side has ended, or says something else.
    pub fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; FRAME_HEAD];
        stream.read_exact(&mut head)?;
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
        if head[0] == b'D' {
            return Ok(Self::Data(length));
        }
        let strange =
            || io::Error::new(io::ErrorKind::InvalidData, "kaldi-store has another version than this program");
        if length > MESSAGE {
            return Err(strange());
        }
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload)?;
        match (head[0], payload.split_first()) {
            (b'O', Some(_)) => {
                let (length, _) = split_number(&payload).ok_or_else(strange)?;
                Ok(Self::Opened((length != UNKNOWN).then_some(length)))
            }
            (b'E', None) => Ok(Self::End),
            (b'X', Some((letter, message))) => {
                let kind =
                    KINDS.iter().find(|(known, _)| known == letter).map_or(io::ErrorKind::Other, |(_, kind)| *kind);
                Ok(Self::Failed(kind, String::from_utf8_lossy(message).into_owned()))
            }
            _ => Err(strange()),
        }
    }
}

fn split_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*number), rest))
}

/// Two sockets that are connected: of messages, or of bytes.
///
/// # Errors
/// Where the system refuses.
pub fn socket_pair(messages: bool) -> io::Result<(OwnedFd, OwnedFd)> {
    let kind = if messages { libc::SOCK_SEQPACKET } else { libc::SOCK_STREAM };
    let mut sockets = [0; 2];
    #[allow(unsafe_code)]
    // SAFETY: `sockets` has room for the two descriptors that the system writes.
    let status = unsafe { libc::socketpair(libc::AF_UNIX, kind | libc::SOCK_CLOEXEC, 0, sockets.as_mut_ptr()) };
    if status < 0 {
        return Err(io::Error::last_os_error());
    }
    #[allow(unsafe_code)]
    // SAFETY: the system has just opened both for us.
    let pair = unsafe { (OwnedFd::from_raw_fd(sockets[0]), OwnedFd::from_raw_fd(sockets[1])) };
    Ok(pair)
}

/// Room for the descriptor that goes with a message.
#[repr(C, align(8))]
struct Ancillary([u8; 64]);

/// Sends a message, and a descriptor with it.
///
/// # Errors
/// Where the system refuses, or the other side is gone.
pub fn send(socket: BorrowedFd<'_>, message: &[u8], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let mut ancillary = Ancillary([0; 64]);
    let mut bytes = libc::iovec { iov_base: message.as_ptr().cast_mut().cast(), iov_len: message.len() };
    let size = mem::size_of::<libc::c_int>() as libc::c_uint;
    #[allow(unsafe_code)]
    // SAFETY: all zeros is a valid header without any parts.
    let mut header: libc::msghdr = unsafe { mem::zeroed() };
    header.msg_iov = &raw mut bytes;
    header.msg_iovlen = 1;
    if let Some(descriptor) = descriptor {
        header.msg_control = ancillary.0.as_mut_ptr().cast();
        #[allow(unsafe_code)]
        // SAFETY: the control buffer is aligned and has 64 bytes, more than the room for one descriptor; `CMSG_FIRSTHDR`
        // is not null where the buffer has room for a header.
        unsafe {
            header.msg_controllen = libc::CMSG_SPACE(size) as _;
            let control = libc::CMSG_FIRSTHDR(&raw const header);
            (*control).cmsg_level = libc::SOL_SOCKET;
            (*control).cmsg_type = libc::SCM_RIGHTS;
            (*control).cmsg_len = libc::CMSG_LEN(size) as _;
            ptr::write_unaligned(libc::CMSG_DATA(control).cast::<libc::c_int>(), descriptor.as_raw_fd());
        }
    }
    loop {
        #[allow(unsafe_code)]
        // SAFETY: the header points to memory that lives to the end of this function.
        let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const header, libc::MSG_NOSIGNAL) };
        if sent >= 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Waits for a message, and the descriptor that comes with it; no bytes are the end.
///
/// # Errors
/// Where the system refuses.
pub fn receive(socket: BorrowedFd<'_>) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut message = vec![0; MESSAGE];
    let mut ancillary = Ancillary([0; 64]);
    let mut bytes = libc::iovec { iov_base: message.as_mut_ptr().cast(), iov_len: message.len() };
    #[allow(unsafe_code)]
    // SAFETY: all zeros is a valid header without any parts.
    let mut header: libc::msghdr = unsafe { mem::zeroed() };
    header.msg_iov = &raw mut bytes;
    header.msg_iovlen = 1;
    header.msg_control = ancillary.0.as_mut_ptr().cast();
    header.msg_controllen = ancillary.0.len() as _;
    let count = loop {
        #[allow(unsafe_code)]
        // SAFETY: the header points to writable memory that lives to the end of this function.
        let count = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) };
        if let Ok(count) = usize::try_from(count) {
            break count;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };
    message.truncate(count);
    let mut descriptor = None;
    #[allow(unsafe_code)]
    // SAFETY: the system has filled the control buffer; a part of this type holds a descriptor that is ours from now on.
    unsafe {
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        if !control.is_null() && (*control).cmsg_level == libc::SOL_SOCKET && (*control).cmsg_type == libc::SCM_RIGHTS {
            let number = ptr::read_unaligned(libc::CMSG_DATA(control).cast::<libc::c_int>());
            descriptor = Some(OwnedFd::from_raw_fd(number));
        }
    }
    Ok((message, descriptor))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn requests_come_back_as_they_were() {
        let url = BString::from("s3://bucket/a.ark");
        for request in [
            Request::Read { url: url.clone(), offset: 5, length: None },
            Request::Read { url: url.clone(), offset: 0, length: Some(0) },
            Request::Write { url: url.clone(), id: 3 },
            Request::Finish { id: 3, length: 1 << 40 },
            Request::Verbose { level: u64::MAX },
            Request::Expect { url, at_once: 8, offsets: vec![1, 1 << 40, 2] },
        ] {
            let message = request.encode();
            assert_eq!(Request::decode(&message), Some(request));
            for cut in 0..9 {
                assert_eq!(Request::decode(&message[..cut]), None);
            }
        }
        assert_eq!(Request::decode(&[b"E", [255; 8].as_slice(), b"12345678"].concat()), None);
    }

    #[test]
    fn frames_come_back_as_they_were() {
        for frame in [
            Frame::Opened(None),
            Frame::Opened(Some(5)),
            Frame::Data(1 << 20),
            Frame::End,
            Frame::Failed(io::ErrorKind::NotFound, "no such object".to_owned()),
            Frame::Failed(io::ErrorKind::Other, String::new()),
        ] {
            let bytes = frame.encode();
            assert_eq!(Frame::read(&mut bytes.as_slice()).unwrap(), frame);
            for cut in 0..bytes.len() {
                assert!(Frame::read(&mut &bytes[..cut]).is_err());
            }
        }
        assert!(Frame::read(&mut b"X\xff\xff\xff\x7f".as_slice()).is_err());
    }

    #[test]
    fn a_descriptor_goes_with_a_message() {
        let (ours, theirs) = socket_pair(true).unwrap();
        let (one, other) = socket_pair(false).unwrap();
        send(ours.as_fd(), b"message", Some(other.as_fd())).unwrap();
        send(ours.as_fd(), b"another", None).unwrap();
        drop((other, ours));
        let (message, descriptor) = receive(theirs.as_fd()).unwrap();
        assert_eq!(message, b"message");
        File::from(descriptor.unwrap()).write_all(b"bytes").unwrap();
        let mut bytes = Vec::new();
        File::from(one).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, b"bytes");
        let (message, descriptor) = receive(theirs.as_fd()).unwrap();
        assert!(message == b"another" && descriptor.is_none());
        assert!(receive(theirs.as_fd()).unwrap().0.is_empty());
    }
}
