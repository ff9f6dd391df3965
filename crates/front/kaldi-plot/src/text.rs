//! Text and its font.

use std::sync::Once;

use plotters::style::{FontDesc, FontStyle, IntoFont, register_font};

use crate::PictureFormat;

/// A part of DejaVu Sans 2.37: letters of Latin, Greek and Cyrillic scripts, of phonetics, and signs. Other letters are boxes.
static FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

const FAMILY: &str = "sans-serif";

/// The font with lines of this many pixels.
pub(crate) fn font(size: u32) -> FontDesc<'static> {
    static REGISTERED: Once = Once::new();
    // The font is part of the program, so it can be read.
    REGISTERED.call_once(|| _ = register_font(FAMILY, FontStyle::Normal, FONT));
    (FAMILY, size).into_font()
}

/// How many pixels lower text has to be drawn so that its middle is at its place: plotters draws it this much too high
/// in bitmaps.
pub(crate) fn drop(size: u32, format: PictureFormat) -> i32 {
    match format {
        PictureFormat::Png => size as i32 / 5,
        PictureFormat::Svg => 0,
    }
}

/// The width of a text in pixels.
pub(crate) fn width(text: &str, size: u32) -> u32 {
    font(size).box_size(text).map_or(0, |(width, _)| width)
}

/// The text without control characters, which SVG files cannot contain. If it is wider than `room` pixels, its middle
/// is left out.
pub(crate) fn shortened(text: &str, size: u32, room: u32) -> String {
    const DOTS: &str = "...";
    // No letter is narrower than a pixel, and keys can be long.
    let most = room as usize + 1;
    let printable = |letter: char| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter };
    let letters: Vec<char> = text.chars().map(printable).collect();
    let whole: String = letters.iter().collect();
    if letters.len() <= most && width(&whole, size) <= room {
        return whole;
    }
    let kept = |count: usize| {
        let (head, tail) = (&letters[..count.div_ceil(2)], &letters[letters.len() - count / 2..]);
        head.iter().collect::<String>() + DOTS + &tail.iter().collect::<String>()
    };
    let (mut fits, mut fails) = (0, letters.len().min(most));
    while fits + 1 < fails {
        let count = usize::midpoint(fits, fails);
        if width(&kept(count), size) <= room { fits = count } else { fails = count }
    }
    kept(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_loses_its_middle() {
        let room = width("speaker-utterance", 20);
        assert_eq!(shortened("speaker-utterance", 20, room), "speaker-utterance");
        let short = shortened("speaker-utterance", 20, room - 1);
        assert!(short.starts_with("spea") && short.contains("...") && short.ends_with("ance"), "{short}");
        assert!(width(&short, 20) < room);
        assert_eq!(shortened("speaker-utterance", 20, 0), "...");
        assert!(shortened(&"key".repeat(100_000), 20, 300).len() < 100);
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(shortened("a\u{1b}[1m\nb", 20, 1000), "a\u{fffd}[1m\u{fffd}b");
    }

    #[test]
    fn the_font_has_letters_of_many_languages() {
        let pixels = |text: &str| {
            let mut pixels = Vec::new();
            let mut push = |x: i32, y: i32, alpha: f32| {
                pixels.push((x, y, alpha.to_bits()));
                Ok::<_, ()>(())
            };
            font(30).draw(text, (0, 0), &mut push).unwrap().unwrap();
            pixels
        };
        // A letter that the font does not have is drawn as a box.
        let missing = pixels("\u{4e00}");
        assert!(missing.len() > 20 && missing == pixels("\u{5b57}"));
        for letter in ('!'..='~')
            .chain("\u{e9}\u{df}\u{142}\u{159}\u{3b1}\u{3a9}\u{436}\u{42f}\u{1ea1}\u{259}\u{2013}\u{fffd}".chars())
        {
            let drawn = pixels(&letter.to_string());
            assert!(!drawn.is_empty() && drawn != missing, "{letter}");
        }
    }
}
