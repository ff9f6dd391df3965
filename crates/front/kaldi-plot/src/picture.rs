//! Pictures and their files.

use std::collections::HashMap;
use std::io::Write;

use base64::prelude::*;
use plotters::prelude::*;

use crate::{Error, Result};

/// The format of a picture file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels: 8 bits each of red, green and blue.
    #[default]
    Png,
    /// Lines and letters, which stay sharp in every size.
    Svg,
}

impl PictureFormat {
    /// Every format with its name.
    pub const NAMES: [(&str, Self); 2] = [("png", Self::Png), ("svg", Self::Svg)];

    /// The format for the ending of a file name, `.png` or `.svg` in any case.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        let (_, ending) = name.split_at_checked(name.len().checked_sub(4)?)?;
        [Self::Png, Self::Svg].into_iter().find(|format| {
            ending.strip_prefix(b".").is_some_and(|ending| ending.eq_ignore_ascii_case(format.ending().as_bytes()))
        })
    }

    /// The ending of names of files, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
        }
    }
}

/// A picture that was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// Row by row from the top, three bytes each.
    Pixels(Vec<u8>),
    /// The text of an SVG file.
    Drawing(String),
}

/// Pixels at a place in a picture, row by row from the top, three bytes each.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) pixels: Vec<u8>,
}

