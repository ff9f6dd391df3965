//! A report as one page of HTML. It has no scripts, and asks for nothing.

use bstr::ByteSlice;
use kaldi_measure::Distribution;
use kaldi_plot::{Figure, Panel, PictureFormat, Style};
use serde_json::Value;

use crate::markup::{data_url, escape, escape_json, hash_source};
use crate::report::{CorpusReport, measures};
use crate::shown;
use crate::{Corpus, Result};

/// Bytes of pictures and sound in a page, as they are written there; the rest has 2 MB at most.
const MOST_MEDIA: usize = 9 << 20;

/// Findings and speakers that are listed, at most.
const MOST_ROWS: usize = 500;

/// Characters of a key or text that are shown.
const MOST_CHARACTERS: usize = 2000;

const STYLE: &str = include_str!("page.css");

/// Writes the page.
///
/// # Errors
/// If a picture cannot be drawn.
pub(crate) fn write(report: &CorpusReport<'_>) -> Result<String> {
    let title = escape(&report.options.title);
    let data = escape_json(&report.data().to_string());
    let policy = format!("default-src 'none'; img-src data:; media-src data:; style-src {}", hash_source(STYLE));
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<header><h1>{title}</h1></header>\n<main>\n"
    );
    summary(&mut html, report);
    findings(&mut html, report);
    articles(&mut html, report)?;
    distributions(&mut html, report)?;
    speakers(&mut html, report);
    text(&mut html, report);
    features(&mut html, report)?;
    html += &format!("</main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n</body>\n</html>\n");
    Ok(html)
}

fn open(html: &mut String, name: &str, heading: &str) {
    *html +=
        &format!("<section data-testid=\"{name}\" aria-labelledby=\"{name}\">\n<h2 id=\"{name}\">{heading}</h2>\n");
}

/// A table; the cells are HTML already.
fn table(html: &mut String, heads: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) {
    html.push_str("<table>\n<thead><tr>");
    heads.iter().for_each(|head| *html += &format!("<th scope=\"col\">{head}</th>"));
    html.push_str("</tr></thead>\n<tbody>\n");
    for (attributes, cells) in rows {
        *html += &format!("<tr{attributes}>");
        cells.iter().for_each(|cell| *html += &format!("<td>{cell}</td>"));
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
}

fn summary(html: &mut String, report: &CorpusReport<'_>) {
    open(html, "summary", "Summary");
    html.push_str("<dl>\n");
    if let Value::Object(sums) = &report.data()["summary"] {
        for (name, value) in sums.iter().filter(|(_, value)| !value.is_null()) {
            *html += &format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), number(value.as_f64()));
        }
    }
    html.push_str("</dl>\n");
    let rows = report.corpus.tables.iter().map(|table| {
        let cells = [table.name.to_str_lossy().as_ref(), table.kind].map(escape);
        (String::new(), [cells.to_vec(), vec![table.entries.to_string()]].concat())
    });
    table(html, &["table", "type", "entries"], rows);
    html.push_str("</section>\n");
}

fn findings(html: &mut String, report: &CorpusReport<'_>) {
    open(html, "findings", "Findings");
    let (utterances, count) = report.num_findings();
    *html += &format!("<p>{count} findings in {utterances} of {} utterances.\n", report.corpus.utterances.len());
    if count > MOST_ROWS {
        *html += &format!("The first {MOST_ROWS} are listed.\n");
    }
    html.push_str(
        "A score of 100 is a fact; a lower one is the distance from the median, in robust standard deviations.</p>\n",
    );
    let rows = report.findings.list.iter().take(MOST_ROWS).map(|finding| {
        let utterance = &report.corpus.utterances[finding.utterance];
        let key = shorten(&utterance.key);
        let name = finding.rule.name();
        let attributes = format!(" data-testid=\"finding\" data-key=\"{key}\" data-rule=\"{name}\"");
        let value = match &finding.value {
            kaldi_measure::FindingValue::Number(value) => number(*value),
            kaldi_measure::FindingValue::Text(text) => escape(text),
        };
        let shown = report.shown.iter().position(|&index| index == finding.utterance);
        let link = shown.map_or_else(|| key.clone(), |at| format!("<a href=\"#utterance-{at}\">{key}</a>"));
        let usual = finding.usual.map_or_else(String::new, |usual| number(Some(usual)));
        let other = finding.other.as_ref().map_or_else(String::new, |other| format!(" (as {})", shorten(other)));
        let cells = vec![
            link,
            name.to_owned(),
            format!("{value}{other}"),
            usual,
            number(Some(finding.score)),
            finding.rule.meaning().to_owned(),
        ];
        (attributes, cells)
    });
    table(html, &["utterance", "rule", "value", "usual", "score", "meaning"], rows);
    html.push_str("</section>\n");
}

