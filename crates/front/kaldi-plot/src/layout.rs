//! Where the parts of a figure are.

use std::ops::Range;

use crate::bands::Bands;
use crate::figure::{Figure, Panel, Waveform};
use crate::limits::Limits;
use crate::rect::Rect;
use crate::scale::Scale;
use crate::side::{Side, tick};
use crate::{Colormap, Features, PictureFormat, Style, text};

/// The shares of the height for features and for a waveform above them.
const SHARES: (u32, u32) = (8, 3);

/// The places of everything, in pixels.
pub(crate) struct Layout<'a> {
    pub(crate) title: String,
    /// The middle of its upper border.
    pub(crate) title_place: (i32, i32),
    pub(crate) places: Vec<PanelPlace<'a>>,
    /// The right end and the top of the legend of values without a colour.
    pub(crate) legend_place: (i32, i32),
    size: u32,
    /// See [`text::drop`].
    pub(crate) drop: i32,
}

/// A panel, the rectangle in which it is drawn, and what is at its side.
pub(crate) struct PanelPlace<'a> {
    pub(crate) panel: &'a Panel<'a>,
    pub(crate) rect: Rect,
    /// Pixels below it for ticks and numbers.
    pub(crate) below: u32,
    pub(crate) caption: String,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
    /// The label of the horizontal axis; `None` if the panel below has the numbers.
    pub(crate) x_label: Option<&'static str>,
    pub(crate) y_label: String,
    /// The start of the first value on the horizontal axis, and the distance to the next one.
    pub(crate) frames: (f64, f64),
    /// The values at the ends of the colours.
    pub(crate) limits: Limits,
    pub(crate) bands: Option<Bands>,
    pub(crate) side: Side,
    /// See [`text::drop`].
    pub(crate) drop: i32,
}

impl<'a> Layout<'a> {
    pub(crate) fn of(figure: &'a Figure<'a>, style: &Style, format: PictureFormat) -> Self {
        let size = style.font_size;
        let pad = size / 2;
        let mut places = upright(figure, style);

        // From left to right.
        let label = if places.iter().any(|place| !place.y_label.is_empty()) { size + pad / 2 } else { 0 };
        let numbers = places.iter().map(|place| place.y.widest(size)).max().unwrap_or(0);
        let left = pad + label + numbers + 2 * tick(size);
        let right = places.iter().map(|place| place.side.width(style)).max().unwrap_or(0).max(size);
        let width = style.width.saturating_sub(left + right).max(1);
        for place in &mut places {
            (place.rect.left, place.rect.width) = (left, width);
            let Across { range, is_whole, .. } = Across::of(figure, place.panel);
            place.x = Scale::across(range, is_whole, width, size);
            if let Panel::Labels(labels) = place.panel {
                place.bands = Some(Bands::of(labels.labels, width as usize, style.pooling));
            }
            place.drop = text::drop(size, format);
            place.caption = text::shortened(&place.caption, size * 5 / 4, width);
        }
        let legend_top =
            places.last().map_or(0, |place| place.rect.top + place.rect.height + place.below - size - pad / 4);
        Self {
            title: text::shortened(figure.title, size * 3 / 2, style.width - 2 * pad),
            title_place: (title_middle(left, width, style, figure), pad as i32 + text::drop(size, format)),
            places,
            legend_place: ((style.width - pad) as i32, legend_top as i32),
            size,
            drop: text::drop(size, format),
        }
    }

    pub(crate) fn title_size(&self) -> u32 {
        self.size * 3 / 2
    }
}

/// The title is above the middle of the panels, or of the picture if it is wide.
fn title_middle(left: u32, width: u32, style: &Style, figure: &Figure<'_>) -> i32 {
    let half = text::width(figure.title, style.font_size * 3 / 2) / 2;
    let middle = left + width / 2;
    let fits = half < middle && middle + half < style.width;
    (if fits { middle } else { style.width / 2 }) as i32
}

