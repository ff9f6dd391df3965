//! The layout of a picture.

use crate::axis::{Axis, line_width, tick_length, ticks_width};
use crate::color_bar::ColorBar;
use crate::colormap::Specials;
use crate::curve::Curve;
use crate::font::Font;
use crate::heat_map::HeatMap;
use crate::limits::Limits;
use crate::ticks::Ticks;
use crate::{Canvas, Color, Colormap, Error, Features, Result, Style, Timing};

/// A waveform to draw above features.
#[derive(Clone, Copy, Debug)]
pub struct Waveform<'a> {
    /// Samples of one channel.
    pub samples: &'a [f32],
    /// Samples a second, above 0.
    pub rate: f64,
}

/// The picture of one utterance.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// What stands above it.
    pub title: &'a str,
    /// What it is of.
    pub features: Features<'a>,
    /// Where frames are in time; frames are counted where that is not known.
    pub timing: Option<Timing>,
    /// What is drawn above the features, if it is known where frames are in it.
    pub waveform: Option<Waveform<'a>>,
}

impl Waveform<'_> {
    /// How far the axis of samples reaches to both sides of zero: a little further than the loudest.
    fn reach(&self) -> f64 {
        let finite = self.samples.iter().filter(|value| value.is_finite());
        let loudest = finite.fold(0.0_f32, |most, value| most.max(value.abs()));
        if loudest > 0.0 { f64::from(loudest) * 1.05 } else { 1.0 }
    }
}

/// A part of a figure with axes of its own.
struct Panel {
    across: Axis,
    up: Axis,
}

/// The colour of the lines of curves.
const LINE_COLOR: Color = Color([38, 84, 144]);
/// The part of the height that a waveform takes.
const WAVEFORM_PART: f64 = 0.27;

/// Where the parts of a figure are, and what stands beside them.
struct Layout<'a> {
    font: Font,
    /// The space between parts: half a line.
    pad: i64,
    across: Axis,
    /// The upright axis of the features.
    up: Axis,
    across_ticks: Ticks,
    up_ticks: Ticks,
    /// The waveform, with its upright axis.
    waveform: Option<(Waveform<'a>, Axis, Ticks)>,
    limits: Limits,
    /// The scale of the colours, which a curve does not need.
    bar: Option<ColorBar>,
    value_label: String,
}

impl<'a> Figure<'a> {
    /// Draws the figure.
    ///
    /// # Errors
    /// Where there are no features, or the style makes no sense.
    pub fn draw(&self, style: &Style) -> Result<Canvas> {
        style.check()?;
        if self.features.values.is_empty() {
            return Err(Error::Empty);
        }
        let mut canvas = Canvas::new(style.width, style.height);
        let layout = self.layout(style);
        let Layout { font, pad, across, up, .. } = layout;
        let middle = across.start + across.length / 2;
        let title = style.font_size.bold();
        title.draw_centered(&mut canvas, middle, pad, &title.shortened(self.title, across.length));

        let mut specials = Specials::default();
        layout.draw_waveform(&mut canvas, &mut specials);
        self.draw_features(&mut canvas, &mut specials, &layout, style);
        let below = up.start + tick_length(font) + font.height();
        let unit = if self.timing.is_some() { "Time (s)" } else { "Frame" };
        font.draw_centered(&mut canvas, middle, below, unit);
        if let Some(bar) = &layout.bar {
            let left = across.start + across.length + pad;
            bar.draw(&mut canvas, left);
            let x = left + bar.width() + pad / 2;
            font.draw_upwards(&mut canvas, x, up.start - up.length / 2, &layout.value_label);
        }
        specials.draw_legend(&mut canvas, font, style.width as i64 - pad, below);
        Ok(canvas)
    }

    fn is_curve(&self) -> bool {
        self.features.dim == 1
    }

    fn layout(&self, style: &Style) -> Layout<'a> {
        let font = style.font_size.regular();
        let (line, pad) = (font.height(), font.height() / 2);
        let (width, height) = (style.width as i64, style.height as i64);

