//! Charts of a page: how measures are distributed, and the means of features. They are SVG in the colours of the page.

use std::fmt::Write as _;

use corpus_quality::{Distribution, QUANTILES, UtteranceMeasure, Wording, decimal};

use crate::page::{count_of, fold, grouped, open};
use crate::report::CorpusReport;
use crate::scale::{decimals_of_step, round_numbers, round_step};

/// Bars of a chart, about.
const BARS: usize = 24;

/// Charts that are in sight on small screens.
const FIRST: usize = 3;

/// The size of a chart, and where its axes are.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 176.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 316.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 130.0;

/// Pixels of a character of a mark.
const LETTER: f64 = 6.6;

/// A histogram between the 1st and the 99th percentile of some numbers, with what is outside.
#[derive(Debug, PartialEq)]
struct Histogram {
    /// One more than bars. A bar has its left edge; the last one has both.
    edges: Vec<f64>,
    counts: Vec<usize>,
    below: usize,
    above: usize,
}

impl Histogram {
    /// Of finite numbers. Edges are round; between whole numbers, they are halves. If both percentiles are written as the same number,
    /// there is one bar between them.
    fn of(values: &[f64], found: &Distribution, wording: &Wording) -> Self {
        let (low, high) = limits(found);
        let edges = match (wording.is_count, is_one_value(found, wording)) {
            (false, true) => vec![low, high],
            (false, false) => {
                let step = round_step(high - low, BARS, false);
                let first = (low / step + 1e-9).floor();
                let last = (high / step - 1e-9).ceil().max(first + 1.0);
                (0..=(last - first) as usize).map(|at| (first + at as f64) * step).collect()
            }
            (true, _) => {
                let (low, high) = (low.floor(), high.ceil());
                let step = round_step(high - low + 1.0, BARS, true);
                let first = if step == 1.0 { low } else { (low / step).floor() * step };
                let bars = ((high - first + 1.0) / step).ceil();
                (0..=bars as usize).map(|at| first - 0.5 + at as f64 * step).collect()
            }
        };
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        let mut histogram = Self { counts: vec![0; edges.len() - 1], edges, below: 0, above: 0 };
        for &value in values {
            match value {
                value if value < first => histogram.below += 1,
                value if value > last => histogram.above += 1,
                value => {
                    let at = histogram.edges.partition_point(|&edge| edge <= value);
                    histogram.counts[at.clamp(1, histogram.edges.len() - 1) - 1] += 1;
                }
            }
        }
        histogram
    }
}

/// The 1st and the 99th percentile.
fn limits(found: &Distribution) -> (f64, f64) {
    (found.quantiles[0], found.quantiles[QUANTILES.len() - 1])
}

/// Whether nearly all numbers are the same, as they are written.
fn is_one_value(found: &Distribution, wording: &Wording) -> bool {
    let (low, high) = limits(found);
    low == high || (!wording.is_count && wording.number(Some(low)) == wording.number(Some(high)))
}

/// The section of distributions: those that have bars, and then those of one value.
pub(crate) fn distributions(html: &mut String, report: &CorpusReport<'_>) {
    if report.distributions.is_empty() {
        return;
    }
    open(html, "distributions", "Distributions");
    *html += "<p class=\"quiet\">Bars reach from the 1st to the 99th percentile; what is outside is counted at the sides. The line is the \
              median.</p>\n";
    let (mut charts, mut sentences) = (Vec::new(), String::new());
    for (name, found) in &report.distributions {
        let Some(measure) = UtteranceMeasure::of_name(name) else { continue };
        let values: Vec<f64> = report.values(measure).collect();
        let wording = measure.wording();
        let histogram = Histogram::of(&values, found, &wording);
        match is_one_value(found, &wording) {
            true => sentences += &sentence(measure, found, &histogram),
            false => charts.push(figure(measure, found, &histogram)),
        }
    }
    let (first, others) = charts.split_at(FIRST.min(charts.len()));
    *html += &format!("<div class=\"charts\">\n{}</div>\n", first.concat());
    if !others.is_empty() {
        *html += &format!(
            "<details class=\"charts-more\" open>\n<summary>{}</summary>\n<div class=\"charts\">\n{}</div>\n</details>\n",
            count_of(others.len(), "more distributions"),
            others.concat()
        );
    }
    if !sentences.is_empty() {
        *html += &format!("<h3>One value only</h3>\n<div class=\"sentences\">\n{sentences}</div>\n");
    }
    html.push_str("</section>\n");
}