fn articles(html: &mut String, report: &CorpusReport<'_>) -> Result<()> {
    if report.shown.is_empty() {
        return Ok(());
    }
    html.push_str("<h2>Utterances with the clearest findings</h2>\n");
    // Each utterance may take its share.
    let share = MOST_MEDIA / report.shown.len();
    for (at, &index) in report.shown.iter().enumerate() {
        let utterance = &report.corpus.utterances[index];
        let key = shorten(&utterance.key);
        *html +=
            &format!("<article data-testid=\"utterance\" data-key=\"{key}\" id=\"utterance-{at}\">\n<h3>{key}</h3>\n");
        let rules = report.findings.list.iter().filter(|finding| finding.utterance == index);
        let rules: Vec<&str> = rules.map(|finding| finding.rule.name()).collect();
        *html += &format!("<p class=\"rules\">{}</p>\n", rules.join(", "));
        if let Some(text) = report.corpus.text(index).filter(|_| report.options.sound) {
            *html += &format!("<p class=\"text\" dir=\"auto\">{}</p>\n", shorten(text));
        }
        media(html, report, index, &key, share)?;
        html.push_str("<dl>\n");
        for (name, value) in measures(utterance) {
            *html += &format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", number(value));
        }
        html.push_str("</dl>\n</article>\n");
    }
    Ok(())
}

/// The spectrogram and the sound of an utterance, in at most `share` bytes.
fn media(html: &mut String, report: &CorpusReport<'_>, index: usize, key: &str, share: usize) -> Result<()> {
    let Some(wave) = report.corpus.place(index).and_then(shown::read) else { return Ok(()) };
    let mut left = share;
    if let Some(picture) = shown::spectrogram(&wave)? {
        let url = data_url("image/png", &picture);
        if url.len() < left {
            left -= url.len();
            *html += &format!("<img src=\"{url}\" width=\"760\" height=\"240\" alt=\"Spectrogram of {key}\">\n");
        }
    }
    if report.options.sound {
        // Four characters for three bytes; a sample has two bytes.
        let room = (left.saturating_sub(200) * 3 / 8) as f64 / f64::from(wave.sample_rate());
        let url = data_url("audio/wav", &shown::sound(&wave, report.options.seconds.min(room)));
        *html += &format!("<audio controls preload=\"none\" src=\"{url}\" aria-label=\"Sound of {key}\"></audio>\n");
    }
    Ok(())
}

fn distributions(html: &mut String, report: &CorpusReport<'_>) -> Result<()> {
    open(html, "distributions", "Distributions");
    for (name, found) in &report.distributions {
        let bars = found.edges.windows(2).zip(&found.counts).map(|(edge, &count)| (edge[0], edge[1], count as f64));
        let bars = match found.min < found.max {
            true => bars.collect(),
            false => vec![(found.min - 0.5, found.min + 0.5, found.count as f64)],
        };
        let panel = Panel::Bars { title: String::new(), bars, is_whole: false };
        *html +=
            &format!("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", chart(name, panel)?, caption(name, found));
    }
    html.push_str("</section>\n");
    Ok(())
}

fn caption(name: &str, found: &Distribution) -> String {
    let [low, .., high] = found.quantiles;
    let [min, max, median, low, high] =
        [found.min, found.max, found.median, low, high].map(|value| number(Some(value)));
    format!("{name}: median {median}, 98 % from {low} to {high}, all from {min} to {max}; {} utterances", found.count)
}

