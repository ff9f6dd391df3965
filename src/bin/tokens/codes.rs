//! Codes of several codebooks: a matrix with a row for each frame and a column for each codebook, and the patterns in which
//! they are stored.
//!
//! ```text
//! matrix           1 11 ; 2 12 ; 3 13 ;
//! frame-major      1 11 2 12 3 13
//! codebook-major   1 2 3 11 12 13
//! delay            1 99 ; 2 11 ; 3 12 ; 99 13 ;     column k is k rows later; 99 is the padding
//! ```

use std::str::FromStr;

use kaldi_value::IntMatrix;

/// A fault of codes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CodesError {
    /// The number of codes is not that of whole frames.
    #[error("expected codes of {codebooks} codebooks, got {length} codes, which are no whole frames")]
    Length { length: usize, codebooks: usize },
    /// There are fewer codebooks than wanted.
    #[error("expected {wanted} codebooks, got {found}")]
    Codebooks { found: usize, wanted: usize },
    /// There are too few rows for a delay pattern.
    #[error("expected {codebooks} rows or more for a delay of {codebooks} codebooks, got {found}")]
    Rows { found: usize, codebooks: usize },
    /// There is a code where padding has to be.
    #[error("row {row}, codebook {codebook}: expected the padding {padding}, got {found}")]
    NoPadding { row: usize, codebook: usize, found: i32, padding: i32 },
    /// A code is equal to the padding.
    #[error("frame {frame}, codebook {codebook}: expected a code, got the padding {padding}")]
    IsPadding { frame: usize, codebook: usize, padding: i32 },
    /// An offset cannot be added or taken off.
    #[error("frame {frame}, codebook {codebook}: expected a code {}, got {code}", possible(*.offset))]
    Offset { frame: usize, codebook: usize, code: i32, offset: i64 },
    /// The list of offsets is not as long as there are codebooks.
    #[error("expected offsets of {codebooks} codebooks, got {found}")]
    Offsets { found: usize, codebooks: usize },
}

/// Which codes can have this offset; it is negative if it is taken off.
fn possible(offset: i64) -> String {
    match offset {
        ..0 => format!("of {} or more, which is its offset", -offset),
        _ => format!("from 0 to {}, so that its offset {offset} can be added", i64::from(i32::MAX) - offset),
    }
}

type Result<T> = std::result::Result<T, CodesError>;

/// Takes the codes of frame after frame.
///
/// # Errors
/// If they are no whole frames.
pub fn from_frame_major(codes: Vec<i32>, codebooks: usize) -> Result<IntMatrix> {
    let frames = num_frames(&codes, codebooks)?;
    Ok(IntMatrix::from_vec(frames, codebooks, codes))
}

/// Takes the codes of codebook after codebook.
///
/// # Errors
/// If they are not as many of each codebook.
pub fn from_codebook_major(codes: &[i32], codebooks: usize) -> Result<IntMatrix> {
    let frames = num_frames(codes, codebooks)?;
    let of_frame = |frame: usize| codes.iter().skip(frame).step_by(frames.max(1)).copied();
    Ok(IntMatrix::from_vec(frames, codebooks, (0..frames).flat_map(of_frame).collect()))
}

/// The codes of codebook after codebook.
pub fn to_codebook_major(matrix: &IntMatrix) -> Vec<i32> {
    (0..matrix.num_cols()).flat_map(|column| matrix.rows().map(move |row| row[column])).collect()
}

/// Moves each column one row further down than the one before it, and fills up with `padding`: there are as many rows
/// more as there are columns after the first. A matrix without rows stays as it is.
///
/// # Errors
/// If a code is equal to the padding.
pub fn delay(matrix: &IntMatrix, padding: i32) -> Result<IntMatrix> {
    let (frames, codebooks) = (matrix.num_rows(), matrix.num_cols());
    if frames == 0 || codebooks == 0 {
        return Ok(matrix.clone());
    }
    let rows = frames + codebooks - 1;
    let mut delayed = vec![padding; rows * codebooks];
    for (frame, row) in matrix.rows().enumerate() {
        for (codebook, &code) in row.iter().enumerate() {
            if code == padding {
                return Err(CodesError::IsPadding { frame, codebook, padding });
            }
            delayed[(frame + codebook) * codebooks + codebook] = code;
        }
    }
    Ok(IntMatrix::from_vec(rows, codebooks, delayed))
}

