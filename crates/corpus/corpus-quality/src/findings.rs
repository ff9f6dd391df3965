//! The utterances that stand out.

use std::collections::HashMap;

use bstr::BString;

use crate::census::code_point;
use crate::distribution::Usual;
use crate::{MeasuredUtterance, Rule, UsualLengths, UtteranceMeasure};

/// With fewer values of a measure than this, nothing is said to be usual.
const ENOUGH: usize = 20;

/// How many spreads a value is away from the median if it stands out.
const FAR: f64 = 5.0;

/// Sound below this level is silence, in dB.
const SILENT: f64 = -60.0;

/// This share of clipped samples is a finding.
const CLIPPED: f64 = 0.001;

/// This mean of samples is a finding.
const OFFSET: f64 = 0.02;

/// As many frames of features that are the same are a finding.
const FROZEN: usize = 10;

/// The score of findings that compare with no usual value, and the upper limit of the others.
const CERTAIN: f64 = 100.0;

/// What was found, or what is usual.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingValue {
    /// A number; `None` is a level of minus infinity.
    Number(Option<f64>),
    /// A text.
    Text(String),
}

/// An utterance and a rule that it breaks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The index of the utterance.
    pub utterance: usize,
    /// The rule.
    pub rule: Rule,
    /// What was found.
    pub value: FindingValue,
    /// The measure of the value, if it is one of a single utterance.
    pub measure: Option<UtteranceMeasure>,
    /// What is usual, if the rule compares with that.
    pub usual: Option<f64>,
    /// How many spreads the value is away from the usual one, if the rule asks for that.
    pub z: Option<f64>,
    /// How sure the finding is: 100, or the size of `z`, at most 99.
    pub score: f64,
    /// The key of another utterance: of the same sound, or whose text this one has.
    pub other: Option<BString>,
    /// Seconds by which the sound of this utterance starts later in that of the other one.
    pub shift: Option<f64>,
    /// The set of the other utterance, if it is not in this one.
    pub set: Option<BString>,
    /// How many more utterances of the same sound this finding stands for, if there are [many](Finding::MANY): each of them
    /// would push all other findings away.
    pub others: Option<usize>,
}

impl Finding {
    fn certain(utterance: usize, rule: Rule, value: FindingValue) -> Self {
        let measure = rule.measure();
        Self {
            utterance,
            rule,
            value,
            measure,
            usual: None,
            z: None,
            score: CERTAIN,
            other: None,
            shift: None,
            set: None,
            others: None,
        }
    }

    /// So many utterances of the same sound are one finding.
    pub const MANY: usize = 4;

    /// The sound of an utterance is nearly that of `other`: `share` of the bits of their codes are equal, and it starts `shift` seconds
    /// later in it.
    pub fn near_duplicate(utterance: usize, other: BString, share: f64, shift: f64) -> Self {
        let finding = Self::certain(utterance, Rule::NearDuplicate, FindingValue::Number(Some(share)));
        Self { other: Some(other), shift: Some(shift), ..finding }
    }

    /// The same of `other` in another set; exact copies have a `share` of 1.
    pub fn leak(utterance: usize, set: BString, other: BString, share: f64, shift: f64) -> Self {
        Self { rule: Rule::Leak, set: Some(set), ..Self::near_duplicate(utterance, other, share, shift) }
    }

    /// What was recognized is the text of `other`, and the other way round; `error_rate` is that of the own text.
    pub fn swapped_text(utterance: usize, other: BString, error_rate: f64) -> Self {
        let finding = Self::certain(utterance, Rule::SwappedText, FindingValue::Number(Some(error_rate)));
        Self { other: Some(other), ..finding }
    }
}

/// The utterances that break a rule, ranked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RankedFindings {
    /// By the best score of their utterance, then the number of its findings, then its key.
    pub list: Vec<Finding>,
    /// How the lengths of most utterances agree.
    pub usual_lengths: UsualLengths,
}

/// The rules for what is unusual: their measures, whether these are compared as logarithms, the smallest spread that is taken, and
/// on which side a value is a finding.
const UNUSUAL: [Unusual; 9] = [
    Unusual { rule: Rule::Duration, measure: UtteranceMeasure::Duration, is_log: true, floor: 0.1, side: Side::Both },
    Unusual { rule: Rule::Level, measure: UtteranceMeasure::Level, is_log: false, floor: 1.0, side: Side::Both },
    Unusual {
        rule: Rule::SpeakingRate,
        measure: UtteranceMeasure::CharactersPerSecond,
        is_log: true,
        floor: 0.1,
        side: Side::Both,
    },
    Unusual { rule: Rule::Snr, measure: UtteranceMeasure::Snr, is_log: false, floor: 1.0, side: Side::Below },
    Unusual {
        rule: Rule::Bandwidth,
        measure: UtteranceMeasure::Bandwidth,
        is_log: false,
        floor: 250.0,
        side: Side::Below,
    },
    Unusual { rule: Rule::Pauses, measure: UtteranceMeasure::Silence, is_log: false, floor: 0.05, side: Side::Above },
    Unusual { rule: Rule::Pauses, measure: UtteranceMeasure::Lead, is_log: false, floor: 0.1, side: Side::Above },
    Unusual { rule: Rule::Pauses, measure: UtteranceMeasure::Trail, is_log: false, floor: 0.1, side: Side::Above },
    Unusual {
        rule: Rule::Features,
        measure: UtteranceMeasure::Distance,
        is_log: false,
        floor: 0.25,
        side: Side::Above,
    },
];

