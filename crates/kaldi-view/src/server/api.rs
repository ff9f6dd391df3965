//! The answers to requests.

use std::sync::Arc;

use bstr::ByteSlice;
use serde_json::{Map, Value, json};

use crate::server::Viewer;
use crate::server::assets;
use crate::server::failure::{Answer, Failure};
use crate::server::query::Query;
use crate::server::reply::{Content, Reply};

/// Rows of one answer, if the request does not say it.
const USUAL_ROWS: u32 = 100;

/// Rows of one answer, at most.
const MOST_ROWS: u32 = 500;

/// Keys of one piece of the list of keys.
const KEYS: usize = 4096;

/// A request that may be answered.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The path after the token.
    pub path: String,
    pub query: Query,
    /// The header `Range`.
    pub range: Option<String>,
}

impl Viewer {
    /// Whether a request needs values, whose reading may take long.
    pub fn reads_values(asked: &Asked) -> bool {
        matches!(asked.path.as_str(), "api/utterance" | "api/audio" | "api/tile" | "api/peaks" | "api/labels")
    }

    /// Answers a request.
    pub fn answer(self: &Arc<Self>, asked: &Asked) -> Reply {
        let query = &asked.query;
        let answer = match asked.path.as_str() {
            "api/info" => Ok(Reply::json(&self.info())),
            "api/rows" => self.rows(query).map(|rows| Reply::json(&rows)),
            "api/keys" => self.keys(query),
            "api/utterance" => self.utterance(query).map(|utterance| Reply::json(&utterance)),
            "api/audio" => self.audio(query, asked.range.as_deref()),
            "api/tile" => self.tile(query),
            "api/peaks" => self.peaks(query),
            "api/labels" => self.labels(query).map(|labels| Reply::json(&labels)),
            "api/measure" => Ok(Reply::json(&self.measure(query))),
            name => match assets::find(name) {
                Some((content_type, bytes)) => Ok(Reply::new(content_type, bytes)),
                None => Err(Failure::Unknown("not found".into())),
            },
        };
        answer.unwrap_or_else(Reply::from)
    }

    fn info(&self) -> Value {
        let lists = self.catalog.lists.iter().map(
            |list| json!({ "name": list.lines.name().to_str_lossy(), "type": list.kind, "entries": list.lines.len() }),
        );
        let columns =
            self.columns().into_iter().map(|column| json!({ "name": column.name, "type": column.kind.name() }));
        json!({
            "tables": lists.collect::<Vec<_>>(),
            "columns": columns.collect::<Vec<_>>(),
            "rows": self.catalog.len(),
        })
    }

    fn rows(&self, query: &Query) -> Answer<Value> {
        let from = query.number::<u32>("from")?.unwrap_or(0);
        let count = query.number::<u32>("count")?.unwrap_or(USUAL_ROWS).min(MOST_ROWS);
        let selected = self.selected(query)?;
        let total = selected.as_ref().map_or(self.catalog.len(), |rows| rows.len() as u32);
        let window = from.min(total)..from.saturating_add(count).min(total);
        let rows: Vec<u32> = match &selected {
            Some(rows) => rows[window.start as usize..window.end as usize].to_vec(),
            None => window.collect(),
        };
        let keys = self.catalog.keys(&rows)?;
        let mut columns = Vec::new();
        for column in self.columns() {
            columns.push((column.name, self.column(column.name, &rows, &keys)?));
        }
        let row = |at: usize| -> Value {
            columns.iter().map(|(name, values)| ((*name).to_owned(), values[at].clone())).collect::<Map<_, _>>().into()
        };
        Ok(json!({ "total": total, "rows": (0..rows.len()).map(row).collect::<Vec<_>>() }))
    }

    /// All keys of a selection, a line each.
    fn keys(self: &Arc<Self>, query: &Query) -> Answer<Reply> {
        let selected = self.selected(query)?;
        let (viewer, mut next) = (Arc::clone(self), 0);
        let total = selected.as_ref().map_or(self.catalog.len() as usize, |rows| rows.len());
        let pieces = move || {
            let end = (next + KEYS).min(total);
            let rows: Vec<u32> = match &selected {
                Some(rows) => rows[next..end].to_vec(),
                None => (next as u32..end as u32).collect(),
            };
            next = end;
            let keys = viewer.catalog.keys(&rows)?;
            Ok((!keys.is_empty()).then(|| keys.iter().flat_map(|key| [key.as_slice(), b"\n"].concat()).collect()))
        };
        let reply = Reply::new("text/plain; charset=utf-8", "");
        Ok(Reply { content: Content::Pieces(None, Box::new(pieces)), ..reply })
    }
}
