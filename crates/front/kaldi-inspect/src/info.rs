//! Reports on tables and data directories, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use bstr::BStr;
use kaldi_any::{ValueType, join_names};
use serde::Serialize;
use serde_json::Value;

use crate::directory::DirectorySummary;
use crate::kind::NamedKind;
use crate::model::ModelSummary;
use crate::summary::Summary;

/// The minimum and the maximum of something.
#[derive(Debug, Serialize)]
struct Span<T> {
    min: T,
    max: T,
}

/// A report on a table, in this order. Fields that do not apply are left out.
#[derive(Debug, Default, Serialize)]
pub struct Info {
    table: String,
    kind: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    value_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    or: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    types: Option<BTreeMap<&'static str, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utterances: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speakers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recordings: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arcs: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<Span<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_rate: Option<Span<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    word_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vocabulary: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sorted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicates: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archives: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<BTreeMap<&'static str, u64>>,
    /// The sizes of a model.
    #[serde(flatten)]
    sizes: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

impl Info {
    /// Reports on a table. `frame_shift` is in seconds.
    pub fn of_table(name: &BStr, summary: Summary, frame_shift: f64) -> Self {
        let span = |range: RangeInclusive<u64>| Span { min: *range.start(), max: *range.end() };
        let (frames, is_script) = (summary.frames(), summary.kind == NamedKind::Script);
        // Nothing shows that it is a table.
        let is_unknown = summary.kind == NamedKind::Archive
            && summary.fault.is_some()
            && summary.entries == 0
            && !kaldi_io::is_specifier(name);
        let is_table = summary.kind != NamedKind::Value && !(summary.entries == 0 && summary.fault.is_some());
        let seconds = summary.seconds.or(frames.map(|frames| frames as f64 * frame_shift));
        // Any text can be words, so words are not mentioned as another type.
        let is_other = |it: &ValueType| Some(*it) != summary.value_type && !it.is_words();
        let others = summary.candidates.into_iter().filter(is_other).collect::<Vec<_>>();
        Info {
            table: name.to_string(),
            kind: if is_unknown { "unknown" } else { summary.kind.name() },
            value_type: summary.value_type.map(ValueType::name),
            or: (!others.is_empty()).then(|| join_names(&others)),
            precision: summary.precision.map(|(least, most)| if least == most { least.name() } else { "mixed" }),
            format: match (summary.binary, summary.text) {
                (0, 0) => None,
                (_, 0) => Some("binary"),
                (0, _) => Some("text"),
                _ => Some("mixed"),
            },
            compressed: summary.value_type.filter(|it| *it == ValueType::Matrix).map(|_| summary.compressed > 0),
            entries: Some(summary.entries).filter(|_| !is_unknown),
            bytes: Some(summary.bytes),
            rows: summary.rows.map(span),
            channels: summary.columns.clone().filter(|_| summary.value_type == Some(ValueType::Wave)).map(span),
            columns: summary.columns.map(span),
            frames,
            hours: seconds.map(hours),
            duration: summary.durations.map(|(min, max)| Span { min, max }),
            depth: summary.graphs.depth(),
            words: summary.graphs.words(),
            word_rate: summary.graphs.word_rate(frame_shift),
            states: summary.graphs.states.map(span),
            arcs: summary.graphs.arcs.map(span),
            types: Some(summary.graphs.types).filter(|types| types.len() > 1),
            sample_rate: summary.sample_rates.map(|(min, max)| Span { min, max }),
            sorted: is_table.then_some(summary.is_sorted),
            duplicates: is_table.then_some(summary.duplicates),
            archives: is_script.then_some(summary.archives),
            missing: is_script.then_some(summary.missing),
            commands: Some(summary.commands).filter(|&commands| commands > 0),
            fault: summary.fault.map(|fault| fault.to_string()),
            ..Info::default()
        }
    }

    /// Reports on a model.
    pub fn of_model(name: &BStr, summary: ModelSummary, is_binary: bool) -> Self {
        Info {
            table: name.to_string(),
            kind: NamedKind::Model(summary.model_type).name(),
            value_type: Some(summary.model_type.name()),
            format: Some(if is_binary { "binary" } else { "text" }),
            sizes: summary.sizes,
            ..Info::default()
        }
    }

    /// Reports on a data directory.
    pub fn of_directory(name: &BStr, summary: DirectorySummary) -> Self {
        Info {
            table: name.to_string(),
            kind: NamedKind::Directory.name(),
            utterances: Some(summary.utterances),
            speakers: summary.speakers,
            recordings: summary.recordings,
            columns: summary.columns.map(|(min, max)| Span { min, max }),
            frames: summary.frames,
            hours: summary.seconds.map(|(seconds, _)| hours(seconds)),
            hours_from: summary.seconds.map(|(_, file)| file),
            words: summary.words,
            vocabulary: summary.vocabulary,
            files: Some(summary.files.into_iter().collect()),
            ..Info::default()
        }
    }

    /// Whether nothing was unreadable.
    pub fn is_sound(&self) -> bool {
        self.fault.is_none()
    }

    /// The report as one line of JSON.
    pub fn to_json(&self) -> String {
        // Nothing in it can fail.
        kaldi_io::printable_json(&serde_json::to_string(self).unwrap_or_default()) + "\n"
    }
}

/// Hours, rounded to about a millisecond.
fn hours(seconds: f64) -> f64 {
    (seconds / 3600.0 * 1e7).round() / 1e7
}

/// The fields, one on each line.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = serde_json::to_value(self).map_err(|_| fmt::Error)?;
        let names = [
            "kind",
            "type",
            "or",
            "types",
            "precision",
            "format",
            "compressed",
            "entries",
            "utterances",
            "speakers",
            "recordings",
            "bytes",
            "rows",
            "columns",
            "states",
            "arcs",
            "depth",
            "frames",
            "hours",
            "hours_from",
            "duration",
            "sample_rate",
            "channels",
            "words",
            "word_rate",
            "vocabulary",
            "sorted",
            "duplicates",
            "archives",
            "missing",
            "commands",
            "files",
            "phones",
            "pdfs",
            "transition_ids",
            "transition_states",
            "gaussians",
            "dimension",
            "context_width",
            "central_position",
            "fault",
        ];
        writeln!(f, "{}", self.table)?;
        for (name, value) in names.iter().map(|name| (name, &object[*name])).filter(|(_, value)| !value.is_null()) {
            writeln!(f, "  {name:<12} {}", show(value))?;
        }
        Ok(())
    }
}

/// The number of items of a list that are shown.
const SHOWN: usize = 3;

fn show(value: &Value) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        Value::Array(names) if names.is_empty() => "none".to_owned(),
        Value::Array(names) => {
            let shown: Vec<_> = names.iter().take(SHOWN).map(plain).collect();
            let rest = names.len() - shown.len();
            format!("{}{}", shown.join(" "), if rest > 0 { format!(" and {rest} more") } else { String::new() })
        }
        Value::Object(fields) => match (fields.get("min"), fields.get("max")) {
            (Some(min), Some(max)) if min == max => plain(min),
            (Some(min), Some(max)) => format!("{} to {}", plain(min), plain(max)),
            _ => fields.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect::<Vec<_>>().join(", "),
        },
        _ => plain(value),
    }
}