        // From top to bottom.
        let top = pad + line + pad;
        let bottom = height - (tick_length(font) + line + line + pad);
        let waveform = self.timing.and(self.waveform);
        let features_top = match waveform {
            Some(_) => top + ((bottom - top) as f64 * WAVEFORM_PART) as i64 + line * 3 / 4,
            None => top,
        };
        let limits = match (style.colormap, style.low, style.high) {
            (Colormap::Diverging, None, None) => Limits::around_zero(self.features.values),
            (_, low, high) => Limits::of(self.features.values, low, high),
        };
        let (low, high) = match self.is_curve() {
            true => with_margin(limits.low, limits.high),
            false => (-0.5, self.features.dim as f64 - 0.5),
        };
        let up = Axis { low, high, start: bottom, length: bottom - features_top, goes_up: true };
        let up_ticks = up.ticks(font, if self.is_curve() { 0.0 } else { 1.0 });
        let waveform = waveform.map(|waveform| {
            let reach = waveform.reach();
            let end = features_top - line * 3 / 4;
            let up = Axis { low: -reach, high: reach, start: end, length: end - top, goes_up: true };
            (waveform, up, up.ticks(font, 0.0))
        });

        // From left to right.
        let labels = pad + line + pad / 2;
        let all_ticks = waveform.iter().map(|(_, _, ticks)| ticks).chain([&up_ticks]);
        let left = labels + all_ticks.map(|ticks| ticks_width(font, ticks)).max().unwrap_or(0);
        let bar = (!self.is_curve()).then(|| ColorBar::beside(&up, limits, style.colormap, font));
        let value_label = font.shortened(&style.value_label, up.length);
        let bar_width = bar.as_ref().map_or(line, |bar| {
            let label = if value_label.is_empty() { 0 } else { line + pad / 2 };
            pad + bar.width() + label + pad
        });
        let right = width - bar_width - pad / 2;
        let (low, high) = self.range(self.timing.and(self.waveform));
        let across = Axis { low, high, start: left, length: (right - left).max(1), goes_up: false };
        let across_ticks = across.ticks(font, if self.timing.is_some() { 0.0 } else { 1.0 });
        Layout { font, pad, across, up, across_ticks, up_ticks, waveform, limits, bar, value_label }
    }

    fn draw_features(&self, canvas: &mut Canvas, specials: &mut Specials, layout: &Layout<'_>, style: &Style) {
        let Layout { font, across, up, limits, .. } = *layout;
        let panel = Panel { across, up };
        panel.draw_frame(canvas, font);
        let (start, step) = self.timing.map_or((-0.5, 1.0), |timing| (timing.start, timing.shift));
        let (drawn, label) = if self.is_curve() {
            let (values, thickness) = (self.features.values, 2 * line_width(font));
            let curve = Curve { values, start: start + step / 2.0, step, color: LINE_COLOR, thickness };
            let label = if style.value_label.is_empty() { "Value" } else { &layout.value_label };
            (curve.draw(canvas, &across, &up), label)
        } else {
            let Style { pooling, colormap, .. } = *style;
            let map = HeatMap { features: self.features, start, step, pooling, limits, colormap };
            (map.draw(canvas, &across, &up), "Dimension")
        };
        drawn.iter().for_each(|special| specials.add(special));
        across.draw_ticks_below(canvas, font, &layout.across_ticks, up.start + line_width(font), true);
        up.draw_ticks_left(canvas, font, &layout.up_ticks, across.start - line_width(font));
        panel.draw_label(canvas, font, layout.pad, label);
    }

    /// What the horizontal axis reaches from and to: seconds, or frames.
    fn range(&self, waveform: Option<Waveform<'_>>) -> (f64, f64) {
        let num_frames = self.features.num_frames;
        let Some(timing) = self.timing else { return (-0.5, num_frames as f64 - 0.5) };
        let end = timing.end(num_frames);
        match waveform {
            Some(Waveform { samples, rate }) => (0.0, end.max(samples.len() as f64 / rate)),
            None => (timing.start, end),
        }
    }
}