/// Undoes [`delay`].
///
/// # Errors
/// If there are too few rows, a code where padding has to be, or padding where a code has to be.
pub fn undelay(matrix: &IntMatrix, padding: i32) -> Result<IntMatrix> {
    let (rows, codebooks) = (matrix.num_rows(), matrix.num_cols());
    if rows == 0 || codebooks == 0 {
        return Ok(matrix.clone());
    }
    if rows < codebooks {
        return Err(CodesError::Rows { found: rows, codebooks });
    }
    let frames = rows - (codebooks - 1);
    let mut codes = vec![0; frames * codebooks];
    for (row, numbers) in matrix.rows().enumerate() {
        for (codebook, &found) in numbers.iter().enumerate() {
            match row.checked_sub(codebook).filter(|&frame| frame < frames) {
                Some(frame) if found == padding => {
                    return Err(CodesError::IsPadding { frame, codebook, padding });
                }
                Some(frame) => codes[frame * codebooks + codebook] = found,
                None if found != padding => {
                    return Err(CodesError::NoPadding { row, codebook, found, padding });
                }
                None => {}
            }
        }
    }
    Ok(IntMatrix::from_vec(frames, codebooks, codes))
}

/// The first `count` columns. A matrix without rows stays as it is.
///
/// # Errors
/// If there are fewer.
pub fn first_codebooks(matrix: &IntMatrix, count: usize) -> Result<IntMatrix> {
    if matrix.num_rows() == 0 {
        return Ok(matrix.clone());
    }
    if matrix.num_cols() < count {
        return Err(CodesError::Codebooks { found: matrix.num_cols(), wanted: count });
    }
    let codes = matrix.rows().flat_map(|row| &row[..count]).copied().collect();
    Ok(IntMatrix::from_vec(matrix.num_rows(), count, codes))
}

/// Keeps the first of equal rows next to each other; returns how many they were, too.
pub fn collapse(matrix: &IntMatrix) -> (IntMatrix, Vec<i32>) {
    let (mut codes, mut counts, mut last) = (Vec::new(), Vec::new(), None);
    for row in matrix.rows() {
        match counts.last_mut() {
            Some(count) if last == Some(row) => *count += 1,
            _ => {
                codes.extend_from_slice(row);
                counts.push(1);
                last = Some(row);
            }
        }
    }
    (IntMatrix::from_vec(counts.len(), matrix.num_cols(), codes), counts)
}

/// The number of frames of flat codes.
fn num_frames(codes: &[i32], codebooks: usize) -> Result<usize> {
    match codes.len().checked_div(codebooks) {
        Some(frames) if frames * codebooks == codes.len() => Ok(frames),
        _ => Err(CodesError::Length { length: codes.len(), codebooks }),
    }
}

/// Numbers that are added to the codes of each codebook, so that codebooks share no numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodebookOffsets {
    /// Codebook `k`, counted from 0, gets `k` times this.
    Step(i32),
    /// An offset for each codebook.
    List(Vec<i32>),
}

impl CodebookOffsets {
    /// Adds the offsets.
    ///
    /// # Errors
    /// If there are not as many as codebooks, or the sum of one that is not 0 and a code is beyond 32 bits or the code is
    /// negative.
    pub fn add(&self, codes: IntMatrix) -> Result<IntMatrix> {
        self.apply(codes, 1)
    }

