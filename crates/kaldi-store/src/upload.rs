//! An object on its way from a tool into a store.

use std::io;

use bytes::{Bytes, BytesMut};
use kaldi_io::wire::Frame;
use opendal::Writer;
use tokio::net::UnixStream;
use tokio::sync::oneshot;

use crate::download::write_all;
use crate::engine::{Engine, Object};
use crate::fault::Fault;
use crate::transport::ATTEMPTS;

/// Bytes of each part. Stores take ten thousand of them.
const PART: usize = 16 << 20;

/// Parts that are sent at the same time.
const SIDE_BY_SIDE: usize = 3;

/// Bytes that are taken from the tool at once.
const PIECE: usize = 1 << 18;

/// Takes the object from the tool, and lets it appear when the tool has said that it is complete.
///
/// # Errors
/// Where the store refuses it, or the tool has ended before. Nothing appears then.
pub async fn receive(
    engine: &Engine,
    object: &Object,
    socket: &mut UnixStream,
    finished: oneshot::Receiver<u64>,
) -> Result<(), Fault> {
    let attempts = engine.attempts(object);
    ATTEMPTS.scope(attempts, receive_scoped(engine, object, socket, finished)).await
}

async fn receive_scoped(
    engine: &Engine,
    object: &Object,
    socket: &UnixStream,
    finished: oneshot::Receiver<u64>,
) -> Result<(), Fault> {
    let mut writer = open(engine, object).await?;
    write_all(socket, &Frame::Opened(None).encode()).await.map_err(|_| gone())?;
    let result = match pass_on(socket, &mut writer).await {
        Ok(length) => match finished.await {
            Ok(expected) if expected == length => {
                writer.close().await.map(drop).map_err(|error| Fault::of_store(&error))
            }
            Ok(expected) => Err(Fault::other(format!("{length} of {expected} bytes have come"))),
            Err(_) => Err(gone()),
        },
        Err(fault) => Err(fault),
    };
    if result.is_err() {
        // Where that fails as well, the store keeps parts of no object, which nobody sees.
        let _ = writer.abort().await;
    }
    engine.forget(object);
    result
}

/// Begins an object.
///
/// # Errors
/// Where the store takes none.
pub async fn open(engine: &Engine, object: &Object) -> Result<Writer, Fault> {
    let (operator, key) = engine.stored(object)?;
    if key.is_empty() || key.ends_with('/') {
        return Err(Fault::new(io::ErrorKind::InvalidInput, "this is the name of a folder and of no object"));
    }
    if operator.info().scheme() == "webhdfs" {
        // A file of HDFS is seen as soon as it is begun.
        return Err(Fault::new(io::ErrorKind::Unsupported, "objects of HDFS can only be read"));
    }
    let writer = operator.writer_with(&key).chunk(PART).concurrent(SIDE_BY_SIDE);
    writer.await.map_err(|error| Fault::of_store(&error))
}

fn gone() -> Fault {
    Fault::other("the tool has ended before the object was complete")
}

/// Passes bytes on to the end of the stream; returns their number.
async fn pass_on(socket: &UnixStream, writer: &mut Writer) -> Result<u64, Fault> {
    let mut length = 0;
    let mut buffer = BytesMut::new();
    loop {
        buffer.reserve(PIECE);
        socket.readable().await.map_err(|_| gone())?;
        match socket.try_read_buf(&mut buffer) {
            Ok(0) => return Ok(length),
            Ok(count) => {
                length += count as u64;
                let piece: Bytes = buffer.split().freeze();
                writer.write(piece).await.map_err(|error| Fault::of_store(&error))?;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return Err(gone()),
        }
    }
}