impl Layout<'_> {
    fn draw_waveform(&self, canvas: &mut Canvas, specials: &mut Specials) {
        let Some((waveform, up, ticks)) = &self.waveform else { return };
        let Self { font, across, .. } = *self;
        let panel = Panel { across, up: *up };
        panel.draw_frame(canvas, font);
        let (values, step) = (waveform.samples, 1.0 / waveform.rate);
        let curve = Curve { values, start: 0.0, step, color: LINE_COLOR, thickness: line_width(font) };
        curve.draw(canvas, &across, up).iter().for_each(|special| specials.add(special));
        across.draw_ticks_below(canvas, font, &self.across_ticks, up.start + line_width(font), false);
        up.draw_ticks_left(canvas, font, ticks, across.start - line_width(font));
        panel.draw_label(canvas, font, self.pad, "Amplitude");
    }
}

impl Panel {
    fn draw_frame(&self, canvas: &mut Canvas, font: Font) {
        canvas.frame(self.across.pixels(), self.up.pixels(), line_width(font), Color::BLACK);
    }

    /// Draws what the upright axis counts, to its left.
    fn draw_label(&self, canvas: &mut Canvas, font: Font, left: i64, label: &str) {
        let label = font.shortened(label, self.up.length + font.height());
        font.draw_upwards(canvas, left, self.up.start - self.up.length / 2, &label);
    }
}

