//! Many pictures on one.

use crate::encode::encode_rows;
use crate::{Canvas, Error, Result, Style};

/// Pixels that a sheet holds at most, which take 48 MB of memory.
const MOST_PIXELS: usize = 16_000_000;

/// Pictures of the same size, to be put together to one: in rows of as many as make it as high as a page.
#[derive(Debug, Default)]
pub struct Sheet {
    pictures: Vec<Canvas>,
}

impl Sheet {
    /// Whether another picture of this style has no room. One has in any case.
    pub fn is_full(&self, style: &Style) -> bool {
        !self.pictures.is_empty() && (self.pictures.len() + 1) * style.width * style.height > MOST_PIXELS
    }

    /// Puts another picture behind those that are there.
    ///
    /// # Panics
    /// Where it is of another size.
    pub fn push(&mut self, picture: Canvas) {
        if let Some(first) = self.pictures.first() {
            assert_eq!((picture.width(), picture.height()), (first.width(), first.height()));
        }
        self.pictures.push(picture);
    }

    /// Encodes the sheet as a PNG file.
    ///
    /// # Errors
    /// Where there are no pictures.
    pub fn encode_png(&self) -> Result<Vec<u8>> {
        let Some(first) = self.pictures.first() else { return Err(Error::Empty) };
        let (width, height) = (first.width(), first.height());
        let columns = num_columns(self.pictures.len(), (width, height));
        let blank = vec![255; 3 * width];
        let blank = blank.as_slice();
        let pieces = self.pictures.chunks(columns).flat_map(|row| {
            (0..height).flat_map(move |y| {
                let gaps = std::iter::repeat_n(blank, columns - row.len());
                row.iter().map(move |picture| picture.row(y)).chain(gaps)
            })
        });
        let rows = self.pictures.len().div_ceil(columns);
        encode_rows((columns * width, rows * height), pieces)
    }
}

/// How many of `count` pictures stand side by side.
fn num_columns(count: usize, (width, height): (usize, usize)) -> usize {
    let aspect = height as f64 / (std::f64::consts::SQRT_2 * width as f64);
    ((count as f64 * aspect).sqrt().round() as usize).clamp(1, count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;

    /// The pixels of a PNG file, row by row, three bytes each.
    fn decode(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        pixels.truncate(info.buffer_size());
        (info.width, info.height, pixels)
    }

    fn picture(shade: u8) -> Canvas {
        let mut canvas = Canvas::new(2, 3);
        canvas.fill(0..2, 0..3, Color([shade; 3]));
        canvas
    }

    #[test]
    fn a_picture_comes_back() {
        let mut canvas = Canvas::new(3, 2);
        canvas.set(2, 1, Color([1, 2, 3]));
        let bytes = crate::encode_png(&canvas).unwrap();
        assert_eq!(decode(&bytes), (3, 2, [canvas.row(0), canvas.row(1)].concat()));
    }

    #[test]
    fn pictures_stand_side_by_side_and_below_each_other() {
        let mut sheet = Sheet::default();
        (1..=5).for_each(|shade| sheet.push(picture(shade)));
        let (width, height, pixels) = decode(&sheet.encode_png().unwrap());
        assert_eq!((width, height), (4, 9));
        let at = |x: usize, y: usize| pixels[3 * (4 * y + x)];
        assert_eq!([at(0, 0), at(2, 0), at(1, 3), at(3, 5), at(0, 8), at(2, 8)], [1, 2, 3, 4, 5, 255]);
    }

    #[test]
    fn few_wide_pictures_stand_below_each_other() {
        assert_eq!(num_columns(1, (900, 400)), 1);
        assert_eq!(num_columns(4, (900, 400)), 1);
        assert_eq!(num_columns(12, (900, 400)), 2);
        assert_eq!(num_columns(40, (900, 400)), 4);
        assert_eq!(num_columns(3, (10, 1000)), 3);
    }

    #[test]
    fn nothing_is_no_picture() {
        assert!(Sheet::default().encode_png().is_err());
        assert!(crate::encode_png(&Canvas::new(0, 3)).is_err());
    }

    #[test]
    fn memory_has_an_end() {
        let style = |width, height| Style { width, height, ..Style::default() };
        let mut sheet = Sheet::default();
        assert!(!sheet.is_full(&style(20_000, 20_000)));
        sheet.push(picture(1));
        assert!(sheet.is_full(&style(20_000, 20_000)) && !sheet.is_full(&style(1000, 400)));
        (1..40).for_each(|_| sheet.push(picture(1)));
        assert!(sheet.is_full(&style(1000, 400)) && !sheet.is_full(&style(1000, 390)));
    }
}
