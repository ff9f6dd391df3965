//! Measures and findings of all utterances: read from a file, or measured when the user asks for it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::{Rule, UtteranceMeasure};
use kaldi_io::Lines;
use kaldi_io::sync::Mutex;
use serde_json::{Map, Value, json};

use crate::server::Viewer;
use crate::server::cancel::Waiting;
use crate::server::catalog::Catalog;
use crate::server::columns::FINDINGS;
use crate::server::failure::Answer;
use crate::server::query::Query;
use crate::server::search::RowSet;
use crate::{Corpus, CorpusOptions, CorpusReport, Error, ReportOptions, Result};

/// Measures and findings of all rows.
#[derive(Debug, Default)]
pub(crate) struct Measures {
    /// The numbers of each measure that there is; NaN if one is not known.
    columns: HashMap<&'static str, Arc<Vec<f32>>>,
    /// A finding as JSON, and its row; in the order of rows.
    findings: Vec<(u32, Rule, Box<str>)>,
    /// How many utterances each rule names.
    counts: HashMap<Rule, u32>,
}

impl Measures {
    /// Whether there is this measure.
    pub fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    /// The numbers of a measure for all rows.
    pub fn numbers(&self, name: &str) -> Option<Arc<Vec<f32>>> {
        self.columns.get(name).cloned()
    }

    /// The number of a row, with the digits that were measured.
    pub fn value(&self, name: &str, row: u32) -> Value {
        let number = self.columns.get(name).map(|numbers| numbers[row as usize]).filter(|number| number.is_finite());
        match number {
            // Counts have no point.
            Some(number) if number.fract() == 0.0 && number.abs() < 1e9 => json!(number as i64),
            _ => json!(number.and_then(|number| number.to_string().parse::<f64>().ok())),
        }
    }

    /// The findings of a row.
    fn of_row(&self, row: u32) -> impl Iterator<Item = &(u32, Rule, Box<str>)> {
        let first = self.findings.partition_point(|(other, ..)| *other < row);
        self.findings[first..].iter().take_while(move |(other, ..)| *other == row)
    }

    /// The findings of a row, as JSON. What is a number is also written for people.
    fn findings(&self, row: u32) -> Vec<Value> {
        let finding = |(_, rule, json): &(u32, Rule, Box<str>)| {
            let mut finding: Value = serde_json::from_str(json).ok()?;
            let measure = finding["measure"].as_str().and_then(UtteranceMeasure::of_name);
            let wording = rule.wording(measure);
            for (name, shown) in [("value", "value_text"), ("usual", "usual_text")] {
                if let Some(number) = finding[name].as_f64() {
                    finding[shown] = wording.text(Some(number)).into();
                }
            }
            finding["meaning"] = rule.meaning().into();
            Some(finding)
        };
        self.of_row(row).filter_map(finding).collect()
    }

    /// The names of the rules of the findings of a row, each once.
    pub fn rules(&self, row: u32) -> Value {
        let mut names: Vec<&str> = Vec::new();
        for (_, rule, _) in self.of_row(row) {
            if !names.contains(&rule.name()) {
                names.push(rule.name());
            }
        }
        json!(names)
    }

    /// How many utterances a rule names.
    pub fn count(&self, rule: Rule) -> u32 {
        self.counts.get(&rule).copied().unwrap_or(0)
    }

    /// Reads the lines that `table-report --write-utterances` writes.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is no such object.
    pub fn read(name: &BString, catalog: &Catalog) -> Result<Self> {
        let mut builder = Builder::new(catalog);
        let mut lines = Lines::open(name.as_bstr())?;
        while let Some(line) = lines.next_line()? {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let object: Map<String, Value> = serde_json::from_slice(line).map_err(|error| Error::List {
                name: name.clone(),
                message: format!("{}: expected lines of JSON as of table-report --write-utterances: {error}", name),
            })?;
            let Some(key) = object.get("key").and_then(Value::as_str) else { continue };
            let Some(row) = catalog.row(key.into()).ok().flatten() else { continue };
            for &(_, name) in &UtteranceMeasure::ALL {
                if let Some(value) = object.get(name) {
                    builder.set(name, row, value.as_f64());
                }
            }
            for finding in object.get("findings").and_then(Value::as_array).into_iter().flatten() {
                builder.find(row, finding);
            }
        }
        Ok(builder.finish())
    }

    fn of(corpus: &Corpus, options: &ReportOptions, catalog: &Catalog) -> Self {
        let mut builder = Builder::new(catalog);
        let report = CorpusReport::of(corpus, options);
        let row = |key: &BStr| catalog.row(key).ok().flatten();
        let rows: Vec<Option<u32>> = corpus.utterances.iter().map(|utterance| row(utterance.key.as_bstr())).collect();
        for (utterance, row) in corpus.utterances.iter().zip(&rows) {
            if let Some(row) = *row {
                utterance.measures().for_each(|(name, value)| builder.set(name, row, value));
            }
        }
        for finding in &report.findings.list {
            if let Some(row) = rows[finding.utterance] {
                builder.find(row, &report.finding(finding));
            }
        }
        builder.finish()
    }
}

/// Measures, while they are collected.
struct Builder {
    len: usize,
    columns: HashMap<&'static str, Vec<f32>>,
    findings: Vec<(u32, Rule, Box<str>)>,
}

