//! The data: archives as Kaldi writes them, recordings and texts, the same on every machine.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use crate::measure::Size;
use crate::voice::{self, Speaker};
use crate::{corpus_models, lattices};

const NUM_COLS: usize = 40;
/// Columns of features that were spliced, with 5 frames on each side.
const NUM_SPLICED_COLS: usize = 11 * NUM_COLS;
const NUM_WORDS: usize = 30;

/// A part of the data, which some jobs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// `m.ark` (matrices), its halves `m1.ark` and `m2.ark`, script files in order and shuffled, `i.ark` (vectors of
    /// integers), `long.txt` (as many integers in one vector), and `batch.yaml`, which makes batches. Yardsticks need it, too.
    Tables,
    /// `wide.ark`: matrices of as many bytes, but 440 columns, and `lda.mat`, which makes 40 of them; `few.ark`: 40 of the
    /// matrices, `few.post` with a class for each frame, and `lda.mdl`, the model of the classes.
    Spliced,
    /// `wav.scp`: recordings of 8 to 14 seconds, `long.wav` with all of them, and `room.wav`, half a second of echoes.
    Audio,
    /// `noise.scp`, `noise.text` and the data directory `noise.data`: a thousand recordings of 200 kB; `train.yaml`: a chain for them.
    Sound,
    /// `cuts.jsonl`: a million cuts of lhotse.
    Cuts,
    /// `ref.txt` and `hyp.txt`: sentences, and what might have been recognized.
    Words,
    /// `t.ark`: 50 million tokens in 100,000 vectors.
    Tokens,
    /// `full.ubm`: 512 Gaussians with full covariances in 60 dimensions; `ie`: an extractor of i-vectors of 400 dimensions;
    /// `gauss.ark` and `gauss.post`: features of 60 utterances, and the weights of four Gaussians in each frame.
    Ivectors,
    /// `speech.ark`: vectors of 200 dimensions of 40 utterances of each speaker, with `spk2utt` and `utt2spk`; `speakers.ark`:
    /// vectors of the speakers; `trials` of speakers and utterances; `speech.mat`, a transform to 150 dimensions.
    Speakers,
    /// `final.mdl`: transitions of 100 phones and 3000 pdfs; `large.mdl`: the same with 100 MB of zeros after it; `ali.ark`: alignments of
    /// 12 million frames; `post.ark`: their posteriors.
    Models,
    /// `egs.feats` and `egs.post`: 1000 utterances of 600 frames in 40 dimensions, with a pdf for each frame; `egs.mdl` and `egs.ali`:
    /// an acoustic model of 30 pdfs of ten Gaussians, and alignments of the utterances.
    Examples,
    /// `lats.ark` and `lats.txt`: the lattices of the recorded cases, over and over under other keys; their model, their words,
    /// and `lats.ref`, what was said.
    Lattices,
    /// `many.idx`: an index of 20 million sequences of 10 billion tokens, and a `.bin` that is one hole.
    Sequences,
}

impl Corpus {
    /// All parts, in the order in which they are written.
    pub const ALL: [Self; 13] = [
        Self::Tables,
        Self::Spliced,
        Self::Audio,
        Self::Sound,
        Self::Cuts,
        Self::Words,
        Self::Tokens,
        Self::Ivectors,
        Self::Speakers,
        Self::Models,
        Self::Examples,
        Self::Lattices,
        Self::Sequences,
    ];

    /// Writes it into a folder.
    pub fn write(self, dir: &Path, size: Size) -> Result<()> {
        match self {
            Self::Tables => write_tables(dir, size),
            Self::Spliced => write_spliced(dir, size),
            Self::Audio => write_audio(dir, size),
            Self::Sound => write_sound(dir, size),
            Self::Cuts => write_cuts(dir, size),
            Self::Words => write_words(dir, size),
            Self::Tokens => write_tokens(dir, size),
            Self::Ivectors => corpus_models::write_ivectors(dir, size),
            Self::Speakers => corpus_models::write_speakers(dir, size),
            Self::Models => corpus_models::write_models(dir, size),
            Self::Examples => write_examples(dir, size),
            Self::Lattices => lattices::write(dir, size),
            Self::Sequences => write_sequences(dir, size),
        }
    }
}