/// The panels from the top down, with everything that depends on their height.
fn upright<'a>(figure: &'a Figure<'a>, style: &Style) -> Vec<PanelPlace<'a>> {
    let size = style.font_size;
    let pad = size / 2;
    let panels = &figure.panels;
    let x_label = |number: usize| {
        let label = Across::of(figure, &panels[number]).label;
        let next = panels.get(number + 1).map(|next| Across::of(figure, next).label);
        // If panels share an axis, the numbers are below the last one.
        (label.is_empty() || next != Some(label)).then_some(label)
    };
    let above = |panel: &Panel<'_>| if panel.caption().is_empty() { 0 } else { 2 * size };
    let below = |label: Option<&str>| match label {
        None => tick(size) + pad,
        Some("") => 2 * tick(size) + size + pad,
        Some(_) => 2 * tick(size) + 2 * size + pad / 2,
    };
    let around: u32 = (0..panels.len()).map(|number| above(&panels[number]) + below(x_label(number))).sum();
    let mut top = pad + size * 3 / 2 + pad;
    let room = style.height.saturating_sub(top + around);
    let has_frames = panels.iter().any(|panel| matches!(panel, Panel::Features(_) | Panel::Labels(_)));
    let share = |panel: &Panel<'_>| if has_frames && matches!(panel, Panel::Waveform(_)) { SHARES.1 } else { SHARES.0 };
    let shares: u32 = panels.iter().map(share).sum();
    let place = |(number, panel): (usize, &'a Panel<'a>)| {
        top += above(panel);
        let x_label = x_label(number);
        let (height, below) = ((room * share(panel) / shares).max(1), below(x_label));
        let limits = limits(panel, style);
        let (range, is_whole) = up_range(panel, limits);
        let y = match panel {
            Panel::Labels(_) => Scale::silent(range),
            _ => Scale::up(range, is_whole, height, size),
        };
        let place = PanelPlace {
            panel,
            rect: Rect { left: 0, top, width: 0, height },
            below,
            caption: panel.caption().to_owned(),
            x: Scale::silent(0.0..1.0),
            y,
            x_label,
            y_label: text::shortened(y_label(panel, style), size, height + size),
            frames: Across::of(figure, panel).frames,
            limits,
            bands: None,
            side: Side::of(panel, limits, height, style),
            drop: 0,
        };
        top += height + below;
        place
    };
    panels.iter().enumerate().map(place).collect()
}

impl Panel<'_> {
    fn caption(&self) -> &str {
        match self {
            Self::Bars { title, .. } | Self::Means { title, .. } => title,
            Self::Features(_) | Self::Waveform(_) | Self::Labels(_) => "",
        }
    }

    /// The number of frames, and of values that represent them.
    fn num_frames(&self) -> Option<(usize, usize)> {
        match self {
            Self::Features(Features { num_frames, columns, .. }) => Some((*num_frames, *columns)),
            Self::Labels(labels) => Some((labels.labels.len(), labels.labels.len())),
            _ => None,
        }
    }

    /// The end of a waveform in seconds.
    fn duration(&self) -> Option<f64> {
        match self {
            Self::Waveform(Waveform { samples, rate }) => Some(samples.len() as f64 / rate),
            _ => None,
        }
    }
}

/// A horizontal axis.
struct Across {
    range: Range<f64>,
    is_whole: bool,
    label: &'static str,
    /// See [`PanelPlace::frames`].
    frames: (f64, f64),
}

impl Across {
    fn of(figure: &Figure<'_>, panel: &Panel<'_>) -> Self {
        match (panel, figure.timing, panel.num_frames()) {
            (Panel::Bars { bars, is_whole, .. }, ..) => {
                let range = bars.first().map_or(0.0, |bar| bar.0)..bars.last().map_or(1.0, |bar| bar.1);
                Self { range, is_whole: *is_whole, label: "", frames: (0.0, 1.0) }
            }
            (Panel::Means { means, .. }, ..) => {
                let range = -0.5..means.len() as f64 - 0.5;
                Self { range, is_whole: true, label: "", frames: (0.0, 1.0) }
            }
            (_, None, Some((num_frames, columns))) => {
                let step = num_frames as f64 / columns as f64;
                let range = -0.5..num_frames as f64 - 0.5;
                Self { range, is_whole: true, label: "Frame", frames: (-0.5, step) }
            }
            (_, timing, frames) => {
                let (start, step) = match (timing, frames, panel) {
                    (Some(timing), Some((num_frames, columns)), _) => {
                        (timing.start, timing.shift * num_frames as f64 / columns as f64)
                    }
                    (_, _, Panel::Waveform(waveform)) => (0.0, 1.0 / waveform.rate),
                    _ => (0.0, 1.0),
                };
                Self { range: seconds(figure), is_whole: false, label: "Time (s)", frames: (start, step) }
            }
        }
    }
}

