//! The data of tools on models: mixtures, alignments, vectors of speakers.

use std::fs::File;
use std::io::{Result, Write};
use std::path::Path;

use crate::corpus::{Random, create, num_vectors, put_int, put_matrix};
use crate::measure::Size;

/// A mixture of Gaussians, and frames near its means.
pub fn write_ivectors(dir: &Path, size: Size) -> Result<()> {
    let (gaussians, dim) = size.pick((512, 60), (32, 16));
    let mut random = Random(8);
    let means: Vec<f32> = (0..gaussians * dim).map(|_| random.normal()).collect();
    let mut mixture = b"\0B<FullGMM> <WEIGHTS> FV ".to_vec();
    put_int(&mut mixture, gaussians);
    (0..gaussians).for_each(|_| mixture.extend((1.0 / gaussians as f32).to_le_bytes()));
    // All covariances are a half of the unit matrix.
    mixture.extend(b"<MEANS_INVCOVARS> FM ");
    put_int(&mut mixture, gaussians);
    put_int(&mut mixture, dim);
    means.iter().for_each(|mean| mixture.extend((2.0 * mean).to_le_bytes()));
    mixture.extend(b"<INV_COVARS> ");
    for _ in 0..gaussians {
        mixture.extend(b"FP ");
        put_int(&mut mixture, dim);
        let elements = (0..dim).flat_map(|row| (0..=row).map(move |col| if row == col { 2.0_f32 } else { 0.0 }));
        mixture.extend(elements.flat_map(f32::to_le_bytes));
    }
    mixture.extend(b"</FullGMM> ");
    std::fs::write(dir.join("full.ubm"), mixture)?;

    let (mut feats, mut posteriors) = (create(dir, "gauss.ark")?, create(dir, "gauss.post")?);
    for index in 0..size.pick(60, 3) {
        let nearest: Vec<usize> = (0..size.pick(800, 100)).map(|_| random.below(gaussians)).collect();
        let mut entry = format!("utt{index:02} ").into_bytes();
        let mut elements = nearest.iter().flat_map(|gauss| &means[gauss * dim..][..dim]);
        put_matrix(&mut entry, nearest.len(), dim, || elements.next().unwrap_or(&0.0) + 0.7 * random.normal());
        feats.write_all(&entry)?;
        let mut entry = format!("utt{index:02} \0B").into_bytes();
        put_int(&mut entry, nearest.len());
        for gauss in nearest {
            put_int(&mut entry, 4);
            for (other, weight) in [0.7_f32, 0.2, 0.05, 0.05].into_iter().enumerate() {
                put_int(&mut entry, if other == 0 { gauss } else { random.below(gaussians) });
                entry.push(4);
                entry.extend(weight.to_le_bytes());
            }
        }
        posteriors.write_all(&entry)?;
    }
    feats.flush()?;
    posteriors.flush()
}

/// Phones of the models.
const PHONES: usize = 100;
/// Pdfs of each of the three states of a phone.
const PDFS: usize = 10;

/// Transitions of all these phones.
pub fn transition_model() -> String {
    transitions(PHONES, PDFS)
}

/// Transitions of so many phones of three states, which have so many pdfs each.
fn transitions(num_phones: usize, num_pdfs: usize) -> String {
    let mut model = String::from("<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n");
    model.extend((1..=num_phones).map(|phone| format!("{phone} ")));
    model += "\n</ForPhones> \n";
    model.extend((0..3).map(|at| {
        format!("<State> {at} <PdfClass> {at} <Transition> {at} 0.75 <Transition> {} 0.25 </State> \n", at + 1)
    }));
    let num_tuples = num_phones * 3 * num_pdfs;
    model += &format!("<State> 3 </State> \n</TopologyEntry> \n</Topology> \n<Triples> {num_tuples} \n");
    model.extend((0..num_tuples).map(|pdf| format!("{} {} {pdf} \n", pdf / (3 * num_pdfs) + 1, pdf / num_pdfs % 3)));
    model += "</Triples> \n<LogProbs> \n [ 0 ";
    model += &"-0.2876821 -1.386294 ".repeat(num_tuples);
    model += "]\n</LogProbs> \n</TransitionModel> \n";
    model
}

/// States of the acoustic model of the examples, each of which has one pdf.
pub const STATES: usize = 30;

