//! Charts of statistics: histograms and means, one above the other, as PNG or SVG.

use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::{Canvas, Error, Result, encode_png};

/// The width of a picture, and the height of a chart in it, in pixels.
const WIDTH: u32 = 900;
const HEIGHT: u32 = 260;

/// The height of the title.
const TITLE: u32 = 40;

/// The letters of Western languages and signs, cut out of DejaVu Sans 2.37.
static FONT: &[u8] = include_bytes!("../fonts/DejaVuSans.ttf");

/// The colours of bars and lines, and of what is around lines.
const DARK: RGBColor = RGBColor(49, 104, 142);
const PALE: RGBColor = RGBColor(190, 211, 224);

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Bars side by side.
    Histogram {
        /// What stands above it.
        title: String,
        /// For each bar where it begins and ends, and its height.
        bars: Vec<(f64, f64, f64)>,
    },
    /// A line of means in a band of deviations, one for each of the numbers from 0 on.
    Means {
        /// What stands above it.
        title: String,
        /// Mean and standard deviation.
        means: Vec<(f64, f64)>,
    },
}

/// Charts under one title.
#[derive(Clone, Debug, PartialEq)]
pub struct Charts {
    /// The title.
    pub title: String,
    /// From the top down.
    pub charts: Vec<Chart>,
}

impl Charts {
    /// Draws them as a PNG file.
    ///
    /// # Errors
    /// Where there are none, or they cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>> {
        let (width, height) = self.size();
        let mut pixels = vec![255; 3 * width as usize * height as usize];
        self.draw(BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
        encode_png(&Canvas::of_pixels(width as usize, pixels))
    }

    /// Draws them as an SVG file.
    ///
    /// # Errors
    /// As [`Charts::png`].
    pub fn svg(&self) -> Result<Vec<u8>> {
        let mut text = String::new();
        self.draw(SVGBackend::with_string(&mut text, self.size()).into_drawing_area())?;
        Ok(text.into_bytes())
    }

