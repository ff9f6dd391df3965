//! Everything that is measured of the utterances of directories and tables.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::{
    Census, MeasuredUtterance, Moments, SoundPair, SoundPrint, SwappedText, TextMeasures, TypicalMeans, swapped_texts,
};
use kaldi_any::ValueType;
use kaldi_corpus::{DataDirectory, TimeSpan};
use kaldi_inspect::{Entries, Named, NamedKind};
use kaldi_io::{WorkStage, for_each_keyed_line, was_interrupted};
use kaldi_reader::{Reader, ReaderExt, Step, from_fn};
use kaldi_table::{Session, count_delivered, read_script};

use crate::comparison;
use crate::copies::ComparedSet;
use crate::job::{Job, Measured, MeasuredSound, Part, Role, Wanted, Whose};
use crate::{Error, Result};

/// Bytes of entries that are read and not measured yet.
const IN_FLIGHT: usize = 64 << 20;

/// How a corpus is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CorpusOptions {
    /// The name of a file of recognized texts: lines of a key and words.
    pub hypotheses: Option<BString>,
    /// Is raised by one for each value that is measured.
    pub measured: Option<Arc<AtomicU64>>,
    /// Look for utterances whose sound is nearly the same.
    pub near_duplicates: bool,
    /// The names of other sets, data directories or tables, in which the sound of this one should not be.
    pub against: Vec<BString>,
}

/// A table that was read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CorpusTable {
    /// Its name.
    pub name: BString,
    /// What it has: the type of its values, or what the file of a data directory is called.
    pub kind: &'static str,
    /// Its entries or lines.
    pub entries: u64,
}

/// Where the sound of an utterance is.
#[derive(Clone, Debug)]
pub(crate) struct SoundPlace {
    pub rxfilename: BString,
    pub part: Option<Part>,
}

/// Everything that is measured of the utterances of directories and tables.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Corpus {
    /// The names of directories and tables that were given.
    pub names: Vec<BString>,
    /// The tables and lists that were read.
    pub tables: Vec<CorpusTable>,
    /// All utterances, in the order of the first list that has them.
    pub utterances: Vec<MeasuredUtterance>,
    /// The letters and words of all texts.
    pub census: Census,
    /// The columns of all features.
    pub moments: Vec<Moments>,
    /// How many recordings there are.
    pub recordings: usize,
    /// Pairs of utterances whose sound is nearly, but not exactly, the same.
    pub near_copies: Vec<SoundPair>,
    /// Other sets, and what they have in common with this one.
    pub compared: Vec<ComparedSet>,
    /// Utterances whose texts changed places, as recognized texts show.
    pub swapped_texts: Vec<SwappedText>,
    pub(crate) speakers: Vec<BString>,
    /// How often a word was recognized as another one; `None` stands for no word.
    pub(crate) confusions: HashMap<(Option<String>, Option<String>), usize>,
    options: CorpusOptions,
    wanted: Wanted,
    /// What copies are found by, of the utterances up to the last that has it.
    pub(crate) prints: Vec<SoundPrint>,
    /// What was recognized of utterances of which half of the words or more are wrong.
    doubtful: Vec<(usize, BString)>,
    /// Parallel to `utterances`.
    details: Vec<Details>,
    index: HashMap<BString, usize>,
    /// The last utterance of each recording that has several.
    pub(crate) last_of_recording: HashMap<BString, usize>,
    speaker_index: HashMap<BString, usize>,
}

/// What is known of an utterance besides its measures.
#[derive(Clone, Debug, Default)]
struct Details {
    text: Option<BString>,
    speaker: Option<usize>,
    place: Option<SoundPlace>,
}

impl Corpus {
    /// Reads data directories and tables, which are rspecifiers or names of archives and script files of waveforms, features and
    /// alignments. Values are measured on all threads. Values that cannot be read are findings, and no errors.
    ///
    /// # Errors
    /// If a list or a table cannot be read, its values say nothing about utterances, or there are none.
    pub fn read(names: &[BString], options: &CorpusOptions) -> Result<Self> {
        options.against.iter().try_for_each(|name| Named::find(name.as_bstr()).map(drop))?;
        let is_compared = options.near_duplicates || !options.against.is_empty();
        let wanted = if is_compared { Wanted::MeasuresAndPrints } else { Wanted::Measures };
        let mut corpus = Self::gather(names, options, wanted)?;
        corpus.complete();
        comparison::compare(&mut corpus, options)?;
        Ok(corpus)
    }