/// A measure with its unit, for an axis.
fn axis_label(wording: &Wording) -> String {
    match wording.unit {
        "" | "/s" => wording.label.to_owned(),
        unit if wording.is_count && wording.label.contains(unit) => wording.label.to_owned(),
        unit => format!("{} ({unit})", wording.label),
    }
}

/// What is outside of the bars. Nothing is in sight where there is nothing.
fn outside(wording: &Wording, histogram: &Histogram) -> String {
    let edge = |at: usize| histogram.edges[at];
    let (first, last) = (edge(0), edge(histogram.edges.len() - 1));
    // Bars of whole numbers reach half a number further.
    let (first, last) = if wording.is_count { (first + 0.5, last - 0.5) } else { (first, last) };
    let decimals = match histogram.edges.len() {
        2 => wording.decimals,
        _ => decimals_of_step((edge(1) - edge(0)) * wording.factor),
    };
    let part = |hook: &str, sign: &str, place: f64, count: usize| {
        let hidden = if count == 0 { " hidden" } else { "" };
        let place = decimal(place * wording.factor, decimals.min(3));
        format!(
            "<span data-testid=\"{hook}\" data-count=\"{count}\"{hidden}>{sign} {place} {}: {count}</span>",
            wording.unit
        )
    };
    part("below", "&lt;", first, histogram.below) + &part("above", "&gt;", last, histogram.above)
}

/// A measure that has one value in nearly all utterances.
fn sentence(measure: UtteranceMeasure, found: &Distribution, histogram: &Histogram) -> String {
    let wording = measure.wording();
    let (from, to, inside) = (histogram.edges[0], histogram.edges[1], histogram.counts[0]);
    let all = if inside == found.count { "all " } else { "" };
    format!(
        "<figure data-testid=\"chart\" data-name=\"{}\" class=\"sentence\"><figcaption><b data-testid=\"x-label\">{}</b>: \
         <span data-testid=\"tick\">{}</span> in \
         <span data-testid=\"bar\" data-from=\"{from}\" data-to=\"{to}\" data-count=\"{inside}\">{all}{}</span> \
         <span data-testid=\"y-label\">utterances</span> <span class=\"outside\">{}</span></figcaption></figure>\n",
        measure.name(),
        wording.label,
        wording.text(Some(found.quantiles[0])),
        grouped(inside),
        outside(&wording, histogram)
    )
}

/// A chart of a measure.
fn figure(measure: UtteranceMeasure, found: &Distribution, histogram: &Histogram) -> String {
    let wording = measure.wording();
    let (first, last) = (histogram.edges[0], histogram.edges[histogram.edges.len() - 1]);
    let most = histogram.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let plot = Plot { across: (first, last), up: (0.0, most) };
    let mut svg = plot.start(&format!("Distribution of {}", wording.label));
    plot.marks_up(&mut svg, true, 1.0);
    for (edge, &count) in histogram.edges.windows(2).zip(&histogram.counts) {
        let (left, right, top) = (plot.x(edge[0]), plot.x(edge[1]), plot.y(count as f64));
        let gap = if right - left > 3.0 { 0.5 } else { 0.0 };
        let _ = write!(
            svg,
            "<rect data-testid=\"bar\" data-from=\"{}\" data-to=\"{}\" data-count=\"{count}\" x=\"{:.2}\" y=\"{top:.2}\" \
             width=\"{:.2}\" height=\"{:.2}\"/>",
            short(edge[0]),
            short(edge[1]),
            left + gap,
            right - left - 2.0 * gap,
            BOTTOM - top
        );
    }
    let median = plot.x(found.median.clamp(first, last));
    let _ = write!(svg, "<line class=\"median\" x1=\"{median:.2}\" x2=\"{median:.2}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/>");
    plot.marks_across(&mut svg, wording.is_count, wording.factor);
    plot.finish(&mut svg, &axis_label(&wording), "utterances");
    format!(
        "<figure data-testid=\"chart\" data-name=\"{}\">\n{svg}\n<figcaption><span class=\"outside\">{}</span> \
         <span>median {}, from {} to {}</span></figcaption>\n</figure>\n",
        measure.name(),
        outside(&wording, histogram),
        wording.number(Some(found.median)),
        wording.number(Some(found.min)),
        wording.text(Some(found.max))
    )
}

