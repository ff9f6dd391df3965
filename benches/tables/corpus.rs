//! The data: archives as Kaldi writes them, recordings and texts, the same on every machine.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

use crate::voice::{self, Speaker};

const NUM_MATRICES: usize = 2000;
const NUM_COLS: usize = 40;
const NUM_VECTORS: usize = 20_000;
/// Columns of features that were spliced, with 5 frames on each side.
const NUM_SPLICED_COLS: usize = 11 * NUM_COLS;
const NUM_RECORDINGS: usize = 120;
const NUM_SENTENCES: usize = 20_000;
const NUM_WORDS: usize = 30;

/// A part of the data, which some jobs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    /// `m.ark` (matrices), its halves `m1.ark` and `m2.ark`, script files in order and shuffled, `i.ark` (vectors of
    /// integers), `long.txt` (as many integers in one vector), and `batch.yaml`, which makes batches. Yardsticks need it, too.
    Tables,
    /// `wide.ark`: matrices of as many bytes, but 440 columns, and `lda.mat`, which makes 40 of them.
    Spliced,
    /// `wav.scp`: recordings of 8 to 14 seconds.
    Audio,
    /// `noise.scp` and `noise.text`: a thousand recordings of 200 kB; `train.yaml`: a chain for them.
    Sound,
    /// `ref.txt` and `hyp.txt`: sentences, and what might have been recognized.
    Words,
    /// `t.ark`: 50 million tokens in 100,000 vectors.
    Tokens,
    /// `full.ubm`: 512 Gaussians with full covariances in 60 dimensions; `ie`: an extractor of i-vectors of 400 dimensions;
    /// `gauss.ark` and `gauss.post`: features of 60 utterances, and the weights of four Gaussians in each frame.
    Ivectors,
    /// `final.mdl`: transitions of 100 phones and 3000 pdfs; `large.mdl`: the same with 100 MB of zeros after it; `ali.ark`: alignments of 12 million frames; `post.ark`: their
    /// posteriors.
    Models,
    /// `many.idx`: an index of 20 million sequences of 10 billion tokens, and a `.bin` that is one hole.
    Sequences,
}

impl Corpus {
    /// All parts, in the order in which they are written.
    pub const ALL: [Self; 9] = [
        Self::Tables,
        Self::Spliced,
        Self::Audio,
        Self::Sound,
        Self::Words,
        Self::Tokens,
        Self::Ivectors,
        Self::Models,
        Self::Sequences,
    ];

    /// Writes it into a folder.
    pub fn write(self, dir: &Path) -> Result<()> {
        match self {
            Self::Tables => write_tables(dir),
            Self::Spliced => write_spliced(dir),
            Self::Audio => write_audio(dir),
            Self::Sound => write_sound(dir),
            Self::Words => write_words(dir),
            Self::Tokens => write_tokens(dir),
            Self::Ivectors => write_ivectors(dir),
            Self::Models => write_models(dir),
            Self::Sequences => write_sequences(dir),
        }
    }
}

fn create(dir: &Path, name: &str) -> Result<BufWriter<File>> {
    File::create(dir.join(name)).map(BufWriter::new)
}

fn write_tokens(dir: &Path) -> Result<()> {
    let mut random = Random(5);
    let mut vectors = create(dir, "t.ark")?;
    for index in 0..100_000 {
        let length = 300 + random.below(401);
        let mut entry = format!("doc{index:06} \0B").into_bytes();
        put_int(&mut entry, length);
        (0..length).for_each(|_| put_int(&mut entry, random.below(60_000)));
        vectors.write_all(&entry)?;
    }
    vectors.flush()
}

