//! Linear transforms in place of the warped frequencies of vocal tract length normalization.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use crate::transform::fmllr::Affine;
use crate::transform::{FmllrStats, FmllrUpdate};
use crate::{Error, Result};

/// A transform of features for each warp factor (Kaldi's `LinearVtln`). A speaker gets the one to which a model fits best.
///
/// As text, of one class in one dimension:
///
/// ```text
/// <LinearVtln>
/// 1 <A>  [
///   1 ]
/// <logdet> 0 <warp> 1
/// <DefaultClass> 0 </LinearVtln>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearVtln {
    classes: Vec<VtlnClass>,
    default_class: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct VtlnClass {
    transform: Matrix<f32>,
    /// The log of the absolute determinant of the transform.
    log_det: f32,
    warp: f32,
}

/// The transform that was chosen for some features.
#[derive(Clone, Debug, PartialEq)]
pub struct VtlnChoice {
    /// `dim × (dim + 1)`: a square matrix, and the offsets in the last column.
    pub transform: Matrix<f32>,
    /// The class that fits best.
    pub class: usize,
    /// By how much the transform improves the log likelihood of all frames.
    pub improvement: f64,
}

impl LinearVtln {
    /// The square matrices of the classes, and their warp factors.
    pub fn transforms(&self) -> impl Iterator<Item = (&Matrix<f32>, f32)> {
        self.classes.iter().map(|class| (&class.transform, class.warp))
    }

    /// Starts with transforms that change nothing, and warp factors of 1.
    ///
    /// # Errors
    /// If there is no such default class, which is the one for features without statistics, or there are no dimensions.
    pub fn new(dim: i32, num_classes: i32, default_class: i32) -> Result<Self> {
        let size = usize::try_from(dim).ok().filter(|size| *size > 0);
        let Some(size) = size else {
            return Err(Error::Dim { got: dim, limit: i32::MAX as usize, why: "of features" });
        };
        let default = class_number(default_class, usize::try_from(num_classes).unwrap_or(0))?;
        let transform = SymmetricMatrix::identity(size).to_matrix().to_precision();
        let class = VtlnClass { transform, log_det: 0.0, warp: 1.0 };
        Ok(Self { classes: vec![class; num_classes as usize], default_class: default })
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.classes[0].transform.num_rows()
    }

    /// The number of classes.
    pub fn num_classes(&self) -> usize {
        self.classes.len()
    }

    /// The warp factor of a class; `None` if there is no such class.
    pub fn warp(&self, class: usize) -> Option<f32> {
        self.classes.get(class).map(|class| class.warp)
    }

    /// Replaces the transform of a class and, if there is one, the warp factor.
    ///
    /// # Errors
    /// If there is no such class, or the transform has another size or no inverse.
    pub fn set_transform(&mut self, class: i32, transform: Matrix<f32>, warp: Option<f32>) -> Result<()> {
        let number = class_number(class, self.num_classes())?;
        if transform.size() != (self.dim(), self.dim()) {
            return Err(Error::FeatsDim { expected: self.dim(), got: transform.num_cols() });
        }
        let failed = || Error::estimate("the determinant of the transform");
        let log_det = transform.to_precision::<f64>().log_abs_det().map_err(failed())?;
        if !log_det.is_finite() {
            return Err(failed()(kaldi_matrix::Error::Singular));
        }
        let class = &mut self.classes[number];
        class.log_det = log_det as f32;
        class.transform = transform;
        class.warp = warp.unwrap_or(class.warp);
        Ok(())
    }

    /// Chooses the class whose transform, with the offsets or the diagonal that fit best if `norm` says so, gives the
    /// largest likelihood. Determinants count `logdet_scale` times. Without frames it is the default class.
    ///
    /// Objective functions are compared in single precision as in Kaldi, where the first one of equal ones is chosen.
    ///
    /// # Errors
    /// If the statistics have another dimension, an estimate is not possible, or no class has an objective function that is
    /// a number.
    ///
    /// # Panics
    /// If `norm` is [`FmllrUpdate::Full`].
    pub fn choose(&self, stats: &FmllrStats, norm: FmllrUpdate, logdet_scale: f32) -> Result<VtlnChoice> {
        assert_ne!(norm, FmllrUpdate::Full);
        let dim = self.dim();
        if stats.dim() != dim {
            return Err(Error::FeatsDim { expected: dim, got: stats.dim() });
        }
        if stats.count() == 0.0 {
            let square = self.classes[self.default_class].transform.to_precision();
            let transform = Affine { square, offsets: vec![0.0; dim] }.to_matrix();
            return Ok(VtlnChoice { transform, class: self.default_class, improvement: 0.0 });
        }
        let before = stats.objective(&Affine::unit(dim))? as f32;
        let mut best: Option<(f32, VtlnChoice)> = None;
        for (class, of_class) in self.classes.iter().enumerate() {
            let square = of_class.transform.to_precision();
            let after = of_changed_feats(stats, &square)?;
            let mut affine = Affine::unit(dim);
            match norm {
                FmllrUpdate::Diagonal => after.estimate_diagonal(&mut affine)?,
                FmllrUpdate::Offset => after.estimate_offsets(&mut affine),
                FmllrUpdate::Full | FmllrUpdate::Nothing => {}
            }
            affine.square = affine.square.multiply(&square).map_err(Error::estimate("the product of transforms"))?;
            let transform = affine.to_matrix();
            let rounded = Affine {
                square: transform.range(0..dim, 0..dim).to_precision(),
                offsets: transform.column(dim).to_precision().into_vec(),
            };
            let mut objective = stats.objective(&rounded)? as f32;
            if logdet_scale != 1.0 {
                let change = stats.count() * f64::from((logdet_scale - 1.0) * of_class.log_det);
                objective = (f64::from(objective) + change) as f32;
            }
            if best.as_ref().map_or(!objective.is_nan(), |(largest, _)| objective > *largest) {
                let improvement = f64::from(objective - before);
                best = Some((objective, VtlnChoice { transform, class, improvement }));
            }
        }
        best.map(|(_, choice)| choice).ok_or(Error::NoClass)
    }
}