/// A range that is a little wider.
fn with_margin(low: f64, high: f64) -> (f64, f64) {
    let margin = 0.05 * (high - low);
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FontSize;

    fn style(width: usize, height: usize) -> Style {
        Style { width, height, ..Style::default() }
    }

    fn figure<'a>(values: &'a [f32], dim: usize) -> Figure<'a> {
        Figure { title: "utt", features: Features::new(values, values.len() / dim, dim), timing: None, waveform: None }
    }

    /// The columns that have a pixel of this colour.
    fn columns(canvas: &Canvas, color: Color) -> Vec<i64> {
        let has = |x| (0..canvas.height() as i64).any(|y| canvas.pixel(x, y) == Some(color));
        (0..canvas.width() as i64).filter(|&x| has(x)).collect()
    }

    #[test]
    fn frames_are_under_the_waveform_that_they_were_computed_from() {
        // A click in the middle of the window of frame 60: 600 ms + 12.5 ms.
        let mut samples = vec![0.0; 16_000];
        samples[9800] = 30_000.0;
        let mut values = vec![0.0; 98 * 4];
        values[60 * 4..61 * 4].fill(1.0);
        let timing = Some(Timing::of_windows(0.01, 0.025, true).unwrap());
        let waveform = Some(Waveform { samples: &samples, rate: 16_000.0 });
        let figure = Figure { timing, waveform, ..figure(&values, 4) };
        let canvas = figure.draw(&style(1000, 500)).unwrap();
        let column = |color, rows: std::ops::Range<i64>| {
            let has = |x: &i64| rows.clone().any(|y| canvas.pixel(*x, y) == Some(color));
            (0..850).filter(has).collect::<Vec<_>>()
        };
        let click = column(LINE_COLOR, 50..75);
        let frame = column(Colormap::Viridis.color(1.0), 300..400);
        let middle = (frame[0] + frame[frame.len() - 1]) / 2;
        assert!(click.len() <= 3 && frame.len() >= 6, "{click:?} {frame:?}");
        assert!((click[click.len() / 2] - middle).abs() <= 1, "{click:?} {frame:?}");
    }

    #[test]
    fn all_frames_are_drawn_where_there_are_more_than_pixels() {
        let mut values = vec![0.0; 100_000 * 2];
        values[199_998..].fill(f32::NAN);
        values[..2].fill(f32::INFINITY);
        let canvas = figure(&values, 2).draw(&style(800, 300)).unwrap();
        let (nan, infinite) = (columns(&canvas, Color([235, 0, 0])), columns(&canvas, Color([255, 0, 255])));
        // In the heat map and, together, in the legend below it on the right.
        assert!(infinite[0] < 100 && infinite[1] > infinite[0] + 500, "{infinite:?}");
        assert!(nan[0] > infinite[0] + 500, "{nan:?}");
    }

    #[test]
    fn one_dimension_is_a_curve() {
        let values: Vec<f32> = (0..50).map(|at| (at as f32 / 5.0).sin()).collect();
        let canvas = figure(&values, 1).draw(&style(600, 300)).unwrap();
        let line = columns(&canvas, LINE_COLOR);
        assert!(line.len() > 400 && line.windows(2).all(|pair| pair[1] == pair[0] + 1));
        assert!(columns(&canvas, Colormap::Viridis.color(1.0)).is_empty());
    }

    #[test]
    fn every_size_has_room_for_every_part() {
        for font_size in [FontSize::Small, FontSize::Medium, FontSize::Large] {
            let line = font_size.regular().height() as usize;
            let values: Vec<f32> = (0..500).map(|at| -1e-30 * at as f32).collect();
            let timing = Some(Timing { shift: 0.01, start: 0.0 });
            let waveform = Some(Waveform { samples: &values, rate: 8000.0 });
            for (width, height) in [(20 * line, 12 * line), (2000, 12 * line), (20 * line, 2000)] {
                let value_label = "log energy, a text that has no room".to_owned();
                let style = Style { font_size, value_label, ..style(width, height) };
                for dim in [1, 2, 50, 500] {
                    let figure = Figure { title: &"key".repeat(500), timing, waveform, ..figure(&values, dim) };
                    let canvas = figure.draw(&style).unwrap();
                    // Nothing touches the borders.
                    let (right, bottom) = (canvas.width() as i64 - 1, canvas.height() as i64 - 1);
                    let blank = |x, y| canvas.pixel(x, y) == Some(Color::WHITE);
                    assert!(
                        (0..=right).all(|x| blank(x, 0) && blank(x, bottom)),
                        "{font_size:?} {width} {height} {dim}"
                    );
                    assert!(
                        (0..=bottom).all(|y| blank(0, y) && blank(right, y)),
                        "{font_size:?} {width} {height} {dim}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let message = |style: Style| figure(&[1.0, 2.0], 2).draw(&style).unwrap_err().to_string();
        assert_eq!(message(style(10, 400)), "expected --width to be from 400 to 20000 pixels, got 10");
        assert_eq!(message(style(1000, 20_001)), "expected --height to be from 240 to 20000 pixels, got 20001");
        let limits = |low, high| Style { low: Some(low), high: Some(high), ..Style::default() };
        assert_eq!(message(limits(3.0, 3.0)), "expected --max to be above --min=3, got 3");
        assert_eq!(message(limits(f64::NAN, 3.0)), "expected --min to be a finite number, got NaN");
        assert_eq!(figure(&[], 1).draw(&Style::default()), Err(Error::Empty));
    }

    #[test]
    fn times_are_in_seconds() {
        assert_eq!(Timing::of_windows(0.01, 0.01, true), Ok(Timing { shift: 0.01, start: 0.0 }));
        assert_eq!(Timing::of_windows(0.01, 0.025, false), Ok(Timing { shift: 0.01, start: 0.0 }));
        assert!((Timing::of_windows(0.01, 0.025, true).unwrap().start - 0.0075).abs() < 1e-12);
        let message = |shift, length| Timing::of_windows(shift, length, true).unwrap_err().to_string();
        let expected = "expected --frame-shift to be above 0 and below 1, got 10 (it is in seconds)";
        assert_eq!(message(10.0, 25.0), expected);
        assert_eq!(message(f64::NAN, 0.1), "expected --frame-shift to be above 0 and below 1, got NaN");
        assert_eq!(
            message(0.01, 0.005),
            "expected --frame-length to be --frame-shift (0.01) or more, and below 10, got 0.005"
        );
    }
}
