//! Likelihoods of frames with listed Gaussians of full covariances, eight frames at a time.

use kaldi_matrix::Matrix;
use kaldi_simd::{Kernel, Lanes, WIDTH, dispatch};

use crate::{FullGmm, Mixture};

/// How many rows of a covariance are multiplied side by side.
const ROWS: usize = 4;

/// The log likelihoods of each frame with the Gaussians in its list, one list after the other.
///
/// All frames that list a Gaussian are computed together: its covariance is read once. The likelihood of a frame does not
/// depend on the others.
///
/// # Panics
/// If there is no such Gaussian, or the features have another dimension.
pub(crate) fn listed_likelihoods(gmm: &FullGmm, feats: &Matrix<f32>, lists: &[Vec<usize>]) -> Vec<f32> {
    let places = Places::new(gmm.num_gauss(), lists);
    let mut likelihoods = vec![0.0; places.places.len()];
    let mut values = vec![[Lanes::ZERO; 2]; gmm.dim()];
    for gauss in 0..gmm.num_gauss() {
        for group in places.of(gauss).chunks(2 * WIDTH) {
            if group.len() > WIDTH {
                fill::<2>(gmm, gauss, feats, group, &mut values, &mut likelihoods);
            } else {
                fill::<1>(gmm, gauss, feats, group, values.as_flattened_mut().as_chunks_mut().0, &mut likelihoods);
            }
        }
    }
    likelihoods
}

/// Computes the log likelihoods of some frames with one Gaussian, and puts them into their places.
fn fill<const N: usize>(
    gmm: &FullGmm,
    gauss: usize,
    feats: &Matrix<f32>,
    group: &[(usize, usize)],
    values: &mut [[Lanes; N]],
    likelihoods: &mut [f32],
) {
    // A group that is not full repeats its last frame.
    let frame = |at: usize| feats.row(group[at.min(group.len() - 1)].0);
    let found = dispatch(Likelihoods {
        frames: std::array::from_fn(|part| std::array::from_fn(|lane| frame(part * WIDTH + lane))),
        constant: gmm.gconsts()[gauss],
        mean: gmm.means_invcovars().row(gauss),
        inv_covar: gmm.packed_inv_covar(gauss),
        values: &mut values[..gmm.dim()],
    });
    let found = found.into_iter().flat_map(|lanes: Lanes| lanes.0);
    for (&(_, place), likelihood) in group.iter().zip(found) {
        likelihoods[place] = likelihood;
    }
}

/// Which frames list each Gaussian, and where its likelihood goes.
struct Places {
    /// Frames and places, Gaussian by Gaussian.
    places: Vec<(usize, usize)>,
    /// Where those of each Gaussian end.
    ends: Vec<usize>,
}

impl Places {
    fn new(num_gauss: usize, lists: &[Vec<usize>]) -> Self {
        let mut ends = vec![0; num_gauss];
        lists.iter().flatten().for_each(|&gauss| ends[gauss] += 1);
        // First each number is the start of its Gaussian; it becomes the end when all places are there.
        let mut num_places = 0;
        for end in &mut ends {
            num_places += std::mem::replace(end, num_places);
        }
        let mut places = vec![(0, 0); num_places];
        let listed = lists.iter().enumerate().flat_map(|(frame, list)| list.iter().map(move |&gauss| (frame, gauss)));
        for (place, (frame, gauss)) in listed.enumerate() {
            places[ends[gauss]] = (frame, place);
            ends[gauss] += 1;
        }
        Self { places, ends }
    }

    fn of(&self, gauss: usize) -> &[(usize, usize)] {
        let start = if gauss == 0 { 0 } else { self.ends[gauss - 1] };
        &self.places[start..self.ends[gauss]]
    }
}

/// The log likelihoods of `N` times eight frames with one Gaussian.
struct Likelihoods<'a, const N: usize> {
    frames: [[&'a [f32]; WIDTH]; N],
    constant: f32,
    /// The mean times the inverse covariance.
    mean: &'a [f32],
    /// The lower triangle of the inverse covariance, row after row.
    inv_covar: &'a [f32],
    /// Memory for the values of the frames.
    values: &'a mut [[Lanes; N]],
}

impl<const N: usize> Kernel for Likelihoods<'_, N> {
    type Output = [Lanes; N];

    #[inline(always)]
    fn compute(self) -> [Lanes; N] {
        let dim = self.values.len();
        for part in 0..N {
            // Slices of one length are indexed without checks.
            let [a, b, c, d, e, f, g, h] = self.frames[part].map(|frame| &frame[..dim]);
            for (at, value) in self.values.iter_mut().enumerate() {
                value[part] = Lanes([a[at], b[at], c[at], d[at], e[at], f[at], g[at], h[at]]);
            }
        }
        let values = &*self.values;
        let mut sums = [Lanes::splat(self.constant); N];
        let (mut first, mut rest) = (0, self.inv_covar);
        while first + ROWS <= values.len() {
            add_rows::<N, ROWS>(&mut sums, self.mean, values, first, &mut rest);
            first += ROWS;
        }
        while first < values.len() {
            add_rows::<N, 1>(&mut sums, self.mean, values, first, &mut rest);
            first += 1;
        }
        sums
    }
}

