//! Copies, of a voice that is made for it.

use kaldi_wave::resample;

use crate::{SoundIndex, SoundMeasures, SoundPair, SoundPrint, SwappedText, swapped_texts};

// Files are not written here.
#[allow(dead_code)]
#[path = "../../../../samples/voice.rs"]
mod voice;

const ONE: usize = 1;

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// From -1 to 1.
    fn noise(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0
    }
}

/// A word of a small language.
fn word(number: usize) -> String {
    let mut random = Random(number as u64 * 77 + 5);
    (0..2 + number % 2).flat_map(|_| [b"nlzsx"[random.below(5)], b"aeiou"[random.below(5)]]).map(char::from).collect()
}

fn say(words: &[usize]) -> Vec<f32> {
    let words: Vec<String> = words.iter().map(|&number| word(number)).collect();
    let speaker = voice::Speaker { pitch: (128.0, 96.0), formant_scale: 1.0, seed: 3 };
    voice::speak(&speaker, &voice::sounds(&words.join(" "))).into_iter().map(f32::from).collect()
}

/// A sentence of a vocabulary of 30 words.
fn sentence(seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    let length = 5 + random.below(3);
    say(&(0..length).map(|_| random.below(30)).collect::<Vec<_>>())
}

fn print(rate: f64, samples: &[f32]) -> SoundPrint {
    SoundPrint::of(rate, &[samples])
}

fn pairs(prints: Vec<SoundPrint>) -> Vec<SoundPair> {
    SoundIndex::of(prints).unwrap().pairs(ONE, |_| {})
}

fn as_16_bits(samples: impl Iterator<Item = f32>) -> Vec<f32> {
    samples.map(|sample| sample.round().clamp(-32768.0, 32767.0)).collect()
}

fn louder(samples: &[f32], gain: f32) -> Vec<f32> {
    as_16_bits(samples.iter().map(|sample| gain * sample))
}

fn noisy(samples: &[f32], decibels: f32, seed: u64) -> Vec<f32> {
    let power = samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32;
    // Even noise has a third of the power of its largest size.
    let size = (3.0 * power / 10_f32.powf(decibels / 10.0)).sqrt();
    let mut random = Random(seed);
    as_16_bits(samples.iter().map(|sample| sample + size * random.noise()))
}

fn cut(samples: &[f32]) -> Vec<f32> {
    samples[8000..samples.len() - 8000].to_vec()
}

/// What a coder does: a delay, and noise that is loud where the sound is.
fn coded(samples: &[f32], seed: u64) -> Vec<f32> {
    let mut random = Random(seed);
    let delayed = std::iter::repeat_n(0.0, 1105).chain(samples.iter().copied());
    as_16_bits(delayed.map(|sample| sample * (1.0 + 0.1 * random.noise())))
}

