//! The answers to requests.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use corpus_quality::{Rule, UtteranceMeasure};
use kaldi_plot::Colormap;
use serde_json::{Map, Value, json};

use crate::scale::RANGE;
use crate::server::Viewer;
use crate::server::assets;
use crate::server::failure::{Answer, Failure};
use crate::server::query::Query;
use crate::server::reply::{Content, Reply};
use crate::server::selection::Selected;

/// Rows of one answer, if the request does not say it.
const USUAL_ROWS: u32 = 100;

/// Rows of one answer, at most.
const MOST_ROWS: u32 = 500;

/// Keys of one piece of the list of keys.
const KEYS: usize = 4096;

/// The level in dB at which the colours of all spectrograms end: hardly any sound has a louder frequency. Where they begin, the noise
/// of 16 bits is not seen.
const LOUDEST: f64 = -10.0;

/// Colours between which a page finds the others.
const COLOURS: u8 = 16;

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
            "api/source" => self.source(query).map(|source| Reply::json(&source)),
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

    /// Whether a command runs if the utterance is opened, for who waits for it.
    fn source(&self, query: &Query) -> Answer<Value> {
        let key = self.key(query)?;
        Ok(json!({ "command": self.runs_command(key.as_bstr())? }))
    }

    fn info(&self) -> Value {
        let lists = self.catalog.lists.iter().map(
            |list| json!({ "name": list.lines.name().to_str_lossy(), "type": list.kind, "entries": list.lines.len() }),
        );
        let columns = self.columns().into_iter().map(|column| {
            let mut shown = json!({ "name": column.name, "type": column.kind.name() });
            if let Some(wording) = UtteranceMeasure::of_name(column.name).map(UtteranceMeasure::wording) {
                shown["label"] = wording.label.into();
                shown["unit"] = wording.unit.into();
                shown["decimals"] = wording.decimals.into();
                shown["factor"] = wording.factor.into();
            }
            shown
        });
        let (measures, _) = self.measures();
        let rules = Rule::ALL.into_iter().map(|rule| {
            let count = measures.as_ref().map(|measures| measures.count(rule));
            json!({ "name": rule.name(), "count": count, "meaning": rule.meaning() })
        });
        json!({
            "tables": lists.collect::<Vec<_>>(),
            "columns": columns.collect::<Vec<_>>(),
            "rows": self.catalog.len(),
            "rules": rules.collect::<Vec<_>>(),
            "measured": measures.is_some(),
            "background": self.headers.progress(),
            "levels": { "low": LOUDEST - RANGE, "high": LOUDEST },
            "colours": Colormap::Viridis.colors(COLOURS),
        })
    }

    fn rows(&self, query: &Query) -> Answer<Value> {
        let count = query.number::<u32>("count")?.unwrap_or(USUAL_ROWS).min(MOST_ROWS);
        let Selected { rows: selected, is_unmeasured } = self.selected(query)?;
        let total = selected.as_ref().map_or(self.catalog.len(), |rows| rows.len() as u32);
        let from = match query.get("around") {
            Some(key) => self
                .place_in(selected.as_deref().map(Vec::as_slice), key.as_bstr())?
                .map_or(0, |place| place.saturating_sub(count / 2).min(total.saturating_sub(count))),
            None => query.number::<u32>("from")?.unwrap_or(0),
        };
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
        let shown: Vec<Value> = (0..rows.len()).map(row).collect();
        Ok(json!({ "total": total, "from": from, "rows": shown, "unmeasured": is_unmeasured }))
    }

    /// Where an utterance is among the selected ones; `None` if it is not.
    fn place_in(&self, selected: Option<&[u32]>, key: &BStr) -> Answer<Option<u32>> {
        let Some(row) = self.find_key(key)?.map(|key| self.catalog.row(key.as_bstr())).transpose()?.flatten() else {
            return Ok(None);
        };
        Ok(match selected {
            Some(rows) => rows.iter().position(|&other| other == row).map(|place| place as u32),
            None => Some(row),
        })
    }

    /// All keys of a selection, a line each.
    fn keys(self: &Arc<Self>, query: &Query) -> Answer<Reply> {
        let selected = self.selected(query)?.rows;
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
