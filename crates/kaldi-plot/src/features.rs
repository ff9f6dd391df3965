//! The features of a picture.

/// Features to draw: `num_frames × dim` values, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) num_frames: usize,
    pub(crate) dim: usize,
}

impl<'a> Features<'a> {
    /// Takes the values of a matrix.
    ///
    /// # Panics
    /// Where their number is another.
    pub fn new(values: &'a [f32], num_frames: usize, dim: usize) -> Self {
        assert_eq!(Some(values.len()), num_frames.checked_mul(dim));
        Self { values, num_frames, dim }
    }
}