impl Picture {
    /// Makes a picture of pixels from the drawing of `draw` and the images that it returns.
    pub(crate) fn of_pixels(
        (width, height): (u32, u32),
        draw: impl FnOnce(DrawingArea<BitMapBackend<'_>, plotters::coord::Shift>) -> Result<Vec<Image>>,
    ) -> Result<Self> {
        let mut pixels = vec![255; 3 * width as usize * height as usize];
        let images = draw(BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
        for image in &images {
            for (row, y) in image.pixels.chunks_exact(3 * image.width as usize).zip(image.top as usize..) {
                let at = 3 * (y * width as usize + image.left as usize);
                pixels[at..at + row.len()].copy_from_slice(row);
            }
        }
        Ok(Self { width, height, content: Content::Pixels(pixels) })
    }

    /// A picture of cells of one pixel, row by row from the top. Each is the number of one of the `colors` (red, green and blue); what
    /// is beyond them has the last one. A row that is not complete is left out.
    pub fn of_cells(width: u32, cells: &[u8], colors: &[[u8; 3]]) -> Self {
        let rows = cells.chunks_exact(width.max(1) as usize);
        let height = rows.len() as u32;
        let color = |&cell: &u8| colors.get(usize::from(cell)).or(colors.last()).copied().unwrap_or_default();
        Self { width, height, content: Content::Pixels(rows.flatten().flat_map(color).collect()) }
    }

    /// Like [`Picture::of_pixels`], with lines and letters. Images are embedded as PNG files.
    pub(crate) fn of_drawing(
        (width, height): (u32, u32),
        draw: impl FnOnce(DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Result<Vec<Image>>,
    ) -> Result<Self> {
        let mut text = String::new();
        let images = draw(SVGBackend::with_string(&mut text, (width, height)).into_drawing_area())?;
        let end = text.rfind("</svg>").unwrap_or(text.len());
        text.truncate(end);
        for Image { left, top, width, pixels } in images {
            let height = pixels.len() as u32 / (3 * width);
            let file = encode_png((width, height), [&pixels[..]].into_iter())?;
            text += &format!("<image x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" ");
            text += &format!(
                "preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>\n",
                BASE64_STANDARD.encode(file)
            );
        }
        text += "</svg>\n";
        Ok(Self { width, height, content: Content::Drawing(text) })
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn encode(&self) -> Result<Vec<u8>> {
        match &self.content {
            Content::Pixels(pixels) => encode_png((self.width, self.height), [&pixels[..]].into_iter()),
            Content::Drawing(text) => Ok(text.clone().into_bytes()),
        }
    }

    /// The bytes of a file that is as small as possible, and takes longer: a PNG file of at most 256 colours has a palette.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn encode_small(&self) -> Result<Vec<u8>> {
        match &self.content {
            Content::Pixels(pixels) => encode_small((self.width, self.height), pixels),
            Content::Drawing(_) => self.encode(),
        }
    }
}

/// The colours of pixels, three bytes each, and the place of each pixel's colour among them; `None` if there are more than 256.
fn find_palette(pixels: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut colors, mut places) = (Vec::new(), HashMap::new());
    let mut indices = Vec::with_capacity(pixels.len() / 3);
    for pixel in pixels.as_chunks::<3>().0 {
        let next = places.len();
        let place = *places.entry(*pixel).or_insert(next);
        indices.push(u8::try_from(place).ok()?);
        if place == next {
            colors.extend(pixel);
        }
    }
    Some((colors, indices))
}

/// Encodes pixels as a small PNG file: with a palette if there are few colours.
fn encode_small((width, height): (u32, u32), pixels: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Balanced);
    let palette = find_palette(pixels);
    if let Some((colors, _)) = &palette {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(colors);
        // The places of colours are no sizes, whose differences would be small.
        encoder.set_filter(png::Filter::NoFilter);
    }
    let failed = |error: png::EncodingError| Error::Encoding(error.to_string());
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(palette.as_ref().map_or(pixels, |(_, indices)| indices)).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}

/// Encodes pixels as a PNG file. They come in pieces, from the upper left corner, three bytes each.
pub(crate) fn encode_png<'a>((width, height): (u32, u32), pieces: impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let failed = |error: png::EncodingError| Error::Encoding(error.to_string());
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut rows = writer.stream_writer().map_err(failed)?;
    for piece in pieces {
        rows.write_all(piece).map_err(|error| Error::Encoding(error.to_string()))?;
    }
    rows.finish().map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::decode;

    #[test]
    fn names_tell_the_format() {
        for (name, format) in [
            ("a.png", Some(PictureFormat::Png)),
            ("a.SVG", Some(PictureFormat::Svg)),
            (".svg", Some(PictureFormat::Svg)),
            ("png", None),
            ("a.jpg", None),
            ("xpng", None),
            ("\u{e9}\u{e9}", None),
        ] {
            assert_eq!(PictureFormat::of_name(name.as_bytes()), format, "{name}");
        }
    }

    #[test]
    fn images_are_put_into_pictures() {
        let image = || Image { left: 1, top: 2, width: 2, pixels: vec![7; 3 * 2 * 3] };
        let picture = Picture::of_pixels((4, 6), |_| Ok(vec![image()])).unwrap();
        let (width, height, pixels) = decode(&picture.encode().unwrap());
        assert_eq!((width, height), (4, 6));
        for (at, pixel) in pixels.iter().enumerate() {
            let is_inside = (1..3).contains(&(at % 4)) && (2..5).contains(&(at / 4));
            assert_eq!(*pixel, if is_inside { [7; 3] } else { [255; 3] }, "{at}");
        }

        let drawing = Picture::of_drawing((4, 6), |_| Ok(vec![image()])).unwrap();
        let text = String::from_utf8(drawing.encode().unwrap()).unwrap();
        let (_, rest) = text.split_once("<image x=\"1\" y=\"2\" width=\"2\" height=\"3\" ").unwrap();
        let (_, rest) = rest.split_once("base64,").unwrap();
        let (code, rest) = rest.split_once("\"").unwrap();
        assert_eq!(decode(&BASE64_STANDARD.decode(code).unwrap()), (2, 3, vec![[7; 3]; 6]));
        assert_eq!(rest, "/>\n</svg>\n");
    }

    #[test]
    fn cells_have_their_colours() {
        let picture = Picture::of_cells(2, &[0, 1, 1, 9, 0], &[[1, 2, 3], [4, 5, 6]]);
        let (width, height, pixels) = decode(&picture.encode_small().unwrap());
        assert_eq!((width, height, pixels), (2, 2, vec![[1, 2, 3], [4, 5, 6], [4, 5, 6], [4, 5, 6]]));
    }

    #[test]
    fn pixels_of_every_size_come_back() {
        let mut word = 1_u32;
        for (width, height) in [(1, 1), (1, 300), (300, 1), (7, 5), (500, 333)] {
            let mut noise = || {
                word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (word >> 24) as u8
            };
            let pixels: Vec<u8> = (0..3 * width * height).map(|_| noise()).collect();
            let file = encode_png((width, height), pixels.chunks(3 * width as usize)).unwrap();
            assert!(decode(&file).2.as_flattened() == pixels, "{width} by {height}");
        }
        assert!(encode_png((0, 3), [].into_iter()).is_err());
        assert!(encode_png((1, 2), [&[1, 2, 3][..]].into_iter()).is_err(), "too few pixels");
    }

    #[test]
    fn few_colours_take_less_room() {
        let mut word = 1_u32;
        let mut noise = |colors: u32| {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((word >> 8) % colors) as u8
        };
        for colors in [2, 20, 256, 257] {
            let pixels: Vec<u8> = (0..300 * 200)
                .flat_map(|at| match at {
                    0 if colors == 257 => [9, 9, 0],
                    1..257 if colors > 255 => [(at - 1) as u8, 7, 9],
                    _ => [noise(colors.min(256)), 7, 9],
                })
                .collect();
            let picture = Picture { width: 300, height: 200, content: Content::Pixels(pixels.clone()) };
            let (small, large) = (picture.encode_small().unwrap(), picture.encode().unwrap());
            assert!(decode(&small).2.as_flattened() == pixels, "{colors}");
            assert!(small.len() < large.len() || colors == 257, "{colors}: {} {}", small.len(), large.len());
        }
    }

    #[test]
    fn what_is_even_takes_little_room() {
        let pixels = vec![255; 3_000_000];
        assert!(encode_png((1000, 1000), [&pixels[..]].into_iter()).unwrap().len() < 20_000);
    }
}
