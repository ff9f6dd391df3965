//! A server on the loopback address, which shows utterances one by one.

mod api;
mod assets;
mod builder;
mod cache;
mod cancel;
mod catalog;
mod columns;
mod durations;
mod failure;
mod filter;
mod http_server;
mod labels;
mod limits;
mod lines;
mod measures;
mod peaks;
mod query;
mod range;
mod recording;
mod reply;
mod search;
mod security;
mod selection;
mod sounds;
mod spectrum;
mod tiles;
mod tracks;
mod utterance;
mod values;
mod wav_file;

use std::sync::Arc;
use std::time::Duration;

use bstr::BString;
use kaldi_any::Frames;
use kaldi_io::Session;
use kaldi_value::SymbolTable;

use crate::Result;
use crate::server::cache::Cache;
use crate::server::catalog::Catalog;
use crate::server::columns::ListedNumbers;
use crate::server::durations::HeaderDurations;
use crate::server::http_server::HttpServer;
use crate::server::measures::{Measures, Measuring};
use crate::server::selection::Selections;
use crate::server::sounds::Sounds;
use crate::server::tracks::{Track, tracks};

/// Bytes of values of tables that are kept.
const VALUES: usize = 32 << 20;

/// How a server shows a corpus.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ViewOptions {
    /// The port; 0 takes one that is free.
    pub port: u16,
    /// One more name that the computer may have in the requests of a browser.
    pub host: Option<String>,
    /// Seconds from one frame of the features to the next one; `None` takes what fits the duration.
    pub frame_shift: Option<f64>,
    /// The name of a file of measures, as `table-report --write-utterances` writes it.
    pub measures: Option<BString>,
    /// The name of a file of symbols: lines of a name and its number.
    pub symbols: Option<BString>,
    /// Bytes of sound and other values that are kept, and that reading may take at a time.
    pub memory: usize,
    /// How long the command of a value may take.
    pub timeout: Duration,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            port: 0,
            host: None,
            frame_shift: None,
            measures: None,
            symbols: None,
            memory: 256 << 20,
            timeout: Duration::from_secs(60),
        }
    }
}

/// What is shown.
#[derive(Debug)]
pub(crate) struct Viewer {
    catalog: Catalog,
    tracks: Vec<Track>,
    sounds: Sounds,
    values: Arc<Cache<Frames>>,
    frame_shift: Option<f64>,
    listed: ListedNumbers,
    headers: HeaderDurations,
    selections: Selections,
    measuring: Measuring,
    /// The session of the program, for work that no single request waits for.
    session: Session,
    /// Names of labels.
    symbols: SymbolTable,
}

/// A server that listens, and answers nobody yet.
#[derive(Debug)]
#[must_use]
pub struct ViewServer {
    viewer: Arc<Viewer>,
    server: HttpServer,
}

impl ViewServer {
    /// Reads the lists of data directories and tables, and listens on the loopback address. Values are read when they are asked for.
    ///
    /// # Errors
    /// If a list cannot be read, a table comes only once, or the port is taken.
    pub fn open(names: &[BString], options: &ViewOptions) -> Result<Self> {
        let catalog = Catalog::open(names)?;
        let tracks = tracks(&catalog);
        let symbols = options.symbols.as_ref().map(|name| SymbolTable::read(name.as_ref())).transpose()?;
        let headers = HeaderDurations::new(&catalog);
        let values = Arc::new(Cache::new(VALUES.min(options.memory), size));
        let viewer = Viewer {
            catalog,
            tracks,
            sounds: Sounds::new(options.memory, options.timeout, &values),
            values,
            frame_shift: options.frame_shift,
            listed: ListedNumbers::default(),
            headers,
            selections: Selections::default(),
            measuring: Measuring::default(),
            session: Session::current(),
            symbols: symbols.unwrap_or_default(),
        };
        if let Some(name) = &options.measures {
            viewer.measuring.set(Measures::read(name, &viewer.catalog)?);
        }
        Ok(Self { viewer: Arc::new(viewer), server: HttpServer::listen(options.port, options.host.as_deref())? })
    }

    /// The address, with the token that a browser needs.
    pub fn address(&self) -> String {
        self.server.address()
    }

    /// Answers requests until SIGINT, SIGTERM or SIGHUP. Then commands that still run are ended.
    ///
    /// # Errors
    /// If it cannot serve.
    pub fn serve(self) -> Result<()> {
        let served = self.server.serve(&self.viewer);
        self.viewer.measuring.end();
        self.viewer.headers.join();
        served
    }
}

/// About how many bytes a value takes.
fn size(value: &Frames) -> usize {
    match value {
        Frames::Rows(matrix) => 4 * matrix.num_rows() * matrix.num_cols(),
        Frames::Lists(lists) => lists.iter().map(|list| 24 + 8 * list.capacity()).sum(),
        Frames::Labels(labels) => 4 * labels.len(),
        Frames::Wave(wave) => 4 * wave.num_channels() * wave.num_samples(),
        Frames::Words { words, .. } => 16 * words.len(),
    }
}
