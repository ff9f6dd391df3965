//! A report as one page of HTML that asks for nothing. Its script only sorts and filters: without it, everything is shown.

mod cards;
mod charts;
pub(crate) mod findings;
mod lists;

use bstr::ByteSlice;
use corpus_quality::duration_in_words;
use serde_json::Value;

use crate::Result;
use crate::copies_page;
use crate::markup::{escape, escape_json, hash_source};
use crate::page::findings::Places;
use crate::report::CorpusReport;

/// Bytes of a page.
const MOST: usize = 12_000_000;

/// Bytes of the data in a page. If there is more, the lists in it are shorter than those of [`CorpusReport::data`].
const MOST_DATA: usize = 5_000_000;

/// Findings and speakers that are listed, at most.
pub(crate) const MOST_ROWS: usize = 500;

/// Rows of a list that are in sight; longer lists can be opened.
const IN_SIGHT: usize = 12;

/// Characters of a key or a word that are shown.
pub(crate) const MOST_OF_KEY: usize = 500;

/// Characters of a text that are shown.
const MOST_OF_TEXT: usize = 2000;

/// Characters of the names of tables that stand at the top.
const MOST_OF_NAMES: usize = 200;

/// The name of a tool, and the version of all of them.
const PROGRAM: &str = concat!("table-report ", env!("CARGO_PKG_VERSION"));

const STYLE: &str = include_str!("../page.css");

const SCRIPT: &str = include_str!("../page.js");

/// Writes the page.
///
/// # Errors
/// If a picture cannot be drawn.
pub(crate) fn write(report: &CorpusReport<'_>) -> Result<String> {
    let places = Places::of(report);
    let mut first = String::new();
    summary(&mut first, report);
    findings::section(&mut first, report, &places);
    let mut rest = String::new();
    copies_page::copies(&mut rest, report, &places);
    copies_page::against(&mut rest, report);
    charts::distributions(&mut rest, report);
    lists::speakers(&mut rest, report);
    lists::text(&mut rest, report);
    charts::features(&mut rest, report);
    inputs(&mut rest, report);
    let has_cards = !places.cards.is_empty();
    let mut html = head(report) + &contents(&[first.as_str(), rest.as_str()], has_cards) + &first;
    let data = embedded(report.data());
    rest += &format!(
        "</main>\n</div>\n<script type=\"application/json\" id=\"data\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
    let room = MOST.saturating_sub(html.len() + rest.len());
    cards::section(&mut html, report, &places, room)?;
    Ok(html + &rest)
}

/// The page up to its list of sections.
fn head(report: &CorpusReport<'_>) -> String {
    let names: Vec<_> = report.corpus.names.iter().map(|name| name.to_str_lossy()).collect();
    let (title, names) = (escape(&report.options.title), shorten(names.join(", ").as_bytes(), MOST_OF_NAMES));
    let of_what = if title == names { names.clone() } else { format!("{title} - {names}") };
    let policy = format!(
        "default-src 'none'; img-src data:; media-src data:; style-src {}; script-src {}",
        hash_source(STYLE),
        hash_source(SCRIPT)
    );
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{of_what} - table-report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1>{title}</h1>\n<p data-testid=\"about\">{PROGRAM} of {names}</p>\n</header>\n<div class=\"page\">\n"
    )
}

