//! A report as one page of HTML. It has no scripts, and asks for nothing.

use bstr::ByteSlice;
use kaldi_measure::Distribution;
use kaldi_plot::{Figure, Panel, PictureFormat, Style};
use kaldi_wave::Wave;
use serde_json::Value;

use crate::copies_page;
use crate::markup::{data_url, escape, escape_json, hash_source};
use crate::report::CorpusReport;
use crate::shown;
use crate::{Corpus, Result};

/// Bytes of a page.
const MOST: usize = 12_000_000;

/// Bytes of the data in a page. If there is more, the lists in it are shorter than those of [`CorpusReport::data`].
const MOST_DATA: usize = 5_000_000;

/// Bytes of the elements around a picture and a sound, besides the key.
const ELEMENTS: usize = 400;

/// Findings and speakers that are listed, at most.
pub(crate) const MOST_ROWS: usize = 500;

/// Characters of a key or a word that are shown.
pub(crate) const MOST_OF_KEY: usize = 500;

/// Characters of a text that are shown.
const MOST_OF_TEXT: usize = 2000;

const STYLE: &str = include_str!("page.css");

/// Writes the page.
///
/// # Errors
/// If a picture cannot be drawn.
pub(crate) fn write(report: &CorpusReport<'_>) -> Result<String> {
    let title = escape(&report.options.title);
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
    let mut rest = String::new();
    copies_page::copies(&mut rest, report);
    copies_page::against(&mut rest, report);
    distributions(&mut rest, report)?;
    speakers(&mut rest, report);
    text(&mut rest, report);
    features(&mut rest, report)?;
    let data = embedded(report.data());
    rest += &format!("</main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n</body>\n</html>\n");
    let room = MOST.saturating_sub(html.len() + rest.len());
    articles(&mut html, report, room)?;
    Ok(html + &rest)
}

/// The data as it stands in the page. If it is too large, its lists are cut, and `cut` is their length.
fn embedded(data: &Value) -> String {
    let text = escape_json(&data.to_string());
    let mut cut = 1 << 16;
    let mut data = if text.len() > MOST_DATA { data.clone() } else { return text };
    loop {
        for list in data.as_object_mut().into_iter().flatten().filter_map(|(_, value)| value.as_array_mut()) {
            list.truncate(cut);
        }
        data["cut"] = cut.into();
        let text = escape_json(&data.to_string());
        if text.len() <= MOST_DATA || cut == 0 {
            return text;
        }
        cut /= 2;
    }
}

pub(crate) fn open(html: &mut String, name: &str, heading: &str) {
    *html +=
        &format!("<section data-testid=\"{name}\" aria-labelledby=\"{name}\">\n<h2 id=\"{name}\">{heading}</h2>\n");
}

/// A table; the cells are HTML already.
pub(crate) fn table(html: &mut String, heads: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) {
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
        let key = shorten(&utterance.key, MOST_OF_KEY);
        let name = finding.rule.name();
        let attributes = format!(" data-testid=\"finding\" data-key=\"{key}\" data-rule=\"{name}\"");
        let value = match &finding.value {
            kaldi_measure::FindingValue::Number(value) => number(*value),
            kaldi_measure::FindingValue::Text(text) => shorten(text.as_bytes(), MOST_OF_TEXT),
        };
        let shown = report.shown.iter().position(|&index| index == finding.utterance);
        let link = shown.map_or_else(|| key.clone(), |at| format!("<a href=\"#utterance-{at}\">{key}</a>"));
        let usual = finding.usual.map_or_else(String::new, |usual| number(Some(usual)));
        let other =
            finding.other.as_ref().map_or_else(String::new, |other| format!(" (as {})", shorten(other, MOST_OF_KEY)));
        let cells = vec![
            link,
            name.to_owned(),
            copies_page::phrase(finding).unwrap_or_else(|| format!("{value}{other}")),
            usual,
            number(Some(finding.score)),
            finding.rule.meaning().to_owned(),
        ];
        (attributes, cells)
    });
    table(html, &["utterance", "rule", "value", "usual", "score", "meaning"], rows);
    html.push_str("</section>\n");
}

/// The utterances with the clearest findings, in `room` bytes.
fn articles(html: &mut String, report: &CorpusReport<'_>, room: usize) -> Result<()> {
    if report.shown.is_empty() {
        return Ok(());
    }
    html.push_str("<h2>Utterances with the clearest findings</h2>\n");
    let texts: Vec<[String; 2]> = report.shown.iter().map(|&index| around_media(report, index)).collect();
    let used: usize = texts.iter().flatten().map(|text| text.len() + ELEMENTS).sum();
    let media = media(report, room.saturating_sub(used))?;
    for (at, ([before, after], media)) in texts.iter().zip(media).enumerate() {
        *html += &format!("<article data-testid=\"utterance\" id=\"utterance-{at}\"{before}{media}{after}");
    }
    Ok(())
}