impl Builder {
    fn new(catalog: &Catalog) -> Self {
        Self { len: catalog.len() as usize, columns: HashMap::new(), findings: Vec::new() }
    }

    fn set(&mut self, name: &'static str, row: u32, value: Option<f64>) {
        let column = self.columns.entry(name).or_insert_with(|| vec![f32::NAN; self.len]);
        column[row as usize] = value.map_or(f32::NAN, |value| value as f32);
    }

    fn find(&mut self, row: u32, finding: &Value) {
        let name = finding.get("rule").and_then(Value::as_str).unwrap_or_default();
        if let Some(rule) = Rule::ALL.into_iter().find(|rule| rule.name() == name) {
            self.findings.push((row, rule, finding.to_string().into()));
        }
    }

    fn finish(mut self) -> Measures {
        self.findings.sort_by_key(|(row, ..)| *row);
        let mut numbers = vec![0.0; self.len];
        let mut counts = HashMap::new();
        for own in self.findings.chunk_by(|left, right| left.0 == right.0) {
            let mut rules: Vec<Rule> = own.iter().map(|(_, rule, _)| *rule).collect();
            rules.sort_unstable();
            rules.dedup();
            numbers[own[0].0 as usize] = rules.len() as f32;
            rules.into_iter().for_each(|rule| *counts.entry(rule).or_default() += 1);
        }
        self.columns.insert(FINDINGS, numbers);
        let columns = self.columns.into_iter().map(|(name, numbers)| (name, Arc::new(numbers))).collect();
        Measures { columns, findings: self.findings, counts }
    }
}

/// How far measuring is.
#[derive(Debug, Default)]
pub(crate) struct Measuring {
    state: Mutex<State>,
    /// Values that were measured.
    done: Arc<AtomicU64>,
    /// Whether the numbers are still wanted.
    waiting: Waiting,
}

#[derive(Debug, Default)]
struct State {
    measures: Option<Arc<Measures>>,
    /// How often there were other measures.
    version: u64,
    thread: Option<std::thread::JoinHandle<()>>,
    error: Option<String>,
}

impl Measuring {
    pub fn set(&self, measures: Measures) {
        let mut state = self.state.lock();
        state.measures = Some(Arc::new(measures));
        state.version += 1;
    }

    /// Ends the thread.
    pub fn end(&self) {
        self.waiting.end();
        let thread = self.state.lock().thread.take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Viewer {
    /// The measures of all rows, if there are any, and their version.
    pub fn measures(&self) -> (Option<Arc<Measures>>, u64) {
        let state = self.measuring.state.lock();
        (state.measures.clone(), state.version)
    }

    /// The rows that have a finding of this rule.
    pub fn rows_with_rule(&self, rule: Rule) -> RowSet {
        let mut rows = RowSet::new(self.catalog.len());
        for (row, other, _) in self.measures().0.iter().flat_map(|measures| &measures.findings) {
            if *other == rule {
                rows.insert(*row);
            }
        }
        rows
    }

    /// The measures and findings of an utterance.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn measured(&self, key: &BStr) -> Answer<(Value, Vec<Value>)> {
        let (Some(measures), Some(row)) = (self.measures().0, self.catalog.row(key)?) else {
            return Ok((json!({}), Vec::new()));
        };
        let there = UtteranceMeasure::ALL.iter().filter(|(_, name)| measures.has(name));
        let object: Map<String, Value> = there.map(|&(_, name)| (name.to_owned(), measures.value(name, row))).collect();
        Ok((object.into(), measures.findings(row)))
    }

    /// How far measuring is; starts it if the request says so.
    pub fn measure(self: &Arc<Self>, query: &Query) -> Value {
        let mut state = self.measuring.state.lock();
        let is_running = state.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        if query.get("start").is_some_and(|start| start == "1") && !is_running {
            self.measuring.done.store(0, Ordering::Relaxed);
            state.error = None;
            let (viewer, session) = (Arc::clone(self), self.measuring.waiting.session(&self.session));
            state.thread = Some(std::thread::spawn(move || session.enter(|| viewer.measure_all())));
        }
        // Several tables may have values of one utterance.
        let (of, values) = (u64::from(self.catalog.len()), self.catalog.num_measurable().max(1));
        let is_running = state.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        let is_done = state.measures.is_some() && !is_running;
        let measured = self.measuring.done.load(Ordering::Relaxed).min(values);
        let done = if is_done { of } else { (u128::from(measured) * u128::from(of) / u128::from(values)) as u64 };
        let word = match (is_running, &state.error) {
            (true, _) => "running",
            (false, Some(_)) => "failed",
            (false, None) if is_done => "done",
            (false, None) => "idle",
        };
        json!({ "done": done, "of": of, "state": word, "error": state.error })
    }

    fn measure_all(&self) {
        let options = CorpusOptions { measured: Some(Arc::clone(&self.measuring.done)), ..CorpusOptions::default() };
        match Corpus::read(&self.catalog.measurable, &options) {
            Ok(corpus) => {
                let options = ReportOptions { frame_shift: self.frame_shift, ..ReportOptions::default() };
                self.measuring.set(Measures::of(&corpus, &options, &self.catalog));
            }
            Err(error) => self.measuring.state.lock().error = Some(error.to_string()),
        }
    }
}