    /// Reads what is wanted, as [`Corpus::read`] does.
    pub(crate) fn gather(names: &[BString], options: &CorpusOptions, wanted: Wanted) -> Result<Self> {
        let mut corpus = Self { names: names.to_vec(), options: options.clone(), wanted, ..Self::default() };
        let hypotheses = options.hypotheses.as_ref().map(read_texts).transpose()?;
        for name in names {
            let named = Named::find(name.as_bstr())?;
            match named.kind {
                NamedKind::Directory => {
                    let directory = DataDirectory::new(named.rxfilename.to_path().unwrap_or(std::path::Path::new("")));
                    let mut jobs = corpus.add_directory(&directory, hypotheses.as_ref())?;
                    if wanted == Wanted::Prints {
                        jobs.retain(|job| job.role() == Role::Sound);
                        corpus.run_all(jobs)?;
                        continue;
                    }
                    corpus.run_all(jobs)?;
                    for table in directory.alignments() {
                        corpus.add_named(&table, Named::find(table.as_bstr())?, Some(ValueType::Int32Vector))?;
                    }
                    corpus.add_ctms(&directory)?;
                }
                NamedKind::Shards | NamedKind::Shar => {
                    // A field that is named has the text.
                    corpus.add_named(name, Named { field: None, ..named.clone() }, Some(ValueType::Wave))?;
                    corpus.add_texts(name, named, hypotheses.as_ref())?;
                }
                kind => match Entries::find_type(&named) {
                    Some(found) if found.is_words() => corpus.add_texts(name, named, hypotheses.as_ref())?,
                    found => corpus.add_named(name, named, found.filter(|_| kind == NamedKind::Script))?,
                },
            }
        }
        if corpus.utterances.is_empty() {
            return Err(Error::Nothing { names: names.to_vec() });
        }
        Ok(corpus)
    }

    /// Adds the texts of a table. Samples of shards may have none.
    fn add_texts(
        &mut self,
        name: &BString,
        named: Named,
        hypotheses: Option<&HashMap<BString, BString>>,
    ) -> Result<()> {
        let are_shards = matches!(named.kind, NamedKind::Shards | NamedKind::Shar);
        let mut entries = Entries::of(named, Some(ValueType::TokenVector))?;
        let mut count = 0;
        loop {
            match entries.next_entry() {
                Ok(Some(entry)) => {
                    count += 1;
                    let text = entry.bytes().map_err(kaldi_inspect::Error::from)?;
                    self.set_text(entry.key(), text.trim_ascii().into(), hypotheses);
                }
                Ok(None) => break,
                Err(kaldi_inspect::Error::Table(kaldi_table::Error::Entry { .. })) if are_shards => {}
                Err(error) => return Err(error.into()),
            }
        }
        entries.finish()?;
        if count > 0 || !are_shards {
            self.add_table(name, "text", count);
        }
        Ok(())
    }

    /// Measures the values of a table. If a script file says its type, values that cannot be read are findings.
    fn add_named(&mut self, name: &BString, named: Named, value_type: Option<ValueType>) -> Result<()> {
        if named.kind == NamedKind::Script
            && let Some(value_type) = value_type
        {
            let jobs = self.jobs_of_script(&named.rxfilename, role(name, value_type)?)?;
            self.run_all(jobs)?;
            return Ok(());
        }
        let (mut entries, table) = (Entries::of(named, value_type)?, name.clone());
        let jobs = from_fn(move |_: Step| -> Result<Option<Job>> {
            let Some(entry) = entries.next()? else {
                entries.finish()?;
                return Ok(None);
            };
            Ok(Some(Job::Entry { role: role(&table, entries.value_type())?, entry }))
        });
        let (count, role) = self.run(jobs, format!("measuring {name}"), None)?;
        self.add_table(name, role.map_or("table", |role| role.value_type().name()), count);
        Ok(())
    }

    /// The values of a script file, to be measured.
    pub(crate) fn jobs_of_script(&mut self, script: &BString, role: Role) -> Result<Vec<Job>> {
        let lines = read_script(script, false)?;
        self.add_table(script, role.value_type().name(), lines.len() as u64);
        if role == Role::Sound {
            self.recordings += lines.len();
        }
        let job = |line: kaldi_table::ScriptLine| {
            let utterance = self.utterance(line.key.as_bstr());
            if role == Role::Sound {
                self.set_place(utterance, SoundPlace { rxfilename: line.xfilename.clone(), part: None });
            }
            Job::Value { role, utterance, rxfilename: line.xfilename }
        };
        Ok(lines.into_iter().map(job).collect())
    }