/// A change of sound, with the new rate, and the shift that it makes.
type Change = (&'static str, fn(&[f32], u64) -> Vec<f32>, f64, f64);

const CHANGES: [Change; 9] = [
    ("quiet", |samples, _| louder(samples, 0.3), 16000.0, 0.0),
    ("a little quieter", |samples, _| louder(samples, 0.7), 16000.0, 0.0),
    // Its loudest parts are clipped.
    ("loud", |samples, _| louder(samples, 4.0), 16000.0, 0.0),
    ("8 kHz", |samples, _| as_16_bits(resample(samples, 16000, 8000).unwrap().into_iter()), 8000.0, 0.0),
    ("44.1 kHz", |samples, _| as_16_bits(resample(samples, 16000, 44100).unwrap().into_iter()), 44100.0, 0.0),
    ("cut", |samples, _| cut(samples), 16000.0, 0.5),
    ("noisy", |samples, seed| noisy(samples, 20.0, seed), 16000.0, 0.0),
    ("coded", coded, 16000.0, -0.07),
    ("cut, quiet and coded", |samples, seed| coded(&louder(&cut(samples), 0.5), seed), 16000.0, 0.43),
];

#[test]
fn all_kinds_of_copies_are_found_and_no_others() {
    let sentences: Vec<Vec<f32>> = (0..45).map(sentence).collect();
    let mut prints: Vec<SoundPrint> = sentences.iter().map(|samples| print(16000.0, samples)).collect();
    let mut expected = Vec::new();
    for (at, (name, change, rate, shift)) in CHANGES.into_iter().enumerate() {
        for seed in 0..3 {
            let first = 5 * at + seed;
            expected.push((first, prints.len(), name, shift));
            prints.push(print(rate, &change(&sentences[first], seed as u64)));
        }
    }
    expected.sort_by_key(|&(first, second, ..)| (first, second));
    let found = pairs(prints);
    let names: Vec<_> = found.iter().map(|pair| (pair.first, pair.second)).collect();
    assert_eq!(names, expected.iter().map(|&(first, second, ..)| (first, second)).collect::<Vec<_>>());
    for (pair, (.., name, shift)) in found.iter().zip(expected) {
        // The copy starts later in the original, so the original starts earlier in the copy.
        assert!((pair.shift + shift).abs() <= 0.016, "{name}: {pair:?}");
        assert!((0.83..=1.0).contains(&pair.share) && !pair.is_exact, "{name}: {pair:?}");
    }
}

#[test]
fn another_word_is_no_copy() {
    let words = [3, 14, 15, 9, 26, 5, 8, 20, 11, 2];
    let seconds = |number: usize| voice::sounds(&word(number)).iter().map(|(_, seconds)| seconds).sum::<f64>();
    // Words that take the same time, so that all others stay where they are.
    let same = |number: &usize| (seconds(*number) - seconds(words[4])).abs() < 1e-9 && word(*number) != word(words[4]);
    let mut other = words;
    other[4] = (30..99).find(same).unwrap();
    let [said, other] = [words, other].map(|words| print(16000.0, &say(&words)));
    let different: u32 = said.codes().iter().zip(other.codes()).map(|(left, right)| (left ^ right).count_ones()).sum();
    assert!(f64::from(different) < 0.12 * 32.0 * said.codes().len() as f64, "{different}");
    assert_eq!(pairs(vec![said, other]), []);
}

#[test]
fn a_part_of_a_long_recording_is_found() {
    let long: Vec<f32> = (0..4).flat_map(sentence).collect();
    let start = 16000 * 4 + 77;
    let found = pairs(vec![print(16000.0, &long), print(16000.0, &long[start..start + 40000])]);
    assert_eq!(found.len(), 1);
    assert!((found[0].shift + start as f64 / 16000.0).abs() <= 0.016 && found[0].share > 0.9, "{found:?}");
}

#[test]
fn four_fifths_of_the_shorter_one_must_be_in_both() {
    let long: Vec<f32> = (0..4).flat_map(sentence).collect();
    let part = |start: usize| print(16000.0, &long[start..start + 48000]);
    assert_eq!(pairs(vec![part(0), part(4800)]).len(), 1);
    assert_eq!(pairs(vec![part(0), part(14400)]), []);
}

#[test]
fn the_same_samples_are_an_exact_copy_and_the_first_one_stands_for_all() {
    let said = sentence(1);
    let prints = [&said, &louder(&said, 0.5), &said, &sentence(2), &said].map(|samples| print(16000.0, samples));
    let found: Vec<_> = pairs(prints.to_vec()).iter().map(|pair| (pair.first, pair.second, pair.is_exact)).collect();
    assert_eq!(found, [(0, 1, false), (0, 2, true), (0, 4, true)]);
    // The same samples at another rate are something else, and nothing is no copy of nothing.
    assert_eq!(pairs(vec![print(16000.0, &said), print(12000.0, &said)]), []);
    assert_eq!(pairs(vec![print(16000.0, &[]), print(16000.0, &[])]), []);
    // Short sound is compared exactly.
    assert!(pairs(vec![print(16000.0, &said[..99]), print(16000.0, &said[..99])])[0].is_exact);
    let measures = SoundMeasures::of(16000.0, &[&said]);
    assert_eq!(SoundPrint::of_measured(&measures, &[&said]), prints[0]);
}

#[test]
fn two_sets_are_compared_with_each_other_and_not_with_themselves() {
    let said: Vec<Vec<f32>> = (0..6).map(sentence).collect();
    let of = |samples: &[f32]| print(16000.0, samples);
    let test = vec![of(&said[5]), of(&louder(&said[5], 0.5)), of(&said[4]), of(&said[4])];
    let train = [of(&said[0]), of(&noisy(&said[4], 20.0, 1)), of(&said[5]), of(&said[0])];
    let index = SoundIndex::of(test).unwrap();
    let found = index.pairs_with(&train, ONE, |_| {});
    let names: Vec<_> = found.iter().map(|pair| (pair.first, pair.second, pair.is_exact)).collect();
    assert_eq!(names, [(1, 2, false), (2, 0, true), (2, 1, false)]);
    assert_eq!(index.pairs_with(&train, 3, |_| {}), found);
    assert_eq!(SoundIndex::of(Vec::new()).unwrap().pairs_with(&train, ONE, |_| {}), []);
}

#[test]
fn the_order_does_not_depend_on_the_number_of_threads() {
    let prints: Vec<SoundPrint> =
        (0..24).map(|at| print(16000.0, &louder(&sentence(at / 3), 1.0 - 0.2 * (at % 3) as f32))).collect();
    let index = SoundIndex::of(prints).unwrap();
    let found = index.pairs(ONE, |_| {});
    assert_eq!(found.len(), 24);
    assert_eq!(index.pairs(4, |_| {}), found);
}

#[test]
fn silence_hum_and_short_sound_say_nothing() {
    let seconds = |seconds: f64| (16000.0 * seconds) as usize;
    assert!(print(16000.0, &sentence(1)[..seconds(1.2) - 1]).codes().is_empty());
    assert_eq!(print(16000.0, &sentence(1)[..seconds(1.2)]).codes().len(), 59);
    assert!(print(0.0, &sentence(1)).codes().is_empty());
    for constant in [0.0, 1.0, -32768.0] {
        assert!(print(8000.0, &vec![constant; 20000]).codes().iter().all(|&code| code == 0), "{constant}");
    }
    // Two utterances of two seconds of digital silence and different words.
    let with_silence = |words: &[usize]| [vec![0.0; 32000], say(words), vec![0.0; 32000]].concat();
    let prints =
        [with_silence(&[1, 2, 3, 4, 5]), with_silence(&[6, 7, 8, 9, 10])].map(|samples| print(16000.0, &samples));
    assert_eq!(pairs(prints.to_vec()), []);
    // A copy of it, where silence is no longer digital.
    let noise = |samples: &[f32]| noisy(samples, 45.0, 1);
    let said = with_silence(&[1, 2, 3, 4, 5]);
    assert_eq!(pairs(vec![print(16000.0, &said), print(16000.0, &noise(&said))]).len(), 1);
    let hum: Vec<f32> = (0..160_000).map(|at| 3000.0 * (at as f32 * 0.314).sin()).collect();
    assert_eq!(pairs(vec![print(16000.0, &hum), print(16000.0, &hum[999..])]), []);
}

#[test]
fn what_swells_again_and_again_is_no_copy_of_another_one() {
    // Of harmonics that do not change, only the loudness has a course.
    let swelling = |start: f64, seed: u64| -> Vec<f32> {
        let mut random = Random(seed);
        let sample = |at: usize| {
            let time = at as f64 / 16000.0;
            let voice: f64 = (1..24).map(|part| (f64::from(part) * 785.4 * time).sin() / f64::from(part)).sum();
            ((15.7 * (time + start)).sin() + 1.2) as f32 * (2000.0 * voice as f32 + 200.0 * random.noise())
        };
        (0..40000).map(sample).collect()
    };
    let sounds = [swelling(0.0, 1), swelling(0.13, 2), swelling(0.29, 3)];
    let mut prints: Vec<SoundPrint> = sounds.iter().map(|samples| print(16000.0, samples)).collect();
    assert_eq!(pairs(prints.clone()), []);
    // But a copy of it is.
    prints.push(print(16000.0, &louder(&sounds[0], 0.7)));
    assert_eq!(pairs(prints).iter().map(|pair| (pair.first, pair.second)).collect::<Vec<_>>(), [(0, 3)]);
}

#[test]
fn channels_are_averaged() {
    let said = sentence(7);
    let quiet = louder(&said, 0.5);
    let found = pairs(vec![SoundPrint::of(16000.0, &[&said, &quiet]), print(16000.0, &said)]);
    assert!(found.len() == 1 && found[0].share > 0.99, "{found:?}");
}

fn swapped(utterances: &[(&str, &str)]) -> Vec<(usize, usize)> {
    let utterances: Vec<(&[u8], &[u8])> =
        utterances.iter().map(|(said, heard)| (said.as_bytes(), heard.as_bytes())).collect();
    swapped_texts(&utterances).iter().map(|found| (found.utterance, found.other)).collect()
}

#[test]
fn texts_that_changed_places_are_found_by_what_was_heard() {
    let first = "she had your dark suit in greasy wash water all year";
    let second = "do not ask me to carry an oily rag like that";
    let heard = "she had your dark soot in greasy wash water all year";
    assert_eq!(swapped(&[(first, second), ("a b c", "a b c"), (second, heard)]), [(0, 2), (2, 0)]);
    // One direction is not enough.
    assert_eq!(swapped(&[(first, second), (second, second)]), []);
    assert_eq!(swapped(&[(first, second), (second, "something else that was never said")]), []);
    // More than a fifth of the words are wrong.
    assert_eq!(swapped(&[(first, second), (second, "she had your dark soot in greedy wash otter all year")]), []);
    // Single words.
    assert_eq!(swapped(&[("yes", "no"), ("no", "yes"), ("maybe", "maybe")]), [(0, 1), (1, 0)]);
    assert_eq!(swapped(&[("", ""), ("", "")]), []);
    let texts: [(&[u8], &[u8]); 2] = [(b"one two", b"three four"), (b"three four", b"one two")];
    assert_eq!(swapped_texts(&texts)[0], SwappedText { utterance: 0, other: 1, error_rate: 1.0 });
}

#[test]
fn swapped_texts_are_found_among_many_that_begin_alike() {
    let text = |number: usize| format!("the number of the house in this street is {number} {}", number * 7);
    let texts: Vec<(String, String)> = (0..400).map(|at| (text(at), text(at ^ 1))).collect();
    let texts: Vec<(&[u8], &[u8])> = texts.iter().map(|(said, heard)| (said.as_bytes(), heard.as_bytes())).collect();
    // Two of ten words are wrong: by the own text, too little is.
    assert_eq!(swapped_texts(&texts), []);
    let text = |number: usize| format!("house {number} street {}", number * 7);
    let texts: Vec<(String, String)> = (0..400).map(|at| (text(at), text(at ^ 1))).collect();
    let texts: Vec<(&[u8], &[u8])> = texts.iter().map(|(said, heard)| (said.as_bytes(), heard.as_bytes())).collect();
    let found = swapped_texts(&texts);
    assert!(found.len() == 400 && found.iter().all(|found| found.other == found.utterance ^ 1));
}