/// An acoustic model of ten Gaussians for each of its pdfs.
pub fn acoustic_model(random: &mut Random, dim: usize) -> Vec<u8> {
    const GAUSSIANS: usize = 10;
    // The text of the transitions is short.
    let mut model = transitions(STATES / 3, 1).into_bytes();
    model.extend(format!("<DIMENSION> {dim} <NUMPDFS> {STATES} ").bytes());
    let rows = |model: &mut Vec<u8>, element: &mut dyn FnMut() -> f32| {
        for _ in 0..GAUSSIANS {
            model.extend((0..dim).flat_map(|_| format!(" {:.3}", element()).into_bytes()));
            model.push(b'\n');
        }
        model.extend(b" ] ");
    };
    for _ in 0..STATES {
        model.extend(b"<DiagGMM> <WEIGHTS> [");
        model.extend(b" 0.1".repeat(GAUSSIANS));
        model.extend(b" ] <MEANS_INVVARS> [ ");
        rows(&mut model, &mut || random.normal());
        model.extend(b"<INV_VARS> [ ");
        rows(&mut model, &mut || 0.5);
        model.extend(b"</DiagGMM> ");
    }
    model
}

/// Paths through these phones.
pub fn write_models(dir: &Path, size: Size) -> Result<()> {
    let model = transition_model();
    for (name, length) in [("final.mdl", model.len()), ("large.mdl", 100_000_000)] {
        std::fs::write(dir.join(name), &model)?;
        File::options().write(true).open(dir.join(name))?.set_len(length as u64)?;
    }

    let mut random = Random(7);
    let (mut alignments, mut posteriors) = (create(dir, "ali.ark")?, create(dir, "post.ark")?);
    for index in 0..num_vectors(size) {
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
        write_alignment(&mut alignments, index, &ids)?;
        write_posterior(&mut posteriors, index, &ids)?;
    }
    alignments.flush()?;
    posteriors.flush()
}

/// Writes an entry of integers.
pub fn write_alignment(file: &mut impl Write, index: usize, ids: &[usize]) -> Result<()> {
    let mut entry = format!("utt{index:05} \0B").into_bytes();
    put_int(&mut entry, ids.len());
    ids.iter().for_each(|&id| put_int(&mut entry, id));
    file.write_all(&entry)
}

/// Writes transition-ids of frames as a posterior of their one utterance.
pub fn write_posterior(file: &mut impl Write, index: usize, ids: &[usize]) -> Result<()> {
    let mut entry = format!("utt{index:05} \0B").into_bytes();
    put_int(&mut entry, ids.len());
    for &id in ids {
        put_int(&mut entry, 1);
        put_int(&mut entry, id);
        entry.push(4);
        entry.extend(1.0_f32.to_le_bytes());
    }
    file.write_all(&entry)
}

/// Speakers, and their utterances near them.
pub fn write_speakers(dir: &Path, size: Size) -> Result<()> {
    const DIM: usize = 200;
    const UTTERANCES: usize = 40;
    let (num_speakers, num_trials) = size.pick((200, 400_000), (10, 100));
    let mut random = Random(9);
    let [mut speech, mut speakers] = [create(dir, "speech.ark")?, create(dir, "speakers.ark")?];
    let [mut spk2utt, mut utt2spk, mut trials] =
        [create(dir, "spk2utt")?, create(dir, "utt2spk")?, create(dir, "trials")?];
    for speaker in 0..num_speakers {
        let mean: Vec<f32> = (0..DIM).map(|_| random.normal()).collect();
        write_vector(&mut speakers, &format!("spk{speaker:03}"), &mean)?;
        write!(spk2utt, "spk{speaker:03}")?;
        for utterance in 0..UTTERANCES {
            let key = format!("spk{speaker:03}-{utterance:02}");
            let vector: Vec<f32> = mean.iter().map(|mean| mean + random.normal()).collect();
            write_vector(&mut speech, &key, &vector)?;
            write!(spk2utt, " {key}")?;
            writeln!(utt2spk, "{key} spk{speaker:03}")?;
        }
        writeln!(spk2utt)?;
    }
    for _ in 0..num_trials {
        let [speaker, other] = [0; 2].map(|_| random.below(num_speakers));
        writeln!(trials, "spk{speaker:03} spk{other:03}-{:02}", random.below(UTTERANCES))?;
    }
    let mut transform = Vec::new();
    put_matrix(&mut transform, 150, DIM, || random.normal() / 14.0);
    std::fs::write(dir.join("speech.mat"), transform)?;
    [speech, speakers, spk2utt, utt2spk, trials].iter_mut().try_for_each(Write::flush)
}

fn write_vector(file: &mut impl Write, key: &str, vector: &[f32]) -> Result<()> {
    let mut entry = format!("{key} \0BFV ").into_bytes();
    put_int(&mut entry, vector.len());
    entry.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
    file.write_all(&entry)
}
