//! Text.

use std::str::FromStr;

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

use crate::{Canvas, Color, Error};

/// The height of a line of text in pixels. All distances in a figure go by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FontSize {
    /// 16 pixels.
    Small,
    /// 20 pixels.
    #[default]
    Medium,
    /// 32 pixels.
    Large,
}

impl FromStr for FontSize {
    type Err = Error;

    fn from_str(size: &str) -> Result<Self, Error> {
        match size {
            "16" => Ok(Self::Small),
            "20" => Ok(Self::Medium),
            "32" => Ok(Self::Large),
            _ => Err(Error::option("font-size", "16, 20 or 32", size)),
        }
    }
}

impl FontSize {
    fn raster(self) -> RasterHeight {
        match self {
            Self::Small => RasterHeight::Size16,
            Self::Medium => RasterHeight::Size20,
            Self::Large => RasterHeight::Size32,
        }
    }

    pub(crate) fn regular(self) -> Font {
        Font { size: self, is_bold: false }
    }

    pub(crate) fn bold(self) -> Font {
        Font { size: self, is_bold: true }
    }
}

/// What text is drawn with: Noto Sans Mono, whose characters are all of the same width. What it does not have is shown as a
/// question mark in a diamond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Font {
    size: FontSize,
    is_bold: bool,
}

impl Font {
    /// Pixels from one line to the next.
    pub(crate) fn height(self) -> i64 {
        self.size.raster().val() as i64
    }

    /// Pixels from one character to the next.
    pub(crate) fn advance(self) -> i64 {
        get_raster_width(FontWeight::Regular, self.size.raster()) as i64
    }

    /// The width of a text in pixels.
    pub(crate) fn width(self, text: &str) -> i64 {
        text.chars().count() as i64 * self.advance()
    }

    /// Draws text whose upper left corner is at `x`, `y`.
    pub(crate) fn draw(self, canvas: &mut Canvas, x: i64, y: i64, text: &str) {
        self.each_pixel(text, |right, down, alpha| canvas.blend(x + right, y + down, Color::BLACK, alpha));
    }

    /// Draws text around `x`, with its top at `y`.
    pub(crate) fn draw_centered(self, canvas: &mut Canvas, x: i64, y: i64, text: &str) {
        self.draw(canvas, x - self.width(text) / 2, y, text);
    }

    /// Draws text that runs upwards around `y`, with its top to the left, at `x`.
    pub(crate) fn draw_upwards(self, canvas: &mut Canvas, x: i64, y: i64, text: &str) {
        let start = y + self.width(text) / 2;
        self.each_pixel(text, |right, down, alpha| canvas.blend(x + down, start - 1 - right, Color::BLACK, alpha));
    }

    /// The text, with its middle left out where it is longer than `width` pixels.
    pub(crate) fn shortened(self, text: &str, width: i64) -> String {
        const DOTS: &str = "...";
        let room = (width / self.advance()).max(0) as usize;
        let characters: Vec<char> = text.chars().collect();
        if characters.len() <= room {
            return text.to_owned();
        }
        let kept = room.saturating_sub(DOTS.len());
        let (head, tail) = (&characters[..kept.div_ceil(2)], &characters[characters.len() - kept / 2..]);
        head.iter().collect::<String>() + DOTS + &tail.iter().collect::<String>()
    }

    /// Calls `draw` with the place and the darkness of every pixel of the text that is not blank.
    fn each_pixel(self, text: &str, mut draw: impl FnMut(i64, i64, u8)) {
        let raster = |character| get_raster(character, FontWeight::Regular, self.size.raster());
        let bold = if self.is_bold { self.height() / 16 } else { 0 };
        for (start, character) in (0..).step_by(self.advance() as usize).zip(text.chars()) {
            let Some(glyph) = raster(character).or_else(|| raster(char::REPLACEMENT_CHARACTER)) else { continue };
            for (down, row) in (0..).zip(glyph.rows()) {
                for (right, &alpha) in (start..).zip(row) {
                    if alpha > 0 {
                        // A bold character is the same one twice, a little apart: a font of its own would be as large as all else.
                        (0..=bold).for_each(|more| draw(right + more, down, alpha));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How dark each row of a drawing is.
    fn rows(canvas: &Canvas) -> Vec<u32> {
        let dark = |y| canvas.row(y).iter().map(|&byte| 255 - u32::from(byte)).sum();
        (0..canvas.height()).map(dark).collect()
    }

    fn transposed(canvas: &Canvas) -> Canvas {
        let mut other = Canvas::new(canvas.height(), canvas.width());
        for y in 0..canvas.height() as i64 {
            for x in 0..canvas.width() as i64 {
                other.set(y, x, canvas.pixel(x, y).unwrap());
            }
        }
        other
    }

    #[test]
    fn every_size_has_printable_characters() {
        for (name, height) in [("16", 16), ("20", 20), ("32", 32)] {
            let size: FontSize = name.parse().unwrap();
            for font in [size.regular(), size.bold()] {
                assert_eq!(font.height(), height);
                for character in '!'..='~' {
                    let mut canvas = Canvas::new(40, 40);
                    font.draw(&mut canvas, 0, 0, &character.to_string());
                    assert!(rows(&canvas).iter().sum::<u32>() > 0, "{character} {name}");
                }
            }
        }
        assert!("17".parse::<FontSize>().is_err());
    }

    #[test]
    fn bold_text_is_darker() {
        let dark = |font: Font| {
            let mut canvas = Canvas::new(200, 40);
            font.draw(&mut canvas, 0, 0, "utterance");
            rows(&canvas).iter().sum::<u32>()
        };
        for size in [FontSize::Small, FontSize::Medium, FontSize::Large] {
            assert!(dark(size.bold()) > dark(size.regular()), "{size:?}");
        }
    }

    #[test]
    fn a_character_that_the_font_lacks_is_shown_as_such() {
        let draw = |text: &str| {
            let mut canvas = Canvas::new(30, 20);
            FontSize::Medium.regular().draw(&mut canvas, 0, 0, text);
            canvas
        };
        assert_eq!(draw("\u{4e00}"), draw("\u{fffd}"));
        assert_eq!(draw("\u{7}"), draw("\u{fffd}"));
        assert_ne!(draw("\u{fffd}"), draw(" "));
    }

    #[test]
    fn upwards_is_turned_to_the_left() {
        let font = FontSize::Small.regular();
        let (mut along, mut up) = (Canvas::new(60, 20), Canvas::new(20, 60));
        font.draw(&mut along, 0, 0, "Ld");
        font.draw_upwards(&mut up, 0, font.width("Ld") / 2, "Ld");
        let upwards: Vec<u32> = rows(&up).into_iter().take(font.width("Ld") as usize).rev().collect();
        assert_eq!(upwards, rows(&transposed(&along))[..upwards.len()]);
    }

    #[test]
    fn a_long_text_loses_its_middle() {
        let font = FontSize::Medium.regular();
        let room = |characters: i64| characters * font.advance();
        assert_eq!(font.shortened("speaker-utterance", room(17)), "speaker-utterance");
        assert_eq!(font.shortened("speaker-utterance", room(16)), "speaker...erance");
        assert_eq!(font.shortened("speaker-utterance", room(4)), "s...");
        assert_eq!(font.shortened("speaker-utterance", -7), "...");
    }
}
