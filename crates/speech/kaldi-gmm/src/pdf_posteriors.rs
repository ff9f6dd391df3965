//! Posteriors of the Gaussians of pdfs, computed pdf by pdf.

use std::ops::Range;

use kaldi_matrix::Matrix;
#[cfg(target_arch = "x86_64")]
use kaldi_simd::WideLanes;
use kaldi_simd::{Kernel, Lanes, Simd, WIDTH, dispatch, exp_all, transpose};
use kaldi_value::Posterior;

use crate::mixture::check_feats;
use crate::{AmDiagGmm, DiagGmm, Error, Mixture};

/// The frames of one pdf that are computed side by side: half of them, if there are not more.
const LANES: usize = 16;
const HALF: usize = LANES / 2;

/// How many sums [`dot`](crate::dot) has side by side, and in how many registers. Those of a frame are the same here, so that
/// it has the same likelihood in both.
const SUMS: usize = 8;
const PARTS: usize = 4;

/// A frame with a pdf, and the weight that it has there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PdfFrame {
    /// The row of the features.
    pub frame: usize,
    /// The pdf.
    pub pdf: i32,
    /// The weight.
    pub weight: f32,
}

impl PdfFrame {
    /// The pdfs of each frame, with their weights.
    pub fn all_of(pdfs: &Posterior) -> Vec<Self> {
        let of_frame = |(frame, pdfs): (usize, &Vec<(i32, f32)>)| {
            pdfs.iter().map(move |&(pdf, weight)| Self { frame, pdf, weight }).collect::<Vec<_>>()
        };
        pdfs.0.iter().enumerate().flat_map(of_frame).collect()
    }
}

/// The posteriors of the Gaussians of pdfs for some frames, times the weights of the frames.
#[derive(Clone, Debug, PartialEq)]
pub struct PdfPosteriors {
    posteriors: Vec<f32>,
    /// Where the posteriors of each frame end.
    ends: Vec<usize>,
    log_likes: Vec<f32>,
    order: PdfOrder,
}

impl PdfPosteriors {
    /// The posteriors of all Gaussians of the pdf, times the weight.
    ///
    /// # Panics
    /// If there is no such place in what was asked for.
    pub fn of(&self, place: usize) -> &[f32] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.posteriors[start..self.ends[place]]
    }

    /// The log likelihood of each frame with its pdf.
    pub fn log_likelihoods(&self) -> &[f32] {
        &self.log_likes
    }

    pub(crate) fn into_log_likelihoods(self) -> Vec<f32> {
        self.log_likes
    }

    /// The pdfs that have frames, and the places of these in what was asked for.
    pub(crate) fn by_pdf(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.order.by_pdf()
    }
}

impl AmDiagGmm {
    /// Computes the posteriors of the Gaussians of pdfs for frames, each times its weight. Frames of one pdf are computed side by
    /// side; what comes out does not depend on the others.
    ///
    /// # Errors
    /// If the features have another dimension, there is no such pdf, or a frame has no likelihood: with the place of the first
    /// frame for which it is so in `wanted`.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn posteriors(
        &self,
        feats: &Matrix<f32>,
        wanted: &[PdfFrame],
    ) -> std::result::Result<PdfPosteriors, (usize, Error)> {
        if wanted.is_empty() {
            return Ok(PdfPosteriors {
                posteriors: vec![],
                ends: vec![],
                log_likes: vec![],
                order: PdfOrder::default(),
            });
        }
        check_feats(feats, self.dim()).map_err(|error| (0, error))?;
        // What comes before a pdf that does not exist may have a fault, too.
        let unknown = wanted.iter().position(|wanted| self.pdf(wanted.pdf).is_none());
        let known = &wanted[..unknown.unwrap_or(wanted.len())];
        let order = PdfOrder::new(self.num_pdfs(), known);
        let mut ends = Vec::with_capacity(known.len());
        let mut total = 0;
        for wanted in known {
            total += self.pdfs()[wanted.pdf as usize].num_gauss();
            ends.push(total);
        }
        let mut found = PdfPosteriors { posteriors: vec![0.0; total], ends, log_likes: vec![0.0; known.len()], order };
        let (mut memory, mut half) = (Memory::<LANES>::default(), Memory::<HALF>::default());
        let PdfPosteriors { posteriors, ends, log_likes, order } = &mut found;
        for (pdf, places) in order.by_pdf() {
            let gmm = &self.pdfs()[pdf];
            for places in places.chunks(LANES) {
                let rows = |lane: usize| feats.row(known[places[lane.min(places.len() - 1)]].frame);
                let mut store = |gauss: usize, values: &[f32]| {
                    for (&place, value) in places.iter().zip(values) {
                        posteriors[ends[place] - gmm.num_gauss() + gauss] = value * known[place].weight;
                    }
                };
                if places.len() > HALF {
                    let likes = memory.compute(gmm, std::array::from_fn(rows), &mut store);
                    places.iter().zip(likes).for_each(|(&place, like)| log_likes[place] = like);
                } else {
                    let likes = half.compute(gmm, std::array::from_fn(rows), &mut store);
                    places.iter().zip(likes).for_each(|(&place, like)| log_likes[place] = like);
                }
            }
        }
        if let Some(place) = found.log_likes.iter().position(|like| !like.is_finite()) {
            return Err((place, Error::Likelihood { frame: known[place].frame }));
        }
        match unknown {
            Some(place) => Err((place, Error::Pdf { got: wanted[place].pdf, num_pdfs: self.num_pdfs() })),
            None => Ok(found),
        }
    }
}

