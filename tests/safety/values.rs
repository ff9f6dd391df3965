//! Samples of every value type, for tests that treat all types alike.

use bstr::BStr;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_lattice::{CompactLattice, Fst, Lattice};
use kaldi_matrix::{
    CompressedMatrix, CompressionMethod, GeneralMatrix, HtkFeatures, Matrix, SparseMatrix, SphinxFeatures, Vector,
};
use kaldi_value::{Cursor, Format, Value};
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens};
use kaldi_wave::Wave;

/// What is done with each type: `Samples` of four values, the first not empty.
pub trait ForEachType {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]);
}

/// Calls `visitor` with samples of the types that every tool for tables of any type takes.
pub fn for_each_type(visitor: &mut impl ForEachType) {
    let matrix = |rows: usize, cols: usize| {
        let data = (0..rows * cols).map(|i| (i as f32 - 2.5) * 0.37).collect();
        Matrix::<f32>::from_vec(rows, cols, data)
    };
    let matrices = || [matrix(3, 2), matrix(0, 0), matrix(1, 4), matrix(9, 1)];
    visitor.call(matrices());
    visitor.call(matrices().map(|matrix| matrix.to_precision::<f64>()));
    for method in [CompressionMethod::SpeechFeature, CompressionMethod::TwoByteAuto, CompressionMethod::OneByteAuto] {
        // None is empty: after the header of an empty one Kaldi writes bytes that it does not read.
        let matrices = [matrix(3, 2), matrix(2, 2), matrix(1, 4), matrix(9, 1)];
        visitor.call(matrices.map(|matrix| CompressedMatrix::compress(&matrix, method).unwrap()));
    }
    visitor.call(matrices().map(GeneralMatrix::Dense));
    let sparse = |rows: &[&[(i32, f32)]]| {
        let mut matrix = SparseMatrix::<f32>::new(5);
        rows.iter().for_each(|row| matrix.push_row(row).unwrap());
        matrix
    };
    let sparse_matrices =
        || [sparse(&[&[(0, 1.5), (4, -2.0)], &[], &[(3, 0.25)]]), sparse(&[]), sparse(&[&[]]), sparse(&[&[(1, 1.0)]])];
    visitor.call(sparse_matrices());
    visitor.call(sparse_matrices().map(GeneralMatrix::Sparse));
    let vectors = || [vec![1.5, -2.0, 0.25], vec![], vec![1e-9], vec![3.0; 7]].map(Vector::<f32>::from_vec);
    visitor.call(vectors());
    visitor.call(vectors().map(|vector| vector.to_precision::<f64>()));
    visitor.call([7_i32, -1, 0, i32::MAX]);
    visitor.call([0.5_f32, -1.0, 0.0, 1e30]);
    visitor.call([0.5_f64, -1.0, 0.0, 1e300]);
    visitor.call([true, false, true, true]);
    visitor.call(["spk1", "b", "c-1", "d"].map(|word| Token::new(word).unwrap()));
    let tokens = |words: &[&str]| Tokens::new(words).unwrap();
    visitor.call([tokens(&["a", "b", "c"]), tokens(&[]), tokens(&["x"]), tokens(&["y", "z"])]);
    visitor.call([vec![1_i32, 2, 3], vec![], vec![-5], vec![100_000; 4]]);
    visitor.call([vec![vec![1_i32, 2], vec![], vec![3]], vec![], vec![vec![4]], vec![vec![5, 6, 7]]]);
    visitor.call([vec![(1_i32, 2_i32), (3, 4)], vec![], vec![(5, 6)], vec![(-7, 8)]]);
    visitor.call([
        Posterior(vec![vec![(1, 0.5), (2, 0.5)], vec![(3, 1.0)]]),
        Posterior(vec![]),
        Posterior(vec![vec![]]),
        Posterior(vec![vec![(4, 0.25)]]),
    ]);
    visitor.call([
        GaussPost(vec![vec![(1, vec![0.5, 0.25])], vec![(2, vec![1.0])]]),
        GaussPost(vec![]),
        GaussPost(vec![vec![(3, vec![1.0])]]),
        GaussPost(vec![vec![(4, vec![0.125, 1.0])]]),
    ]);
    let io = "<NnetIo> input <I1V> 2 <I1> 0 -1 0 <I1> 0 200 0 [ 1 2\n 3 4 ]\n</NnetIo>";
    let output = "<NnetIo> output <I1V> 2 <I1> 0 0 0 <I1> 1 0 0 rows=2 dim=3 [ 1 0.5 ] dim=3 [ ] </NnetIo>";
    visitor.call([&[io, output][..], &[io], &[output], &[output, io, io]].map(|parts| {
        parsed::<NnetExample>(&format!("<Nnet3Eg> <NumIo> {} {} </Nnet3Eg> ", parts.len(), parts.join(" ")))
    }));
    let chain = |name: &str, weights: &str| {
        let fst = "\n0\t1\t2\t2\n1\t2\t3\t3\t0.5\n2\n\n";
        parsed::<NnetChainExample>(&format!(
            "<Nnet3ChainEg> <NumInputs> 1 {io} <NumOutputs> 1 <NnetChainSup> {name} <I1V> 2 <I1> 0 0 0 <I1> 0 3 0 <Supervision> \
             <Weight> 1 <NumSequences> 1 <FramesPerSeq> 2 <LabelDim> 3 <End2End> F {fst}</Supervision> <DW2> {weights} \
             </NnetChainSup> </Nnet3ChainEg> "
        ))
    };
    visitor.call([
        chain("output", "[ 1 0.5 ]"),
        chain("output", "[ ]"),
        chain("output-1", "[ ]"),
        chain("x", "[ 0 1 ]"),
    ]);
    let compact =
        ["0 1 8 1.5,2,3_4\n1 2 9 0,0.5,5\n2 0.25,1,7_8\n", "", "0 1 0 1,2,3\n0 1 5 0.5,0.5,4\n1\n", "0 1,2,3\n"];
    visitor.call(compact.map(|lines| parsed::<CompactLattice>(&format!("\n{lines}\n"))));
    let plain = ["0 1 3 8 1.5,2\n1 2 4 0 0,0.5\n2 0.25,1\n", "", "0 1 3 5\n0 1 4 6 0.5,0.5\n1\n", "0 1,2\n"];
    visitor.call(plain.map(|lines| parsed::<Lattice>(&format!("\n{lines}\n"))));
    let fsts = ["0 1 3 8 1.5\n1 1 4 0 0.5\n1 0.25\n", "", "0 1 3 5\n1\n", "0 1.5\n"];
    visitor.call(fsts.map(|lines| parsed::<Fst>(&format!("\n{lines}\n"))));
}