fn class_number(class: i32, num_classes: usize) -> Result<usize> {
    let number = usize::try_from(class).ok().filter(|class| *class < num_classes);
    number.ok_or(Error::VtlnClass { got: class, num_classes })
}

/// The statistics that the features would have after a transform.
fn of_changed_feats(stats: &FmllrStats, square: &Matrix<f64>) -> Result<FmllrStats> {
    let dim = stats.dim();
    let mut full = Matrix::<f64>::new(dim + 1, dim + 1);
    for (row, elements) in square.rows().enumerate() {
        full.row_mut(row)[..dim].copy_from_slice(elements);
    }
    full.row_mut(dim)[dim] = 1.0;
    let failed = || Error::estimate("statistics of changed features");
    let quadratic = stats.quadratic.iter().map(|quadratic| quadratic.transformed(&full).map_err(failed()));
    let linear = stats.linear.multiply_transposed(&full).map_err(failed())?;
    Ok(FmllrStats { count: stats.count, linear, quadratic: quadratic.collect::<Result<_>>()? })
}

impl KaldiObject for LinearVtln {
    const NAME: &'static str = "linear VTLN transforms";
    const TOKENS: Option<[&'static str; 2]> = Some(["<LinearVtln>", "</LinearVtln>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<LinearVtln>")?;
        let start = cursor.offset();
        let num_classes: i32 = cursor.read_basic()?;
        if num_classes < 1 {
            return Err(ParseError::new(start, format!("expected classes, got {num_classes} of them")));
        }
        let mut classes: Vec<VtlnClass> = Vec::new();
        for class in 0..num_classes {
            cursor.expect_token("<A>")?;
            let start = cursor.offset();
            let transform = Matrix::<f32>::read_part(cursor)?;
            let (rows, cols) = transform.size();
            let expected = classes.first().map_or(rows.max(1), |first| first.transform.num_rows());
            if (rows, cols) != (expected, expected) {
                let message = format!("expected transform {class} of {expected} by {expected}, got {rows} by {cols}");
                return Err(ParseError::new(start, message));
            }
            cursor.expect_token("<logdet>")?;
            let log_det = cursor.read_basic()?;
            cursor.expect_token("<warp>")?;
            classes.push(VtlnClass { transform, log_det, warp: cursor.read_basic()? });
        }
        cursor.skip_space();
        let start = cursor.offset();
        if cursor.rest().starts_with(b"</LinearVtln>") {
            // Old files do not have the default class; Kaldi takes the one in the middle.
            cursor.expect_token("</LinearVtln>")?;
            let default_class = classes.len().div_ceil(2).min(classes.len() - 1);
            return Ok(Self { classes, default_class });
        }
        cursor.expect_token("<DefaultClass>")?;
        let default: i32 = cursor.read_basic()?;
        let wrong = |error: Error| ParseError::new(start, error.to_string());
        let default_class = class_number(default, classes.len()).map_err(wrong)?;
        cursor.expect_token("</LinearVtln>")?;
        Ok(Self { classes, default_class })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<LinearVtln>");
        format.end_line(out);
        write_basic(out, format, self.num_classes() as i32);
        for class in &self.classes {
            write_token(out, b"<A>");
            class.transform.write_part(out, format);
            write_token(out, b"<logdet>");
            write_basic(out, format, class.log_det);
            write_token(out, b"<warp>");
            write_basic(out, format, class.warp);
            format.end_line(out);
        }
        write_token(out, b"<DefaultClass>");
        write_basic(out, format, self.default_class as i32);
        write_token(out, b"</LinearVtln>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiagGmm;
    use kaldi_matrix::Vector;
    use kaldi_value::{Frame, Value};

    /// Factors of 1, 0.5 and 2 in one dimension.
    fn vtln() -> LinearVtln {
        let mut vtln = LinearVtln::new(1, 3, 0).unwrap();
        vtln.set_transform(1, Matrix::from_vec(1, 1, vec![0.5]), Some(0.9)).unwrap();
        vtln.set_transform(2, Matrix::from_vec(1, 1, vec![2.0]), None).unwrap();
        vtln
    }

    /// Frames with a mean of `mean` and a standard deviation of 2, under a model of mean 0 and variance 1.
    fn stats(mean: f32) -> FmllrStats {
        let one = Matrix::from_vec(1, 1, vec![1.0]);
        let gmm = DiagGmm::new(Vector::from_vec(vec![1.0]), Matrix::new(1, 1), one).unwrap();
        let mut stats = FmllrStats::new(1);
        for value in [mean - 2.0, mean + 2.0] {
            stats.frames().add(&[value], [(&gmm, &[3.0][..])]).unwrap();
        }
        stats
    }

    #[test]
    fn the_class_that_fits_best_is_chosen() {
        let offset = vtln().choose(&stats(10.0), FmllrUpdate::Offset, 1.0).unwrap();
        assert_eq!((offset.class, offset.transform.as_slice()), (1, &[0.5, -5.0][..]));
        // From a mean square of 104 to 1, and the determinant.
        assert!((offset.improvement - 6.0 * (0.5 * (104.0 - 1.0) + 0.5_f64.ln())).abs() < 1e-3);
        let none = vtln().choose(&stats(0.0), FmllrUpdate::Nothing, 1.0).unwrap();
        assert_eq!((none.class, none.transform.as_slice()), (1, &[0.5, 0.0][..]));
        // All classes are equally good if the diagonal is estimated; the first one is taken.
        let diagonal = vtln().choose(&stats(10.0), FmllrUpdate::Diagonal, 1.0).unwrap();
        assert_eq!((diagonal.class, diagonal.transform.as_slice()), (0, &[0.5, -5.0][..]));
        let scaled = vtln().choose(&stats(10.0), FmllrUpdate::Diagonal, 2.0).unwrap();
        assert_eq!((scaled.class, scaled.transform.as_slice()), (2, &[0.5, -5.0][..]));
        let nothing = vtln().choose(&FmllrStats::new(1), FmllrUpdate::Offset, 1.0).unwrap();
        assert_eq!((nothing.class, nothing.transform.as_slice(), nothing.improvement), (0, &[1.0, 0.0][..], 0.0));
        assert!(vtln().choose(&FmllrStats::new(2), FmllrUpdate::Offset, 1.0).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        for format in [Format::Binary, Format::Text] {
            let bytes = vtln().to_bytes(format);
            assert_eq!(LinearVtln::read(&mut Cursor::new(&bytes)).unwrap().num_classes(), 3);
            assert_eq!(LinearVtln::frame(&bytes, true), Ok(Frame::Whole(bytes.len())));
            for length in 0..bytes.len() {
                assert!(LinearVtln::read(&mut Cursor::new(&bytes[..length])).is_err(), "{length}");
            }
        }
        let bytes = LinearVtln::new(1, 1, 0).unwrap().to_bytes(Format::Text);
        let text = "<LinearVtln> \n1 <A>  [\n  1 ]\n<logdet> 0 <warp> 1 \n<DefaultClass> 0 </LinearVtln> ";
        assert_eq!(String::from_utf8(bytes).unwrap(), text);
        let old = text.replace("<DefaultClass> 0 ", "");
        assert_eq!(
            LinearVtln::read(&mut Cursor::new(old.as_bytes())),
            LinearVtln::read(&mut Cursor::new(text.as_bytes()))
        );
        let refused = |from: &str, to: &str| {
            let text = text.replace(from, to);
            LinearVtln::read(&mut Cursor::new(text.as_bytes())).unwrap_err().to_string()
        };
        assert_eq!(refused("[\n  1 ]", "[\n  1 2 ]"), "expected transform 0 of 1 by 1, got 1 by 2");
        assert_eq!(refused("[\n  1 ]", "[ ]"), "expected transform 0 of 1 by 1, got 0 by 0");
        assert_eq!(refused("\n1 <A>", "\n-1 <A>"), "expected classes, got -1 of them");
        assert_eq!(refused("Class> 0", "Class> 1"), "expected a class below 1, got 1");
        assert!(refused("\n1 <A>", "\n2000000000 <A>").contains("expected token \"<A>\""));
    }

    #[test]
    fn classes_and_sizes_are_checked() {
        assert_eq!(LinearVtln::new(1, 3, 3), Err(Error::VtlnClass { got: 3, num_classes: 3 }));
        assert_eq!(LinearVtln::new(1, -3, 0), Err(Error::VtlnClass { got: 0, num_classes: 0 }));
        assert!(LinearVtln::new(0, 3, 0).is_err());
        assert!(vtln().set_transform(-1, Matrix::from_vec(1, 1, vec![1.0]), None).is_err());
        assert!(vtln().set_transform(0, Matrix::new(2, 2), None).is_err());
        assert!(vtln().set_transform(0, Matrix::new(1, 1), None).is_err());
        assert_eq!((vtln().warp(1), vtln().warp(2), vtln().warp(3)), (Some(0.9), Some(1.0), None));
    }
}
