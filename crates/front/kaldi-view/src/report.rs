//! What there is to say about a corpus.

use std::collections::{BTreeMap, HashSet};

use bstr::{BString, ByteSlice};
use corpus_quality::{Distribution, Finding, FindingValue, QUANTILES, RankedFindings, Rule, UtteranceMeasure};
use kaldi_io::WorkStage;
use serde_json::{Map, Value, json};

use crate::copies::{self, CopyFamily};
use crate::page;
use crate::{Corpus, Result};

/// The version of the layout of [`CorpusReport::data`].
const VERSION: u32 = 1;

/// Findings of one rule that are listed, at most.
const MOST_FINDINGS: usize = 1000;

/// Words and confusions that are listed, at most.
const MOST_WORDS: usize = 50;

/// What a report shows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReportOptions {
    /// How many utterances are shown with their sound, spectrogram and text: those with the clearest findings.
    pub top: usize,
    /// Seconds of sound that can be heard of an utterance, at most.
    pub seconds: f64,
    /// Whether sound and texts of utterances are in the page.
    pub sound: bool,
    /// Seconds from one frame of the features to the next one; `None` takes what fits the durations.
    pub frame_shift: Option<f64>,
    /// The title of the page.
    pub title: String,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self { top: 24, seconds: 8.0, sound: true, frame_shift: None, title: "Report".to_owned() }
    }
}

/// What there is to say about a corpus.
#[derive(Debug)]
pub struct CorpusReport<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) options: ReportOptions,
    pub(crate) findings: RankedFindings,
    /// Utterances of the same sound.
    pub(crate) families: Vec<CopyFamily>,
    /// The indices of the utterances that are shown.
    pub(crate) shown: Vec<usize>,
    pub(crate) distributions: Vec<(&'static str, Distribution)>,
    data: Value,
}

impl<'a> CorpusReport<'a> {
    /// Holds all rules against the utterances.
    pub fn of(corpus: &'a Corpus, options: &ReportOptions) -> Self {
        let _stage = WorkStage::begin_uncounted("ranking findings");
        let findings = RankedFindings::of(&corpus.utterances, options.frame_shift)
            .and(copies::findings(corpus), &corpus.utterances);
        let families = copies::families(corpus);
        let mut seen = HashSet::new();
        let ranked = findings.list.iter().map(|finding| finding.utterance);
        let shown = ranked.filter(|&utterance| seen.insert(utterance)).take(options.top).collect();
        let distribution = |&(measure, name): &(UtteranceMeasure, &'static str)| {
            Some((name, Distribution::of(finite(corpus, measure).collect())?))
        };
        let distributions = UtteranceMeasure::ALL.iter().filter_map(distribution).collect();
        let options = options.clone();
        let mut report = Self { corpus, options, findings, families, shown, distributions, data: Value::Null };
        report.data = report.collect();
        report
    }