    /// Takes the offsets off.
    ///
    /// # Errors
    /// If there are not as many as codebooks, or a code is below its offset, if this is not 0.
    pub fn take_off(&self, codes: IntMatrix) -> Result<IntMatrix> {
        self.apply(codes, -1)
    }

    fn apply(&self, codes: IntMatrix, sign: i64) -> Result<IntMatrix> {
        let (frames, codebooks) = (codes.num_rows(), codes.num_cols());
        match self {
            Self::List(offsets) if frames > 0 && offsets.len() != codebooks => {
                return Err(CodesError::Offsets { found: offsets.len(), codebooks });
            }
            _ => {}
        }
        let mut values = codes.into_vec();
        for (at, code) in values.iter_mut().enumerate() {
            let codebook = at % codebooks;
            let offset = sign
                * match self {
                    Self::Step(step) => i64::from(*step).saturating_mul(codebook as i64),
                    Self::List(offsets) => offsets[codebook].into(),
                };
            if offset == 0 {
                continue;
            }
            let sum = i32::try_from(i64::from(*code).saturating_add(offset)).ok().filter(|sum| *code >= 0 && *sum >= 0);
            let fault = || CodesError::Offset { frame: at / codebooks, codebook, code: *code, offset };
            *code = sum.ok_or_else(fault)?;
        }
        Ok(IntMatrix::from_vec(frames, codebooks, values))
    }
}