fn num_matrices(size: Size) -> usize {
    size.pick(2000, 22)
}

pub fn num_vectors(size: Size) -> usize {
    size.pick(20_000, 100)
}

pub fn create(dir: &Path, name: &str) -> Result<BufWriter<File>> {
    File::create(dir.join(name)).map(BufWriter::new)
}

fn write_tokens(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(5);
    let mut vectors = create(dir, "t.ark")?;
    for index in 0..size.pick(100_000, 100) {
        let length = 300 + random.below(401);
        let mut entry = format!("doc{index:06} \0B").into_bytes();
        put_int(&mut entry, length);
        (0..length).for_each(|_| put_int(&mut entry, random.below(60_000)));
        vectors.write_all(&entry)?;
    }
    vectors.flush()
}

fn write_sequences(dir: &Path, size: Size) -> Result<()> {
    let count: u64 = size.pick(20_000_000, 1000);
    let mut random = Random(6);
    let sizes: Vec<i32> = (0..count).map(|_| 1 + random.below(999) as i32).collect();
    let mut index = create(dir, "many.idx")?;
    index.write_all(b"MMIDIDX\0\0\x01\0\0\0\0\0\0\0\x08")?;
    index.write_all(&[count.to_le_bytes(), (count + 1).to_le_bytes()].concat())?;
    sizes.iter().try_for_each(|size| index.write_all(&size.to_le_bytes()))?;
    let mut pointer = 0_u64;
    for size in &sizes {
        index.write_all(&pointer.to_le_bytes())?;
        pointer += 2 * *size as u64;
    }
    (0..=count).try_for_each(|bound| index.write_all(&bound.to_le_bytes()))?;
    index.flush()?;
    File::create(dir.join("many.bin"))?.set_len(pointer)
}

fn write_examples(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(11);
    let [mut feats, mut posteriors, mut alignments] =
        [create(dir, "egs.feats")?, create(dir, "egs.post")?, create(dir, "egs.ali")?];
    for index in 0..size.pick(1000, 10) {
        let mut entry = format!("utt{index:05} ").into_bytes();
        put_matrix(&mut entry, 600, NUM_COLS, || 3.0 * random.normal());
        feats.write_all(&entry)?;
        let pdfs: Vec<usize> = (0..600).map(|_| random.below(3000)).collect();
        corpus_models::write_posterior(&mut posteriors, index, &pdfs)?;
        // Of the two transition-ids of a state the first is the self-loop.
        let ids: Vec<usize> = pdfs.iter().map(|pdf| 2 * (pdf % corpus_models::STATES) + 1).collect();
        corpus_models::write_alignment(&mut alignments, index, &ids)?;
    }
    std::fs::write(dir.join("egs.mdl"), corpus_models::acoustic_model(&mut random, NUM_COLS))?;
    [feats, posteriors, alignments].iter_mut().try_for_each(Write::flush)
}

fn write_tables(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(1);
    let create = |name: &str| create(dir, name);
    let (num_matrices, num_vectors) = (num_matrices(size), num_vectors(size));
    let (mut whole, mut halves) = (create("m.ark")?, [create("m1.ark")?, create("m2.ark")?]);
    let mut offset = 0;
    let mut lines = Vec::new();
    for index in 0..num_matrices {
        let num_rows = 500 + random.below(200);
        let mut entry = format!("utt{index:05} ").into_bytes();
        lines.push(format!("utt{index:05} m.ark:{}\n", offset + entry.len()));
        put_matrix(&mut entry, num_rows, NUM_COLS, || 3.0 * random.normal());
        offset += entry.len();
        whole.write_all(&entry)?;
        halves[2 * index / num_matrices].write_all(&entry)?;
    }
    create("m.scp")?.write_all(lines.concat().as_bytes())?;
    create("batch.yaml")?.write_all(b"- batch: {batch_type: dynamic, max_frames_in_batch: 12000}\n")?;
    for index in (1..lines.len()).rev() {
        lines.swap(index, random.below(index + 1));
    }
    create("shuffled.scp")?.write_all(lines.concat().as_bytes())?;

    let mut vectors = create("i.ark")?;
    for index in 0..num_vectors {
        let length = 500 + random.below(200);
        let mut entry = format!("utt{index:05} \0B").into_bytes();
        put_int(&mut entry, length);
        (0..length).for_each(|_| put_int(&mut entry, random.below(5000)));
        vectors.write_all(&entry)?;
    }
    let mut long = create("long.txt")?;
    long.write_all(b"long")?;
    (0..600 * num_vectors).try_for_each(|_| write!(long, " {}", random.below(5000)))?;
    long.write_all(b"\n")?;
    long.flush()?;
    whole.flush()?;
    halves.iter_mut().try_for_each(Write::flush)?;
    vectors.flush()
}

