//! Sound that is there twice: in a corpus, or in it and in another set.

use std::collections::BTreeMap;

use bstr::{BString, ByteSlice};
use corpus_quality::{Finding, Rule, exact_copies};
use serde_json::{Value, json};

use crate::Corpus;

/// Names of speakers that are listed, at most.
const MOST_SPEAKERS: usize = 1000;

/// Utterances of one sound, exactly or nearly.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyFamily {
    /// Their indices: two or more.
    pub utterances: Vec<usize>,
    /// [`Rule::DuplicateAudio`] if all have the same samples, else [`Rule::NearDuplicate`].
    pub rule: Rule,
}

/// The sound of an utterance that is in another set, too.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeakedSound {
    /// The index of the utterance.
    pub utterance: usize,
    /// The key in the other set.
    pub other: BString,
    /// The share of the bits of their codes that are equal; 1 for the same samples.
    pub share: f64,
    /// Seconds by which the utterance starts later in the other one.
    pub shift: f64,
}

/// Another set, and what it has in common with the corpus.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ComparedSet {
    /// Its name.
    pub name: BString,
    /// How many utterances it has.
    pub utterances: usize,
    /// The sound that it has, too: of each utterance of the corpus the most alike.
    pub leaks: Vec<LeakedSound>,
    /// The speakers that it has, too, in the order of their names.
    pub speakers: Vec<BString>,
    /// How many utterances of the corpus have a text, not an empty one, that an utterance of the set has, too.
    pub texts: usize,
}

/// The groups of utterances that are connected by pairs of the same or nearly the same sound, in the order of their first ones.
pub(crate) fn families(corpus: &Corpus) -> Vec<CopyFamily> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let mut join = |left: usize, right: usize| {
        let [left, right] = [left, right].map(|of| {
            let mut of = of;
            while let Some(&before) = first.get(&of).filter(|&&before| before != of) {
                of = before;
            }
            of
        });
        first.insert(left.max(right), left.min(right));
        first.insert(left.min(right), left.min(right));
    };
    for group in exact_copies(&corpus.utterances) {
        group.windows(2).for_each(|pair| join(pair[0], pair[1]));
    }
    corpus.near_copies.iter().for_each(|pair| join(pair.first, pair.second));
    let mut families = BTreeMap::<usize, CopyFamily>::new();
    // Each one stands after the one that it points to.
    let mut roots = BTreeMap::new();
    for (&utterance, &before) in &first {
        let root = if before == utterance { utterance } else { roots[&before] };
        roots.insert(utterance, root);
        let new = || CopyFamily { utterances: Vec::new(), rule: Rule::DuplicateAudio };
        families.entry(root).or_insert_with(new).utterances.push(utterance);
    }
    for pair in &corpus.near_copies {
        if let Some(family) = families.get_mut(&roots[&pair.first]) {
            family.rule = Rule::NearDuplicate;
        }
    }
    families.into_values().collect()
}

/// What was found by comparing utterances with each other: of copies the most alike.
pub(crate) fn findings(corpus: &Corpus) -> Vec<Finding> {
    let mut best = BTreeMap::<usize, (usize, f64, f64)>::new();
    for pair in &corpus.near_copies {
        for (utterance, other, shift) in
            [(pair.first, pair.second, pair.shift), (pair.second, pair.first, 0.0 - pair.shift)]
        {
            let known = best.entry(utterance).or_insert((other, pair.share, shift));
            if pair.share > known.1 {
                *known = (other, pair.share, shift);
            }
        }
    }
    let stands_for = representatives(corpus);
    let near = best.into_iter().filter_map(|(utterance, (other, share, shift))| {
        let others = match stands_for.get(&utterance) {
            Some(0) => return None,
            others => others.copied(),
        };
        let mut finding = Finding::near_duplicate(utterance, corpus.utterances[other].key.clone(), share, shift);
        finding.others = others;
        Some(finding)
    });
    let leaks = corpus.compared.iter().flat_map(|set| {
        let leak = |leak: &LeakedSound| {
            Finding::leak(leak.utterance, set.name.clone(), leak.other.clone(), leak.share, leak.shift)
        };
        set.leaks.iter().map(leak)
    });
    let swapped = corpus.swapped_texts.iter().map(|found| {
        Finding::swapped_text(found.utterance, corpus.utterances[found.other].key.clone(), found.error_rate)
    });
    near.chain(leaks).chain(swapped).collect()
}

/// Of families of many: for each utterance, how many besides it and the one that is most alike its finding stands for. That is 0 for all
/// but the one with the most pairs, such as a recording that contains the others.
fn representatives(corpus: &Corpus) -> BTreeMap<usize, usize> {
    let mut pairs = BTreeMap::<usize, usize>::new();
    for pair in &corpus.near_copies {
        [pair.first, pair.second].into_iter().for_each(|utterance| *pairs.entry(utterance).or_default() += 1);
    }
    let mut others = BTreeMap::new();
    for CopyFamily { utterances, .. } in families(corpus).iter().filter(|it| it.utterances.len() >= Finding::MANY) {
        let most = utterances.iter().rev().max_by_key(|&utterance| pairs.get(utterance));
        for &utterance in utterances {
            let count = if most == Some(&utterance) { utterances.len() - 2 } else { 0 };
            others.insert(utterance, count);
        }
    }
    others
}

/// The families as JSON.
pub(crate) fn families_data(corpus: &Corpus, families: &[CopyFamily]) -> Vec<Value> {
    let key = |&utterance: &usize| corpus.utterances[utterance].key.to_str_lossy().into_owned();
    let data = |family: &CopyFamily| {
        let keys: Vec<String> = family.utterances.iter().map(key).collect();
        json!({ "keys": keys, "rule": family.rule.name() })
    };
    families.iter().map(data).collect()
}

/// Other sets as JSON.
pub(crate) fn compared_data(corpus: &Corpus) -> Vec<Value> {
    let data = |set: &ComparedSet| {
        let names = set.speakers.iter().take(MOST_SPEAKERS).map(|name| name.to_str_lossy().into_owned());
        json!({
            "name": set.name.to_str_lossy(),
            "utterances": set.utterances,
            "pairs": set.leaks.len(),
            "speakers": set.speakers.len(),
            "speaker_names": names.collect::<Vec<_>>(),
            "texts": set.texts,
        })
    };
    corpus.compared.iter().map(data).collect()
}
