//! The right side of a panel, which shows the meaning of its colours.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::bands::Bands;
use crate::chart::{Drawn, centered};
use crate::colormap::Specials;
use crate::figure::Panel;
use crate::limits::Limits;
use crate::picture::Image;
use crate::rect::Rect;
use crate::scale::Scale;
use crate::{Style, text};

/// The text below the labels of a legend that does not have all of them.
const MORE: &str = "...";

/// The area to the right of a panel.
#[derive(Clone, Debug)]
pub(crate) enum Side {
    Nothing,
    /// A bar with all colours and their values. An end is pointed if there are values beyond it.
    Colors {
        limits: Limits,
        scale: Scale,
        label: String,
    },
    /// The colours of labels: the most frequent ones, as many as there is room for, and whether these are all.
    Labels {
        labels: Vec<(i32, String)>,
        are_all: bool,
    },
}

impl Side {
    /// The side of a panel of this height.
    pub(crate) fn of(panel: &Panel<'_>, limits: Limits, height: u32, style: &Style) -> Self {
        let size = style.font_size;
        match panel {
            Panel::Features(features) if features.dim > 1 => {
                let scale = Scale::up(limits.low..limits.high, false, bar_height(limits, height, size), size);
                Self::Colors { limits, scale, label: text::shortened(&style.value_label, size, height) }
            }
            Panel::Labels(labels) => {
                let mut found = Bands::of(labels.labels, 1, style.pooling).labels;
                let room = (height / line(size)).max(1) as usize;
                let are_all = found.len() <= room;
                found.truncate(if are_all { room } else { room - 1 });
                found.sort_unstable();
                // A long name leaves most of the picture to the bands.
                let name = |label| text::shortened(&labels.name(label), size, style.width / 4);
                Self::Labels { labels: found.into_iter().map(|label| (label, name(label))).collect(), are_all }
            }
            _ => Self::Nothing,
        }
    }

    /// Its width in pixels, with the space to the panel.
    pub(crate) fn width(&self, style: &Style) -> u32 {
        let size = style.font_size;
        let pad = size / 2;
        match self {
            Self::Nothing => size,
            Self::Colors { scale, label, .. } => {
                let label = if label.is_empty() { 0 } else { pad + size };
                pad + size + 2 * tick(size) + scale.widest(size) + label + pad
            }
            Self::Labels { labels, .. } => {
                let names = labels.iter().map(|(_, name)| text::width(name, size));
                pad + size + pad / 2 + names.max().unwrap_or(0).max(text::width(MORE, size)) + pad
            }
        }
    }

    pub(crate) fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        (rect, drop): (Rect, i32),
        style: &Style,
        bands: Option<&Bands>,
        images: &mut Vec<Image>,
    ) -> Drawn<B> {
        match self {
            Self::Nothing => Ok(()),
            Self::Colors { limits, scale, label } => {
                let bar = ColorBar { limits, scale, label, rect, drop, style };
                bar.draw(area, images)
            }
            Self::Labels { labels, are_all } => {
                let Some(bands) = bands else { return Ok(()) };
                draw_labels(area, (bands, labels), *are_all, (rect, drop), style.font_size)
            }
        }
    }
}

struct ColorBar<'a> {
    limits: &'a Limits,
    scale: &'a Scale,
    label: &'a str,
    rect: Rect,
    drop: i32,
    style: &'a Style,
}

