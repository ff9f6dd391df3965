//! Serving a tool: its requests come on standard input, each stream has a socket of its own.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use bstr::BString;
use kaldi_io::wire::{self, Frame, Request};
use kaldi_log::vlog;
use tokio::net::UnixStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::download;
use crate::engine::{Engine, Object};
use crate::expected::Expected;
use crate::facts::Part;
use crate::fault::Fault;
use crate::upload;

/// How long uploads that are given up may take to be cleaned up.
const CLEANING: Duration = Duration::from_secs(20);

/// Serves the tool at the other end of standard input, until it closes it. Where there is no engine, each of its requests
/// is answered with the reason.
///
/// # Errors
/// Where standard input is no such socket.
pub fn serve(engine: anyhow::Result<Engine>) -> anyhow::Result<()> {
    let requests = io::stdin().as_fd().try_clone_to_owned()?;
    let (sender, mut receiver) = unbounded_channel();
    // A wrong standard input is told at once, by the first message.
    if let Err(error) = wire::receive(requests.as_fd()).map(|first| sender.send(first)) {
        bail!("serve is for the other tools, which pass their socket as standard input: {error}");
    }
    // The thread ends with the process.
    std::thread::Builder::new().name("requests".to_owned()).spawn(move || take_requests(&requests, &sender))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async {
        let engine = match engine {
            Ok(engine) => Arc::new(engine),
            Err(error) => return refuse(&Fault::other(format!("{error:#}")), receiver).await,
        };
        let expected = Arc::new(Expected::new());
        let mut streams = JoinSet::new();
        let mut uploads = JoinSet::new();
        let mut finishers = HashMap::new();
        while let Some((message, descriptor)) = receiver.recv().await {
            while streams.try_join_next().is_some() || uploads.try_join_next().is_some() {}
            match (Request::decode(&message), descriptor) {
                (Some(Request::Read { url, offset, length }), Some(descriptor)) => {
                    let part = Part { start: offset, end: length.map(|length| offset.saturating_add(length)) };
                    streams.spawn(read(Arc::clone(&engine), Arc::clone(&expected), url, part, descriptor));
                }
                (Some(Request::Write { url, id }), Some(descriptor)) => {
                    let (finisher, finished) = oneshot::channel();
                    finishers.insert(id, finisher);
                    uploads.spawn(write(Arc::clone(&engine), url, descriptor, finished));
                }
                (Some(Request::Finish { id, length }), _) => {
                    if let Some(finisher) = finishers.remove(&id) {
                        let _ = finisher.send(length);
                    }
                }
                (Some(Request::Verbose { level }), _) => {
                    kaldi_log::set_verbose(i32::try_from(level.cast_signed()).unwrap_or_default());
                }
                (Some(Request::Expect { url, at_once, offsets }), _) => {
                    // What is wrong with the name is told where it is read.
                    if let Ok(object) = Object::parse(url.as_ref()) {
                        expected.expect(&engine, &object, offsets, at_once);
                    }
                }
                (Some(Request::Read { .. } | Request::Write { .. }) | None, _) => {
                    vlog!(1, "a request makes no sense: the tool has another version");
                }
            }
        }
        // The tool has ended. What it has not finished must not appear.
        drop(finishers);
        drop(streams);
        let cleaned = async { while uploads.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(CLEANING, cleaned).await;
        engine.close();
    });
    // A name of a host that is still being looked up is not waited for.
    runtime.shutdown_background();
    Ok(())
}

/// A message of the tool, and the descriptor that came with it.
type Message = (Vec<u8>, Option<OwnedFd>);

/// Answers each request for a stream with the same fault.
async fn refuse(fault: &Fault, mut messages: UnboundedReceiver<Message>) {
    while let Some((_, descriptor)) = messages.recv().await {
        if let Some(Ok(socket)) = descriptor.map(socket) {
            tell(&socket, &failed(fault)).await;
        }
    }
}

/// Passes the tool's messages on until it has ended.
fn take_requests(requests: &OwnedFd, sender: &UnboundedSender<Message>) {
    while let Ok(message) = wire::receive(requests.as_fd())
        && !message.0.is_empty()
        && sender.send(message).is_ok()
    {}
}

async fn read(engine: Arc<Engine>, expected: Arc<Expected>, url: BString, part: Part, descriptor: OwnedFd) {
    let Ok(socket) = socket(descriptor) else { return };
    let object = match Object::parse(url.as_ref()) {
        Ok(object) => object,
        Err(fault) => return tell(&socket, &failed(&fault)).await,
    };
    if let Err(fault) = download::send(engine, &expected, object, part, &socket).await {
        tell(&socket, &failed(&fault)).await;
    }
}

async fn write(engine: Arc<Engine>, url: BString, descriptor: OwnedFd, finished: oneshot::Receiver<u64>) {
    let Ok(mut socket) = socket(descriptor) else { return };
    let result = match Object::parse(url.as_ref()) {
        Ok(object) => upload::receive(&engine, &object, &mut socket, finished).await,
        Err(fault) => Err(fault),
    };
    let answer = result.map_or_else(|fault| failed(&fault), |()| Frame::End);
    tell(&socket, &answer).await;
}

fn socket(descriptor: OwnedFd) -> io::Result<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(descriptor);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

fn failed(fault: &Fault) -> Frame {
    Frame::Failed(fault.kind, kaldi_log::hide_secrets_in(&fault.message).into_owned())
}

/// Says it to a tool that may not listen any more.
async fn tell(socket: &UnixStream, frame: &Frame) {
    let _ = download::write_all(socket, &frame.encode()).await;
}