struct Unusual {
    rule: Rule,
    measure: UtteranceMeasure,
    is_log: bool,
    floor: f64,
    side: Side,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
    Both,
}

impl RankedFindings {
    /// Holds every rule against the utterances. `frame_shift` is in seconds; `None` takes the usual one of the utterances.
    pub fn of(utterances: &[MeasuredUtterance], frame_shift: Option<f64>) -> Self {
        let mut found = Self {
            list: Vec::new(),
            usual_lengths: UsualLengths::of(utterances.iter().map(MeasuredUtterance::lengths), frame_shift),
        };
        for (index, utterance) in utterances.iter().enumerate() {
            found.add_alone(index, utterance);
            found.add_disagreement(index, utterance);
        }
        found.add_uncommon(utterances, Rule::Rate, UtteranceMeasure::Rate);
        found.add_uncommon(utterances, Rule::Channels, UtteranceMeasure::Channels);
        found.add_duplicates(utterances);
        for unusual in &UNUSUAL {
            found.add_unusual(utterances, unusual);
        }
        found.rank(utterances);
        found
    }

    /// Takes in what was found by comparing utterances with each other.
    #[must_use]
    pub fn and(mut self, further: impl IntoIterator<Item = Finding>, utterances: &[MeasuredUtterance]) -> Self {
        self.list.extend(further);
        self.rank(utterances);
        self
    }

    fn add(&mut self, utterance: usize, rule: Rule, value: FindingValue) {
        self.list.push(Finding::certain(utterance, rule, value));
    }

    fn add_number(&mut self, utterance: usize, rule: Rule, value: f64) {
        self.add(utterance, rule, FindingValue::Number(Some(value)));
    }

    /// Of a value that is not the usual one.
    fn add_compared(&mut self, utterance: usize, rule: Rule, value: f64, usual: f64) {
        let finding = Finding::certain(utterance, rule, FindingValue::Number(Some(value)));
        self.list.push(Finding { usual: Some(usual), ..finding });
    }

    /// The rules that look at one part of an utterance.
    fn add_alone(&mut self, index: usize, utterance: &MeasuredUtterance) {
        if let Some(message) = &utterance.unreadable {
            self.add(index, Rule::Unreadable, FindingValue::Text(message.clone()));
        }
        if let Some(sound) = &utterance.sound {
            if sound.peak.is_none() || sound.level.is_none_or(|level| level < SILENT) {
                self.add(index, Rule::Silence, FindingValue::Number(sound.level));
            }
            if sound.clipped >= CLIPPED {
                self.add_number(index, Rule::Clipping, sound.clipped);
            }
            if sound.offset.abs() >= OFFSET {
                self.add_number(index, Rule::Offset, sound.offset);
            }
        }
        if let Some(text) = &utterance.text {
            if text.words == 0 {
                self.add_number(index, Rule::TextEmpty, 0.0);
            }
            if let Some(rate) = text.error_rate().filter(|_| text.is_mostly_wrong()) {
                self.add_number(index, Rule::ErrorRate, rate);
            }
        }
        if !utterance.strange_characters.is_empty() {
            let codes: Vec<String> = utterance.strange_characters.iter().map(|&letter| code_point(letter)).collect();
            self.add(index, Rule::Character, FindingValue::Text(codes.join(" ")));
        }
        if let Some(frames) = &utterance.frames {
            if frames.not_finite > 0 {
                self.add_number(index, Rule::NotFinite, frames.not_finite as f64);
            }
            if frames.frozen >= FROZEN {
                self.add_number(index, Rule::Frozen, frames.frozen as f64);
            }
        }
    }

    /// The rules that compare two parts of an utterance.
    fn add_disagreement(&mut self, index: usize, utterance: &MeasuredUtterance) {
        for found in self.usual_lengths.disagreements(&utterance.lengths()) {
            let finding = Finding::certain(index, found.rule, FindingValue::Number(Some(found.value)));
            self.list.push(Finding { usual: found.usual, ..finding });
        }
    }