    /// The finite numbers of a measure, in the order of the utterances.
    pub(crate) fn values(&self, measure: UtteranceMeasure) -> impl Iterator<Item = f64> + '_ {
        finite(self.corpus, measure)
    }

    /// How many utterances have findings, and how many findings there are.
    pub fn num_findings(&self) -> (usize, usize) {
        let utterances: HashSet<usize> = self.findings.list.iter().map(|finding| finding.utterance).collect();
        (utterances.len(), self.findings.list.len())
    }

    /// All sums, distributions and findings.
    pub fn data(&self) -> &Value {
        &self.data
    }

    fn collect(&self) -> Value {
        let distributions: Map<String, Value> =
            self.distributions.iter().map(|(name, found)| ((*name).to_owned(), distribution(found))).collect();
        let (findings, dropped) = self.listed_findings();
        json!({
            "version": VERSION,
            "tables": self.corpus.tables.iter().map(|table| {
                json!({ "name": table.name.to_str_lossy(), "type": table.kind, "entries": table.entries })
            }).collect::<Vec<_>>(),
            "summary": self.summary(),
            "distributions": distributions,
            "speakers": self.speakers(),
            "characters": self.corpus.census.characters().map(|(letter, counts)| json!({
                "character": letter.to_string(),
                "code": corpus_quality::code_point(letter),
                "count": counts.count,
                "utterances": counts.utterances,
            })).collect::<Vec<_>>(),
            "frequent_words": self.corpus.census.frequent_words(MOST_WORDS).into_iter().map(|(word, count)| {
                json!({ "word": word, "count": count })
            }).collect::<Vec<_>>(),
            "features": { "columns": self.corpus.moments.iter().map(|column| {
                let known = |value: f64| (column.count > 0).then_some(value);
                json!({ "mean": known(column.mean), "stddev": known(column.stddev) })
            }).collect::<Vec<_>>() },
            "errors": self.errors(),
            "findings": findings,
            "dropped": dropped,
            "copies": copies::families_data(self.corpus, &self.families),
            "against": copies::compared_data(self.corpus),
            "utterances": self.shown.iter().map(|&index| self.utterance(index, self.options.sound)).collect::<Vec<_>>(),
        })
    }

    /// All measures and findings of every utterance: a JSON object for each, in the order of the corpus.
    pub fn utterances(&self) -> impl Iterator<Item = Value> + '_ {
        let mut findings = BTreeMap::<usize, Vec<&Finding>>::new();
        for finding in &self.findings.list {
            findings.entry(finding.utterance).or_default().push(finding);
        }
        (0..self.corpus.utterances.len()).map(move |index| {
            let mut object = self.utterance(index, false);
            if let Some(own) = findings.get(&index) {
                object["findings"] = own.iter().map(|finding| self.finding(finding)).collect();
            }
            object
        })
    }

    /// The page: one file of HTML that needs nothing else.
    ///
    /// # Errors
    /// If a picture cannot be drawn.
    pub fn page(&self) -> Result<String> {
        let _stage = WorkStage::begin("drawing", "utterances", Some(self.shown.len() as u64));
        page::write(self)
    }

    fn summary(&self) -> Value {
        let corpus = self.corpus;
        let durations = corpus.utterances.iter().filter_map(|utterance| Some(utterance.sound?.duration));
        let has_sound = corpus.utterances.iter().any(|utterance| utterance.sound.is_some());
        let has_text = corpus.census.utterances() > 0;
        let (words, vocabulary) = corpus.census.words();
        json!({
            "utterances": corpus.utterances.len(),
            "speakers": (!corpus.speakers.is_empty()).then_some(corpus.speakers.len()),
            "recordings": (corpus.recordings > 0).then_some(corpus.recordings),
            "hours": has_sound.then(|| durations.sum::<f64>() / 3600.0),
            "words": has_text.then_some(words),
            "vocabulary": has_text.then_some(vocabulary),
        })
    }

    /// Speakers in the order of their names, with the number of their utterances and their hours.
    fn speakers(&self) -> Vec<Value> {
        let mut sums = vec![(0_usize, 0.0_f64); self.corpus.speakers.len()];
        for (index, utterance) in self.corpus.utterances.iter().enumerate() {
            if let Some(speaker) = self.corpus.speaker(index) {
                sums[speaker].0 += 1;
                sums[speaker].1 += utterance.sound.map_or(0.0, |sound| sound.duration);
            }
        }
        let mut speakers: Vec<_> = self.corpus.speakers.iter().zip(sums).collect();
        speakers.sort_by_key(|(name, _)| *name);
        let speaker = |(name, (utterances, seconds)): (&BString, (usize, f64))| json!({ "speaker": name.to_str_lossy(), "utterances": utterances, "hours": seconds / 3600.0 });
        speakers.into_iter().map(speaker).collect()
    }

    /// Word errors of the hypotheses; null without these.
    fn errors(&self) -> Value {
        let texts = self.corpus.utterances.iter().filter_map(|utterance| utterance.text);
        let (mut words, mut errors, mut is_scored) = (0, 0, false);
        for text in texts {
            words += text.words;
            errors += text.errors.unwrap_or(0);
            is_scored |= text.errors.is_some();
        }
        if !is_scored {
            return Value::Null;
        }
        let mut confused: Vec<_> = self.corpus.confusions.iter().collect();
        confused.sort_by(|left, right| right.1.cmp(left.1).then(left.0.cmp(right.0)));
        let confused = confused
            .into_iter()
            .take(MOST_WORDS)
            .map(|((said, heard), count)| json!({ "reference": said, "hypothesis": heard, "count": count }));
        json!({
            "words": words,
            "errors": errors,
            "error_rate": errors as f64 / words.max(1) as f64,
            "confused": confused.collect::<Vec<_>>(),
        })
    }

    /// The findings in the order of their rank, and how many of each rule are left out.
    fn listed_findings(&self) -> (Vec<Value>, Map<String, Value>) {
        let mut counts = BTreeMap::<Rule, usize>::new();
        let mut listed = Vec::new();
        for finding in &self.findings.list {
            let count = counts.entry(finding.rule).or_default();
            *count += 1;
            if *count <= MOST_FINDINGS {
                listed.push(self.finding(finding));
            }
        }
        let dropped = counts.into_iter().filter(|&(_, count)| count > MOST_FINDINGS);
        (listed, dropped.map(|(rule, count)| (rule.name().to_owned(), (count - MOST_FINDINGS).into())).collect())
    }

    pub(crate) fn finding(&self, finding: &Finding) -> Value {
        let value = match &finding.value {
            FindingValue::Number(number) => json!(number),
            FindingValue::Text(text) => json!(text),
        };
        let text = |text: &Option<BString>| text.as_ref().map(|text| text.to_str_lossy().into_owned());
        json!({
            "key": self.corpus.utterances[finding.utterance].key.to_str_lossy(),
            "rule": finding.rule.name(),
            "value": value,
            "measure": finding.measure.map(UtteranceMeasure::name),
            "usual": finding.usual,
            "z": finding.z,
            "score": finding.score,
            "other": text(&finding.other),
            "shift": finding.shift,
            "others": finding.others,
            "set": text(&finding.set),
        })
    }

    fn utterance(&self, index: usize, with_text: bool) -> Value {
        let utterance = &self.corpus.utterances[index];
        let mut object = Map::new();
        object.insert("key".into(), utterance.key.to_str_lossy().into());
        if let Some(speaker) = self.corpus.speaker(index) {
            object.insert("speaker".into(), self.corpus.speakers[speaker].to_str_lossy().into());
        }
        if let Some(text) = self.corpus.text(index).filter(|_| with_text) {
            object.insert("text".into(), text.to_str_lossy().into());
        }
        if let Some(message) = &utterance.unreadable {
            object.insert("unreadable".into(), message.as_str().into());
        }
        utterance.measures().for_each(|(name, value)| drop(object.insert(name.into(), json!(value))));
        object.into()
    }
}

fn finite(corpus: &Corpus, measure: UtteranceMeasure) -> impl Iterator<Item = f64> + '_ {
    corpus.utterances.iter().filter_map(move |utterance| measure.of(utterance)?).filter(|value| value.is_finite())
}

fn distribution(found: &Distribution) -> Value {
    let quantiles: Map<String, Value> =
        QUANTILES.iter().zip(found.quantiles).map(|(share, value)| (share.to_string(), json!(value))).collect();
    json!({
        "count": found.count,
        "min": found.min,
        "max": found.max,
        "mean": found.mean,
        "median": found.median,
        "mad": found.mad,
        "quantiles": quantiles,
        "edges": found.edges,
        "counts": found.counts,
    })
}
