//! Many pictures on one.

use crate::picture::{Content, encode_png};
use crate::{Error, Picture, Result, Style};

/// The most pixels that a sheet holds, which take 48 MB of memory.
const MOST_PIXELS: usize = 16_000_000;

/// Pictures of the same size and format, to be combined to one. The number of pictures in a row is chosen so that the
/// result has the shape of a page.
#[derive(Debug, Default)]
pub struct Sheet {
    pictures: Vec<Picture>,
}

impl Sheet {
    /// Whether there is no room for another picture of this style. There is always room for one.
    pub fn is_full(&self, style: &Style) -> bool {
        !self.pictures.is_empty()
            && (self.pictures.len() + 1) * style.width as usize * style.height as usize > MOST_PIXELS
    }

    /// Appends another picture.
    ///
    /// # Panics
    /// If it has another size.
    pub fn push(&mut self, picture: Picture) {
        if let Some(first) = self.pictures.first() {
            assert_eq!((picture.width, picture.height), (first.width, first.height));
        }
        self.pictures.push(picture);
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If there are no pictures.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let Some(&Picture { width, height, ref content }) = self.pictures.first() else { return Err(Error::Empty) };
        let columns = num_columns(self.pictures.len(), (width, height));
        let size = (columns as u32 * width, self.pictures.len().div_ceil(columns) as u32 * height);
        match content {
            Content::Pixels(_) => self.encode_pixels(columns, size),
            Content::Drawing(_) => Ok(self.encode_drawings(columns, size)),
        }
    }

    fn encode_pixels(&self, columns: usize, size: (u32, u32)) -> Result<Vec<u8>> {
        let Some(first) = self.pictures.first() else { return Err(Error::Empty) };
        let length = 3 * first.width as usize;
        let blank = vec![255; length];
        let pieces = self.pictures.chunks(columns).flat_map(|row| {
            let blank = &blank[..];
            (0..first.height as usize).flat_map(move |y| {
                (0..columns).map(move |column| match row.get(column).map(|picture| &picture.content) {
                    Some(Content::Pixels(pixels)) => &pixels[y * length..(y + 1) * length],
                    _ => blank,
                })
            })
        });
        encode_png(size, pieces)
    }

    /// A drawing of drawings, each at its place.
    fn encode_drawings(&self, columns: usize, (width, height): (u32, u32)) -> Vec<u8> {
        let mut text = format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n"
        );
        for (number, picture) in self.pictures.iter().enumerate() {
            let Content::Drawing(drawing) = &picture.content else { continue };
            let (x, y) = ((number % columns) as u32 * picture.width, (number / columns) as u32 * picture.height);
            text += &drawing.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{y}\" "), 1);
        }
        (text + "</svg>\n").into_bytes()
    }
}

/// How many of `count` pictures are in one row.
fn num_columns(count: usize, (width, height): (u32, u32)) -> usize {
    let aspect = f64::from(height) / (std::f64::consts::SQRT_2 * f64::from(width));
    ((count as f64 * aspect).sqrt().round() as usize).clamp(1, count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::decode;

    fn picture(shade: u8) -> Picture {
        Picture { width: 2, height: 3, content: Content::Pixels(vec![shade; 18]) }
    }

    #[test]
    fn pictures_stand_side_by_side_and_below_each_other() {
        let mut sheet = Sheet::default();
        (1..=5).for_each(|shade| sheet.push(picture(shade)));
        let (width, height, pixels) = decode(&sheet.encode().unwrap());
        assert_eq!((width, height), (4, 9));
        let at = |x: usize, y: usize| pixels[4 * y + x][0];
        assert_eq!([at(0, 0), at(2, 0), at(1, 3), at(3, 5), at(0, 8), at(2, 8)], [1, 2, 3, 4, 5, 255]);
    }

    #[test]
    fn drawings_keep_their_places() {
        let mut sheet = Sheet::default();
        for number in 1..=5 {
            let drawing = format!("<svg width=\"2\" height=\"3\"><text>{number}</text></svg>\n");
            sheet.push(Picture { width: 2, height: 3, content: Content::Drawing(drawing) });
        }
        let text = String::from_utf8(sheet.encode().unwrap()).unwrap();
        assert!(text.starts_with("<svg width=\"4\" height=\"9\" viewBox=\"0 0 4 9\""), "{text}");
        assert!(text.contains("<svg x=\"2\" y=\"3\" width=\"2\" height=\"3\"><text>4</text></svg>"), "{text}");
        assert_eq!((text.matches("<svg ").count(), text.matches("</svg>").count()), (6, 6));
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
        assert_eq!(Sheet::default().encode(), Err(Error::Empty));
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