    /// A rule for what is the same in most utterances. Of two values that are as frequent, the smaller one is the usual one.
    fn add_uncommon(&mut self, utterances: &[MeasuredUtterance], rule: Rule, measure: UtteranceMeasure) {
        let mut values: Vec<f64> = utterances.iter().filter_map(|utterance| measure.of(utterance)?).collect();
        values.sort_by(f64::total_cmp);
        let runs = values.chunk_by(|left, right| left == right).rev();
        let Some(usual) = runs.max_by_key(|run| run.len()).map(|run| run[0]) else { return };
        for (index, utterance) in utterances.iter().enumerate() {
            if let Some(value) = measure.of(utterance).flatten().filter(|&value| value != usual) {
                self.add_compared(index, rule, value, usual);
            }
        }
    }

    /// The sound of an utterance that is that of an earlier one; the first one of them names the second one, and stands for all if there
    /// are many.
    fn add_duplicates(&mut self, utterances: &[MeasuredUtterance]) {
        for indices in exact_copies(utterances) {
            let is_one = indices.len() >= Finding::MANY;
            for (at, &index) in indices.iter().enumerate().take(if is_one { 1 } else { indices.len() }) {
                let other = indices[if at == 0 { 1 } else { 0 }];
                let count = FindingValue::Number(Some(indices.len() as f64));
                let finding = Finding::certain(index, Rule::DuplicateAudio, count);
                let others = is_one.then(|| indices.len() - 2);
                self.list.push(Finding { other: Some(utterances[other].key.clone()), others, ..finding });
            }
        }
    }

    /// A rule for values that are far from the median.
    fn add_unusual(&mut self, utterances: &[MeasuredUtterance], unusual: &Unusual) {
        let scaled = |value: f64| if unusual.is_log { value.log2() } else { value };
        let values: Vec<(usize, f64)> = utterances
            .iter()
            .enumerate()
            .filter_map(|(index, utterance)| Some((index, unusual.measure.of(utterance)??)))
            .filter(|&(_, value)| scaled(value).is_finite())
            .collect();
        if values.len() < ENOUGH {
            return;
        }
        let usual = Usual::of(values.iter().map(|&(_, value)| scaled(value)).collect(), unusual.floor);
        let center = if unusual.is_log { usual.median.exp2() } else { usual.median };
        for (index, value) in values {
            let z = usual.z(scaled(value));
            let is_found = match unusual.side {
                Side::Below => z <= -FAR,
                Side::Above => z >= FAR,
                Side::Both => z.abs() >= FAR,
            };
            if !is_found {
                continue;
            }
            let score = z.abs().min(CERTAIN - 1.0);
            let value = FindingValue::Number(Some(value));
            let finding = Finding::certain(index, unusual.rule, value);
            let measure = Some(unusual.measure);
            let finding = Finding { measure, usual: Some(center), z: Some(z), score, ..finding };
            // Of pauses at several places, the clearest one is enough.
            let known = self.list.iter().rposition(|known| (known.utterance, known.rule) == (index, unusual.rule));
            match known.filter(|_| unusual.rule == Rule::Pauses) {
                Some(at) if self.list[at].score >= score => {}
                Some(at) => self.list[at] = finding,
                None => self.list.push(finding),
            }
        }
    }

    /// Sorts the findings, see [`RankedFindings::list`]; those of one utterance by score, then in the order of the rules.
    fn rank(&mut self, utterances: &[MeasuredUtterance]) {
        let mut best = HashMap::<usize, (f64, usize)>::new();
        for finding in &self.list {
            let (score, count) = best.entry(finding.utterance).or_default();
            *score = score.max(finding.score);
            *count += 1;
        }
        self.list.sort_by(|left, right| {
            let ((left_best, left_count), (right_best, right_count)) = (best[&left.utterance], best[&right.utterance]);
            let by_utterance = right_best.total_cmp(&left_best).then(right_count.cmp(&left_count));
            let by_key = utterances[left.utterance].key.cmp(&utterances[right.utterance].key);
            let by_finding = right.score.total_cmp(&left.score).then(left.rule.cmp(&right.rule));
            by_utterance.then(by_key).then(left.utterance.cmp(&right.utterance)).then(by_finding)
        });
    }
}

/// The indices of utterances with the same samples, rate and channels: two or more in each group, in their order.
pub fn exact_copies(utterances: &[MeasuredUtterance]) -> Vec<Vec<usize>> {
    let mut same = HashMap::<(u64, u64), Vec<usize>>::new();
    for (index, utterance) in utterances.iter().enumerate() {
        if let Some(sound) = utterance.sound.as_ref().filter(|sound| sound.duration > 0.0) {
            same.entry((sound.fingerprint, sound.duration.to_bits())).or_default().push(index);
        }
    }
    let mut groups: Vec<Vec<usize>> = same.into_values().filter(|indices| indices.len() > 1).collect();
    groups.sort_unstable();
    groups
}