/// The time that all panels of a figure share: that of the frames, and from 0 on if there is a waveform.
fn seconds(figure: &Figure<'_>) -> Range<f64> {
    let durations = figure.panels.iter().filter_map(Panel::duration);
    let waveform = durations.fold(None, |end: Option<f64>, duration| Some(end.unwrap_or(0.0).max(duration)));
    let frames = figure.timing.and_then(|timing| {
        let ends = figure.panels.iter().filter_map(|panel| Some(timing.end(panel.num_frames()?.0)));
        ends.reduce(f64::max).map(|end| timing.start..end)
    });
    match (waveform, frames) {
        (Some(end), Some(frames)) => 0.0..end.max(frames.end),
        (Some(end), None) => 0.0..end,
        (None, frames) => frames.unwrap_or(0.0..1.0),
    }
}

fn limits(panel: &Panel<'_>, style: &Style) -> Limits {
    match panel {
        Panel::Features(features) => match (style.colormap, style.low, style.high) {
            (Colormap::Diverging, None, None) if features.dim > 1 => Limits::around_zero(&features.values),
            // All but a few values are zero, and these few are no outliers.
            (_, low, None) if features.are_weights => {
                let most = features.values.iter().fold(0.0, |most: f32, &weight| most.max(weight));
                Limits::of(&features.values, low.or(Some(0.0)), (most > 0.0).then_some(most.into()))
            }
            (_, low, high) => Limits::of(&features.values, low, high),
        },
        _ => Limits::of(&[], None, None),
    }
}

/// The range of the vertical axis, and whether it counts things.
fn up_range(panel: &Panel<'_>, limits: Limits) -> (Range<f64>, bool) {
    match panel {
        Panel::Features(features) if features.dim > 1 => (-0.5..features.dim as f64 - 0.5, true),
        Panel::Features(_) => (with_margin(limits.low, limits.high), false),
        Panel::Waveform(Waveform { samples, .. }) => {
            let finite = samples.iter().filter(|value| value.is_finite());
            let loudest = f64::from(finite.fold(0.0_f32, |most, value| most.max(value.abs())));
            let reach = if loudest > 0.0 { 1.05 * loudest } else { 1.0 };
            (-reach..reach, false)
        }
        Panel::Labels(_) => (0.0..1.0, false),
        Panel::Bars { bars, .. } => {
            let heights = bars.iter().map(|bar| bar.2).filter(|height| height.is_finite());
            (0.0..1.05 * heights.fold(1.0, f64::max), true)
        }
        Panel::Means { means, .. } => {
            let ends = means.iter().flat_map(|(mean, deviation)| [mean - deviation, mean + deviation]);
            let ends = ends.filter(|end| end.is_finite());
            let low = ends.clone().fold(f64::INFINITY, f64::min);
            let high = ends.fold(f64::NEG_INFINITY, f64::max);
            (if low <= high { with_margin(low, high) } else { 0.0..1.0 }, false)
        }
    }
}

fn y_label<'a>(panel: &Panel<'_>, style: &'a Style) -> &'a str {
    let value = |default: &'static str| if style.value_label.is_empty() { default } else { &style.value_label };
    match panel {
        Panel::Features(features) if features.are_weights => "Index",
        Panel::Features(features) if features.dim > 1 => "Dimension",
        Panel::Features(_) => value("Value"),
        Panel::Waveform(_) => "Amplitude",
        Panel::Labels(_) => value("Label"),
        Panel::Bars { .. } | Panel::Means { .. } => "",
    }
}

/// A range that is a little wider.
fn with_margin(low: f64, high: f64) -> Range<f64> {
    let margin = 0.05 * (high - low);
    low - margin..high + margin
}
