//! Drawing figures.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::chart::{Chart, Curve, Drawn, draw_bands, draw_bars, draw_means};
use crate::colormap::Specials;
use crate::figure::{Figure, Panel, Waveform};
use crate::heat_map::HeatMap;
use crate::layout::{Layout, PanelPlace};
use crate::picture::{Image, Picture};
use crate::rect::Rect;
use crate::{Error, PictureFormat, Result, Style, side, text};

impl Figure<'_> {
    /// Draws the figure.
    ///
    /// # Errors
    /// If there are no panels, or one without features or labels, or the style makes no sense.
    pub fn draw(&self, style: &Style, format: PictureFormat) -> Result<Picture> {
        style.check()?;
        if self.panels.is_empty() || self.panels.iter().any(Panel::is_empty) {
            return Err(Error::Empty);
        }
        let (size, layout) = ((style.width, style.height), Layout::of(self, style, format));
        match format {
            PictureFormat::Png => Picture::of_pixels(size, |area| draw(&layout, style, &area)),
            PictureFormat::Svg => Picture::of_drawing(size, |area| draw(&layout, style, &area)),
        }
    }
}

fn draw<B: DrawingBackend>(layout: &Layout<'_>, style: &Style, area: &DrawingArea<B, Shift>) -> Result<Vec<Image>> {
    let mut images = Vec::new();
    let mut draw = || {
        area.fill(&WHITE)?;
        let title = text::font(layout.title_size()).into_text_style(area).pos(side::above());
        area.draw_text(&layout.title, &title, layout.title_place)?;
        let mut specials = Specials::default();
        for place in &layout.places {
            specials.extend(place.draw(area, style, &mut images)?);
        }
        side::draw_specials(area, specials, layout.legend_place, style.font_size, layout.drop)?;
        area.present()
    };
    draw().map_err(|error| Error::Encoding(error.to_string()))?;
    Ok(images)
}

impl PanelPlace<'_> {
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        style: &Style,
        images: &mut Vec<Image>,
    ) -> Drawn<B, Specials> {
        let size = style.font_size;
        let Rect { left, top, width, height } = self.rect;
        if !self.caption.is_empty() {
            let caption = text::font(size * 5 / 4).into_text_style(area).pos(side::above());
            let middle = left + width / 2;
            area.draw_text(&self.caption, &caption, (middle as i32, (top - size * 3 / 2) as i32 + self.drop / 2))?;
        }
        let margin = size / 2;
        let own = area.clone().shrink((margin, top), (left + width - margin, height + self.below));
        let mut chart = ChartBuilder::on(&own)
            .set_label_area_size(LabelAreaPosition::Left, left - margin)
            .set_label_area_size(LabelAreaPosition::Bottom, self.below)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        self.draw_axes(&mut chart, size)?;
        let specials = self.draw_content(&mut chart, style, images)?;
        area.draw(&self.rect.frame())?;
        self.side.draw(area, (self.rect, self.drop), style, self.bands.as_ref(), images)?;
        Ok(specials)
    }

    fn draw_axes<B: DrawingBackend>(&self, chart: &mut Chart<'_, B>, size: u32) -> Drawn<B> {
        let label = text::font(size).color(&BLACK);
        let silent = |_: &f64| String::new();
        let mut mesh = chart.configure_mesh();
        mesh.set_all_tick_mark_size(side::tick(size)).label_style(label.clone()).axis_desc_style(label);
        mesh.bold_line_style(BLACK.mix(0.12)).y_label_offset(self.drop);
        if !self.y_label.is_empty() {
            mesh.y_desc(&self.y_label);
        }
        match &self.x_label {
            Some("") => {}
            Some(x_label) => drop(mesh.x_desc(*x_label)),
            None => drop(mesh.x_label_formatter(&silent)),
        }
        mesh.draw()
    }

    fn draw_content<B: DrawingBackend>(
        &self,
        chart: &mut Chart<'_, B>,
        style: &Style,
        images: &mut Vec<Image>,
    ) -> Drawn<B, Specials> {
        let (start, step) = self.frames;
        match self.panel {
            Panel::Features(features) if features.dim > 1 => {
                let map = HeatMap { features, pooling: style.pooling, limits: self.limits, colormap: style.colormap };
                let range = ((self.x.range.start - start) / step, (self.x.range.end - start) / step);
                let (pixels, specials) = map.draw((self.rect.width, self.rect.height), range);
                images.push(Image { left: self.rect.left, top: self.rect.top, width: self.rect.width, pixels });
                return Ok(specials);
            }
            Panel::Features(features) => {
                let (start, thickness) = (start + step / 2.0, (size_of_lines(style) * 2).max(2));
                return Curve { values: &features.values, start, step, thickness }.draw(chart, &self.y);
            }
            Panel::Waveform(Waveform { samples, .. }) => {
                return Curve { values: samples, start, step, thickness: size_of_lines(style) }.draw(chart, &self.y);
            }
            Panel::Labels(labels) => {
                if let Some(bands) = &self.bands {
                    draw_bands(chart, (bands, labels), (start, step), style.font_size, self.drop)?;
                }
            }
            Panel::Bars { bars, .. } => draw_bars(chart, bars)?,
            Panel::Means { means, .. } => draw_means(chart, means)?,
        }
        Ok(Specials::default())
    }
}

/// The thickness of lines in pixels.
fn size_of_lines(style: &Style) -> u32 {
    (style.font_size / 16).max(1)
}