/// A mixture of Gaussians, and frames near its means.
fn write_ivectors(dir: &Path) -> Result<()> {
    const GAUSSIANS: usize = 512;
    const DIM: usize = 60;
    let mut random = Random(8);
    let means: Vec<f32> = (0..GAUSSIANS * DIM).map(|_| random.normal()).collect();
    let mut mixture = b"\0B<FullGMM> <WEIGHTS> FV ".to_vec();
    put_int(&mut mixture, GAUSSIANS);
    (0..GAUSSIANS).for_each(|_| mixture.extend((1.0 / GAUSSIANS as f32).to_le_bytes()));
    // All covariances are a half of the unit matrix.
    mixture.extend(b"<MEANS_INVCOVARS> FM ");
    put_int(&mut mixture, GAUSSIANS);
    put_int(&mut mixture, DIM);
    means.iter().for_each(|mean| mixture.extend((2.0 * mean).to_le_bytes()));
    mixture.extend(b"<INV_COVARS> ");
    for _ in 0..GAUSSIANS {
        mixture.extend(b"FP ");
        put_int(&mut mixture, DIM);
        let elements = (0..DIM).flat_map(|row| (0..=row).map(move |col| if row == col { 2.0_f32 } else { 0.0 }));
        mixture.extend(elements.flat_map(f32::to_le_bytes));
    }
    mixture.extend(b"</FullGMM> ");
    std::fs::write(dir.join("full.ubm"), mixture)?;

    let (mut feats, mut posteriors) = (create(dir, "gauss.ark")?, create(dir, "gauss.post")?);
    for index in 0..60 {
        let gaussians: Vec<usize> = (0..800).map(|_| random.below(GAUSSIANS)).collect();
        let mut entry = format!("utt{index:02} ").into_bytes();
        let mut elements = gaussians.iter().flat_map(|gauss| &means[gauss * DIM..][..DIM]);
        put_matrix(&mut entry, gaussians.len(), DIM, || elements.next().unwrap_or(&0.0) + 0.7 * random.normal());
        feats.write_all(&entry)?;
        let mut entry = format!("utt{index:02} \0B").into_bytes();
        put_int(&mut entry, gaussians.len());
        for gauss in gaussians {
            put_int(&mut entry, 4);
            for (other, weight) in [0.7_f32, 0.2, 0.05, 0.05].into_iter().enumerate() {
                put_int(&mut entry, if other == 0 { gauss } else { random.below(GAUSSIANS) });
                entry.push(4);
                entry.extend(weight.to_le_bytes());
            }
        }
        posteriors.write_all(&entry)?;
    }
    feats.flush()?;
    posteriors.flush()
}

/// Phones of three states, each with ten pdfs, and paths through them.
fn write_models(dir: &Path) -> Result<()> {
    const PHONES: usize = 100;
    const PDFS: usize = 10;
    let mut model = String::from("<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n");
    model.extend((1..=PHONES).map(|phone| format!("{phone} ")));
    model += "\n</ForPhones> \n";
    model.extend((0..3).map(|at| {
        format!("<State> {at} <PdfClass> {at} <Transition> {at} 0.75 <Transition> {} 0.25 </State> \n", at + 1)
    }));
    let num_tuples = PHONES * 3 * PDFS;
    model += &format!("<State> 3 </State> \n</TopologyEntry> \n</Topology> \n<Triples> {num_tuples} \n");
    model.extend((0..num_tuples).map(|pdf| format!("{} {} {pdf} \n", pdf / (3 * PDFS) + 1, pdf / PDFS % 3)));
    model += "</Triples> \n<LogProbs> \n [ 0 ";
    model += &"-0.2876821 -1.386294 ".repeat(num_tuples);
    model += "]\n</LogProbs> \n</TransitionModel> \n";
    for (name, length) in [("final.mdl", model.len()), ("large.mdl", 100_000_000)] {
        std::fs::write(dir.join(name), &model)?;
        File::options().write(true).open(dir.join(name))?.set_len(length as u64)?;
    }

    let mut random = Random(7);
    let (mut alignments, mut posteriors) = (create(dir, "ali.ark")?, create(dir, "post.ark")?);
    for index in 0..NUM_VECTORS {
        let mut ids = Vec::new();
        while ids.len() < 590 {
            let phone = random.below(PHONES);
            for state in 0..3 {
                // The first of the two transition-ids of a tuple is the self-loop.
                let first = 2 * ((phone * 3 + state) * PDFS + random.below(PDFS)) + 1;
                ids.push(first + 1);
                ids.extend(std::iter::repeat_n(first, random.below(5)));
            }
        }
        let mut entry = format!("utt{index:05} \0B").into_bytes();
        put_int(&mut entry, ids.len());
        ids.iter().for_each(|&id| put_int(&mut entry, id));
        alignments.write_all(&entry)?;
        let mut entry = format!("utt{index:05} \0B").into_bytes();
        put_int(&mut entry, ids.len());
        for id in ids {
            put_int(&mut entry, 1);
            put_int(&mut entry, id);
            entry.push(4);
            entry.extend_from_slice(&1.0_f32.to_le_bytes());
        }
        posteriors.write_all(&entry)?;
    }
    alignments.flush()?;
    posteriors.flush()
}

fn write_sequences(dir: &Path) -> Result<()> {
    const COUNT: u64 = 20_000_000;
    let mut random = Random(6);
    let sizes: Vec<i32> = (0..COUNT).map(|_| 1 + random.below(999) as i32).collect();
    let mut index = create(dir, "many.idx")?;
    index.write_all(b"MMIDIDX\0\0\x01\0\0\0\0\0\0\0\x08")?;
    index.write_all(&[COUNT.to_le_bytes(), (COUNT + 1).to_le_bytes()].concat())?;
    sizes.iter().try_for_each(|size| index.write_all(&size.to_le_bytes()))?;
    let mut pointer = 0_u64;
    for size in &sizes {
        index.write_all(&pointer.to_le_bytes())?;
        pointer += 2 * *size as u64;
    }
    (0..=COUNT).try_for_each(|bound| index.write_all(&bound.to_le_bytes()))?;
    index.flush()?;
    File::create(dir.join("many.bin"))?.set_len(pointer)
}

