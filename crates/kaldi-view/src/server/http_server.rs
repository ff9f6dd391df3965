//! HTTP/1.1 on the loopback address.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::channel::Channel;
use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::server::Viewer;
use crate::server::api::Asked;
use crate::server::cancel::{self, Waiting};
use crate::server::query::Query;
use crate::server::reply::{Content, Pieces, Reply};
use crate::server::security::{Gate, HEADERS};
use crate::{Error, Result};

/// Connections at a time; more have to wait.
const CONNECTIONS: usize = 64;

/// Values that are read at a time. Lists have threads besides.
const READERS: usize = 6;

/// Threads for reading.
const THREADS: usize = READERS + 2;

/// Bytes of the head of a request, at most.
const HEAD: usize = 16 << 10;

/// How long the head of a request may take.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long work may take to end when the server ends.
const LAST: Duration = Duration::from_secs(3);

/// An error of a body: the connection ends without its end.
type BodyError = Box<dyn std::error::Error + Send + Sync>;

type Body = UnsyncBoxBody<Bytes, BodyError>;

/// A listener that answers nobody yet.
#[derive(Debug)]
pub(crate) struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    gate: Gate,
}

/// What all connections share.
struct Shared {
    viewer: Arc<Viewer>,
    gate: Gate,
    readers: Arc<Semaphore>,
}

impl HttpServer {
    /// Listens on the loopback address.
    pub fn listen(port: u16, host: Option<&str>) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(Error::Serve)?;
        listener.set_nonblocking(true).map_err(Error::Serve)?;
        let address = listener.local_addr().map_err(Error::Serve)?;
        Ok(Self { listener, address, gate: Gate::new(host).map_err(Error::Serve)? })
    }

    /// The address with the token.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.gate.token())
    }

    /// Answers requests until a signal comes.
    pub fn serve(self, viewer: &Arc<Viewer>) -> Result<()> {
        kaldi_io::embed(cancel::may_wait);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().max_blocking_threads(THREADS).build().map_err(Error::Serve)?;
        let shared = Shared { viewer: Arc::clone(viewer), gate: self.gate, readers: Arc::new(Semaphore::new(READERS)) };
        let served = runtime.block_on(accept(self.listener, Arc::new(shared)));
        cancel::stop();
        runtime.shutdown_timeout(LAST);
        served.map_err(Error::Serve)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals = kinds.into_iter().map(signal).collect::<std::io::Result<Vec<_>>>()?;
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::spawn(async move {
        loop {
            let Ok(place) = Arc::clone(&free).acquire_owned().await else { return };
            let Ok((stream, _)) = listener.accept().await else {
                // Out of descriptors, perhaps: connections that end give some back.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let service = service_fn(|request| answer(&shared, request));
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(HEAD);
                // A browser that goes away is no error.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                drop(place);
            });
        }
    });
    std::future::poll_fn(|context| {
        let has_come = signals.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
        if has_come { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    Ok(())
}

async fn answer(shared: &Shared, request: Request<Incoming>) -> std::result::Result<Response<Body>, Infallible> {
    let is_head = request.method() == Method::HEAD;
    let reply = match shared.gate.check(&request) {
        Ok(path) => {
            let query = Query::parse(request.uri().query().unwrap_or(""));
            let range = request.headers().get(header::RANGE).and_then(|range| range.to_str().ok().map(str::to_owned));
            run(shared, Asked { path: path.to_owned(), query, range }).await
        }
        Err((status, message)) => Reply::error(status, message),
    };
    Ok(respond(reply, is_head, &shared.readers))
}

/// Answers on another thread. If the browser goes away, the work is given up.
async fn run(shared: &Shared, asked: Asked) -> Reply {
    let reader = match Viewer::reads_values(&asked) {
        true => Arc::clone(&shared.readers).acquire_owned().await.ok(),
        false => None,
    };
    let (viewer, waiting) = (Arc::clone(&shared.viewer), Waiting::default());
    let flag = waiting.flag();
    let work = spawn_blocking(move || {
        let reply = cancel::run(flag, || viewer.answer(&asked));
        drop(reader);
        reply
    });
    let reply = work.await;
    reply.unwrap_or_else(|_| Reply::error(StatusCode::INTERNAL_SERVER_ERROR, "this request failed"))
}

fn respond(reply: Reply, is_head: bool, readers: &Arc<Semaphore>) -> Response<Body> {
    let mut response = Response::builder().status(reply.status).header(header::CONTENT_TYPE, reply.content_type);
    for (name, value) in HEADERS {
        response = response.header(name, value);
    }
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    if reply.status == StatusCode::METHOD_NOT_ALLOWED {
        response = response.header(header::ALLOW, "GET, HEAD");
    }
    let length = match &reply.content {
        Content::Whole(bytes) => Some(bytes.len() as u64),
        Content::Pieces(length, _) => *length,
    };
    if let Some(length) = length {
        response = response.header(header::CONTENT_LENGTH, length);
    }
    let body = match reply.content {
        _ if is_head => Empty::new().map_err(BodyError::from).boxed_unsync(),
        Content::Whole(bytes) => Full::new(bytes).map_err(BodyError::from).boxed_unsync(),
        Content::Pieces(_, pieces) => stream(pieces, Arc::clone(readers)),
    };
    // All names and values are ours, but a value with a control character would be refused.
    response.body(body).unwrap_or_else(|_| Response::new(Empty::new().map_err(BodyError::from).boxed_unsync()))
}

/// A body whose pieces are made one after the other, when the connection has taken those before.
fn stream(mut pieces: Pieces, readers: Arc<Semaphore>) -> Body {
    let (mut sender, body) = Channel::<Bytes, BodyError>::new(1);
    tokio::spawn(async move {
        let waiting = Waiting::default();
        loop {
            let Ok(reader) = Arc::clone(&readers).acquire_owned().await else { return };
            let flag = waiting.flag();
            let made = spawn_blocking(move || {
                let piece = cancel::run(flag, &mut pieces);
                drop(reader);
                (pieces, piece)
            });
            let Ok((back, piece)) = made.await else { return };
            pieces = back;
            match piece {
                Ok(Some(piece)) => {
                    if sender.send_data(piece.into()).await.is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(failure) => return sender.abort(failure.message().to_owned().into()),
            }
        }
    });
    body.boxed_unsync()
}