/// A number as it is, without the last digits of binary arithmetic.
fn short(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

/// The ranges of a chart, from left to right and from bottom to top.
struct Plot {
    across: (f64, f64),
    up: (f64, f64),
}

impl Plot {
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.across.0) / (self.across.1 - self.across.0) * (RIGHT - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (value - self.up.0) / (self.up.1 - self.up.0) * (BOTTOM - TOP)
    }

    fn start(&self, title: &str) -> String {
        format!("<svg role=\"img\" viewBox=\"0 0 {WIDTH} {HEIGHT}\"><title>{title}</title>")
    }

    /// Round numbers from bottom to top, with lines. `factor` is that of the texts.
    fn marks_up(&self, svg: &mut String, is_whole: bool, factor: f64) {
        let (low, high) = (self.up.0 * factor, self.up.1 * factor);
        let decimals = decimals_of_step(round_step(high - low, 3, is_whole));
        for mark in round_numbers(low, high, 3, is_whole) {
            let y = self.y(mark / factor);
            let _ = write!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.2}\" y2=\"{y:.2}\"/>\
                 <text data-testid=\"tick\" x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>",
                LEFT - 5.0,
                y + 4.0,
                decimal(mark, decimals)
            );
        }
    }

    /// Round numbers from left to right, as many as there is room for.
    fn marks_across(&self, svg: &mut String, is_whole: bool, factor: f64) {
        let (low, high) = (self.across.0 * factor, self.across.1 * factor);
        let marks = |most: usize| {
            let decimals = decimals_of_step(round_step(high - low, most, is_whole));
            let marks = round_numbers(low, high, most, is_whole).into_iter();
            marks.map(|mark| (mark, decimal(mark, decimals))).collect::<Vec<_>>()
        };
        let fits = |marks: &[(f64, String)]| {
            let longest = marks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64;
            marks
                .windows(2)
                .all(|pair| self.x(pair[1].0 / factor) - self.x(pair[0].0 / factor) > longest * LETTER + 8.0)
        };
        let marks = (1..=7).rev().map(marks).find(|marks| fits(marks)).unwrap_or_default();
        for (mark, text) in marks {
            let x = self.x(mark / factor);
            let _ = write!(
                svg,
                "<line x1=\"{x:.2}\" x2=\"{x:.2}\" y1=\"{BOTTOM}\" y2=\"{}\"/>\
                 <text data-testid=\"tick\" x=\"{x:.2}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
                BOTTOM + 4.0,
                BOTTOM + 20.0
            );
        }
    }

    fn finish(&self, svg: &mut String, across: &str, up: &str) {
        let _ = write!(
            svg,
            "<text data-testid=\"x-label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{across}</text>\
             <text data-testid=\"y-label\" x=\"2\" y=\"12\">{up}</text></svg>",
            f64::midpoint(LEFT, RIGHT),
            HEIGHT - 6.0
        );
    }
}