/// Links to the sections of the page, which are in `parts`, and the start of what is beside them.
fn contents(parts: &[&str], has_cards: bool) -> String {
    let mut html = "<nav data-testid=\"toc\" aria-label=\"Sections\">\n<ul>\n".to_owned();
    for part in parts {
        let mut rest = *part;
        while let Some((_, after)) = rest.split_once("<section data-testid=\"") {
            let name = after.split('"').next().unwrap_or_default();
            let heading =
                after.split_once("<h2").and_then(|(_, text)| text.split(['>', '<']).nth(1)).unwrap_or_default();
            html += &format!("<li><a href=\"#{name}\">{heading}</a></li>\n");
            if name == "findings" && has_cards {
                html += &format!("<li><a href=\"#{}\">{}</a></li>\n", cards::NAME, cards::HEADING);
            }
            rest = after;
        }
    }
    html + "</ul>\n</nav>\n<main>\n"
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

/// Starts a section, to which the list of sections links.
pub(crate) fn open(html: &mut String, name: &str, heading: &str) {
    *html += &format!(
        "<section data-testid=\"{name}\" id=\"{name}\" aria-labelledby=\"{name}-heading\">\n\
         <h2 id=\"{name}-heading\">{heading}</h2>\n"
    );
}

/// A table; the cells are HTML already. Columns whose head ends with `#` have numbers, which stand to the right.
pub(crate) fn table(html: &mut String, heads: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) {
    let class = |head: &str| if head.ends_with('#') { " class=\"number\"" } else { "" };
    html.push_str("<table>\n<thead><tr>");
    for head in heads {
        *html += &format!("<th scope=\"col\"{}>{}</th>", class(head), head.trim_end_matches('#'));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (attributes, cells) in rows {
        *html += &format!("<tr{attributes}>");
        for (cell, head) in cells.iter().zip(heads) {
            *html += &format!("<td{}>{cell}</td>", class(head));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n");
}

/// Puts what `write` adds into a part that can be opened, if it is long: more than a few `rows`.
pub(crate) fn fold(html: &mut String, rows: usize, what: &str, write: impl FnOnce(&mut String)) {
    if rows <= IN_SIGHT {
        return write(html);
    }
    *html += &format!("<details>\n<summary>{what}</summary>\n");
    write(html);
    html.push_str("</details>\n");
}

fn summary(html: &mut String, report: &CorpusReport<'_>) {
    open(html, "summary", "Summary");
    html.push_str("<dl class=\"tiles\">\n");
    let sums = &report.data()["summary"];
    let mut tile = |name: &str, hook: &str, text: &str| {
        *html += &format!("<div><dt>{name}</dt><dd{hook}>{text}</dd></div>\n");
    };
    if let Some(hours) = sums["hours"].as_f64() {
        tile("length", " data-testid=\"length\"", &duration_in_words(3600.0 * hours));
    }
    for name in ["utterances", "speakers", "recordings", "words", "vocabulary"] {
        if let Some(number) = sums[name].as_u64() {
            tile(name, "", &grouped(number as usize));
        }
    }
    let (found, all) = (report.num_findings().0, report.corpus.utterances.len());
    *html +=
        &format!("</dl>\n<p>{} of {} have findings.</p>\n</section>\n", grouped(found), count_of(all, "utterances"));
}

/// The tables that were read.
fn inputs(html: &mut String, report: &CorpusReport<'_>) {
    open(html, "inputs", "Inputs");
    *html += &format!("<p>Made by {PROGRAM}, a part of kaldi-tables.</p>\n");
    let tables = &report.corpus.tables;
    fold(html, tables.len(), &format!("{} tables and lists", tables.len()), |html| {
        let rows = tables.iter().map(|table| {
            let name = shorten(&table.name, MOST_OF_KEY);
            (String::new(), vec![name, escape(table.kind), grouped(table.entries as usize)])
        });
        self::table(html, &["table", "type", "entries#"], rows);
    });
    html.push_str("</section>\n");
}

/// The first `most` characters of a key or a text, as HTML.
pub(crate) fn shorten(text: &[u8], most: usize) -> String {
    let text = text.to_str_lossy();
    match text.char_indices().nth(most) {
        Some((end, _)) => escape(&text[..end]) + " …",
        None => escape(&text),
    }
}

/// How many of a thing there are: `3 findings`, `1 finding`. `things` are in the plural.
pub(crate) fn count_of(count: usize, things: &str) -> String {
    let things = if count == 1 { things.strip_suffix('s').unwrap_or(things) } else { things };
    format!("{} {things}", grouped(count))
}

/// A count; from 10,000 on its digits are in groups.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_counts_are_grouped() {
        assert_eq!([0, 9999, 10_000, 1_234_567].map(grouped), ["0", "9999", "10,000", "1,234,567"]);
        assert_eq!([count_of(1, "findings"), count_of(2, "findings")], ["1 finding", "2 findings"]);
    }

    #[test]
    fn the_list_of_sections_has_all_of_them() {
        let mut html = String::new();
        open(&mut html, "findings", "Findings");
        open(&mut html, "text", "Text");
        let list = contents(&[&html], true);
        let links: Vec<&str> = list.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(links, ["findings", "utterances", "text"]);
        assert!(list.contains(">Findings</a>") && list.contains(">Text</a>"), "{list}");
    }

    #[test]
    fn the_script_is_small() {
        assert!(SCRIPT.len() < 20_000 && !SCRIPT.contains("</script"));
    }
}
