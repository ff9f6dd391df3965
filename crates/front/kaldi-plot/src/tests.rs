//! Tests of whole figures.

use std::collections::HashMap;

use crate::bands::shade;
use crate::chart::{DARK, PALE};
use crate::testing::decode;
use crate::{
    Colormap, Error, Features, Figure, FrameLabels, Panel, Picture, PictureFormat, Pooling, Style, Timing, Waveform,
};
use plotters::style::RGBColor;

/// A picture that was read back.
struct Pixels {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

const WHITE: [u8; 3] = [255; 3];
const TIMING: Timing = Timing { shift: 0.01, start: 0.0 };

fn bytes(RGBColor(red, green, blue): RGBColor) -> [u8; 3] {
    [red, green, blue]
}

fn style(width: u32, height: u32) -> Style {
    Style { width, height, ..Style::default() }
}

fn features(values: &[f32], dim: usize) -> Panel<'_> {
    Panel::Features(Features::new(values, values.len() / dim, dim))
}

fn figure(panels: Vec<Panel<'_>>) -> Figure<'_> {
    Figure { title: "utt", timing: None, panels }
}

fn read(picture: &Picture) -> Pixels {
    let (width, height, pixels) = decode(&picture.encode().unwrap());
    Pixels { width: width as usize, height: height as usize, pixels }
}

fn draw(figure: &Figure<'_>, style: &Style) -> Pixels {
    read(&figure.draw(style, PictureFormat::Png).unwrap())
}

impl Pixels {
    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    fn count(&self, color: [u8; 3]) -> usize {
        self.pixels.iter().filter(|pixel| **pixel == color).count()
    }

    /// The columns that have a pixel of this colour in these rows.
    fn columns(&self, color: [u8; 3], rows: std::ops::Range<usize>) -> Vec<usize> {
        (0..self.width).filter(|&x| rows.clone().any(|y| self.at(x, y) == color)).collect()
    }

    /// The places of pixels of this colour in a column.
    fn rows(&self, color: [u8; 3], x: usize) -> Vec<usize> {
        (0..self.height).filter(|&y| self.at(x, y) == color).collect()
    }
}

#[test]
fn frames_are_under_the_waveform_that_they_were_computed_from() {
    // A click in the middle of the window of frame 60: 600 ms + 12.5 ms.
    let mut samples = vec![0.0; 16_000];
    samples[9800] = 30_000.0;
    let mut values = vec![0.0; 98 * 4];
    values[60 * 4..61 * 4].fill(1.0);
    let panels = vec![Panel::Waveform(Waveform { samples: &samples, rate: 16_000.0 }), features(&values, 4)];
    let figure = Figure { timing: Some(Timing::of_windows(0.01, 0.025, true).unwrap()), ..figure(panels) };
    let picture = draw(&figure, &style(1000, 500));
    let click = picture.columns(bytes(DARK), 60..80);
    let frame: Vec<_> = picture.columns(bytes(Colormap::Viridis.color(1.0)), 300..400);
    let frame: Vec<_> = frame.into_iter().filter(|x| *x < 850).collect();
    let middle = usize::midpoint(frame[0], frame[frame.len() - 1]);
    assert!(click.len() <= 3 && frame.len() >= 6, "{click:?} {frame:?}");
    assert!(click[click.len() / 2].abs_diff(middle) <= 1, "{click:?} {frame:?}");
}

#[test]
fn all_frames_are_drawn_where_there_are_more_than_pixels() {
    let mut values = vec![0.0; 1_000_000 * 2];
    values[1_999_998..].fill(f32::NAN);
    values[..2].fill(f32::INFINITY);
    let (nan, infinite) = ([235, 0, 0], [255, 0, 255]);
    for dim in [2, 1] {
        let picture = draw(&figure(vec![features(&values, dim)]), &style(800, 300));
        // In the panel and, together, in the legend below it on the right.
        let (left, right) = (picture.columns(infinite, 100..150), picture.columns(nan, 100..150));
        assert!(left.len() == 1 && left[0] < 100, "{dim} {left:?}");
        assert!(right.len() == 1 && right[0] > 600, "{dim} {right:?}");
        assert!(picture.columns(infinite, 260..300).len() > 5 && picture.columns(nan, 260..300).len() > 5);
    }
}

#[test]
fn all_dimensions_are_drawn_where_there_are_more_than_pixels() {
    let mut values = vec![0.0; 1_000_000];
    values[123_456] = 1.0;
    let style = Style { pooling: Pooling::Max, ..style(800, 300) };
    let picture = draw(&figure(vec![features(&values, 1_000_000)]), &style);
    let rows = picture.rows(bytes(Colormap::Viridis.color(1.0)), 400);
    assert_eq!(rows.len(), 1, "{rows:?}");
}

#[test]
fn one_dimension_is_a_curve() {
    let values: Vec<f32> = (0..50).map(|at| (at as f32 / 5.0).sin()).collect();
    let picture = draw(&figure(vec![features(&values, 1)]), &style(600, 300));
    let line = picture.columns(bytes(DARK), 0..300);
    assert!(line.len() > 400 && line.windows(2).all(|pair| pair[1] <= pair[0] + 2), "{line:?}");
    assert_eq!(picture.count(bytes(Colormap::Viridis.color(1.0))), 0);
    // The highest value is near the top, at its place.
    let top = (0..300).find(|&y| line.iter().any(|&x| picture.at(x, y) == bytes(DARK))).unwrap();
    let middle = usize::midpoint(line[0], line[line.len() - 1]);
    let peaks = picture.columns(bytes(DARK), top..top + 1);
    assert!(top < 80 && peaks.iter().all(|x| x.abs_diff(middle) > 50), "{top} {peaks:?} {middle}");
}

#[test]
fn the_extremes_of_a_column_are_reached() {
    let values: Vec<f32> = (0..100_000).map(|at| if at % 100 == 50 { 7.0 } else { 0.0 }).collect();
    let picture = draw(&figure(vec![features(&values, 1)]), &style(600, 300));
    for x in [200, 300, 401] {
        assert!(picture.rows(bytes(DARK), x).len() > 150, "{x}");
    }
}

#[test]
fn labels_are_bands_with_their_names() {
    let labels: Vec<i32> = (0..300).map(|at| [5, 1024, 5][at / 100]).collect();
    let picture = draw(&figure(vec![Panel::Labels(labels.as_slice().into())]), &style(800, 300));
    let (outer, inner) = (bytes(shade(5)), bytes(shade(1024)));
    // Above the names.
    let columns: Vec<_> = picture.columns(inner, 70..80).into_iter().filter(|x| *x < 650).collect();
    let left = picture.columns(outer, 70..80)[0];
    assert!((200..260).contains(&columns.len()) && columns[0].abs_diff(left + columns.len()) <= 2, "{columns:?}");
    // The name is dark, in the middle of the band.
    let middle = columns[columns.len() / 2];
    let (right, height) = (columns[columns.len() - 1], picture.height);
    let is_dark = |x: usize| (0..height - 60).any(|y| y > 60 && picture.at(x, y).iter().all(|part| *part < 60));
    assert!((middle - 30..middle + 30).filter(|x| is_dark(*x)).count() > 15);
    assert!(!(columns[0] + 5..middle - 60).chain(middle + 60..right - 5).any(is_dark));
    // The legend.
    assert!(picture.columns(inner, 50..90).iter().any(|x| *x > 650));
}

#[test]
fn labels_have_names_if_these_are_given() {
    let labels: Vec<i32> = (0..300).map(|at| [5, 1024, 7][at / 100]).collect();
    let names = HashMap::from([(5, "sil".to_owned()), (1024, "<aa_B> & more".to_owned())]);
    let text = |names| {
        let panel = Panel::Labels(FrameLabels { labels: &labels, names });
        let picture = figure(vec![panel]).draw(&style(800, 300), PictureFormat::Svg).unwrap();
        String::from_utf8(picture.encode().unwrap()).unwrap()
    };
    let (with, without) = (text(Some(&names)), text(None));
    // Each of them is on its band and beside its colour in the legend.
    for (written, name) in [(&with, "sil"), (&with, "&lt;aa_B&gt; &amp; more"), (&with, "7"), (&without, "1024")] {
        let found = written.lines().filter(|line| line.trim() == name).count();
        assert_eq!(found, 2, "{name}: {written}");
    }
    assert!(!with.contains("1024") && !without.contains("sil"));
    // A name that is longer than the picture is shortened.
    let long = HashMap::from([(5, "x".repeat(5000))]);
    assert!(text(Some(&long)).lines().all(|line| line.trim().len() < 500));
}

#[test]
fn bars_and_means_have_their_colours() {
    let bars = (0..20).map(|at| (f64::from(at), f64::from(at + 1), f64::from(at * at))).collect();
    let means = (0..13).map(|at| (f64::from(at) - 5.0, 1.0)).collect();
    let panels = vec![
        Panel::Bars { title: "values".to_owned(), bars, is_whole: false },
        Panel::Means { title: "columns".to_owned(), means },
    ];
    let figure = Figure { title: "a <table> & \u{4e00}", timing: None, panels };
    let style = Style { font_size: 16, ..style(900, 560) };
    let picture = draw(&figure, &style);
    let count = |color| picture.count(bytes(color));
    assert!(count(DARK) > 20_000 && count(PALE) > 10_000, "{} {}", count(DARK), count(PALE));
    // The highest bar is the last.
    assert!(picture.columns(bytes(DARK), 80..90).iter().all(|x| *x > 700));

    let text = String::from_utf8(figure.draw(&style, PictureFormat::Svg).unwrap().encode().unwrap()).unwrap();
    assert!(text.contains("a &lt;table&gt; &amp; \u{4e00}"), "{text}");
    assert!(text.matches("<rect").count() >= 30 && text.contains("<polyline"));
    for tag in ["svg", "text"] {
        assert_eq!(text.matches(&format!("<{tag} ")).count(), text.matches(&format!("</{tag}>")).count());
    }
}

/// Every kind of panel over the values.
fn panels<'a>(values: &'a [f32], labels: &'a [i32]) -> Vec<Vec<Panel<'a>>> {
    let waveform = Panel::Waveform(Waveform { samples: values, rate: 8000.0 });
    let lists = values.iter().map(|&value| [(i32::MAX, value), (-5, 1.0)]);
    let wide: Vec<(f64, f64)> = values.iter().map(|&value| (value.into(), f64::from(value).abs())).collect();
    let bars = wide.iter().enumerate().map(|(at, it)| (at as f64, at as f64 + 1.0, it.1)).collect();
    vec![
        vec![features(values, 1)],
        vec![features(values, values.len())],
        vec![features(values, if values.len().is_multiple_of(2) { 2 } else { 1 })],
        vec![waveform.clone()],
        vec![waveform.clone(), features(values, values.len())],
        vec![waveform, Panel::Labels(labels.into())],
        vec![Panel::Labels(labels.into())],
        vec![Panel::Features(Features::of_lists(lists))],
        vec![
            Panel::Bars { title: "b".repeat(300), bars, is_whole: true },
            Panel::Means { title: String::new(), means: wide },
        ],
    ]
}

#[test]
fn every_size_has_room_for_every_part() {
    let values: Vec<f32> = (0..500).map(|at| -1e-30 * at as f32).collect();
    let labels: Vec<i32> = (0..500).map(|at| i32::MIN + at).collect();
    for font_size in [8, 30] {
        for (width, height) in [(20 * font_size, 12 * font_size), (1000, 12 * font_size), (20 * font_size, 1000)] {
            let value_label = "log energy, a text that has no room".to_owned();
            let style = Style { font_size, value_label, ..style(width, height) };
            for panels in panels(&values, &labels) {
                let title = "key".repeat(500);
                let name = format!("{font_size} {width} {height} {panels:.20?}");
                let picture = draw(&Figure { title: &title, timing: Some(TIMING), panels }, &style);
                // Nothing touches the borders.
                let (right, bottom) = (picture.width - 1, picture.height - 1);
                assert!((0..=right).all(|x| picture.at(x, 0) == WHITE && picture.at(x, bottom) == WHITE), "{name}");
                assert!((0..=bottom).all(|y| picture.at(0, y) == WHITE && picture.at(right, y) == WHITE), "{name}");
            }
        }
    }
}

#[test]
fn features_have_an_axis_of_their_dimensions() {
    let values = vec![0.0; 10 * 101];
    let panels = vec![Panel::Features(Features::new(&values, 10, 101))];
    let figure = Figure { title: "", timing: Some(TIMING), panels };
    let svg = figure.draw(&style(600, 300), PictureFormat::Svg).unwrap().encode().unwrap();
    let svg = String::from_utf8(svg).unwrap();
    assert!(svg.contains("Dimension") && !svg.contains("kHz") && svg.contains(">\n100\n<"), "{svg}");
}

#[test]
fn unusual_values_are_drawn() {
    let (nan, infinite, most) = (f32::NAN, f32::INFINITY, f32::MAX);
    for values in [
        &[0.0][..],
        &[nan],
        &[infinite, -infinite],
        &[nan; 4],
        &[5.0; 6],
        &[most, -most],
        &[most, -most, nan, 0.0],
        &[1e-45, 0.0],
        &[1.0, 1.000_000_1],
    ] {
        let labels: Vec<i32> = values.iter().map(|value| *value as i32).collect();
        for panels in panels(values, &labels) {
            let figure = Figure { timing: (values.len() > 1).then_some(TIMING), ..figure(panels) };
            for format in [PictureFormat::Png, PictureFormat::Svg] {
                let file = figure.draw(&Style { font_size: 12, ..style(240, 144) }, format).unwrap().encode().unwrap();
                let text = String::from_utf8_lossy(&file);
                assert!(
                    format == PictureFormat::Png || !(text.contains("NaN") || text.contains("\"inf")),
                    "{values:?}"
                );
            }
        }
    }
}

#[test]
fn the_same_picture_has_the_same_bytes() {
    let values: Vec<f32> = (0..400).map(|at| (at as f32 / 7.0).sin()).collect();
    let labels: Vec<i32> = (0..400).map(|at| at * at % 17).collect();
    for panels in panels(&values, &labels) {
        for format in [PictureFormat::Png, PictureFormat::Svg] {
            let draw = || figure(panels.clone()).draw(&style(400, 240), format).unwrap().encode().unwrap();
            assert!(draw() == draw(), "{format:?}");
        }
    }
}

#[test]
fn a_drawing_does_not_grow_with_what_it_is_of() {
    let values: Vec<f32> = (0..2_000_000).map(|at| (at as f32 / 77.0).sin()).collect();
    let labels: Vec<i32> = (0..1_000_000).collect();
    for panels in [
        vec![features(&values, 1)],
        vec![features(&values, 2)],
        vec![Panel::Labels(labels.as_slice().into())],
        vec![Panel::Waveform(Waveform { samples: &values, rate: 8000.0 })],
    ] {
        let file = figure(panels).draw(&style(800, 300), PictureFormat::Svg).unwrap().encode().unwrap();
        assert!(file.len() < 300_000, "{}", file.len());
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let message =
        |style: Style| figure(vec![features(&[1.0, 2.0], 2)]).draw(&style, PictureFormat::Png).unwrap_err().to_string();
    assert_eq!(message(style(10, 400)), "expected `width` to be from 400 to 20000 pixels, got 10");
    assert_eq!(message(style(1000, 20_001)), "expected `height` to be from 240 to 20000 pixels, got 20001");
    let size = Style { font_size: 7, ..Style::default() };
    assert_eq!(message(size), "expected `font_size` to be from 8 to 100 pixels, got 7");
    let limits = |low, high| Style { low: Some(low), high: Some(high), ..Style::default() };
    assert_eq!(message(limits(3.0, 3.0)), "expected `max` to be above `min = 3`, got 3");
    assert_eq!(message(limits(f64::NAN, 3.0)), "expected `min` to be a finite number, got NaN");
    for panels in [vec![], vec![features(&[], 1)], vec![Panel::Labels(FrameLabels::default())]] {
        assert_eq!(figure(panels).draw(&Style::default(), PictureFormat::Png), Err(Error::Empty));
    }
}

#[test]
fn times_are_in_seconds() {
    assert_eq!(Timing::of_windows(0.01, 0.01, true), Ok(Timing { shift: 0.01, start: 0.0 }));
    assert_eq!(Timing::of_windows(0.01, 0.025, false), Ok(Timing { shift: 0.01, start: 0.0 }));
    let start = Timing::of_windows(0.01, 0.025, true).unwrap().start;
    assert!((start - 0.0075).abs() < 1e-12);
    for (shift, length) in [(0.0, 0.025), (10.0, 25.0), (0.01, 0.005), (f64::NAN, 1.0)] {
        assert!(Timing::of_windows(shift, length, true).is_err());
    }
}