fn write_spliced(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(2);
    let [mut wide, mut few, mut posteriors] =
        [create(dir, "wide.ark")?, create(dir, "few.ark")?, create(dir, "few.post")?];
    for index in 0..num_matrices(size) * NUM_COLS / NUM_SPLICED_COLS {
        let num_rows = 500 + random.below(200);
        let mut entry = format!("utt{index:05} ").into_bytes();
        put_matrix(&mut entry, num_rows, NUM_SPLICED_COLS, || 3.0 * random.normal());
        wide.write_all(&entry)?;
        if index < 40 {
            few.write_all(&entry)?;
            let ids = (0..num_rows).map(|_| 1 + random.below(6000));
            corpus_models::write_posterior(&mut posteriors, index, &ids.collect::<Vec<_>>())?;
        }
    }
    [wide, few, posteriors].iter_mut().try_for_each(Write::flush)?;
    std::fs::write(dir.join("lda.mdl"), corpus_models::transition_model())?;
    let mut lda = Vec::new();
    put_matrix(&mut lda, NUM_COLS, NUM_SPLICED_COLS, || random.normal() / 20.0);
    create(dir, "lda.mat")?.write_all(&lda)
}

fn write_audio(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(3);
    let (mut lines, mut all) = (String::new(), Vec::new());
    std::fs::create_dir(dir.join("wav"))?;
    for index in 0..size.pick(120, 2) {
        let seconds = 8.0 + 6.0 * random.uniform();
        let name = format!("wav/utt{index:03}.wav");
        let samples = speak(&mut random, index, seconds);
        std::fs::write(dir.join(&name), voice::wave_file(&samples))?;
        lines += &format!("utt{index:03} {name}\n");
        all.extend(samples);
    }
    std::fs::write(dir.join("long.wav"), voice::wave_file(&all))?;
    let echo = |index: usize, noise: f32| (8000.0 * noise * (-(index as f32) / 1000.0).exp()) as i16;
    let room: Vec<i16> = (0..8000).map(|index| echo(index, random.normal())).collect();
    std::fs::write(dir.join("room.wav"), voice::wave_file(&room))?;
    std::fs::write(dir.join("wav.scp"), lines)
}

/// A speaker who says something for some seconds.
pub fn utterance(seed: u64, seconds: f64) -> Vec<i16> {
    speak(&mut Random(seed), seed, seconds)
}

fn speak(random: &mut Random, seed: u64, seconds: f64) -> Vec<i16> {
    const LETTERS: [char; 10] = ['a', 'e', 'i', 'o', 'u', 'n', 'l', 'z', 's', 'x'];
    let (mut sounds, mut missing) = (Vec::new(), seconds);
    while missing > 0.0 {
        let words: String = (0..6).map(|_| LETTERS[random.below(LETTERS.len())]).chain([' ']).collect();
        sounds.extend(voice::sounds(&words));
        missing = seconds - sounds.iter().map(|(_, seconds)| seconds).sum::<f64>();
    }
    // The last pause is cut.
    if let Some((_, last)) = sounds.last_mut() {
        *last = (*last + missing).max(0.0);
    }
    let pitch = 90.0 + 140.0 * random.uniform();
    let formant_scale = 0.9 + 0.25 * random.uniform();
    voice::speak(&Speaker { pitch: (pitch, 0.75 * pitch), formant_scale, seed }, &sounds)
}

