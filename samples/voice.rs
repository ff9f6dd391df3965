//! A voice that can be made again anywhere: a source and a filter, as in Klatt's synthesizer.
//!
//! The source is a train of glottal pulses, whose rate glides, and noise; the filter is a chain of resonances, the formants,
//! which glide from sound to sound. It says nothing, but it has what speech has: harmonics, formants, hiss, pauses.

use std::f64::consts::{PI, TAU};

/// Samples a second.
pub const SAMPLE_RATE: u32 = 16_000;
/// Samples between two changes of the filter.
const BLOCK: usize = 16;
/// How fast formants and loudness follow the sound that is next, in seconds.
const GLIDE: f64 = 0.018;

/// A sound: formants in Hz, and how much there is of voice and of hiss.
#[derive(Clone, Copy)]
struct Sound {
    formants: [f64; 3],
    voice: f64,
    hiss: f64,
    /// Where the hiss is strongest, in Hz.
    hiss_center: f64,
}

const fn vowel(first: f64, second: f64, third: f64) -> Sound {
    Sound { formants: [first, second, third], voice: 1.0, hiss: 0.0, hiss_center: 5000.0 }
}

/// By letters that come near to them.
fn sound(letter: char) -> Sound {
    match letter {
        'a' => vowel(730.0, 1150.0, 2500.0),
        'e' => vowel(500.0, 1850.0, 2550.0),
        'i' => vowel(290.0, 2250.0, 3000.0),
        'o' => vowel(480.0, 850.0, 2450.0),
        'u' => vowel(310.0, 780.0, 2300.0),
        'n' => Sound { voice: 0.35, ..vowel(270.0, 1500.0, 2300.0) },
        'l' => Sound { voice: 0.5, ..vowel(350.0, 1050.0, 2700.0) },
        'z' => Sound { voice: 0.3, hiss: 0.5, ..vowel(300.0, 1600.0, 2500.0) },
        's' => Sound { voice: 0.0, hiss: 1.0, hiss_center: 5600.0, ..vowel(320.0, 1600.0, 2550.0) },
        'x' => Sound { voice: 0.0, hiss: 0.9, hiss_center: 2900.0, ..vowel(320.0, 1700.0, 2500.0) },
        // A pause.
        _ => Sound { voice: 0.0, hiss: 0.0, ..vowel(500.0, 1500.0, 2500.0) },
    }
}

/// Who speaks.
pub struct Speaker {
    /// The rate of the pulses at the start and at the end, in Hz.
    pub pitch: (f64, f64),
    /// What formants are multiplied by: a short vocal tract has higher ones.
    pub formant_scale: f64,
    /// Where noise and jitter come from.
    pub seed: u64,
}

