//! Writing objects.
//!
//! Each object has a task of its own, which takes pieces of the object and sends them in parts. If the task ends before
//! the object is complete, it always asks the store to remove the parts.

use std::fmt;
use std::io;
use std::pin::pin;
use std::sync::Arc;

use bstr::BStr;
use bytes::{Bytes, BytesMut};
use futures::future::{Either, select};
use kaldi_io::Upload;
use opendal::Writer;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use crate::engine::{Engine, Object};
use crate::fault::Fault;
use crate::running::Running;
use crate::transport::ATTEMPTS;

/// Bytes of each part. Stores take ten thousand of them.
pub(crate) const PART: usize = 16 << 20;

/// Parts that are sent at the same time.
const SIDE_BY_SIDE: usize = 3;

/// Bytes that are passed to the task at once.
const PIECE: usize = 1 << 18;

/// The most pieces that wait for the task.
const WAITING: usize = 4;

/// An order for a task.
enum Order {
    Write(Bytes),
    Finish,
}

/// An object that is being written to its store.
pub(crate) struct RemoteUpload {
    running: Arc<Running>,
    /// Bytes that were not yet passed to the task.
    piece: BytesMut,
    orders: Sender<Order>,
    result: oneshot::Receiver<Result<(), Fault>>,
}

impl RemoteUpload {
    /// Starts an object.
    ///
    /// # Errors
    /// If the store does not accept such an object.
    pub(crate) fn create(running: &Arc<Running>, url: &BStr) -> io::Result<Self> {
        let object = Object::parse(url)?;
        running.engine.forget(&object);
        let attempts = running.engine.attempts(&object);
        let writer = running.wait(ATTEMPTS.scope(attempts.clone(), open(&running.engine, &object)))?;
        let (orders, receiver) = channel(WAITING);
        let (sender, result) = oneshot::channel();
        let (engine, ends) = (Arc::clone(&running.engine), running.ends());
        running.spawn_upload(ATTEMPTS.scope(attempts, async move {
            let ends = async move {
                let mut ends = ends;
                let _ = ends.wait_for(|ends| *ends).await;
            };
            send(writer, receiver, ends, sender).await;
            engine.forget(&object);
        }));
        Ok(Self { running: Arc::clone(running), piece: BytesMut::new(), orders, result })
    }

    fn order(&mut self, order: Order) -> io::Result<()> {
        match self.running.handle.block_on(self.orders.send(order)) {
            Ok(()) => Ok(()),
            // The task has ended, and has returned the reason.
            Err(_) => self.result().and_then(|()| Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn result(&mut self) -> io::Result<()> {
        match self.running.handle.block_on(&mut self.result) {
            Ok(result) => Ok(result?),
            Err(_) => Err(io::Error::other("the thread of the stores has failed")),
        }
    }
}

impl Upload for RemoteUpload {
    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.piece.len()));
            self.piece.extend_from_slice(now);
            bytes = later;
            if self.piece.len() == PIECE {
                let piece = self.piece.split().freeze();
                self.order(Order::Write(piece))?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if !self.piece.is_empty() {
            let piece = self.piece.split().freeze();
            self.order(Order::Write(piece))?;
        }
        self.order(Order::Finish)?;
        self.result()
    }
}

impl fmt::Debug for RemoteUpload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteUpload").finish_non_exhaustive()
    }
}

async fn open(engine: &Engine, object: &Object) -> Result<Writer, Fault> {
    let (operator, key) = engine.stored(object)?;
    if key.is_empty() || key.ends_with('/') {
        return Err(Fault::new(io::ErrorKind::InvalidInput, "this is the name of a folder and of no object"));
    }
    if operator.info().scheme() == "webhdfs" {
        // A file of HDFS is visible as soon as it is started.
        return Err(Fault::new(io::ErrorKind::Unsupported, "objects of HDFS can only be read"));
    }
    let writer = operator.writer_with(&key).chunk(PART).concurrent(SIDE_BY_SIDE);
    writer.await.map_err(|error| Fault::of_store(&error))
}

/// Sends the object, and returns the result. If the writer is dropped before the end, or a signal will end the process,
/// the parts that were sent are removed.
async fn send(
    mut writer: Writer,
    mut orders: Receiver<Order>,
    ends: impl Future<Output = ()>,
    answer: oneshot::Sender<Result<(), Fault>>,
) {
    let result = match select(pin!(take_orders(&mut writer, &mut orders)), pin!(ends)).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    };
    if !matches!(result, Some(Ok(()))) {
        // If that fails as well, the store keeps parts without an object, which are invisible.
        let _ = writer.abort().await;
    }
    match result {
        Some(result) => drop(answer.send(result)),
        // The process dies of the signal. Until then, writers shall wait, and not fail.
        None => std::mem::forget((orders, answer)),
    }
}

async fn take_orders(writer: &mut Writer, orders: &mut Receiver<Order>) -> Result<(), Fault> {
    loop {
        match orders.recv().await {
            Some(Order::Write(piece)) => writer.write(piece).await.map_err(|error| Fault::of_store(&error))?,
            Some(Order::Finish) => {
                return writer.close().await.map(drop).map_err(|error| Fault::of_store(&error));
            }
            None => return Err(Fault::other("the object was given up")),
        }
    }
}