impl ColorBar<'_> {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, images: &mut Vec<Image>) -> Drawn<B> {
        let Self { limits, scale, rect, style, .. } = self;
        let size = style.font_size;
        let left = rect.left + rect.width + size / 2;
        let height = bar_height(**limits, rect.height, size);
        let top = rect.top + if limits.some_above { tip(size) } else { 0 };
        self.draw_tips(area, (left, top), height)?;
        // The middle of each row of pixels.
        let part = |row: u32| 1.0 - (f64::from(row) + 0.5) / f64::from(height);
        let row = |row: u32| {
            let RGBColor(red, green, blue) = style.colormap.color(part(row));
            [red, green, blue].repeat(size as usize)
        };
        images.push(Image { left, top, width: size, pixels: (0..height).flat_map(row).collect() });

        let numbers = 2 * tick(size) + scale.widest(size) + 2;
        let own = area.clone().shrink((left, top), (size + numbers, height));
        let mut chart = ChartBuilder::on(&own)
            .set_label_area_size(LabelAreaPosition::Right, numbers)
            .build_cartesian_2d(Scale::silent(0.0..1.0), (*scale).clone())?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_mesh()
            .y_label_offset(self.drop)
            .set_all_tick_mark_size(tick(size))
            .label_style(text::font(size).color(&BLACK));
        mesh.draw()?;
        area.draw(&Rect { left, top, width: size, height }.frame())?;
        if !self.label.is_empty() {
            let turned = text::font(size).transform(FontTransform::Rotate270).color(&BLACK);
            let turned = turned.pos(Pos::new(HPos::Center, VPos::Top));
            let x = (left + size + numbers + size / 4) as i32;
            area.draw_text(self.label, &turned, (x, (rect.top + rect.height / 2) as i32))?;
        }
        Ok(())
    }

    /// Draws triangles at the ends if there are values beyond them.
    fn draw_tips<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        (left, top): (u32, u32),
        height: u32,
    ) -> Drawn<B> {
        let (left, top, bottom) = (left as i32, top as i32, (top + height) as i32);
        let (size, tip) = (self.style.font_size as i32, tip(self.style.font_size) as i32);
        let ends = [
            (self.limits.some_above, top - 1, top - tip, 1.0),
            (self.limits.some_below, bottom, bottom + tip - 1, 0.0),
        ];
        for (_, base, point, part) in ends.into_iter().filter(|end| end.0) {
            let corners = vec![(left - 1, base), (left + size, base), (left + size / 2, point), (left - 1, base)];
            area.draw(&Polygon::new(corners.clone(), self.style.colormap.color(part).filled()))?;
            area.draw(&PathElement::new(corners, BLACK))?;
        }
        Ok(())
    }
}

/// Draws squares with their labels, from the top down.
fn draw_labels<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    (bands, labels): (&Bands, &[(i32, String)]),
    are_all: bool,
    (rect, drop): (Rect, i32),
    size: u32,
) -> Drawn<B> {
    let left = (rect.left + rect.width + size / 2) as i32;
    let beside = |text: String, number: usize| {
        let y = rect.top as i32 + number as i32 * line(size) as i32 + size as i32 / 2;
        let style = TextStyle::from(text::font(size)).pos(Pos::new(HPos::Left, VPos::Center));
        (Text::new(text, (left + size as i32 * 5 / 4, y + drop), style), y)
    };
    for (number, (label, name)) in labels.iter().enumerate() {
        let (name, y) = beside(name.clone(), number);
        let half = size as i32 * 3 / 8;
        area.draw(&Rectangle::new([(left, y - half), (left + 2 * half, y + half)], bands.color(*label).filled()))?;
        area.draw(&name)?;
    }
    if !are_all {
        area.draw(&beside(MORE.to_owned(), labels.len()).0)?;
    }
    Ok(())
}

/// Draws coloured squares with the names of values that are not finite, in one line that ends at `place`.
pub(crate) fn draw_specials<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    specials: Specials,
    (mut right, top): (i32, i32),
    size: u32,
    drop: i32,
) -> Drawn<B> {
    let middle = top + size as i32 / 2;
    let half = size as i32 * 3 / 8;
    for special in specials.iter().rev() {
        let width = text::width(special.name(), size) as i32;
        area.draw(&Text::new(special.name(), (right - width / 2, middle + drop), centered(size)))?;
        right -= width + size as i32 / 4;
        area.draw(&Rectangle::new(
            [(right - 2 * half, middle - half), (right, middle + half)],
            special.color().filled(),
        ))?;
        right -= 2 * half + size as i32;
    }
    Ok(())
}

/// The position of text that is centered below its rect.
pub(crate) fn above() -> Pos {
    Pos::new(HPos::Center, VPos::Top)
}

/// The length of a tick for text of this size.
pub(crate) fn tick(size: u32) -> u32 {
    size / 4
}

/// Pixels from one line of a legend to the next.
fn line(size: u32) -> u32 {
    size * 5 / 4
}

/// The height of a pointed end.
fn tip(size: u32) -> u32 {
    size * 2 / 3
}

/// The height of a bar of colours between its pointed ends.
fn bar_height(limits: Limits, height: u32, size: u32) -> u32 {
    let ends = u32::from(limits.some_below) + u32::from(limits.some_above);
    height.saturating_sub(ends * tip(size)).max(1)
}
