//! Speaker recognition from sound to scores, as `docs/speakers.md` shows it.

use crate::docs::commands;
use crate::docs::page::Page;
use crate::support::{Scratch, wave};

const RATE: u32 = 8000;

/// The resonances of five vowels of a vocal tract of middle length, in Hz.
const VOWELS: [[f64; 3]; 5] = [
    [730.0, 1090.0, 2440.0],
    [270.0, 2290.0, 3010.0],
    [300.0, 870.0, 2240.0],
    [530.0, 1840.0, 2480.0],
    [570.0, 840.0, 2410.0],
];

/// Makes sound that speakers differ in by the length of their vocal tract and by their pitch.
struct Voices {
    state: u64,
}

impl Voices {
    /// A number from 0 to 1.
    fn random(&mut self) -> f64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.state >> 40) as f64 / 16777216.0
    }

    /// Vowels and pauses: pulses, and some noise, through three resonators.
    fn speak(&mut self, speaker: usize, seconds: f64) -> Vec<i16> {
        let rate = f64::from(RATE);
        let tract = 0.8 + 0.4 * ((speaker * 7) % 15) as f64 / 14.0;
        let pitch = 90.0 + ((speaker * 37) % 120) as f64;
        let mut resonators = [[0.0_f64; 2]; 3];
        let (mut phase, mut samples) = (0.0, Vec::new());
        let total = (seconds * rate) as usize;
        while samples.len() < total {
            let vowel = VOWELS[(self.random() * 5.0) as usize];
            let length = ((0.15 + 0.1 * self.random()) * rate) as usize;
            let is_pause = self.random() < 0.2;
            for at in 0..length {
                phase += pitch * (1.0 + 0.1 * (at as f64 / 900.0).sin()) / rate;
                let pulse = if phase >= 1.0 { 1.0 } else { 0.0 };
                phase -= pulse;
                let source = pulse + 0.05 * (self.random() - 0.5);
                let mut sample = 20.0 * (self.random() - 0.5);
                for (frequency, past) in vowel.iter().zip(&mut resonators) {
                    let radius = (-std::f64::consts::PI * 90.0 / rate).exp();
                    let angle = std::f64::consts::TAU * (frequency * tract).min(3900.0) / rate;
                    let input = if is_pause { 0.0 } else { source };
                    let output = input + 2.0 * radius * angle.cos() * past[0] - radius * radius * past[1];
                    *past = [output, past[0]];
                    sample += 1500.0 * output;
                }
                samples.push(sample.clamp(-32000.0, 32000.0) as i16);
            }
        }
        samples.truncate(total);
        samples
    }
}

/// Six recordings of each of 15 speakers, and two conversations in which two of them take turns every three seconds.
pub(super) fn recordings() -> Scratch {
    let scratch = Scratch::new();
    let mut voices = Voices { state: 1 };
    let (mut script, mut speakers) = (String::new(), String::new());
    let mut add = |name: &str, speaker: &str, samples: &[i16]| {
        scratch.write(&format!("{name}.wav"), wave::wave(RATE, &[samples]));
        script += &format!("{name} {name}.wav\n");
        speakers += &format!("{name} {speaker}\n");
    };
    for speaker in 0..15 {
        for number in 0..6 {
            add(&format!("s{speaker:02}-{number}"), &format!("s{speaker:02}"), &voices.speak(speaker, 2.0));
        }
    }
    for (number, turns) in [[10, 12, 10, 12], [11, 14, 11, 14]].into_iter().enumerate() {
        let talk: Vec<i16> = turns.into_iter().flat_map(|speaker| voices.speak(speaker, 3.0)).collect();
        add(&format!("talk{number}"), &format!("talk{number}"), &talk);
    }
    scratch.write("wav.scp", script).write("utt2spk", speakers);
    scratch
}

#[test]
fn speakers_are_recognized_without_kaldi() {
    let scratch = recordings();
    assert!(commands::run(&Page::read("docs/speakers.md").blocks(), &scratch) > 20);
    let eer: f64 = String::from_utf8(scratch.read("eer")).unwrap().trim().parse().unwrap();
    // Guesses give 50.
    assert!(eer < 30.0, "an equal error rate of {eer} %");
    let labels = String::from_utf8(scratch.read("labels")).unwrap();
    for talk in ["talk0", "talk1"] {
        // Both speakers have segments.
        let of_talk = labels.lines().filter(|line| line.starts_with(talk));
        let speakers: std::collections::BTreeSet<&str> = of_talk.filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(speakers.len(), 2, "{labels}");
    }
}