    fn size(&self) -> (u32, u32) {
        (WIDTH, TITLE + HEIGHT * self.charts.len() as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: DrawingArea<B, Shift>) -> Result<()> {
        if self.charts.is_empty() {
            return Err(Error::Empty);
        }
        static REGISTERED: Once = Once::new();
        // A font of the program itself can be read.
        REGISTERED.call_once(|| drop(register_font("sans-serif", FontStyle::Normal, FONT)));
        let failed = |error: DrawingAreaErrorKind<B::ErrorType>| Error::Encoding(error.to_string());
        area.fill(&WHITE).map_err(failed)?;
        let area = area.margin(8, 0, 0, 0);
        let area = area.titled(&printable(&self.title), ("sans-serif", 22)).map_err(failed)?;
        for (chart, area) in self.charts.iter().zip(area.split_evenly((self.charts.len(), 1))) {
            match chart {
                Chart::Histogram { title, bars } => histogram(&area, title, bars),
                Chart::Means { title, means } => line(&area, title, means),
            }
            .map_err(failed)?;
        }
        area.present().map_err(failed)
    }
}

type Drawn<B> = std::result::Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn histogram<B: DrawingBackend>(area: &DrawingArea<B, Shift>, title: &str, bars: &[(f64, f64, f64)]) -> Drawn<B> {
    let first = bars.first().map_or(0.0, |bar| bar.0);
    let last = bars.last().map_or(1.0, |bar| bar.1);
    let top = bars.iter().map(|bar| bar.2).fold(0.0, f64::max).max(1.0);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(28)
        .y_label_area_size(70)
        .build_cartesian_2d(wide(first, last), 0.0..1.05 * top)?;
    axes(&mut chart)?;
    let bar = |&(begin, end, height): &(f64, f64, f64)| {
        let mut bar = Rectangle::new([(begin, 0.0), (end, height)], DARK.filled());
        bar.set_margin(0, 0, 0, u32::from(bars.len() < 200));
        bar
    };
    chart.draw_series(bars.iter().filter(|bar| bar.2 > 0.0).map(bar))?;
    Ok(())
}

fn line<B: DrawingBackend>(area: &DrawingArea<B, Shift>, title: &str, means: &[(f64, f64)]) -> Drawn<B> {
    let low = means.iter().map(|(mean, deviation)| mean - deviation).fold(f64::INFINITY, f64::min);
    let high = means.iter().map(|(mean, deviation)| mean + deviation).fold(f64::NEG_INFINITY, f64::max);
    let room = 0.05 * (high - low);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(28)
        .y_label_area_size(70)
        .build_cartesian_2d(wide(-0.5, means.len() as f64 - 0.5), wide(low - room, high + room))?;
    let numbered = || means.iter().enumerate().map(|(number, it)| (number as f64, it));
    let band = |(at, (mean, deviation)): (f64, &(f64, f64))| {
        Rectangle::new([(at - 0.5, mean - deviation), (at + 0.5, mean + deviation)], PALE.filled())
    };
    chart.draw_series(numbered().map(band))?;
    axes(&mut chart)?;
    chart.draw_series(LineSeries::new(numbered().map(|(at, (mean, _))| (at, *mean)), DARK.stroke_width(2)))?;
    chart.draw_series(numbered().map(|(at, (mean, _))| Circle::new((at, *mean), 3, DARK.filled())))?;
    Ok(())
}

/// The chart of two axes with numbers.
type Plain<'a, B> = ChartContext<
    'a,
    B,
    plotters::coord::cartesian::Cartesian2d<
        plotters::coord::types::RangedCoordf64,
        plotters::coord::types::RangedCoordf64,
    >,
>;

fn axes<B: DrawingBackend>(chart: &mut Plain<'_, B>) -> Drawn<B> {
    let number = |value: &f64| if *value == 0.0 { "0".to_owned() } else { label(*value) };
    let mut mesh = chart.configure_mesh();
    mesh.x_labels(10).y_labels(6).x_label_formatter(&number).y_label_formatter(&number);
    mesh.label_style(("sans-serif", 13)).light_line_style(TRANSPARENT).bold_line_style(BLACK.mix(0.12)).draw()
}

/// A number with at most six digits, and without zeros at its end.
fn label(value: f64) -> String {
    let exponent = value.abs().log10().floor();
    if !(-4.0..7.0).contains(&exponent) {
        return format!("{value:.2e}");
    }
    let digits = (5.0 - exponent).clamp(0.0, 8.0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A range that is not empty.
fn wide(low: f64, high: f64) -> std::ops::Range<f64> {
    if high > low { low..high } else { low - 0.5..low + 0.5 }
}

/// What the font has; other letters become `?`.
fn printable(title: &str) -> String {
    let known = |letter: char| if matches!(letter, ' '..='~' | '\u{a0}'..='\u{ff}') { letter } else { '?' };
    title.chars().map(known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charts() -> Charts {
        let bars = (0..20).map(|at| (f64::from(at), f64::from(at + 1), f64::from(at * at))).collect();
        let means = (0..13).map(|at| (f64::from(at) - 5.0, 1.0)).collect();
        Charts {
            title: "a <table> & \u{4e00}".to_owned(),
            charts: vec![
                Chart::Histogram { title: "values".to_owned(), bars },
                Chart::Means { title: "columns".to_owned(), means },
            ],
        }
    }

    #[test]
    fn a_picture_has_the_colours_of_bars_and_bands() {
        let bytes = charts().png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (WIDTH, TITLE + 2 * HEIGHT));
        let count =
            |color: RGBColor| pixels.chunks_exact(3).filter(|pixel| **pixel == [color.0, color.1, color.2]).count();
        assert!(count(DARK) > 20_000 && count(PALE) > 10_000, "{} {}", count(DARK), count(PALE));
        // Letters.
        let (title, _) = pixels.split_at((WIDTH * TITLE * 3) as usize);
        assert!(title.iter().filter(|value| **value < 64).count() > 300);
    }

    #[test]
    fn a_drawing_has_text_that_is_escaped() {
        let text = String::from_utf8(charts().svg().unwrap()).unwrap();
        assert!(text.starts_with("<svg ") && text.trim_end().ends_with("</svg>"), "{text}");
        assert!(text.contains("a &lt;table&gt; &amp; ?"), "{text}");
        assert!(text.matches("<rect").count() >= 30 && text.contains("<polyline"));
    }

    #[test]
    fn numbers_without_extent_are_drawn() {
        for charts in [
            vec![Chart::Histogram { title: String::new(), bars: vec![(3.0, 3.0, 7.0)] }],
            vec![Chart::Histogram { title: String::new(), bars: vec![] }],
            vec![Chart::Means { title: String::new(), means: vec![(0.0, 0.0)] }],
            vec![Chart::Means { title: String::new(), means: vec![(1e30, 1e30), (-1e30, 0.0)] }],
        ] {
            let charts = Charts { title: String::new(), charts };
            assert!(charts.png().unwrap().starts_with(b"\x89PNG"));
        }
        assert_eq!(Charts { title: String::new(), charts: vec![] }.png(), Err(Error::Empty));
    }

    #[test]
    fn labels_are_short() {
        for (value, text) in [
            (0.25, "0.25"),
            (-12.0, "-12"),
            (1e6, "1000000"),
            (1.5e9, "1.50e9"),
            (1.0 / 3.0, "0.333333"),
            (1e-7, "1.00e-7"),
        ] {
            assert_eq!(label(value), text);
        }
    }
}