    fn run_all(&mut self, jobs: Vec<Job>) -> Result<()> {
        let count = jobs.len() as u64;
        let mut jobs = jobs.into_iter();
        self.run(from_fn(move |_: Step| Ok(jobs.next())), "measuring".to_owned(), Some(count))?;
        Ok(())
    }

    /// Runs jobs on all threads, and takes their results in order. Returns how many there were, and the role of the last one.
    fn run(
        &mut self,
        jobs: impl Reader<Item = Job, Error = Error> + Send + 'static,
        what: String,
        total: Option<u64>,
    ) -> Result<(u64, Option<Role>)> {
        let stage = WorkStage::begin(what, "values", total);
        let threads = || Session::current().num_threads();
        let wanted = self.wanted;
        let work = move |job: Job| Ok((job.role(), job.run(wanted)));
        let mut measured = jobs.par_map(threads, work).in_flight(IN_FLIGHT, Job::size);
        let (mut count, mut last) = (0, None);
        while let Some((role, measured)) = measured.next()? {
            (count, last) = (count + 1, Some(role));
            stage.step();
            if let Some(counter) = &self.options.measured {
                counter.fetch_add(measured.len() as u64, Ordering::Relaxed);
            }
            measured.into_iter().for_each(|(whose, measured)| self.take(whose, measured));
            if was_interrupted() {
                return Err(Error::Ended);
            }
        }
        measured.finish()?;
        Ok((count, last))
    }

    fn take(&mut self, whose: Whose, measured: Measured) {
        let index = match whose {
            Whose::Index(index) => index,
            Whose::Key(key, place) => {
                let index = self.utterance(key.as_bstr());
                if let Some(rxfilename) = place {
                    self.set_place(index, SoundPlace { rxfilename, part: None });
                }
                index
            }
        };
        let utterance = &mut self.utterances[index];
        match measured {
            Measured::Sound(MeasuredSound { measures, print, beyond }) => {
                utterance.sound = measures;
                utterance.beyond = beyond.or(utterance.beyond);
                if let Some(print) = print {
                    self.prints.resize_with(self.prints.len().max(index + 1), SoundPrint::default);
                    self.prints[index] = print;
                }
            }
            Measured::Features(frames, moments) => {
                utterance.frames = Some(frames);
                Moments::merge_columns(&mut self.moments, &moments);
            }
            Measured::Labels(labels) => utterance.labels = Some(labels),
            Measured::Unreadable(message) => utterance.unreadable = Some(message),
        }
    }

    /// What can be said when everything is read.
    fn complete(&mut self) {
        let typical = TypicalMeans::of(self.utterances.iter().filter_map(|utterance| utterance.frames.as_ref()));
        for (utterance, details) in self.utterances.iter_mut().zip(&self.details) {
            if let Some(frames) = &mut utterance.frames {
                frames.distance = typical.distance(frames);
            }
            if let Some(text) = &details.text {
                utterance.strange_characters = self.census.strange_characters(text);
            }
        }
        let doubtful = std::mem::take(&mut self.doubtful);
        let text = |utterance: usize| self.text(utterance).unwrap_or_default().as_bytes();
        let texts: Vec<(&[u8], &[u8])> =
            doubtful.iter().map(|(utterance, heard)| (text(*utterance), heard.as_bytes())).collect();
        let mut swapped = swapped_texts(&texts);
        for found in &mut swapped {
            (found.utterance, found.other) = (doubtful[found.utterance].0, doubtful[found.other].0);
        }
        self.swapped_texts = swapped;
    }

    /// The index of the utterance with this key.
    pub(crate) fn find(&self, key: &BStr) -> Option<usize> {
        self.index.get(key).copied()
    }

    /// The index of the utterance with this key, which is added if it is new.
    pub(crate) fn utterance(&mut self, key: &BStr) -> usize {
        if let Some(&index) = self.index.get(key) {
            return index;
        }
        count_delivered();
        let index = self.utterances.len();
        self.utterances.push(MeasuredUtterance { key: key.to_owned(), ..MeasuredUtterance::default() });
        self.details.push(Details::default());
        self.index.insert(key.to_owned(), index);
        index
    }