/// Adds what some rows of the mean and the inverse covariance contribute, from `first` on, which is where `rest` starts.
#[inline(always)]
fn add_rows<const N: usize, const COUNT: usize>(
    totals: &mut [Lanes; N],
    mean: &[f32],
    values: &[[Lanes; N]],
    first: usize,
    rest: &mut &[f32],
) {
    let (values, own) = values.split_at(first);
    // Elements left of the block, and those of its triangle.
    let (mut left, mut triangle) = ([&[][..]; COUNT], [&[][..]; COUNT]);
    let mut sums = [[Lanes::ZERO; N]; COUNT];
    for row in 0..COUNT {
        (left[row], *rest) = rest.split_at(first);
        (triangle[row], *rest) = rest.split_at(row + 1);
        sums[row] = [Lanes::splat(mean[first + row]); N];
    }
    for (col, value) in values.iter().enumerate() {
        for row in 0..COUNT {
            for part in 0..N {
                sums[row][part] = sums[row][part] - value[part] * left[row][col];
            }
        }
    }
    for row in 0..COUNT {
        for part in 0..N {
            for col in 0..row {
                sums[row][part] = sums[row][part] - own[col][part] * triangle[row][col];
            }
            // An element beside the diagonal stands for two, one on it for itself.
            let value = own[row][part];
            totals[part] += (sums[row][part] - value * (0.5 * triangle[row][row])) * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use kaldi_matrix::{SymmetricMatrix, Vector};

    use super::*;

    /// Two Gaussians with covariances, of any dimension.
    fn mixture(dim: usize) -> FullGmm {
        let elements = |gauss: usize| {
            (0..dim).flat_map(move |row| {
                (0..=row).map(move |col| if row == col { 2.0 } else { ((row * 7 + col * 3 + gauss) % 5) as f64 / 64.0 })
            })
        };
        let inv_covars: Vec<_> =
            (0..2).map(|gauss| SymmetricMatrix::from_vec(dim, elements(gauss).collect())).collect();
        let means = (0..2 * dim).map(|at| at as f32 / 16.0 - 1.0).collect();
        FullGmm::new(Vector::from_vec(vec![0.25, 0.75]), Matrix::from_vec(2, dim, means), &inv_covars).unwrap()
    }

    #[test]
    fn listed_ones_are_those_of_the_density_whatever_is_computed_with_them() {
        for dim in [1, 3, 4, 8, 13, 23, 40] {
            let gmm = mixture(dim);
            let feats = Matrix::from_vec(21, dim, (0..21 * dim).map(|at| (at * 5 % 17) as f32 / 8.0 - 1.0).collect());
            let lists: Vec<Vec<usize>> =
                (0..21).map(|frame| [vec![1, 0], vec![0], vec![1, 1]][frame % 3].clone()).collect();
            let all = listed_likelihoods(&gmm, &feats, &lists);
            let mut place = 0;
            let expected = gmm.log_likelihoods(&feats).unwrap();
            for (frame, list) in lists.iter().enumerate() {
                let alone = Matrix::from_vec(1, dim, feats.row(frame).to_vec());
                let alone = listed_likelihoods(&gmm, &alone, std::slice::from_ref(list));
                assert_eq!(all[place..place + list.len()], alone);
                for (&got, &gauss) in alone.iter().zip(list) {
                    let expected = expected.row(frame)[gauss];
                    assert!((got - expected).abs() < 1e-5 * expected.abs().max(1.0), "{dim} {frame}: {got} {expected}");
                }
                place += list.len();
            }
        }
    }

    #[test]
    fn lanes_of_any_width_give_the_same() {
        let gmm = mixture(29);
        let feats = Matrix::from_vec(8, 29, (0..8 * 29).map(|at| (at % 13) as f32 - 6.0).collect());
        let kernel = |values| Likelihoods {
            frames: [std::array::from_fn(|frame| feats.row(frame))],
            constant: gmm.gconsts()[1],
            mean: gmm.means_invcovars().row(1),
            inv_covar: gmm.packed_inv_covar(1),
            values,
        };
        let mut values = vec![[Lanes::ZERO]; 29];
        assert_eq!(dispatch(kernel(&mut values.clone())), kernel(&mut values).compute_without_fused());
    }

    #[test]
    fn frames_without_a_list_cost_nothing() {
        let lists = [vec![], vec![1], vec![]];
        assert_eq!(listed_likelihoods(&mixture(3), &Matrix::new(3, 3), &lists).len(), 1);
        assert!(listed_likelihoods(&mixture(3), &Matrix::default(), &[]).is_empty());
    }
}