/// A chart as an element of the page.
fn chart(name: &str, panel: Panel<'_>) -> Result<String> {
    let mut style = Style::default();
    (style.width, style.height, style.font_size) = (380, 220, 12);
    let figure = Figure { title: name, timing: None, panels: vec![panel] };
    let svg = figure.draw(&style, PictureFormat::Svg)?.encode()?;
    let svg = svg.to_str_lossy();
    let inner = svg.split_once('>').map_or("", |(_, inner)| inner);
    Ok(format!(
        "<svg role=\"img\" width=\"380\" height=\"220\" viewBox=\"0 0 380 220\" xmlns=\"http://www.w3.org/2000/svg\">\
         <title>Distribution of {name}</title>{inner}"
    ))
}

fn speakers(html: &mut String, report: &CorpusReport<'_>) {
    let Some(speakers) = report.data()["speakers"].as_array().filter(|speakers| !speakers.is_empty()) else { return };
    let mut speakers: Vec<&Value> = speakers.iter().collect();
    open(html, "speakers", "Speakers");
    speakers.sort_by(|left, right| right["utterances"].as_u64().cmp(&left["utterances"].as_u64()));
    if speakers.len() > MOST_ROWS {
        *html += &format!("<p>The {MOST_ROWS} of {} with the most utterances.</p>\n", speakers.len());
    }
    let rows = speakers.iter().take(MOST_ROWS).map(|speaker| {
        let name = escape(speaker["speaker"].as_str().unwrap_or_default());
        (String::new(), vec![name, number(speaker["utterances"].as_f64()), number(speaker["hours"].as_f64())])
    });
    table(html, &["speaker", "utterances", "hours"], rows);
    html.push_str("</section>\n");
}

fn text(html: &mut String, report: &CorpusReport<'_>) {
    let Corpus { census, .. } = report.corpus;
    if census.utterances() == 0 {
        return;
    }
    open(html, "text", "Text");
    if let Value::Object(errors) = &report.data()["errors"] {
        let rate = errors["error_rate"].as_f64().map(|rate| 100.0 * rate);
        let [words, errors_] = ["words", "errors"].map(|name| number(errors[name].as_f64()));
        *html += &format!("<p>{errors_} errors in {words} words: {} %.</p>\n", number(rate));
        let word = |value: &Value| value.as_str().map_or_else(|| "(none)".to_owned(), escape);
        let confused = errors["confused"].as_array().into_iter().flatten();
        let rows = confused.map(|pair| {
            let cells = vec![word(&pair["reference"]), word(&pair["hypothesis"]), number(pair["count"].as_f64())];
            (String::new(), cells)
        });
        table(html, &["said", "recognized", "times"], rows);
    }
    let rows = census.characters().take(MOST_ROWS).map(|(letter, counts)| {
        let code = format!("U+{:04X}", u32::from(letter));
        let mark = if census.is_strange(letter) { " class=\"strange\"" } else { "" };
        (
            mark.to_owned(),
            vec![escape(&letter.to_string()), code, counts.count.to_string(), counts.utterances.to_string()],
        )
    });
    table(html, &["character", "code", "times", "utterances"], rows);
    let words = census.frequent_words(50).into_iter();
    table(html, &["word", "times"], words.map(|(word, count)| (String::new(), vec![escape(word), count.to_string()])));
    html.push_str("</section>\n");
}

fn features(html: &mut String, report: &CorpusReport<'_>) -> Result<()> {
    let means: Vec<(f64, f64)> = report.corpus.moments.iter().map(|column| (column.mean, column.stddev)).collect();
    if means.is_empty() {
        return Ok(());
    }
    open(html, "features", "Features");
    let count = means.len();
    let chart = chart("means and standard deviations of columns", Panel::Means { title: String::new(), means })?;
    *html += &format!("<figure>\n{chart}<figcaption>{count} columns</figcaption>\n</figure>\n</section>\n");
    Ok(())
}

/// The first characters of a key or a text, as HTML.
fn shorten(text: &[u8]) -> String {
    let text = text.to_str_lossy();
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => escape(&text[..end]) + " …",
        None => escape(&text),
    }
}

/// A number with four digits, or all digits of a whole one; a dash if there is none.
fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return "–".to_owned() };
    if value == value.round() && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
