//! Comparing the sound of a corpus with itself, and with that of other sets.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bstr::{BStr, BString};
use corpus_quality::{SoundIndex, SoundPair, SoundPrint};
use kaldi_io::WorkStage;
use kaldi_io::log::warning;
use kaldi_table::Session;

use crate::copies::{ComparedSet, LeakedSound};
use crate::job::Wanted;
use crate::{Corpus, CorpusOptions, Error, Result};

/// Finds what the options ask for. What copies are found by is then gone.
///
/// # Errors
/// If another set cannot be read, or there is too much sound.
pub(crate) fn compare(corpus: &mut Corpus, options: &CorpusOptions) -> Result<()> {
    let prints = std::mem::take(&mut corpus.prints);
    let threads = Session::current().num_threads();
    for name in &options.against {
        let compared = compare_with(corpus, &prints, name, threads)?;
        corpus.compared.push(compared);
    }
    if options.near_duplicates {
        let index = SoundIndex::of(prints).ok_or(Error::TooMuch)?;
        let stage = WorkStage::begin("comparing", "sounds", Some(corpus.utterances.len() as u64));
        corpus.near_copies =
            index.pairs(threads, |count| stage.steps(count)).into_iter().filter(|pair| !pair.is_exact).collect();
    }
    Ok(())
}

fn compare_with(corpus: &Corpus, prints: &[SoundPrint], name: &BString, threads: usize) -> Result<ComparedSet> {
    let mut set = Corpus::gather(std::slice::from_ref(name), &CorpusOptions::default(), Wanted::Prints)?;
    let unreadable =
        || set.utterances.iter().filter_map(|utterance| Some((&utterance.key, utterance.unreadable.as_ref()?)));
    if let Some((key, message)) = unreadable().next() {
        let count = unreadable().count();
        warning!("{name}: {count} utterances cannot be read and are not compared, such as {key}: {message}");
    }
    let index = SoundIndex::of(std::mem::take(&mut set.prints)).ok_or(Error::TooMuch)?;
    let mut best = BTreeMap::<usize, SoundPair>::new();
    let stage = WorkStage::begin(format!("comparing with {name}"), "sounds", Some(prints.len() as u64));
    for pair in index.pairs_with(prints, threads, |count| stage.steps(count)) {
        let known = best.entry(pair.first).or_insert(pair);
        if (pair.is_exact, pair.share) > (known.is_exact, known.share) {
            *known = pair;
        }
    }
    let leak = |pair: SoundPair| LeakedSound {
        utterance: pair.first,
        other: set.utterances[pair.second].key.clone(),
        share: pair.share,
        shift: pair.shift,
    };
    let all = |of: &Corpus| 0..of.utterances.len();
    let texts: HashSet<&BStr> = all(&set).filter_map(|index| set.text(index)).collect();
    let [own, names]: [BTreeSet<&BString>; 2] = [corpus, &set].map(|of| of.speakers.iter().collect());
    let is_there = |&index: &usize| corpus.text(index).is_some_and(|text| !text.is_empty() && texts.contains(text));
    Ok(ComparedSet {
        name: name.clone(),
        utterances: set.utterances.len(),
        leaks: best.into_values().map(leak).collect(),
        speakers: own.intersection(&names).map(|&name| name.clone()).collect(),
        texts: all(corpus).filter(is_there).count(),
    })
}