    pub(crate) fn set_speaker(&mut self, utterance: usize, speaker: &BStr) {
        let number = match self.speaker_index.get(speaker) {
            Some(&number) => number,
            None => {
                self.speakers.push(speaker.to_owned());
                self.speaker_index.insert(speaker.to_owned(), self.speakers.len() - 1);
                self.speakers.len() - 1
            }
        };
        self.details[utterance].speaker = Some(number);
    }

    pub(crate) fn set_place(&mut self, utterance: usize, place: SoundPlace) {
        self.details[utterance].place = Some(place);
    }

    pub(crate) fn set_text(&mut self, key: &BStr, text: BString, hypotheses: Option<&HashMap<BString, BString>>) {
        let utterance = self.utterance(key);
        self.census.add(&text);
        let mut measures = TextMeasures::of(&text);
        if let Some(hypotheses) = hypotheses {
            // A text that was not recognized is all errors.
            let hypothesis = hypotheses.get(key).map_or(BStr::new(""), |text| text.as_bstr());
            measures = measures.with_hypothesis(&text, hypothesis, |said, heard| {
                let pair = (said.map(str::to_owned), heard.map(str::to_owned));
                *self.confusions.entry(pair).or_default() += 1;
            });
            if measures.is_mostly_wrong() {
                self.doubtful.push((utterance, hypothesis.to_owned()));
            }
        }
        self.utterances[utterance].text = Some(measures);
        self.details[utterance].text = Some(text);
    }

    /// The end of the last word of an utterance or a recording, in seconds. That of a recording goes to its last utterance.
    pub(crate) fn set_end(&mut self, key: &BStr, end: f64) {
        let (index, duration) = if let Some(&index) = self.index.get(key) {
            (index, self.utterances[index].sound.map(|sound| sound.duration))
        } else if let Some(&index) = self.last_of_recording.get(key) {
            let (span, measured) =
                (self.place(index).and_then(|place| Some(place.part.as_ref()?.span)), &self.utterances[index]);
            let whole = |span: TimeSpan| match span.end {
                Some(end) => measured.beyond.map(|beyond| end - beyond),
                None => measured.sound.map(|sound| span.start + sound.duration),
            };
            (index, span.and_then(whole))
        } else {
            return;
        };
        if let Some(duration) = duration {
            let known = &mut self.utterances[index].beyond;
            *known = Some(known.unwrap_or(f64::NEG_INFINITY).max(end - duration));
        }
    }

    pub(crate) fn add_table(&mut self, name: &BString, kind: &'static str, entries: u64) {
        self.tables.push(CorpusTable { name: name.clone(), kind, entries });
    }

    /// The text of an utterance.
    pub(crate) fn text(&self, utterance: usize) -> Option<&BStr> {
        self.details[utterance].text.as_ref().map(|text| text.as_bstr())
    }

    /// The speaker of an utterance.
    pub(crate) fn speaker(&self, utterance: usize) -> Option<usize> {
        self.details[utterance].speaker
    }

    /// Where the sound of an utterance is; `None` if it has none, or it came through a pipe.
    pub(crate) fn place(&self, utterance: usize) -> Option<&SoundPlace> {
        self.details[utterance].place.as_ref()
    }
}

/// What the values of a table say.
///
/// # Errors
/// If values of this type say nothing about utterances.
fn role(name: &BString, value_type: ValueType) -> Result<Role> {
    Role::of(value_type).ok_or_else(|| Error::Type { name: name.clone(), found: value_type.name() })
}

/// Reads lines of a key and a text.
fn read_texts(name: &BString) -> Result<HashMap<BString, BString>> {
    let mut texts = HashMap::new();
    for_each_keyed_line(name.as_bstr(), |line| drop(texts.insert(line.key.into(), line.rest.into())))?;
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn the_files_of_a_script_are_measured_on_several_threads() {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let num_threads = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            2
        };
        let session = Session::current().change(|settings| settings.num_threads = Some(Arc::new(num_threads)));
        let mut corpus = Corpus::default();
        let mut job = |key: &str| Job::Value {
            role: Role::Sound,
            utterance: corpus.utterance(key.as_bytes().into()),
            // It takes longer than what is left to one thread.
            rxfilename: "false |".into(),
        };
        let jobs = (0..20).map(|number| job(&number.to_string())).collect();
        session.enter(|| corpus.run_all(jobs)).unwrap();
        assert!(corpus.utterances.iter().all(|utterance| utterance.unreadable.is_some()));
        // One thread asks for no others.
        assert!(asked.load(Ordering::Relaxed) > 0);
    }
}
