//! Drawing within a pair of axes.

use plotters::chart::ChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;

use crate::bands::Bands;
use crate::buckets::buckets;
use crate::colormap::{Special, Specials};
use crate::figure::FrameLabels;
use crate::scale::Scale;
use crate::text;

/// A pair of axes to draw in.
pub(crate) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Scale, Scale>>;

/// A failure of the back end.
pub(crate) type Failure<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;

pub(crate) type Drawn<B, T = ()> = std::result::Result<T, Failure<B>>;

/// The colours of lines and bars, and of the area around lines.
pub(crate) const DARK: RGBColor = RGBColor(38, 84, 144);
pub(crate) const PALE: RGBColor = RGBColor(190, 211, 224);

/// Values at regular places along the horizontal axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve<'a> {
    pub(crate) values: &'a [f32],
    /// The place of the first value.
    pub(crate) start: f64,
    /// The distance from one value to the next.
    pub(crate) step: f64,
    /// Pixels.
    pub(crate) thickness: u32,
}

impl Curve<'_> {
    /// Draws a line through the values; if several share a column of pixels, through the lowest and the highest of
    /// them. Columns with a value that is not finite have the colour of that value.
    pub(crate) fn draw<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, up: &Scale) -> Drawn<B, Specials> {
        let (width, _) = chart.plotting_area().dim_in_pixel();
        let mut specials = Specials::default();
        let mut line = Vec::new();
        // Lines are one pixel wide if they are dense.
        let thickness = if self.values.len() > width as usize { 1 } else { self.thickness };
        for range in buckets(self.values.len(), width as usize) {
            let values = &self.values[range.clone()];
            if let Some(special) = values.iter().find_map(|&value| Special::of(value.into())) {
                specials.add(special);
                self.finish_line(chart, &mut line, thickness)?;
                let (from, to) = (self.place(range.start) - self.step / 2.0, self.place(range.end) - self.step / 2.0);
                let bar = Rectangle::new([(from, up.range.start), (to, up.range.end)], special.color().filled());
                chart.draw_series([bar])?;
                continue;
            }
            let middle = f64::midpoint(self.place(range.start), self.place(range.end - 1));
            let point = |at: usize| (middle, up.clamp(values[at].into()));
            let extreme = |is_more: fn(f32, f32) -> bool| {
                (1..values.len()).fold(0, |best, at| if is_more(values[at], values[best]) { at } else { best })
            };
            let (low, high) = (extreme(|a, b| a < b), extreme(|a, b| a > b));
            line.push(point(low.min(high)));
            if low != high {
                line.push(point(low.max(high)));
            }
        }
        self.finish_line(chart, &mut line, thickness)?;
        Ok(specials)
    }

    fn place(&self, at: usize) -> f64 {
        self.start + at as f64 * self.step
    }

    /// Draws the finished line. A single point is a dot.
    fn finish_line<B: DrawingBackend>(
        &self,
        chart: &mut Chart<'_, B>,
        line: &mut Vec<(f64, f64)>,
        thickness: u32,
    ) -> Drawn<B> {
        match std::mem::take(line) {
            points if points.is_empty() => {}
            points if points.len() == 1 => {
                chart.draw_series([Circle::new(points[0], thickness, DARK.filled())])?;
            }
            points => {
                chart.draw_series([PathElement::new(points, DARK.stroke_width(thickness))])?;
            }
        }
        Ok(())
    }
}

/// Draws a rectangle for each run of equal labels, with the label in it if there is room.
pub(crate) fn draw_bands<B: DrawingBackend>(
    chart: &mut Chart<'_, B>,
    (bands, labels): (&Bands, &FrameLabels<'_>),
    (start, step): (f64, f64),
    size: u32,
    drop: i32,
) -> Drawn<B> {
    let (width, _) = chart.plotting_area().dim_in_pixel();
    let extent = chart.x_range();
    let per_pixel = (extent.end - extent.start) / f64::from(width);
    let place = |at: usize| start + at as f64 * step;
    let rectangle = |&(from, to, label): &(usize, usize, i32)| {
        Rectangle::new([(place(from), 0.0), (place(to), 1.0)], bands.color(label).filled())
    };
    chart.draw_series(bands.runs.iter().map(rectangle))?;
    for &(from, to, label) in &bands.runs {
        let room = ((place(to) - place(from)) / per_pixel) as u32;
        // Most have no room, and need not be measured.
        if room <= size {
            continue;
        }
        let name = labels.name(label);
        if text::width(&name, size) + size / 4 <= room {
            let middle = EmptyElement::at((f64::midpoint(place(from), place(to)), 0.5));
            chart.draw_series([middle + Text::new(name, (0, drop), centered(size))])?;
        }
    }
    Ok(())
}

/// The style of text that is centered at its place.
pub(crate) fn centered(size: u32) -> TextStyle<'static> {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    TextStyle::from(text::font(size)).pos(Pos::new(HPos::Center, VPos::Center))
}

/// Draws a bar for each start, end and height that is above zero.
pub(crate) fn draw_bars<B: DrawingBackend>(chart: &mut Chart<'_, B>, bars: &[(f64, f64, f64)]) -> Drawn<B> {
    let bar = |&(begin, end, height): &(f64, f64, f64)| {
        let mut bar = Rectangle::new([(begin, 0.0), (end, height)], DARK.filled());
        bar.set_margin(0, 0, 0, u32::from(bars.len() < 200));
        bar
    };
    chart.draw_series(bars.iter().filter(|bar| bar.2 > 0.0 && bar.2.is_finite()).map(bar))?;
    Ok(())
}

/// Draws a line of means in a band of deviations. Values that are not finite are left out.
pub(crate) fn draw_means<B: DrawingBackend>(chart: &mut Chart<'_, B>, means: &[(f64, f64)]) -> Drawn<B> {
    let is_finite = |(mean, deviation): &(f64, f64)| (mean - deviation).is_finite() && (mean + deviation).is_finite();
    let numbered = || means.iter().enumerate().filter(|it| is_finite(it.1)).map(|(number, it)| (number as f64, it));
    let band = |(at, (mean, deviation)): (f64, &(f64, f64))| {
        Rectangle::new([(at - 0.5, mean - deviation), (at + 0.5, mean + deviation)], PALE.filled())
    };
    chart.draw_series(numbered().map(band))?;
    chart.draw_series(LineSeries::new(numbered().map(|(at, (mean, _))| (at, *mean)), DARK.stroke_width(2)))?;
    if means.len() <= 200 {
        chart.draw_series(numbered().map(|(at, (mean, _))| Circle::new((at, *mean), 3, DARK.filled())))?;
    }
    Ok(())
}
