//! The connection limit, with eviction of idle connections.

use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, MutexGuard};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use nonpoison::Mutex;
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// Connections at a time.
const MOST: usize = 64;

/// How long a connection may take nothing while it is written to.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// How long a connection that knows the token may do nothing, if others need its place.
const IDLE: Duration = Duration::from_secs(1);

/// How often it is looked who has to leave.
const STEP: Duration = Duration::from_millis(100);

/// All connections.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<Vec<Arc<Connection>>>);

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    state: Mutex<State>,
    leave: Notify,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// When bytes went one way or the other, or an answer was ready.
    since: Instant,
    /// Whether bytes wait for the other side to take them.
    is_blocked: bool,
    /// Whether an answer is made.
    is_answered: bool,
    knows_token: bool,
}

/// A place among the connections, which is free again when it is dropped.
pub(crate) struct ConnectionPermit {
    all: Arc<Connections>,
    own: Arc<Connection>,
}

impl Connections {
    /// Waits for a place, which another connection may have to give up: first those that have not shown the token, and those that
    /// have done nothing for the longest time.
    pub async fn acquire(self: &Arc<Self>) -> ConnectionPermit {
        loop {
            if let Some(permit) = self.try_acquire() {
                return permit;
            }
            tokio::time::sleep(STEP).await;
        }
    }

    fn try_acquire(self: &Arc<Self>) -> Option<ConnectionPermit> {
        let mut all = self.lock();
        if all.len() >= MOST {
            let states = all.iter().enumerate().map(|(at, connection)| (at, *connection.lock()));
            let (at, _) =
                states.filter(|(_, state)| state.may_leave()).min_by_key(|(_, state)| state.eviction_order())?;
            all.swap_remove(at).leave.notify_one();
        }
        let state = State { since: Instant::now(), is_blocked: false, is_answered: false, knows_token: false };
        let own = Arc::new(Connection { state: Mutex::new(state), leave: Notify::new() });
        all.push(Arc::clone(&own));
        Some(ConnectionPermit { all: Arc::clone(self), own })
    }

    /// Ends connections that take nothing.
    pub async fn watch(&self) {
        loop {
            tokio::time::sleep(STEP).await;
            for connection in self.lock().iter() {
                let state = *connection.lock();
                if state.is_blocked && state.since.elapsed() >= WRITE_TIME {
                    connection.leave.notify_one();
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.0.lock()
    }
}

impl State {
    fn may_leave(&self) -> bool {
        let patience = match (self.knows_token, self.is_answered) {
            (false, _) => Duration::ZERO,
            (true, false) => IDLE,
            (true, true) => WRITE_TIME,
        };
        self.since.elapsed() >= patience
    }

    /// The least one has to leave first.
    fn eviction_order(&self) -> (bool, bool, Instant) {
        (self.knows_token, self.is_answered, self.since)
    }
}

impl Connection {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Says that it has shown the token.
    pub fn knows_token(&self) {
        self.lock().knows_token = true;
    }

    /// Says whether an answer is made.
    pub fn answers(&self, is_answered: bool) {
        let mut state = self.lock();
        (state.is_answered, state.since) = (is_answered, Instant::now());
    }

    /// Bytes went one way or the other.
    fn moved(&self) {
        let mut state = self.lock();
        (state.is_blocked, state.since) = (false, Instant::now());
    }
}

impl ConnectionPermit {
    pub fn connection(&self) -> Arc<Connection> {
        Arc::clone(&self.own)
    }

    /// The stream, which says what it does.
    pub fn watched(&self, stream: TcpStream) -> Watched {
        Watched { stream: TokioIo::new(stream), own: Arc::clone(&self.own) }
    }

    /// Serves until the end, or until the place is given up.
    pub async fn serve(&self, service: impl Future) {
        let (mut service, mut leave) = (pin!(service), pin!(self.own.leave.notified()));
        std::future::poll_fn(|context| match leave.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => service.as_mut().poll(context).map(drop),
        })
        .await;
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.all.lock().retain(|connection| !Arc::ptr_eq(connection, &self.own));
    }
}

/// A stream whose connection knows what it does.
pub(crate) struct Watched {
    stream: TokioIo<TcpStream>,
    own: Arc<Connection>,
}

impl Watched {
    /// Notes how a write went.
    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(_) => self.own.moved(),
            Poll::Pending => self.own.lock().is_blocked = true,
        }
        written
    }
}

impl Read for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl Write for Watched {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note(written)
    }
}
