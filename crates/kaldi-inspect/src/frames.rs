//! Values over time.

use kaldi_io::ParseError;
use kaldi_matrix::{GeneralMatrix, HtkFeatures, Matrix, SphinxFeatures, Vector};
use kaldi_scan::ValueType;
use kaldi_values::Cursor;
use kaldi_values::{GaussPost, Posterior};
use kaldi_wave::Wave;

use crate::content::part;
use crate::{Entry, Result};

/// What a value has for each frame, or for each sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// Numbers: the rows of a matrix, in single precision. Each number of a vector is a row.
    Rows(Matrix<f32>),
    /// Indices with weights: of posteriors. Weights of Gaussians are added up; indices without weights have 1.
    Lists(Vec<Vec<(i32, f32)>>),
    /// A label.
    Labels(Vec<i32>),
    /// Samples of a waveform.
    Wave(Wave),
}

impl Frames {
    /// The names of the types that have frames, for messages.
    pub const TYPES: &str = "matrices, vectors, integer vectors, posteriors or waveforms";

    /// Reads the value of an entry, or the part of it that its range names; nothing where a value of this type has no frames.
    ///
    /// # Errors
    /// Where it cannot be read, or is no value of the type.
    pub fn read(entry: &Entry, value_type: &ValueType) -> Result<Option<Self>> {
        let Some(parse) = parser(value_type) else { return Ok(None) };
        let bytes = entry.bytes()?;
        let range = entry.range().map(|range| range.as_ref());
        parse(&mut Cursor::new(&bytes), range).map(Some).map_err(|error| entry.error(error))
    }

    /// The number of frames or samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(matrix) => matrix.num_rows(),
            Self::Lists(lists) => lists.len(),
            Self::Labels(labels) => labels.len(),
            Self::Wave(wave) => wave.num_samples(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

type Parse = fn(&mut Cursor<'_>, Option<&[u8]>) -> std::result::Result<Frames, ParseError>;

fn parser(value_type: &ValueType) -> Option<Parse> {
    Some(match value_type.name() {
        "matrix" => |cursor, range| Ok(Frames::Rows(part::<GeneralMatrix>(cursor, range)?.into_matrix())),
        "htk" => |cursor, range| Ok(Frames::Rows(part::<HtkFeatures>(cursor, range)?.into_feats())),
        "sphinx" => |cursor, range| Ok(Frames::Rows(part::<SphinxFeatures>(cursor, range)?.into_feats())),
        "vector" => |cursor, range| {
            let vector = part::<Vector<f32>>(cursor, range)?;
            Ok(Frames::Rows(Matrix::from_vec(vector.dim(), 1, vector.into_vec())))
        },
        "int32-vector" => |cursor, range| Ok(Frames::Labels(part(cursor, range)?)),
        "posterior" => |cursor, range| Ok(Frames::Lists(part::<Posterior>(cursor, range)?.0)),
        "gauss-post" => |cursor, range| {
            let sums = |(index, weights): (i32, Vec<f32>)| (index, weights.iter().sum());
            let lists = part::<GaussPost>(cursor, range)?.0.into_iter();
            Ok(Frames::Lists(lists.map(|list| list.into_iter().map(sums).collect()).collect()))
        },
        "int32-vector-vector" => |cursor, range| {
            let lists = part::<Vec<Vec<i32>>>(cursor, range)?.into_iter();
            Ok(Frames::Lists(lists.map(|list| list.into_iter().map(|index| (index, 1.0)).collect()).collect()))
        },
        "wave" => |cursor, range| Ok(Frames::Wave(part(cursor, range)?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use kaldi_reader::Reader;

    use super::*;
    use crate::Entries;

    /// What the first entry of a table in text form has, whose type is found by looking.
    fn frames(text: &str) -> Option<Frames> {
        let mut entries = Entries::open(format!("ark:printf '{text}' |").as_str().into(), None).unwrap();
        let entry = entries.next().unwrap().unwrap();
        Frames::read(&entry, entries.value_type()).unwrap()
    }

    fn rows(num_rows: usize, values: &[f32]) -> Option<Frames> {
        Some(Frames::Rows(Matrix::from_vec(num_rows, values.len() / num_rows, values.to_vec())))
    }

    #[test]
    fn values_have_what_is_over_time() {
        assert_eq!(frames("a [\\n 1 2\\n 3 4\\n 5 6 ]\\n"), rows(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(frames("a [ 1 2.5 ]\\n"), rows(2, &[1.0, 2.5]));
        assert_eq!(frames("a 1 1 7\\n"), Some(Frames::Labels(vec![1, 1, 7])));
        let lists = vec![vec![(4, 0.25), (5, 0.75)], vec![]];
        assert_eq!(frames("a [ 4 0.25 5 0.75 ] [ ]\\n"), Some(Frames::Lists(lists)));
        assert_eq!(frames("a 4 5 ; 6 7 8 ;\\n").map(|it| it.len()), Some(2));
    }

    #[test]
    fn other_values_have_no_frames() {
        for text in ["a 1\\n", "a hello world\\n", "a 1.5\\n", "a 1 2 ; 3 4\\n"] {
            assert_eq!(frames(text), None, "{text}");
        }
    }

    #[test]
    fn weights_of_gaussians_are_added_up() {
        let gauss_post: &'static ValueType = "gauss-post".parse().unwrap();
        let mut bytes = b"a ".to_vec();
        let value = GaussPost(vec![vec![(3, vec![0.25, 0.5]), (4, vec![])], vec![]]);
        kaldi_values::Value::write(&value, &mut bytes, kaldi_values::Format::Binary);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.ark"), bytes).unwrap();
        let name = format!("ark:{}/a.ark", folder.path().display());
        let entry = Entries::open(name.as_str().into(), Some(gauss_post)).unwrap().next().unwrap().unwrap();
        let frames = Frames::read(&entry, gauss_post).unwrap();
        assert_eq!(frames, Some(Frames::Lists(vec![vec![(3, 0.75), (4, 0.0)], vec![]])));
    }
}