/// The section of the features: means and deviations of their columns.
pub(crate) fn features(html: &mut String, report: &CorpusReport<'_>) {
    let means: Vec<(f64, f64)> = report.corpus.moments.iter().map(|column| (column.mean, column.stddev)).collect();
    let limits =
        || means.iter().flat_map(|(mean, stddev)| [mean - stddev, mean + stddev]).filter(|limit| limit.is_finite());
    let (low, high) = (limits().fold(f64::INFINITY, f64::min), limits().fold(f64::NEG_INFINITY, f64::max));
    if means.is_empty() || low > high {
        return;
    }
    open(html, "features", "Features");
    let margin = if high > low { 0.05 * (high - low) } else { 0.5 };
    let plot = Plot { across: (-0.5, means.len() as f64 - 0.5), up: (low - margin, high + margin) };
    let mut svg = plot.start("Means and standard deviations of the columns of the features");
    plot.marks_up(&mut svg, false, 1.0);
    let known = || means.iter().enumerate().filter(|(_, (mean, stddev))| (mean + stddev).is_finite());
    for (at, (mean, stddev)) in known() {
        let (left, right) = (plot.x(at as f64 - 0.5), plot.x(at as f64 + 0.5));
        let (top, bottom) = (plot.y(mean + stddev), plot.y(mean - stddev));
        let _ = write!(
            svg,
            "<rect class=\"band\" x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{:.2}\"/>",
            right - left,
            bottom - top
        );
    }
    let points: Vec<String> =
        known().map(|(at, (mean, _))| format!("{:.2},{:.2}", plot.x(at as f64), plot.y(*mean))).collect();
    let _ = write!(svg, "<polyline points=\"{}\"/>", points.join(" "));
    plot.marks_across(&mut svg, true, 1.0);
    plot.finish(&mut svg, "column", "mean ± standard deviation");
    let decimals = decimals_of_step(round_step(high - low, 100, false));
    *html += &format!("<div class=\"charts\">\n<figure>\n{svg}\n</figure>\n</div>\n");
    fold(html, means.len(), &count_of(means.len(), "columns"), |html| {
        let rows = means.iter().enumerate().map(|(at, (mean, stddev))| {
            let number = |value: &f64| if value.is_finite() { decimal(*value, decimals) } else { "–".to_owned() };
            (String::new(), vec![at.to_string(), number(mean), number(stddev)])
        });
        crate::page::table(html, &["column#", "mean#", "standard deviation#"], rows);
    });
    html.push_str("</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64], is_count: bool) -> Histogram {
        let measure = if is_count { UtteranceMeasure::Words } else { UtteranceMeasure::Duration };
        Histogram::of(values, &Distribution::of(values.to_vec()).unwrap(), &measure.wording())
    }

    #[test]
    fn one_outlier_does_not_crush_the_bars() {
        let mut values: Vec<f64> = (0..1000).map(|at| 1.0 + 0.001 * f64::from(at)).collect();
        values.extend([500.0, -3.0]);
        let histogram = of(&values, false);
        assert!((15..=26).contains(&histogram.counts.len()), "{histogram:?}");
        assert!(histogram.edges[0] >= 0.9 && histogram.edges[histogram.edges.len() - 1] <= 2.1);
        assert_eq!((histogram.below, histogram.above), (1, 1));
        assert_eq!(histogram.counts.iter().sum::<usize>() + 2, values.len());
    }

    #[test]
    fn bars_reach_over_both_percentiles_by_less_than_a_bar() {
        for seed in 1..200_u64 {
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f64 / 1e5
            };
            let values: Vec<f64> = (0..seed + 1).map(|_| next().powi(3)).collect();
            for is_count in [false, true] {
                let values: Vec<f64> =
                    values.iter().map(|value| if is_count { value.round() } else { *value }).collect();
                let (histogram, found) = (of(&values, is_count), Distribution::of(values.clone()).unwrap());
                let [low, .., high] = found.quantiles;
                let edges = &histogram.edges;
                let step = edges[1] - edges[0];
                assert!(edges[0] <= low && low < edges[0] + step + 0.5, "{edges:?} {low}");
                let last = edges[edges.len() - 1];
                assert!(high <= last && (last - step - 0.5 <= high || edges.len() == 2), "{edges:?} {high}");
                assert!(histogram.counts.len() <= BARS + 2, "{}", histogram.counts.len());
                assert_eq!(histogram.counts.iter().sum::<usize>() + histogram.below + histogram.above, values.len());
            }
        }
    }

    #[test]
    fn whole_numbers_have_whole_steps() {
        let histogram = of(&[1.0, 1.0, 2.0, 2.0, 2.0, 4.0], true);
        assert_eq!((&histogram.edges[..], &histogram.counts[..]), (&[0.5, 1.5, 2.5, 3.5, 4.5][..], &[2, 3, 0, 1][..]));
        let histogram = of(&[16000.0; 5], true);
        assert_eq!((&histogram.edges[..], &histogram.counts[..]), (&[15999.5, 16000.5][..], &[5][..]));
        let histogram = of(&[0.25; 5], false);
        assert_eq!((&histogram.edges[..], &histogram.counts[..]), (&[0.25, 0.25][..], &[5][..]));
    }

    #[test]
    fn marks_do_not_touch() {
        for (low, high) in [(0.0, 1.0), (15_999.5, 48_000.5), (-0.001, 0.001), (-88.0, -11.0), (0.0, 3e6)] {
            let plot = Plot { across: (low, high), up: (0.0, 1.0) };
            let mut svg = String::new();
            plot.marks_across(&mut svg, false, 1.0);
            let marks = svg.split("<text").skip(1).map(|text| {
                let place: f64 = text.split_once("x=\"").unwrap().1.split('"').next().unwrap().parse().unwrap();
                let letters = text.split_once('>').unwrap().1.split('<').next().unwrap().chars().count();
                (place, LETTER * letters as f64)
            });
            let marks: Vec<(f64, f64)> = marks.collect();
            assert!(marks.len() > 1, "{low} {high} {svg}");
            assert!(marks.windows(2).all(|pair| pair[1].0 - pair[0].0 > (pair[0].1 + pair[1].1) / 2.0), "{svg}");
            assert!(
                marks.iter().all(|(place, width)| place - width / 2.0 > 0.0 && place + width / 2.0 < WIDTH),
                "{svg}"
            );
        }
    }
}
