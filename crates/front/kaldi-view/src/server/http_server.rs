//! HTTP/1.1 on the loopback address.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
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
use kaldi_io::Session;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio_io_timeout::TimeoutStream;

use crate::server::Viewer;
use crate::server::api::Asked;
use crate::server::cancel::Waiting;
use crate::server::query::Query;
use crate::server::reply::{Content, Pieces, Reply};
use crate::server::security::{Gate, HEADERS};
use crate::{Error, Result};

/// Connections at a time: more wait to be accepted.
const CONNECTIONS: usize = 64;

/// Requests that read values, or compute, at a time: more than a browser has connections.
const WORK: usize = 16;

/// Bytes of a body that the system takes before the other side does: few, so that it is seen whether that reads.
const SENT_AHEAD: u32 = 64 << 10;

/// Connections that wait to be accepted.
const BACKLOG: u32 = 128;

/// Bytes of the head of a request, at most.
const HEAD: usize = 16 << 10;

/// How long the head of a request may take, and how long the other side may take nothing of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long work may take to end when the server ends.
const LAST: Duration = Duration::from_secs(3);

/// An error of a body: the connection ends without its end.
type BodyError = Box<dyn std::error::Error + Send + Sync>;

type Body = UnsyncBoxBody<Bytes, BodyError>;

/// A listener that answers nobody yet.
#[derive(Debug)]
pub(crate) struct HttpServer {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    gate: Gate,
}

/// What all connections share.
struct Shared {
    viewer: Arc<Viewer>,
    gate: Gate,
    work: Arc<Semaphore>,
}

impl HttpServer {
    /// Listens on the loopback address.
    pub fn listen(port: u16, host: Option<&str>) -> Result<Self> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().map_err(Error::Serve)?;
        let entered = runtime.enter();
        let listener = listen((Ipv4Addr::LOCALHOST, port).into()).map_err(Error::Serve)?;
        drop(entered);
        let address = listener.local_addr().map_err(Error::Serve)?;
        Ok(Self { runtime, listener, address, gate: Gate::new(host).map_err(Error::Serve)? })
    }

    /// The address with the token.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.gate.token())
    }

    /// Answers requests until a signal comes.
    pub fn serve(self, viewer: &Arc<Viewer>) -> Result<()> {
        let waiting = Waiting::default();
        let session = waiting.session(&Session::current());
        let work = Arc::new(Semaphore::new(WORK));
        let shared = Shared { viewer: Arc::clone(viewer), gate: self.gate, work };
        viewer.read_headers(&session);
        let served = session.enter(|| self.runtime.block_on(accept(self.listener, Arc::new(shared))));
        waiting.end();
        self.runtime.shutdown_timeout(LAST);
        served.map_err(Error::Serve)
    }
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    // Its connections inherit it.
    socket.set_send_buffer_size(SENT_AHEAD)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) -> std::io::Result<()> {
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals = kinds.into_iter().map(signal).collect::<std::io::Result<Vec<_>>>()?;
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::spawn(async move {
        // It is never closed.
        while let Ok(permit) = Arc::clone(&connections).acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                // Out of descriptors, perhaps: connections that end give some back.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(PATIENCE));
            let (stream, shared) = (TokioIo::new(Box::pin(stream)), Arc::clone(&shared));
            tokio::spawn(async move {
                let service = service_fn(|request| answer(&shared, request));
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(HEAD);
                // A browser that goes away is no error.
                let _ = builder.serve_connection(stream, service).await;
                drop(permit);
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
    Ok(respond(reply, is_head, &shared.work))
}

/// Answers on another thread. If the browser goes away, the work is given up.
async fn run(shared: &Shared, asked: Asked) -> Reply {
    let (viewer, waiting) = (Arc::clone(&shared.viewer), Waiting::default());
    let session = waiting.session(&Session::current());
    // Lists are there whatever is read.
    let _permit = match Viewer::reads_values(&asked) {
        true => shared.work.acquire().await.ok(),
        false => None,
    };
    let work = spawn_blocking(move || session.enter(|| viewer.answer(&asked)));
    work.await.unwrap_or_else(|_| Reply::error(StatusCode::INTERNAL_SERVER_ERROR, "this request failed"))
}

fn respond(reply: Reply, is_head: bool, work: &Arc<Semaphore>) -> Response<Body> {
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
        Content::Pieces(_, pieces) => stream(pieces, Arc::clone(work)),
    };
    // All names and values are ours, but a value with a control character would be refused.
    response.body(body).unwrap_or_else(|_| Response::new(Empty::new().map_err(BodyError::from).boxed_unsync()))
}

/// A body whose pieces are made one after the other, when the connection has taken those before.
fn stream(mut pieces: Pieces, work: Arc<Semaphore>) -> Body {
    let (mut sender, body) = Channel::<Bytes, BodyError>::new(1);
    tokio::spawn(async move {
        let waiting = Waiting::default();
        loop {
            let session = waiting.session(&Session::current());
            let Ok(permit) = work.acquire().await else { return };
            let made = spawn_blocking(move || {
                let piece = session.enter(&mut pieces);
                (pieces, piece)
            });
            let Ok((back, piece)) = made.await else { return };
            drop(permit);
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