/// Speaks sounds, each with its seconds: samples from -32768 to 32767 at [`SAMPLE_RATE`].
pub fn speak(speaker: &Speaker, sounds: &[(char, f64)]) -> Vec<i16> {
    let rate = f64::from(SAMPLE_RATE);
    let total: f64 = sounds.iter().map(|(_, seconds)| seconds).sum();
    let num_samples = (total * rate).round() as usize;
    let follow = 1.0 - (-(BLOCK as f64) / (GLIDE * rate)).exp();
    let mut noise = Noise(speaker.seed);
    let mut now = Sound { voice: 0.0, hiss: 0.0, ..sound(sounds[0].0) };
    let mut formants = [Resonance::default(); 5];
    let mut hiss_filter = Resonance::default();
    let (mut phase, mut jitter) = (0.0, 0.0);
    let mut samples = Vec::with_capacity(num_samples);
    for at in 0..num_samples {
        let time = at as f64 / rate;
        if at % BLOCK == 0 {
            let next = sound(at_time(sounds, time));
            let approach = |value: &mut f64, goal: f64| *value += follow * (goal - *value);
            (0..3).for_each(|place| approach(&mut now.formants[place], next.formants[place]));
            approach(&mut now.voice, next.voice);
            approach(&mut now.hiss, next.hiss);
            // A hiss that fades stays where it is.
            if next.hiss > 0.0 {
                now.hiss_center = next.hiss_center;
            }
            let [first, second, third] = now.formants.map(|formant| formant * speaker.formant_scale);
            let places = [first, second, third, 3600.0 * speaker.formant_scale, 4600.0 * speaker.formant_scale];
            for (resonance, (place, width)) in
                formants.iter_mut().zip(places.into_iter().zip([70., 90., 130., 220., 300.]))
            {
                resonance.tune(place.min(0.48 * rate), width, rate);
            }
            hiss_filter.tune(now.hiss_center, 1300.0, rate);
        }
        // The pitch falls, with an accent every 0.7 seconds and a slight tremble.
        let part = time / total;
        let pitch = speaker.pitch.0 + (speaker.pitch.1 - speaker.pitch.0) * part;
        let accent = 1.0 + 0.16 * (PI * (time / 0.7).fract()).sin().powi(2) + 0.008 * (TAU * 5.2 * time).sin();
        phase += pitch * accent * (1.0 + jitter) / rate;
        if phase >= 1.0 {
            phase -= 1.0;
            jitter = 0.01 * noise.next();
        }
        let breath = 0.05 * noise.next();
        let mut voiced = now.voice * (pulse(phase) + breath);
        for resonance in &mut formants {
            voiced = resonance.filter(voiced);
        }
        let hissed = now.hiss * hiss_filter.filter(noise.next());
        let sample = 5200.0 * voiced + 1000.0 * hissed + 3.0 * noise.next();
        samples.push(sample.round().clamp(-32768.0, 32767.0) as i16);
    }
    samples
}

/// The sound at a time.
fn at_time(sounds: &[(char, f64)], time: f64) -> char {
    let mut end = 0.0;
    for (letter, seconds) in sounds {
        end += seconds;
        if time < end {
            return *letter;
        }
    }
    ' '
}

/// The change of the flow through the glottis, by the part of a period: it opens slowly and closes at once.
fn pulse(phase: f64) -> f64 {
    const OPEN: f64 = 0.62;
    let part = phase / OPEN;
    if part < 1.0 { 2.0 * part - 3.0 * part * part } else { 0.0 }
}

/// A resonance of second order.
#[derive(Clone, Copy, Default)]
struct Resonance {
    gain: f64,
    feedback: [f64; 2],
    past: [f64; 2],
}

impl Resonance {
    fn tune(&mut self, center: f64, width: f64, rate: f64) {
        let radius = (-PI * width / rate).exp();
        self.feedback = [2.0 * radius * (TAU * center / rate).cos(), -radius * radius];
        self.gain = 1.0 - self.feedback[0] - self.feedback[1];
    }

    fn filter(&mut self, value: f64) -> f64 {
        let out = self.gain * value + self.feedback[0] * self.past[0] + self.feedback[1] * self.past[1];
        self.past = [out, self.past[0]];
        out
    }
}

/// Repeatable noise (splitmix64).
struct Noise(u64);

impl Noise {
    /// From -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ (word >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// The sounds of words, with their seconds: vowels are longer than the rest, a space is a pause.
pub fn sounds(words: &str) -> Vec<(char, f64)> {
    let seconds = |letter| match letter {
        'a' | 'e' | 'i' | 'o' | 'u' => 0.15,
        's' | 'x' => 0.12,
        ' ' => 0.14,
        _ => 0.08,
    };
    words.chars().map(|letter| (letter, seconds(letter))).collect()
}

/// A RIFF/WAVE file of one channel.
pub fn wave_file(samples: &[i16]) -> Vec<u8> {
    let num_bytes = 2 * samples.len() as u32;
    let mut file = Vec::with_capacity(44 + num_bytes as usize);
    file.extend(b"RIFF");
    file.extend((36 + num_bytes).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(SAMPLE_RATE.to_le_bytes());
    file.extend((2 * SAMPLE_RATE).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend(num_bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    file
}
