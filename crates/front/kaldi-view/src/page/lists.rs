//! Speakers, characters and words of a page.

use corpus_quality::{code_point, decimal, duration_in_words};
use serde_json::Value;

use crate::markup::escape;
use crate::page::{MOST_OF_KEY, MOST_ROWS, count_of, fold, grouped, open, shorten, table};
use crate::report::CorpusReport;

/// The section of the speakers, if there are any.
pub(crate) fn speakers(html: &mut String, report: &CorpusReport<'_>) {
    let Some(speakers) = report.data()["speakers"].as_array().filter(|speakers| !speakers.is_empty()) else { return };
    let mut speakers: Vec<&Value> = speakers.iter().collect();
    open(html, "speakers", "Speakers");
    speakers.sort_by(|left, right| right["utterances"].as_u64().cmp(&left["utterances"].as_u64()));
    let utterances = |speaker: &Value| speaker["utterances"].as_u64().unwrap_or(0) as usize;
    let (most, least) = (utterances(speakers[0]), utterances(speakers[speakers.len() - 1]));
    *html += &match most == least {
        true => format!("<p>{} with {} each.", count_of(speakers.len(), "speakers"), count_of(most, "utterances")),
        false => format!(
            "<p>{} with {} to {}.",
            count_of(speakers.len(), "speakers"),
            grouped(least),
            count_of(most, "utterances")
        ),
    };
    if speakers.len() > MOST_ROWS {
        *html += &format!(" Listed are the {MOST_ROWS} with the most utterances.");
    }
    html.push_str("</p>\n");
    let has_sound = report.data()["summary"]["hours"].is_number();
    let heads: &[&str] = if has_sound { &["speaker", "utterances#", "length#"] } else { &["speaker", "utterances#"] };
    fold(html, speakers.len(), "All speakers", |html| {
        let rows = speakers.iter().take(MOST_ROWS).map(|speaker| {
            let name = shorten(speaker["speaker"].as_str().unwrap_or_default().as_bytes(), MOST_OF_KEY);
            let length = duration_in_words(3600.0 * speaker["hours"].as_f64().unwrap_or(0.0));
            (String::new(), vec![name, grouped(utterances(speaker)), length])
        });
        table(html, heads, rows);
    });
    html.push_str("</section>\n");
}

/// The section of the texts, if there are any.
pub(crate) fn text(html: &mut String, report: &CorpusReport<'_>) {
    let census = &report.corpus.census;
    if census.utterances() == 0 {
        return;
    }
    open(html, "text", "Text");
    errors(html, &report.data()["errors"]);
    let characters: Vec<_> = census.characters().collect();
    let strange: Vec<String> = characters
        .iter()
        .filter(|(letter, _)| census.is_strange(*letter))
        .take(MOST_ROWS)
        .map(|&(letter, _)| format!("<b>{}</b> ({})", escape(&letter.to_string()), code_point(letter)))
        .collect();
    *html += &format!("<p>{}.", count_of(characters.len(), "different characters"));
    if !strange.is_empty() {
        *html += &format!(" Strange in these texts: {}.", strange.join(", "));
    }
    html.push_str("</p>\n<div class=\"lists\">\n<div>\n");
    fold(html, characters.len(), "Characters", |html| {
        let rows = characters.iter().take(MOST_ROWS).map(|&(letter, counts)| {
            let mark = if census.is_strange(letter) { " class=\"strange\"" } else { "" };
            let letter_ = escape(&letter.to_string());
            (mark.to_owned(), vec![letter_, code_point(letter), grouped(counts.count), grouped(counts.utterances)])
        });
        table(html, &["character", "code", "times#", "utterances#"], rows);
    });
    html.push_str("</div>\n<div>\n");
    let words = census.frequent_words(50);
    fold(html, words.len(), "Frequent words", |html| {
        let rows = words
            .iter()
            .map(|(word, count)| (String::new(), vec![shorten(word.as_bytes(), MOST_OF_KEY), grouped(*count)]));
        table(html, &["word", "times#"], rows);
    });
    html.push_str("</div>\n</div>\n</section>\n");
}

/// The errors of recognized texts, if there are any texts.
fn errors(html: &mut String, errors: &Value) {
    let Some(rate) = errors["error_rate"].as_f64() else { return };
    let count = |name: &str| errors[name].as_u64().unwrap_or(0) as usize;
    *html += &format!(
        "<p>{} in {}: {} %.</p>\n",
        count_of(count("errors"), "errors"),
        count_of(count("words"), "words"),
        decimal(100.0 * rate, 2)
    );
    let word = |value: &Value| {
        value.as_str().map_or_else(|| "(none)".to_owned(), |word| shorten(word.as_bytes(), MOST_OF_KEY))
    };
    let confused = errors["confused"].as_array().map_or(&[][..], Vec::as_slice);
    fold(html, confused.len(), "Confused words", |html| {
        let rows = confused.iter().map(|pair| {
            let times = grouped(pair["count"].as_u64().unwrap_or(0) as usize);
            (String::new(), vec![word(&pair["reference"]), word(&pair["hypothesis"]), times])
        });
        table(html, &["said", "recognized", "times#"], rows);
    });
}