/// Reads a step, such as `1024`, or a list with commas, such as `0,1024`. Offsets are 0 or more.
impl FromStr for CodebookOffsets {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |word: &str| word.trim().parse().ok().filter(|&number: &i32| number >= 0);
        let numbers: Option<Vec<i32>> = text.split(',').map(number).collect();
        match numbers.as_deref() {
            Some([step]) => Ok(Self::Step(*step)),
            Some(list) => Ok(Self::List(list.to_vec())),
            None => Err(format!("expected a number of 0 or more, or several with commas, got {text:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CodesError::{Codebooks, IsPadding, Length, NoPadding, Offset, Offsets, Rows};

    fn matrix(rows: &[&[i32]]) -> IntMatrix {
        IntMatrix::from_rows(rows).unwrap()
    }

    fn example() -> IntMatrix {
        matrix(&[&[1, 11], &[2, 12], &[3, 13]])
    }

    #[test]
    fn flat_patterns_come_back() {
        assert_eq!(to_codebook_major(&example()), [1, 2, 3, 11, 12, 13]);
        assert_eq!(from_codebook_major(&[1, 2, 3, 11, 12, 13], 2), Ok(example()));
        assert_eq!(example().into_vec(), [1, 11, 2, 12, 3, 13]);
        assert_eq!(from_frame_major(vec![1, 11, 2, 12, 3, 13], 2), Ok(example()));
        for codebooks in [1, 3] {
            let empty = IntMatrix::from_vec(0, codebooks, vec![]);
            assert_eq!(from_frame_major(vec![], codebooks), Ok(empty.clone()));
            assert_eq!(from_codebook_major(&[], codebooks), Ok(empty.clone()));
            assert!(to_codebook_major(&empty).is_empty());
        }
        for (length, codebooks) in [(3, 2), (3, 0), (1, 4)] {
            let fault = Length { length, codebooks };
            assert_eq!(from_frame_major(vec![1; length], codebooks), Err(fault.clone()));
            assert_eq!(from_codebook_major(&vec![1; length], codebooks), Err(fault));
        }
    }

    #[test]
    fn delays_come_back_and_are_checked() {
        let delayed = matrix(&[&[1, 99], &[2, 11], &[3, 12], &[99, 13]]);
        assert_eq!(delay(&example(), 99), Ok(delayed.clone()));
        assert_eq!(undelay(&delayed, 99), Ok(example()));
        for other in [IntMatrix::default(), matrix(&[&[5]]), matrix(&[&[1, 2, 3]]), matrix(&[&[], &[]])] {
            assert_eq!(undelay(&delay(&other, -1).unwrap(), -1), Ok(other));
        }
        assert_eq!(delay(&example(), 12), Err(IsPadding { frame: 1, codebook: 1, padding: 12 }));
        assert_eq!(undelay(&delayed, 3), Err(NoPadding { row: 0, codebook: 1, found: 99, padding: 3 }));
        let early = matrix(&[&[1, 99], &[99, 11]]);
        assert_eq!(undelay(&early, 99), Ok(matrix(&[&[1, 11]])));
        let early = matrix(&[&[1, 99], &[2, 99], &[99, 11]]);
        assert_eq!(undelay(&early, 99), Err(IsPadding { frame: 0, codebook: 1, padding: 99 }));
        assert_eq!(undelay(&matrix(&[&[1, 99]]), 99), Err(Rows { found: 1, codebooks: 2 }));
        let late = matrix(&[&[1, 99], &[2, 11], &[3, 12]]);
        assert_eq!(undelay(&late, 99), Err(NoPadding { row: 2, codebook: 0, found: 3, padding: 99 }));
    }

    #[test]
    fn offsets_come_back_and_are_checked() {
        let step: CodebookOffsets = "100".parse().unwrap();
        let list: CodebookOffsets = "0, 50".parse().unwrap();
        assert_eq!(step.add(example()).unwrap().into_vec(), [1, 111, 2, 112, 3, 113]);
        assert_eq!(list.add(example()).unwrap().into_vec(), [1, 61, 2, 62, 3, 63]);
        for offsets in [&step, &list] {
            assert_eq!(offsets.take_off(offsets.add(example()).unwrap()), Ok(example()));
            assert_eq!(offsets.add(IntMatrix::default()), Ok(IntMatrix::default()));
        }
        let fault = Offset { frame: 0, codebook: 1, code: 11, offset: -100 };
        assert_eq!(step.take_off(example()), Err(fault.clone()));
        assert!(fault.to_string().ends_with("expected a code of 100 or more, which is its offset, got 11"), "{fault}");
        // What has no offset may be any number.
        assert_eq!(step.add(matrix(&[&[-1, 0]])).unwrap().into_vec(), [-1, 100]);
        for code in [-1, i32::MAX - 99] {
            assert_eq!(step.add(matrix(&[&[0, code]])), Err(Offset { frame: 0, codebook: 1, code, offset: 100 }));
        }
        let three = matrix(&[&[1, 2, 3]]);
        assert_eq!(list.add(three), Err(Offsets { found: 2, codebooks: 3 }));
        let steep = CodebookOffsets::Step(i32::MAX).add(matrix(&[&[0, 0, 0]]));
        assert_eq!(steep, Err(Offset { frame: 0, codebook: 2, code: 0, offset: 2 * i64::from(i32::MAX) }));
        for wrong in ["", "x", "1,", "-1", "0,-5", "1 2", "2147483648"] {
            assert!(wrong.parse::<CodebookOffsets>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn repeated_frames_collapse() {
        let codes = matrix(&[&[5, 1], &[5, 1], &[5, 2], &[5, 1]]);
        assert_eq!(collapse(&codes), (matrix(&[&[5, 1], &[5, 2], &[5, 1]]), vec![2, 1, 1]));
        assert_eq!(collapse(&IntMatrix::default()), (IntMatrix::default(), vec![]));
        assert_eq!(collapse(&matrix(&[&[], &[]])), (matrix(&[&[]]), vec![2]));
    }

    #[test]
    fn the_first_codebooks_are_kept() {
        assert_eq!(first_codebooks(&example(), 1), Ok(matrix(&[&[1], &[2], &[3]])));
        assert_eq!(first_codebooks(&example(), 2), Ok(example()));
        assert_eq!(first_codebooks(&example(), 3), Err(Codebooks { found: 2, wanted: 3 }));
        assert_eq!(first_codebooks(&IntMatrix::default(), 3), Ok(IntMatrix::default()));
    }
}