fn write_sound(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(4);
    let (mut lines, mut text) = (String::new(), String::new());
    std::fs::create_dir(dir.join("noise"))?;
    for index in 0..size.pick(1000, 20) {
        let samples: Vec<i16> =
            (0..50_000 + random.below(100_000)).map(|_| random.below(1 << 16) as u16 as i16).collect();
        let name = format!("noise/utt{index:04}.wav");
        std::fs::write(dir.join(&name), voice::wave_file(&samples))?;
        lines += &format!("utt{index:04} {name}\n");
        text += &format!("utt{index:04} some words of a text\n");
    }
    let chain = "dataset_conf:\n  fbank_conf: {num_mel_bins: 80, dither: 1.0}\n  shuffle_conf: {shuffle_size: 1500}\n  \
                 batch_conf: {batch_type: dynamic, max_frames_in_batch: 12000}\n";
    std::fs::write(dir.join("train.yaml"), chain)?;
    let speakers: String = lines.lines().map(|line| format!("{0} {0}\n", &line[..7])).collect();
    let data = dir.join("noise.data");
    std::fs::create_dir(&data)?;
    for (name, content) in [("wav.scp", &lines), ("text", &text), ("utt2spk", &speakers)] {
        std::fs::write(data.join(name), content)?;
    }
    std::fs::write(dir.join("noise.text"), text)?;
    std::fs::write(dir.join("noise.scp"), lines)
}

fn write_cuts(dir: &Path, size: Size) -> Result<()> {
    let mut random = Random(7);
    let mut cuts = create(dir, "cuts.jsonl")?;
    for index in 0..size.pick(1_000_000, 200) {
        let (name, speaker) = (format!("{:04}-{index:07}", index / 500), index / 500);
        let num_samples = 32_000 + random.below(200_000);
        let duration = num_samples as f64 / 16000.0;
        let words: Vec<String> = (0..5 + random.below(20)).map(|_| format!("word{}", random.below(5000))).collect();
        writeln!(
            cuts,
            "{{\"id\": \"{name}-0\", \"start\": 0, \"duration\": {duration}, \"channel\": 0, \"supervisions\": [{{\"id\": \
             \"{name}\", \"recording_id\": \"{name}\", \"start\": 0.0, \"duration\": {duration}, \"channel\": 0, \"text\": \"{}\", \
             \"language\": \"en\", \"speaker\": \"{speaker:04}\"}}], \"recording\": {{\"id\": \"{name}\", \"sources\": [{{\"type\": \
             \"file\", \"channels\": [0], \"source\": \"/corpora/train/{speaker:04}/{name}.flac\"}}], \"sampling_rate\": 16000, \
             \"num_samples\": {num_samples}, \"duration\": {duration}, \"channel_ids\": [0]}}, \"type\": \"MonoCut\"}}",
            words.join(" ")
        )?;
    }
    cuts.flush()
}

fn write_words(dir: &Path, size: Size) -> Result<()> {
    const VOCABULARY: usize = 5000;
    let mut random = Random(4);
    let (mut reference, mut hypothesis) = (create(dir, "ref.txt")?, create(dir, "hyp.txt")?);
    for index in 0..size.pick(20_000, 100) {
        let (mut said, mut heard) = (format!("utt{index:05}"), format!("utt{index:05}"));
        for _ in 0..NUM_WORDS {
            let word = random.below(VOCABULARY);
            said += &format!(" w{word}");
            // One word in ten is left out, one is taken for another, and after one there is another one.
            match random.below(10) {
                0 => {}
                1 => heard += &format!(" w{}", random.below(VOCABULARY)),
                2 => heard += &format!(" w{word} w{}", random.below(VOCABULARY)),
                _ => heard += &format!(" w{word}"),
            }
        }
        writeln!(reference, "{said}")?;
        writeln!(hypothesis, "{heard}")?;
    }
    reference.flush()?;
    hypothesis.flush()
}

/// Appends a matrix in binary form.
pub fn put_matrix(out: &mut Vec<u8>, num_rows: usize, num_cols: usize, mut element: impl FnMut() -> f32) {
    out.extend(b"\0BFM ");
    put_int(out, num_rows);
    put_int(out, num_cols);
    out.extend((0..num_rows * num_cols).flat_map(|_| element().to_le_bytes()));
}

pub fn put_int(out: &mut Vec<u8>, int: usize) {
    out.push(4);
    out.extend((int as i32).to_le_bytes());
}

/// Repeatable random numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Above 0, up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Normally distributed, by the method of Box and Muller.
    pub fn normal(&mut self) -> f32 {
        let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), std::f64::consts::TAU * self.uniform());
        (radius * angle.cos()) as f32
    }
}