/// Frames in the order of their pdfs, those of one pdf in their own order (counting sort).
#[derive(Clone, Debug, Default, PartialEq)]
struct PdfOrder {
    places: Vec<usize>,
    /// The pdfs that have frames, and where their places are.
    ranges: Vec<(usize, Range<usize>)>,
}

impl PdfOrder {
    fn new(num_pdfs: usize, wanted: &[PdfFrame]) -> Self {
        let mut ends = vec![0; num_pdfs];
        wanted.iter().for_each(|wanted| ends[wanted.pdf as usize] += 1);
        // First each number is the start of its pdf; it becomes the end when all places are there.
        let (mut num_places, mut ranges) = (0, Vec::new());
        for (pdf, end) in ends.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            let start = num_places;
            num_places += std::mem::replace(end, start);
            ranges.push((pdf, start..num_places));
        }
        let mut places = vec![0; num_places];
        for (place, wanted) in wanted.iter().enumerate() {
            let end = &mut ends[wanted.pdf as usize];
            places[*end] = place;
            *end += 1;
        }
        Self { places, ranges }
    }

    fn by_pdf(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.ranges.iter().map(|(pdf, range)| (*pdf, &self.places[range.clone()]))
    }
}

/// Memory for `N` frames.
struct Memory<const N: usize> {
    /// Each dimension of the frames, and then each of -0.5 times their squares.
    columns: Vec<[f32; N]>,
    /// The likelihoods with each Gaussian, and the posteriors that they become.
    values: Vec<[f32; N]>,
}

impl<const N: usize> Default for Memory<N> {
    fn default() -> Self {
        Self { columns: Vec::new(), values: Vec::new() }
    }
}

impl<const N: usize> Memory<N> {
    /// Computes the posteriors of each Gaussian, and the log likelihoods of the frames.
    fn compute(&mut self, gmm: &DiagGmm, rows: [&[f32]; N], store: &mut dyn FnMut(usize, &[f32])) -> [f32; N] {
        let Self { columns, values } = self;
        columns.resize(2 * gmm.dim(), [0.0; N]);
        values.resize(gmm.num_gauss(), [0.0; N]);
        let maxima = dispatch(Likelihoods { gmm, rows, columns, values });
        exp_all(values.as_flattened_mut());
        let sums = dispatch(DivideBySums { values });
        values.iter().enumerate().for_each(|(gauss, values)| store(gauss, values));
        std::array::from_fn(|lane| maxima[lane] + sums[lane].ln())
    }
}

/// The log likelihoods of frames with each Gaussian, without the largest one of each frame, which comes out.
struct Likelihoods<'a, const N: usize> {
    gmm: &'a DiagGmm,
    rows: [&'a [f32]; N],
    columns: &'a mut [[f32; N]],
    values: &'a mut [[f32; N]],
}

impl<const N: usize> Kernel for Likelihoods<'_, N> {
    type Output = [f32; N];

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) -> [f32; N] {
        self.compute_in(Lanes::ZERO)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compute_with_avx512(self, zero: WideLanes) -> [f32; N] {
        if N == LANES { self.compute_in(zero) } else { self.compute_in(Lanes::ZERO) }
    }
}