/// Calls `visitor` with samples of the other types: values of these are not found by looking, look like those of another one, or
/// have no form as text.
pub fn for_each_other_type(visitor: &mut impl ForEachType) {
    let wave = |samples: &[f32]| Wave::new(8000.0, vec![samples.to_vec()]);
    visitor.call([wave(&[1.0, 2.0]), wave(&[0.0]), wave(&[-1.0; 3]), wave(&[5.0])]);
    let integers = |rows: usize| IntMatrix::from_vec(rows, 2, vec![1; 2 * rows]);
    visitor.call([integers(1), integers(0), integers(2), integers(3)]);
    visitor.call([vec![(0.5_f32, 1.5_f32)], vec![], vec![(1.0, -2.0)], vec![(3.0, 1e-9); 3]]);
    let feats = |dim: usize| Matrix::<f32>::from_vec(1, dim, vec![0.5; dim]);
    visitor.call([1, 2, 3, 4].map(|dim| HtkFeatures::new(feats(dim), 100_000, 9).unwrap()));
    visitor.call([(); 4].map(|()| SphinxFeatures::new(feats(13)).unwrap()));
}

/// A value of its text.
pub fn parsed<T: Value>(text: &str) -> T {
    T::read(&mut Cursor::new(text.as_bytes())).unwrap()
}

/// The archive of `samples` under the keys `utt0`, `utt1` ..., and where each entry ends.
pub fn archive<T: Value>(samples: &[T], format: Format) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for (index, sample) in samples.iter().enumerate() {
        bytes.extend_from_slice(format!("utt{index} ").as_bytes());
        sample.write(&mut bytes, format);
        ends.push(bytes.len());
    }
    (bytes, ends)
}

/// Whether an archive has values in binary form. Tokens are text in both forms.
pub fn is_binary(archive: &[u8]) -> bool {
    archive.windows(2).any(|pair| pair == b"\0B" || pair == b"\xd6\xfd")
}

/// Reads an archive to its end: the values that came before the end or an error, and the error.
pub fn read_all<T: Value>(path: &std::path::Path, options: &str) -> (Vec<T>, Option<String>) {
    let rspecifier = format!("{options}ark:{}", path.display());
    let mut values = Vec::new();
    let mut rows = match kaldi_table::SequentialReader::<T>::open(BStr::new(&rspecifier)) {
        Ok(reader) => reader,
        Err(error) => return (values, Some(error.to_string())),
    };
    for row in kaldi_table::ReaderExt::iter(&mut rows) {
        match row {
            Ok((_, value)) => values.push(value),
            Err(error) => return (values, Some(error.to_string())),
        }
    }
    (values, None)
}

/// Replaces an old file by a new one. (Some file systems wait for the disk where an old one is overwritten.)
pub fn rewrite(path: &std::path::Path, bytes: &[u8]) {
    let _ = std::fs::remove_file(path);
    std::fs::write(path, bytes).unwrap();
}
