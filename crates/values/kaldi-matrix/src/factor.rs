//! The factors of a matrix product, as slices.

/// One factor of a product: elements and how to step through them.
pub struct Factor<'a, T> {
    pub data: &'a [T],
    pub rows: usize,
    pub cols: usize,
    /// The distance of the next row and of the next column.
    pub strides: (usize, usize),
}

impl<T> Factor<'_, T> {
    /// The index after the last element.
    fn end(&self) -> usize {
        match (self.rows, self.cols) {
            (0, _) | (_, 0) => 0,
            (rows, cols) => (rows - 1) * self.strides.0 + (cols - 1) * self.strides.1 + 1,
        }
    }
}

/// `left * right + beta * out`.
pub struct Product<'a, T> {
    pub left: Factor<'a, T>,
    pub right: Factor<'a, T>,
    pub beta: T,
}

impl<T> Product<'_, T> {
    /// Panics if the factors do not fit each other, go beyond their elements, or do not fit an `out` of that length.
    pub fn check(&self, out: usize) {
        assert_eq!(self.left.cols, self.right.rows);
        assert!(self.left.end() <= self.left.data.len());
        assert!(self.right.end() <= self.right.data.len());
        assert_eq!(Some(out), self.left.rows.checked_mul(self.right.cols));
    }
}