impl<const N: usize> Likelihoods<'_, N> {
    #[inline(always)]
    fn compute_in<S: Simd>(self, zero: S) -> [f32; N] {
        let Self { gmm, rows, columns, values } = self;
        let dim = columns.len() / 2;
        let (frames, squares) = columns.split_at_mut(dim);
        transpose_rows(rows, frames);
        let (means, inv_vars) = (gmm.means_invvars().as_slice(), gmm.inv_vars().as_slice());
        let mut maxima = [0.0; N];
        for first in (0..N).step_by(S::WIDTH) {
            for (frame, square) in frames.iter().zip(&mut *squares) {
                let frame = zero.read(&frame[first..]);
                (frame * -0.5 * frame).write(&mut square[first..]);
            }
            let mut max = zero.splat(f32::NEG_INFINITY);
            for (gauss, (value, constant)) in values.iter_mut().zip(gmm.gconsts()).enumerate() {
                let linear = dots(zero, frames, first, &means[gauss * dim..][..dim]);
                let quadratic = dots(zero, squares, first, &inv_vars[gauss * dim..][..dim]);
                let like = linear + *constant + quadratic;
                max = max.zip(like, |max, like| if like > max { like } else { max });
                like.write(&mut value[first..]);
            }
            for value in &mut *values {
                let value = &mut value[first..];
                (zero.read(value) - max).write(value);
            }
            max.write(&mut maxima[first..]);
        }
        maxima
    }
}

/// Makes columns of rows; a multiple of [`WIDTH`] of them.
#[inline(always)]
fn transpose_rows<const N: usize>(rows: [&[f32]; N], columns: &mut [[f32; N]]) {
    let dim = columns.len();
    let whole = dim / WIDTH * WIDTH;
    for begin in (0..whole).step_by(WIDTH) {
        for first in (0..N).step_by(WIDTH) {
            let mut square = [Lanes::ZERO; WIDTH];
            for lane in 0..WIDTH {
                square[lane].0.copy_from_slice(&rows[first + lane][begin..][..WIDTH]);
            }
            let square = transpose(square);
            for at in 0..WIDTH {
                columns[begin + at][first..][..WIDTH].copy_from_slice(&square[at].0);
            }
        }
    }
    for at in whole..dim {
        for lane in 0..N {
            columns[at][lane] = rows[lane][at];
        }
    }
}

/// The inner products of some frames with a row: the same sums in the same order as those of [`dot`](crate::dot). Those that
/// begin there with zero begin with a product, which makes no difference but for the sign of zero.
#[inline(always)]
fn dots<S: Simd, const N: usize>(zero: S, columns: &[[f32; N]], first: usize, row: &[f32]) -> S {
    let (blocks, rest) = columns.as_chunks::<{ SUMS * PARTS }>();
    let (row_blocks, row_rest) = row.as_chunks::<{ SUMS * PARTS }>();
    let (lanes, rest) = rest.as_chunks::<SUMS>();
    let (row_lanes, row_rest) = row_rest.as_chunks::<SUMS>();
    let none = zero.splat(0.0);
    let mut total = none;
    for sum in 0..SUMS {
        let [mut a, mut b, mut c, mut d] = [none; PARTS];
        for (number, (columns, row)) in blocks.iter().zip(row_blocks).enumerate() {
            let products = [
                zero.read(&columns[sum][first..]) * row[sum],
                zero.read(&columns[SUMS + sum][first..]) * row[SUMS + sum],
                zero.read(&columns[2 * SUMS + sum][first..]) * row[2 * SUMS + sum],
                zero.read(&columns[3 * SUMS + sum][first..]) * row[3 * SUMS + sum],
            ];
            if number == 0 {
                [a, b, c, d] = products;
            } else {
                a += products[0];
                b += products[1];
                c += products[2];
                d += products[3];
            }
        }
        for (columns, row) in lanes.iter().zip(row_lanes) {
            a += zero.read(&columns[sum][first..]) * row[sum];
        }
        total += (a + b) + (c + d);
    }
    for (column, factor) in rest.iter().zip(row_rest) {
        total += zero.read(&column[first..]) * *factor;
    }
    total
}

/// Divides the numbers of each lane by their sum, which comes out.
struct DivideBySums<'a, const N: usize> {
    values: &'a mut [[f32; N]],
}