/// What is before and after the picture and the sound of an utterance.
fn around_media(report: &CorpusReport<'_>, index: usize) -> [String; 2] {
    let utterance = &report.corpus.utterances[index];
    let key = shorten(&utterance.key, MOST_OF_KEY);
    let rules = report.findings.list.iter().filter(|finding| finding.utterance == index);
    let rules: Vec<&str> = rules.map(|finding| finding.rule.name()).collect();
    let mut before = format!(" data-key=\"{key}\">\n<h3>{key}</h3>\n<p class=\"rules\">{}</p>\n", rules.join(", "));
    if let Some(text) = report.corpus.text(index).filter(|_| report.options.sound) {
        before += &format!("<p class=\"text\" dir=\"auto\">{}</p>\n", shorten(text, MOST_OF_TEXT));
    }
    let mut after = "<dl>\n".to_owned();
    for (name, value) in utterance.measures() {
        after += &format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", number(value));
    }
    [before, after + "</dl>\n</article>\n"]
}

/// The spectrograms and the sound of the utterances that are shown, in `room` bytes: pictures have half of it at most; sounds share the
/// rest, the longest ones are cut.
fn media(report: &CorpusReport<'_>, room: usize) -> Result<Vec<String>> {
    let places: Vec<_> = report.shown.iter().map(|&index| report.corpus.place(index)).collect();
    let seconds = if report.options.sound { report.options.seconds } else { 0.0 };
    let shown = shown::sounds(&places, seconds)?;
    let (mut left, mut pictures) = (room, Vec::new());
    for shown in &shown {
        let url = shown.picture.as_ref().map(|picture| data_url("image/png", picture));
        let url = url.filter(|url| left.saturating_sub(url.len()) >= room / 2);
        left -= url.as_ref().map_or(0, String::len);
        pictures.push(url);
    }
    let sounds: Vec<&Wave> = shown.iter().filter_map(|shown| shown.sound.as_ref()).collect();
    let share = share(sounds.iter().map(|sound| shown::characters(sound)).collect(), left);
    let write = |(at, picture): (usize, Option<String>)| {
        let key = shorten(&report.corpus.utterances[report.shown[at]].key, MOST_OF_KEY);
        let mut html = String::new();
        if let Some(url) = picture {
            html += &format!("<img src=\"{url}\" width=\"760\" height=\"240\" alt=\"Spectrogram of {key}\">\n");
        }
        if let Some(sound) = shown[at].sound.as_ref().filter(|_| report.options.sound) {
            let url = data_url("audio/wav", &shown::wav_file(sound, share));
            html += &format!("<audio controls preload=\"none\" src=\"{url}\" aria-label=\"Sound of {key}\"></audio>\n");
        }
        html
    };
    Ok(pictures.into_iter().enumerate().map(write).collect())
}

/// The largest size up to which all `sizes` together have room.
fn share(mut sizes: Vec<usize>, mut room: usize) -> usize {
    sizes.sort_unstable();
    for (at, size) in sizes.iter().enumerate() {
        let share = room / (sizes.len() - at);
        if *size > share {
            return share;
        }
        room -= size;
    }
    usize::MAX
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
        let name = shorten(speaker["speaker"].as_str().unwrap_or_default().as_bytes(), MOST_OF_KEY);
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
        let word = |value: &Value| {
            value.as_str().map_or_else(|| "(none)".to_owned(), |word| shorten(word.as_bytes(), MOST_OF_KEY))
        };
        let confused = errors["confused"].as_array().into_iter().flatten();
        let rows = confused.map(|pair| {
            let cells = vec![word(&pair["reference"]), word(&pair["hypothesis"]), number(pair["count"].as_f64())];
            (String::new(), cells)
        });
        table(html, &["said", "recognized", "times"], rows);
    }
    let rows = census.characters().take(MOST_ROWS).map(|(letter, counts)| {
        let code = kaldi_measure::code_point(letter);
        let mark = if census.is_strange(letter) { " class=\"strange\"" } else { "" };
        (
            mark.to_owned(),
            vec![escape(&letter.to_string()), code, counts.count.to_string(), counts.utterances.to_string()],
        )
    });
    table(html, &["character", "code", "times", "utterances"], rows);
    let words = census.frequent_words(50).into_iter();
    table(
        html,
        &["word", "times"],
        words.map(|(word, count)| (String::new(), vec![shorten(word.as_bytes(), MOST_OF_KEY), count.to_string()])),
    );
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

/// The first `most` characters of a key or a text, as HTML.
pub(crate) fn shorten(text: &[u8], most: usize) -> String {
    let text = text.to_str_lossy();
    match text.char_indices().nth(most) {
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
