//! The definitions, on signals and tables that were made for them.

use std::f64::consts::TAU;

use crate::{Census, Distribution, FindingValue, FrameMeasures, Moments, RankedFindings, Rule, SoundMeasures};
use crate::{MeasuredUtterance, TextMeasures, TypicalMeans, UsualLengths, UtteranceLengths, UtteranceMeasure};

const RATE: f64 = 16000.0;

/// A tone of `frequency` Hz; `size` is a part of full scale.
fn tone(frequency: f64, size: f64, seconds: f64) -> Vec<f32> {
    let samples = 0..(seconds * RATE) as usize;
    samples.map(|at| (32768.0 * size * (TAU * frequency * at as f64 / RATE).sin()) as f32).collect()
}

fn silence(seconds: f64) -> Vec<f32> {
    vec![0.0; (seconds * RATE) as usize]
}

fn near(value: impl Into<Option<f64>>, expected: f64, tolerance: f64) {
    let value = value.into().unwrap();
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

#[test]
fn levels_are_relative_to_full_scale() {
    let measures = SoundMeasures::of(RATE, &[&tone(1000.0, 0.5, 1.0)]);
    assert_eq!((measures.duration, measures.rate, measures.channels), (1.0, RATE, 1));
    near(measures.peak, -6.02, 0.01);
    near(measures.level, -9.03, 0.01);
    near(measures.offset, 0.0, 1e-6);
    near(measures.bandwidth, 1000.0, 250.0);
    assert_eq!((measures.clipped, measures.zeros, measures.lead, measures.trail), (0.0, 0.0, 0.0, 0.0));
}

#[test]
fn silence_has_no_level() {
    let measures = SoundMeasures::of(RATE, &[&silence(0.5)]);
    assert_eq!((measures.peak, measures.level, measures.snr, measures.bandwidth), (None, None, None, None));
    assert_eq!((measures.zeros, measures.silence, measures.lead, measures.trail), (1.0, 1.0, 0.5, 0.5));
    let measures = SoundMeasures::of(RATE, &[]);
    assert_eq!((measures.duration, measures.channels, measures.silence, measures.peak), (0.0, 0, 0.0, None));
}

#[test]
fn an_offset_is_no_level() {
    let samples: Vec<f32> = tone(500.0, 0.25, 1.0).iter().map(|sample| sample - 3276.8).collect();
    let measures = SoundMeasures::of(RATE, &[&tone(500.0, 0.25, 1.0), &samples]);
    near(measures.offset, -0.1, 1e-4);
    near(measures.level, -15.05, 0.01);
    near(measures.peak, 20.0 * 0.35_f64.log10(), 0.01);
}

#[test]
fn runs_at_the_limit_are_clipped() {
    let clip = |size: f64, at: f32| -> Vec<f32> {
        tone(100.0, size, 1.0).iter().map(|sample| sample.clamp(-at, at)).collect()
    };
    let measures = SoundMeasures::of(RATE, &[&clip(1.0, 16384.0)]);
    // The sine is above half of its size for two thirds of the time.
    near(measures.clipped, 2.0 / 3.0, 0.02);
    assert_eq!(SoundMeasures::of(RATE, &[&clip(0.9, 40000.0)]).clipped, 0.0);
    // A channel that stays below a hundredth is quiet, not clipped.
    assert_eq!(SoundMeasures::of(RATE, &[&clip(0.02, 300.0)]).clipped, 0.0);
    // Two equal samples happen.
    assert_eq!(SoundMeasures::of(RATE, &[&[0.0, 9000.0, 9000.0, 100.0, -9000.0, -9000.0, 100.0]]).clipped, 0.0);
}

#[test]
fn pauses_are_found() {
    let samples = [silence(0.5), tone(300.0, 0.5, 1.0), tone(300.0, 0.001, 0.5)].concat();
    let measures = SoundMeasures::of(RATE, &[&samples]);
    near(measures.lead, 0.5, 0.021);
    near(measures.trail, 0.5, 0.021);
    near(measures.silence, 0.5, 0.02);
    near(measures.zeros, 0.25, 0.01);
    near(measures.snr, 54.0, 0.5);
    // A rest shorter than a block counts to the pause at the end.
    let measures = SoundMeasures::of(RATE, &[&[tone(300.0, 0.5, 0.1), silence(0.03)].concat()]);
    near(measures.trail, 0.03, 1e-9);
    // Shorter than a block.
    assert_eq!(SoundMeasures::of(RATE, &[&tone(300.0, 0.5, 0.01)]).silence, 0.0);
}

#[test]
fn the_bandwidth_is_that_of_the_highest_frequency() {
    let both: Vec<f32> =
        tone(200.0, 0.5, 1.0).iter().zip(tone(6000.0, 0.01, 1.0)).map(|(low, high)| low + high).collect();
    near(SoundMeasures::of(RATE, &[&both]).bandwidth, 6000.0, 250.0);
    near(SoundMeasures::of(RATE, &[&tone(200.0, 0.5, 1.0)]).bandwidth, 200.0, 250.0);
    assert_eq!(SoundMeasures::of(RATE, &[&tone(200.0, 0.5, 0.01)]).bandwidth, None);
    // An odd number of windows has the same spectrum.
    near(SoundMeasures::of(RATE, &[&tone(200.0, 0.5, 0.034)]).bandwidth, 200.0, 250.0);
}

#[test]
fn equal_sound_has_one_fingerprint() {
    let of = |rate, channels: &[&[f32]]| SoundMeasures::of(rate, channels).fingerprint;
    let (a, b) = (tone(300.0, 0.5, 1.0), tone(301.0, 0.5, 1.0));
    assert_eq!(of(RATE, &[&a]), of(RATE, &[&a.clone()]));
    assert_ne!(of(RATE, &[&a]), of(RATE, &[&b]));
    assert_ne!(of(RATE, &[&a]), of(8000.0, &[&a]));
    assert_ne!(of(RATE, &[&a]), of(RATE, &[&a, &a]));
}

#[test]
fn texts_are_counted_in_words_and_characters() {
    let text = TextMeasures::of("zwei  Wörter\t".as_bytes());
    assert_eq!((text.words, text.characters, text.error_rate()), (2, 10, None));
    let text = TextMeasures::of(b"a b c d").with_hypothesis(b"a b c d", b"a x d e", |_, _| {});
    assert_eq!((text.errors, text.error_rate()), (Some(3), Some(0.75)));
    assert_eq!(TextMeasures::of(b"").with_hypothesis(b"", b"x y", |_, _| {}).error_rate(), Some(2.0));
}

fn measure_frames(values: &[f32], columns: usize) -> FrameMeasures {
    FrameMeasures::of(values, &Moments::of_columns(values, columns))
}

#[test]
fn frames_are_measured() {
    let values = [1.0, 2.0, 3.0, 2.0, f32::NAN, 2.0, 5.0, 2.0, 5.0, 2.0, 5.0, 2.0];
    let frames = measure_frames(&values, 2);
    assert_eq!((frames.frames, frames.columns, frames.not_finite, frames.frozen), (6, 2, 1, 3));
    assert_eq!(*frames.means, [3.8, 2.0]);
    // Not a number is the same, bit by bit.
    let frames = measure_frames(&[f32::NAN; 4], 1);
    assert_eq!((frames.frozen, frames.not_finite, frames.means.len()), (4, 4, 0));
    let frames = measure_frames(&[], 3);
    assert_eq!((frames.frozen, frames.columns, frames.means.len()), (0, 3, 0));
    assert_eq!(measure_frames(&[], 0), FrameMeasures::default());
}

#[test]
fn columns_have_moments_of_their_own() {
    let values: Vec<f32> = (0..600).map(|at| 1e6 + (at * at % 97) as f32).collect();
    let whole = Moments::of_columns(&values, 3);
    let mut parts = Vec::new();
    values.chunks(150).for_each(|part| Moments::merge_columns(&mut parts, &Moments::of_columns(part, 3)));
    assert_eq!(parts.len(), 3);
    for (column, (whole, part)) in whole.iter().zip(&parts).enumerate() {
        let values: Vec<f32> = values[column..].iter().copied().step_by(3).collect();
        assert_eq!(*whole, Moments::of(&values));
        near(part.mean, whole.mean, 1e-6);
        near(part.stddev, whole.stddev, 1e-6);
    }
    // Matrices with other columns.
    Moments::merge_columns(&mut parts, &Moments::of_columns(&[1.0; 4], 4));
    assert_eq!((parts.len(), parts[0].count, parts[3].count), (4, 201, 1));
}

#[test]
fn lengths_of_parts_have_to_agree() {
    let of = |duration, frames, labels, beyond| UtteranceLengths {
        duration: Some(duration),
        frames: Some(frames),
        labels: Some(labels),
        beyond: Some(beyond),
    };
    let good = of(3.0, 298, 100, 0.05);
    let usual = UsualLengths::of([good, good, of(2.0, 20, 20, 0.0)].into_iter(), None);
    assert_eq!((usual.frame_shift, usual.frames_per_label), (Some(0.01), Some(3.0)));
    assert_eq!(usual.disagreements(&good).count(), 0);
    let rules = |lengths: &UtteranceLengths| usual.disagreements(lengths).map(|found| found.rule).collect::<Vec<_>>();
    assert_eq!(rules(&of(2.89, 300, 100, 0.051)), [Rule::Frames, Rule::Segments]);
    assert_eq!(rules(&of(3.0, 300, 99, 0.0)), [Rule::Labels]);
    assert_eq!(rules(&UtteranceLengths { frames: None, beyond: None, ..of(9.0, 1, 1, 0.0) }), []);
    assert_eq!(UsualLengths::of([].into_iter(), None), UsualLengths::default());
    assert_eq!(UsualLengths::of([good].into_iter(), Some(0.02)).frame_shift, Some(0.02));
}

#[test]
fn distances_are_in_spreads() {
    let of = |mean: f32| measure_frames(&[mean, 7.0], 2);
    let table: Vec<FrameMeasures> = [1.0, 2.0, 3.0, 4.0, 5.0].map(of).into();
    let typical = TypicalMeans::of(table.iter());
    near(typical.distance(&of(3.0)), 0.0, 0.0);
    // The median of differences is 1; the second column has no spread.
    near(typical.distance(&of(10.0)), 7.0 / 1.4826, 1e-6);
    assert_eq!(typical.distance(&measure_frames(&[1.0], 1)), None);
}

#[test]
fn distributions_are_exact() {
    let found = Distribution::of((1..=101).rev().map(f64::from).collect()).unwrap();
    assert_eq!((found.count, found.min, found.max, found.mean, found.median), (101, 1.0, 101.0, 51.0, 51.0));
    assert_eq!((found.mad, found.quantiles), (25.0, [2.0, 6.0, 26.0, 76.0, 96.0, 100.0]));
    assert_eq!((found.edges.len(), found.counts.len(), found.counts.iter().sum()), (51, 50, 101));
    assert_eq!((found.counts[0], found.counts[49]), (2, 3));
    let found = Distribution::of(vec![4.0; 3]).unwrap();
    assert_eq!((found.edges, found.counts), (vec![4.0, 4.0], vec![3]));
    assert_eq!(Distribution::of(vec![]), None);
    assert_eq!(Distribution::of(vec![1.0, 2.0]).unwrap().median, 1.5);
}

#[test]
fn letters_of_other_scripts_are_strange() {
    let mut census = Census::default();
    (0..150).for_each(|_| census.add(b"plain text, 100 %"));
    census.add("pl\u{430}in \u{200b}text".as_bytes());
    assert_eq!(
        census.strange_characters("pl\u{430}in \u{200b}te\u{301}xt \u{fffd}\x07é".as_bytes()),
        ['\u{7}', '\u{430}', '\u{200b}', '\u{fffd}']
    );
    assert!(census.strange_characters(b"caf\xe9") == ['\u{fffd}']);
    assert_eq!(census.words(), (150 * 4 + 2, 6));
    assert_eq!(census.frequent_words(1), [("%", 150)]);
    // Two scripts that are both frequent.
    let mut census = Census::default();
    census.add("да".as_bytes());
    census.add(b"yes");
    assert!(census.strange_characters("да yes".as_bytes()).is_empty());
    let mut twice = Census::default();
    twice.merge(census.clone());
    twice.merge(census);
    assert_eq!((twice.utterances(), twice.words()), (4, (4, 2)));
}

/// Thirty utterances of about two seconds, with text, features and alignments.
fn corpus() -> Vec<MeasuredUtterance> {
    let of = |index: usize| {
        let seconds = 2.0 + 0.01 * (index % 7) as f64;
        let samples = [tone(200.0 + index as f64, 0.3, seconds / 2.0), tone(3000.0, 0.01, seconds / 2.0)].concat();
        let frames = (seconds * 100.0).round() as usize;
        let values: Vec<f32> = (0..frames).map(|at| (at * (index % 5 + 1) % 11) as f32).collect();
        MeasuredUtterance {
            key: format!("utt{index:02}").into(),
            sound: Some(SoundMeasures::of(RATE, &[&samples])),
            text: Some(TextMeasures::of(b"some words of a sentence")),
            frames: Some(measure_frames(&values, 1)),
            labels: Some(frames.div_ceil(3)),
            beyond: Some(-0.01),
            ..MeasuredUtterance::default()
        }
    };
    (0..30).map(of).collect()
}

fn names(utterances: &[MeasuredUtterance], findings: &RankedFindings) -> Vec<(String, &'static str)> {
    findings.list.iter().map(|found| (utterances[found.utterance].key.to_string(), found.rule.name())).collect()
}

#[test]
fn a_clean_corpus_has_no_findings() {
    let utterances = corpus();
    let findings = RankedFindings::of(&utterances, None);
    assert_eq!(names(&utterances, &findings), []);
    let usual = findings.usual_lengths;
    assert_eq!((usual.frame_shift, usual.frames_per_label), (Some(0.01), Some(3.0)));
}

#[test]
fn faults_are_found_and_ranked() {
    let mut utterances = corpus();
    let sound =
        |utterance: &mut MeasuredUtterance, change: fn(&mut SoundMeasures)| change(utterance.sound.as_mut().unwrap());
    sound(&mut utterances[1], |sound| sound.clipped = 0.001);
    sound(&mut utterances[2], |sound| (sound.offset, sound.level) = (-0.02, Some(-70.0)));
    sound(&mut utterances[3], |sound| (sound.rate, sound.channels) = (8000.0, 2));
    utterances[4].text = Some(TextMeasures::of(b" "));
    utterances[5].strange_characters = vec!['\u{430}'];
    utterances[6].frames.as_mut().unwrap().not_finite = 1;
    utterances[7].labels = Some(60);
    utterances[8].beyond = Some(0.06);
    utterances[9].sound = utterances[10].sound;
    utterances[11].unreadable = Some("cut".into());
    utterances[12].frames.as_mut().unwrap().frames = 150;
    let findings = RankedFindings::of(&utterances, Some(0.01));
    let expected = [
        ("utt02", "silence"),
        ("utt02", "offset"),
        ("utt02", "level"),
        ("utt03", "rate"),
        ("utt03", "channels"),
        ("utt12", "frames"),
        ("utt12", "labels"),
        ("utt01", "clipping"),
        ("utt04", "text-empty"),
        ("utt05", "character"),
        ("utt06", "not-finite"),
        ("utt07", "labels"),
        ("utt08", "segments"),
        ("utt09", "duplicate-audio"),
        ("utt10", "duplicate-audio"),
        ("utt11", "unreadable"),
    ];
    let expected: Vec<_> = expected.iter().map(|(key, rule)| ((*key).to_owned(), *rule)).collect();
    assert_eq!(names(&utterances, &findings), expected);
    let of = |rule| findings.list.iter().find(|found| found.rule == rule).unwrap();
    assert_eq!(of(Rule::Character).value, FindingValue::Text("U+0430".into()));
    assert_eq!((of(Rule::Rate).usual, of(Rule::Rate).score), (Some(RATE), 100.0));
    assert_eq!(of(Rule::DuplicateAudio).other.as_ref().unwrap(), "utt10");
    assert_eq!((of(Rule::Level).score, of(Rule::Level).usual.is_some()), (of(Rule::Level).z.unwrap().abs(), true));
}

#[test]
fn what_is_far_from_the_median_is_found() {
    let mut utterances = corpus();
    utterances[1].text = Some(TextMeasures::of(b"x"));
    let other = |samples: Vec<f32>| Some(SoundMeasures::of(RATE, &[&samples]));
    utterances[2].sound = other([tone(200.0, 0.3, 1.0), silence(1.0)].concat());
    utterances[3].sound = other(tone(200.0, 0.3, 2.0));
    let found = names(&utterances, &RankedFindings::of(&utterances, None));
    let has = |key: &str, rule: &str| assert!(found.contains(&(key.into(), rule)), "{key} {rule}: {found:?}");
    has("utt01", "speaking-rate");
    has("utt02", "bandwidth");
    has("utt03", "bandwidth");
    has("utt03", "snr");
    // Of few utterances nothing is usual.
    let few = &utterances[..19];
    assert_eq!(names(few, &RankedFindings::of(few, None)), []);
}

#[test]
fn measures_know_their_utterances() {
    let utterance =
        MeasuredUtterance { sound: Some(SoundMeasures::of(RATE, &[&silence(1.0)])), ..MeasuredUtterance::default() };
    assert_eq!(UtteranceMeasure::Peak.of(&utterance), Some(None));
    assert_eq!(UtteranceMeasure::Duration.of(&utterance), Some(Some(1.0)));
    assert_eq!(UtteranceMeasure::Words.of(&utterance), None);
    let names: std::collections::BTreeSet<_> = UtteranceMeasure::ALL.iter().map(|(_, name)| name).collect();
    assert_eq!(names.len(), UtteranceMeasure::ALL.len());
    let rules: std::collections::BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(rules.len(), Rule::ALL.len());
}
