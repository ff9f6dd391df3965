//! An object on its way to a tool.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::pin;
use std::sync::Arc;

use futures::future::{Either, select};
use kaldi_io::wire::Frame;
use tokio::net::UnixStream;

use crate::ahead::Ahead;
use crate::engine::{Engine, Object};
use crate::expected::Expected;
use crate::facts::{Facts, Part};
use crate::fault::Fault;

/// Sends the tool what it has asked for, or a part of it where it does not want more.
///
/// # Errors
/// Where the object cannot be read.
pub async fn send(
    engine: Arc<Engine>,
    expected: &Expected,
    object: Object,
    part: Part,
    socket: &UnixStream,
) -> Result<(), Fault> {
    let work = pin!(send_part(engine, expected, object, part, socket));
    // A tool sends nothing here: what comes is the end.
    let gone = pin!(socket.readable());
    match select(work, gone).await {
        Either::Left((result, _)) => result,
        Either::Right(_) => Ok(()),
    }
}

async fn send_part(
    engine: Arc<Engine>,
    expected: &Expected,
    object: Object,
    mut part: Part,
    socket: &UnixStream,
) -> Result<(), Fault> {
    let mut is_open = false;
    let length = part.end.map(|end| end.saturating_sub(part.start));
    if let Some(bytes) = expected.take(object.url.as_ref(), part.start, length).await
        && let Some(facts) = engine.known(&object)
    {
        if part.start == 0 && part.end.is_none() {
            // What the next objects have, probably.
            expected.learn(object.url.as_ref(), facts.length);
            part.end = facts.length;
        }
        told(write_all(socket, &opened(&facts).encode())).await?;
        is_open = true;
        send_bytes(socket, &bytes).await?;
        part.start += bytes.len() as u64;
    }
    if !is_open || part.end.is_none_or(|end| part.start < end) {
        if part.end.is_none() && engine.cache.is_some() {
            // Whether what is kept is still right is asked once for each stream.
            engine.check(&object, &engine.attempts(&object)).await?;
        }
        let mut bytes = Ahead::open(engine, object, part).await?;
        if !is_open {
            told(write_all(socket, &opened(bytes.facts()).encode())).await?;
        }
        while let Some(piece) = bytes.next().await? {
            send_bytes(socket, &piece).await?;
        }
    }
    told(write_all(socket, &Frame::End.encode())).await
}

fn opened(facts: &Facts) -> Frame {
    Frame::Opened(facts.length.filter(|_| facts.has_ranges))
}

async fn send_bytes(socket: &UnixStream, bytes: &[u8]) -> Result<(), Fault> {
    // A frame has 32 bits for its length.
    for piece in bytes.chunks(1 << 20) {
        told(write_both(socket, &Frame::Data(piece.len()).encode(), piece)).await?;
    }
    Ok(())
}

/// A tool that does not listen any more gets no answer.
async fn told(written: impl Future<Output = io::Result<()>>) -> Result<(), Fault> {
    written.await.map_err(|_| Fault::other("the tool has closed the stream"))
}

/// Writes all of `bytes`.
///
/// # Errors
/// Where the other side is closed.
pub async fn write_all(socket: &UnixStream, bytes: &[u8]) -> io::Result<()> {
    write_both(socket, bytes, &[]).await
}

async fn write_both(socket: &UnixStream, mut head: &[u8], mut rest: &[u8]) -> io::Result<()> {
    while !head.is_empty() || !rest.is_empty() {
        socket.writable().await?;
        match socket.try_write_vectored(&[IoSlice::new(head), IoSlice::new(rest)]) {
            Ok(count) => {
                let of_head = count.min(head.len());
                head = &head[of_head..];
                rest = &rest[count - of_head..];
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