impl<const N: usize> Kernel for DivideBySums<'_, N> {
    type Output = [f32; N];

    #[inline(always)]
    fn compute(self) -> [f32; N] {
        let mut sums = [0.0; N];
        for first in (0..N).step_by(WIDTH) {
            let mut sum = Lanes::ZERO;
            for value in &*self.values {
                sum += Lanes::ZERO.read(&value[first..]);
            }
            for value in &mut *self.values {
                let value = &mut value[first..];
                (Lanes::ZERO.read(value) / sum).write(value);
            }
            sum.write(&mut sums[first..]);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use kaldi_matrix::Vector;

    use super::*;
    use crate::softmax;

    fn value(at: usize) -> f32 {
        ((at * 7919) % 1009) as f32 / 504.0 - 1.0
    }

    fn mixture(num_gauss: usize, dim: usize) -> DiagGmm {
        let matrix = |number: fn(usize) -> f32| {
            Matrix::from_vec(num_gauss, dim, (0..num_gauss * dim).map(|at| number(at + 3 * num_gauss)).collect())
        };
        let weights = Vector::from_vec(vec![1.0 / num_gauss as f32; num_gauss]);
        DiagGmm::new(weights, matrix(|at| 4.0 * value(at)), matrix(|at| 1.5 + value(at))).unwrap()
    }

    fn wanted(pdfs: &[(usize, i32, f32)]) -> Vec<PdfFrame> {
        pdfs.iter().map(|&(frame, pdf, weight)| PdfFrame { frame, pdf, weight }).collect()
    }

    #[test]
    fn frames_of_a_pdf_have_the_bits_of_single_ones() {
        for dim in [1, 7, 8, 31, 32, 39, 40, 75] {
            // The first pdf has whole groups of frames, the second half ones, the third a single frame.
            let model = AmDiagGmm::new([10, 1, 3].map(|num_gauss| mixture(num_gauss, dim)).into()).unwrap();
            let feats = Matrix::from_vec(50, dim, (0..50 * dim).map(|at| 3.0 * value(at + 5)).collect());
            let of_frame = |frame| [(frame, i32::from(frame % 4 == 1), 1.0), (frame, 0, 0.25)];
            let mut wanted = wanted(&(0..50).flat_map(of_frame).collect::<Vec<_>>());
            wanted.push(PdfFrame { frame: 7, pdf: 2, weight: -2.0 });
            let found = model.posteriors(&feats, &wanted).unwrap();
            assert_eq!(found.log_likelihoods().len(), wanted.len());
            for (place, &PdfFrame { frame, pdf, weight }) in wanted.iter().enumerate() {
                let gmm = model.pdf(pdf).unwrap();
                let all: Vec<usize> = (0..gmm.num_gauss()).collect();
                let mut alone = gmm.log_likelihoods_of(feats.row(frame), &all);
                let log_like = softmax(&mut alone);
                alone.iter_mut().for_each(|posterior| *posterior *= weight);
                assert_eq!(found.of(place), alone, "{dim} {frame} {pdf}");
                assert_eq!(found.log_likelihoods()[place], log_like, "{dim} {frame} {pdf}");
            }
            let (order, places): (Vec<usize>, Vec<&[usize]>) = found.by_pdf().unzip();
            assert_eq!((order, places[2]), (vec![0, 1, 2], &[100][..]));
            assert!(places.iter().all(|places| places.is_sorted()));
        }
    }

    #[test]
    fn the_first_fault_is_told_with_its_place() {
        let model = AmDiagGmm::new(vec![mixture(2, 1), mixture(2, 1)]).unwrap();
        let feats = Matrix::from_vec(3, 1, vec![0.5, f32::NAN, 1.0]);
        let fault = |pdfs: &[(usize, i32, f32)]| model.posteriors(&feats, &wanted(pdfs)).unwrap_err();
        let unknown = Error::Pdf { got: 2, num_pdfs: 2 };
        assert_eq!(fault(&[(2, 1, 1.0), (1, 1, 1.0), (0, 2, 1.0)]), (1, Error::Likelihood { frame: 1 }));
        assert_eq!(fault(&[(2, 1, 1.0), (0, 2, 1.0), (1, 1, 1.0)]), (1, unknown));
        assert_eq!(fault(&[(0, 1, 1.0), (1, 1, 1.0), (1, 0, 1.0)]).0, 1);
        let wide = model.posteriors(&Matrix::new(1, 2), &wanted(&[(0, 0, 1.0)]));
        assert_eq!(wide, Err((0, Error::FeatsDim { expected: 1, got: 2 })));
        assert!(model.posteriors(&Matrix::new(1, 2), &[]).unwrap().log_likelihoods().is_empty());
    }
}
