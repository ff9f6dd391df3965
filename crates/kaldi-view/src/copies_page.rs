//! What a page says about sound that is there twice.

use bstr::ByteSlice;
use kaldi_measure::{Finding, FindingValue, Rule};

use crate::page::{MOST_OF_KEY, MOST_ROWS, open, shorten, table};
use crate::report::CorpusReport;

/// Keys of a family, and names of speakers, that are listed, at most.
const MOST_KEYS: usize = 50;

/// What a finding says in words, as HTML; `None` if its value says it.
pub(crate) fn phrase(finding: &Finding) -> Option<String> {
    let other = shorten(finding.other.as_ref()?, MOST_OF_KEY);
    let share = match finding.value {
        FindingValue::Number(Some(share)) => share,
        _ => 1.0,
    };
    let place = finding.set.as_ref().map_or_else(String::new, |set| format!(" in {}", shorten(set, MOST_OF_KEY)));
    Some(match finding.rule {
        Rule::DuplicateAudio => format!("same sound as {other}"),
        Rule::Leak if share == 1.0 => format!("same sound as {other}{place}"),
        Rule::NearDuplicate | Rule::Leak => format!("near copy of {other}{place}, {} %", percent(share)),
        Rule::SwappedText => format!("recognized: the text of {other}"),
        _ => return None,
    })
}

/// A share of less than one in whole percent, of which there are never 100.
fn percent(share: f64) -> u32 {
    (100.0 * share).round().min(99.0) as u32
}

/// The section with utterances of the same sound.
pub(crate) fn copies(html: &mut String, report: &CorpusReport<'_>) {
    if report.families.is_empty() {
        return;
    }
    open(html, "copies", "Copies");
    let utterances: usize = report.families.iter().map(|family| family.utterances.len()).sum();
    *html += &format!(
        "<p>{utterances} utterances in {} families have the same sound as others, exactly or nearly.",
        report.families.len()
    );
    if report.families.len() > MOST_ROWS {
        *html += &format!(" The first {MOST_ROWS} are listed.");
    }
    html.push_str("</p>\n<ul>\n");
    for family in report.families.iter().take(MOST_ROWS) {
        let keys = family.utterances.iter().map(|&utterance| report.corpus.utterances[utterance].key.as_bytes());
        let kind = if family.rule == Rule::DuplicateAudio { "the same samples" } else { "nearly the same sound" };
        *html +=
            &format!("<li data-testid=\"family\" data-rule=\"{}\">{}: {kind}</li>\n", family.rule.name(), list(keys));
    }
    html.push_str("</ul>\n</section>\n");
}

/// The section with the sets that the corpus was compared with.
pub(crate) fn against(html: &mut String, report: &CorpusReport<'_>) {
    if report.corpus.compared.is_empty() {
        return;
    }
    open(html, "against", "Compared with other sets");
    html.push_str("<p>Sound, speakers and texts of this corpus that another set has, too.</p>\n");
    let rows = report.corpus.compared.iter().map(|set| {
        let mut speakers = set.speakers.len().to_string();
        if !set.speakers.is_empty() {
            speakers += &format!(": {}", list(set.speakers.iter().map(|name| name.as_bytes())));
        }
        let numbers = [set.utterances, set.leaks.len(), set.texts].map(|number| number.to_string());
        let [utterances, leaks, texts] = numbers;
        (String::new(), vec![shorten(&set.name, MOST_OF_KEY), utterances, leaks, speakers, texts])
    });
    let heads = [
        "set",
        "its utterances",
        "utterances whose sound it has",
        "speakers that it has",
        "utterances whose text it has",
    ];
    table(html, &heads, rows);
    html.push_str("</section>\n");
}

/// The first keys of a list, as HTML.
fn list<'a>(keys: impl ExactSizeIterator<Item = &'a [u8]>) -> String {
    let more = keys.len().saturating_sub(MOST_KEYS);
    let mut html = keys.take(MOST_KEYS).map(|key| shorten(key, MOST_OF_KEY)).collect::<Vec<_>>().join(", ");
    if more > 0 {
        html += &format!(" and {more} more");
    }
    html
}
