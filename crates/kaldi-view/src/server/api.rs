//! The answers to requests.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use serde_json::{Map, Value, json};

use crate::server::Viewer;
use crate::server::assets;
use crate::server::catalog::Says;
use crate::server::failure::{Answer, Failure};
use crate::server::query::Query;
use crate::server::reply::{Content, Reply};

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
            "api/keys" => self.keys(),
            "api/utterance" => self.utterance(query).map(|utterance| Reply::json(&utterance)),
            "api/audio" => self.audio(query, asked.range.as_deref()),
            "api/tile" => self.tile(query),
            "api/peaks" => self.peaks(query),
            "api/labels" => self.labels(query).map(|labels| Reply::json(&labels)),
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
        json!({
            "tables": lists.collect::<Vec<_>>(),
            "columns": self.columns().iter().map(|(name, of)| json!({ "name": name, "type": of })).collect::<Vec<_>>(),
            "rows": self.catalog.len(),
        })
    }

    /// The names and types of the columns.
    fn columns(&self) -> Vec<(&'static str, &'static str)> {
        let has = |wanted: fn(Says) -> bool| self.catalog.lists_that(wanted).next().is_some();
        let all = [
            (true, ("key", "text")),
            (has(|says| says == Says::Speaker), ("speaker", "text")),
            (has(|says| says == Says::Text), ("text", "text")),
            (has(|says| matches!(says, Says::Duration | Says::Segments(_))), ("duration", "number")),
            (has(|says| says == Says::Frames), ("frames", "number")),
        ];
        all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, column)| column).collect()
    }

    fn rows(&self, query: &Query) -> Answer<Value> {
        let from = query.number::<u32>("from")?.unwrap_or(0);
        let count = query.number::<u32>("count")?.unwrap_or(100).min(MOST_ROWS);
        let total = self.catalog.len();
        let rows: Vec<u32> = (from.min(total)..from.saturating_add(count).min(total)).collect();
        let keys = self.catalog.keys(&rows)?;
        let mut columns = Vec::new();
        for (name, _) in self.columns() {
            columns.push((name, self.column(name, &rows, &keys)?));
        }
        let row = |at: usize| -> Value {
            columns.iter().map(|(name, values)| ((*name).to_owned(), values[at].clone())).collect::<Map<_, _>>().into()
        };
        Ok(json!({ "total": total, "rows": (0..rows.len()).map(row).collect::<Vec<_>>() }))
    }

    /// A column of some rows.
    fn column(&self, name: &str, rows: &[u32], keys: &[BString]) -> Answer<Vec<Value>> {
        if name == "key" {
            return Ok(keys.iter().map(|key| json!(key.to_str_lossy())).collect());
        }
        let is_asked = |says: Says| match says {
            Says::Speaker => name == "speaker",
            Says::Text => name == "text",
            Says::Duration | Says::Segments(_) => name == "duration",
            Says::Frames => name == "frames",
            Says::Values(_) | Says::Recordings | Says::Times | Says::Nothing => false,
        };
        let mut values = vec![Value::Null; rows.len()];
        for list in self.catalog.lists_that(is_asked) {
            let says = self.catalog.lists[list].says;
            for (value, rest) in values.iter_mut().zip(self.catalog.rests(list, rows, keys)?) {
                if let Some(rest) = rest.filter(|_| value.is_null()) {
                    *value = field(says, rest.as_bstr());
                }
            }
        }
        Ok(values)
    }

    fn keys(self: &Arc<Self>) -> Answer<Reply> {
        let (viewer, mut next) = (Arc::clone(self), 0);
        let pieces = move || {
            let end = (next + KEYS as u32).min(viewer.catalog.len());
            let rows: Vec<u32> = (next..end).collect();
            next = end;
            let keys = viewer.catalog.keys(&rows)?;
            Ok((!keys.is_empty()).then(|| keys.iter().flat_map(|key| [key.as_slice(), b"\n"].concat()).collect()))
        };
        let reply = Reply::new("text/plain; charset=utf-8", "");
        Ok(Reply { content: Content::Pieces(None, Box::new(pieces)), ..reply })
    }
}

/// What a list says, as JSON.
fn field(says: Says, rest: &BStr) -> Value {
    let number = |word: usize| -> Option<f64> {
        let word = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(word)?;
        word.to_str().ok()?.parse().ok().filter(|number: &f64| number.is_finite())
    };
    match says {
        Says::Duration | Says::Frames => json!(number(0)),
        Says::Segments(_) => json!(number(2).zip(number(1)).map(|(end, start)| ((end - start) * 1e6).round() / 1e6)),
        _ => rest.to_str_lossy().into(),
    }
}