fn write_tables(dir: &Path) -> Result<()> {
    let mut random = Random(1);
    let create = |name: &str| create(dir, name);
    let (mut whole, mut halves) = (create("m.ark")?, [create("m1.ark")?, create("m2.ark")?]);
    let mut offset = 0;
    let mut lines = Vec::new();
    for index in 0..NUM_MATRICES {
        let num_rows = 500 + random.below(200);
        let mut entry = format!("utt{index:05} ").into_bytes();
        lines.push(format!("utt{index:05} m.ark:{}\n", offset + entry.len()));
        put_matrix(&mut entry, num_rows, NUM_COLS, || 3.0 * random.normal());
        offset += entry.len();
        whole.write_all(&entry)?;
        halves[2 * index / NUM_MATRICES].write_all(&entry)?;
    }
    create("m.scp")?.write_all(lines.concat().as_bytes())?;
    create("batch.yaml")?.write_all(b"- batch: {batch_type: dynamic, max_frames_in_batch: 12000}\n")?;
    for index in (1..lines.len()).rev() {
        lines.swap(index, random.below(index + 1));
    }
    create("shuffled.scp")?.write_all(lines.concat().as_bytes())?;

    let mut vectors = create("i.ark")?;
    for index in 0..NUM_VECTORS {
        let length = 500 + random.below(200);
        let mut entry = format!("utt{index:05} \0B").into_bytes();
        put_int(&mut entry, length);
        (0..length).for_each(|_| put_int(&mut entry, random.below(5000)));
        vectors.write_all(&entry)?;
    }
    let mut long = create("long.txt")?;
    long.write_all(b"long")?;
    (0..600 * NUM_VECTORS).try_for_each(|_| write!(long, " {}", random.below(5000)))?;
    long.write_all(b"\n")?;
    long.flush()?;
    whole.flush()?;
    halves.iter_mut().try_for_each(Write::flush)?;
    vectors.flush()
}

fn write_spliced(dir: &Path) -> Result<()> {
    let mut random = Random(2);
    let mut wide = create(dir, "wide.ark")?;
    for index in 0..NUM_MATRICES * NUM_COLS / NUM_SPLICED_COLS {
        let num_rows = 500 + random.below(200);
        let mut entry = format!("utt{index:05} ").into_bytes();
        put_matrix(&mut entry, num_rows, NUM_SPLICED_COLS, || 3.0 * random.normal());
        wide.write_all(&entry)?;
    }
    wide.flush()?;
    let mut lda = Vec::new();
    put_matrix(&mut lda, NUM_COLS, NUM_SPLICED_COLS, || random.normal() / 20.0);
    create(dir, "lda.mat")?.write_all(&lda)
}

fn write_audio(dir: &Path) -> Result<()> {
    let mut random = Random(3);
    let mut lines = String::new();
    std::fs::create_dir(dir.join("wav"))?;
    for index in 0..NUM_RECORDINGS {
        let seconds = 8.0 + 6.0 * random.uniform();
        let name = format!("wav/utt{index:03}.wav");
        std::fs::write(dir.join(&name), voice::wave_file(&speak(&mut random, index as u64, seconds)))?;
        lines += &format!("utt{index:03} {name}\n");
    }
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

fn write_sound(dir: &Path) -> Result<()> {
    let mut random = Random(4);
    let (mut lines, mut text) = (String::new(), String::new());
    std::fs::create_dir(dir.join("noise"))?;
    for index in 0..1000 {
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
    std::fs::write(dir.join("noise.text"), text)?;
    std::fs::write(dir.join("noise.scp"), lines)
}

fn write_words(dir: &Path) -> Result<()> {
    const VOCABULARY: usize = 5000;
    let mut random = Random(4);
    let (mut reference, mut hypothesis) = (create(dir, "ref.txt")?, create(dir, "hyp.txt")?);
    for index in 0..NUM_SENTENCES {
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
fn put_matrix(out: &mut Vec<u8>, num_rows: usize, num_cols: usize, mut element: impl FnMut() -> f32) {
    out.extend(b"\0BFM ");
    put_int(out, num_rows);
    put_int(out, num_cols);
    out.extend((0..num_rows * num_cols).flat_map(|_| element().to_le_bytes()));
}

fn put_int(out: &mut Vec<u8>, int: usize) {
    out.push(4);
    out.extend((int as i32).to_le_bytes());
}

/// Repeatable random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Above 0, up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Normally distributed, by the method of Box and Muller.
    fn normal(&mut self) -> f32 {
        let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), std::f64::consts::TAU * self.uniform());
        (radius * angle.cos()) as f32
    }
}
