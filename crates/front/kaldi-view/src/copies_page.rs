//! What a page says about sound that is there twice.

use bstr::ByteSlice;
use corpus_quality::{Finding, FindingValue, Rule};

use crate::page::findings::Places;
use crate::page::{MOST_OF_KEY, MOST_ROWS, count_of, fold, grouped, open, shorten, table};
use crate::report::CorpusReport;

/// Keys of a family, and names of speakers, that are listed, at most.
const MOST_KEYS: usize = 50;

/// What a finding says of another utterance in words, as HTML; `None` if it has no other one.
pub(crate) fn phrase(report: &CorpusReport<'_>, places: &Places, finding: &Finding) -> Option<String> {
    let key = finding.other.as_ref()?;
    let other = match &finding.set {
        // It is not in this page.
        Some(_) => shorten(key, MOST_OF_KEY),
        None => places.link(report, key.as_bstr()),
    };
    let share = match finding.value {
        FindingValue::Number(Some(share)) => share,
        _ => 1.0,
    };
    let place = finding.set.as_ref().map_or_else(String::new, |set| format!(" in {}", shorten(set, MOST_OF_KEY)));
    let other = match finding.others {
        Some(count) => format!("{other} and of {}", count_of(count, "others")),
        None => other,
    };
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
pub(crate) fn copies(html: &mut String, report: &CorpusReport<'_>, places: &Places) {
    if report.families.is_empty() {
        return;
    }
    open(html, "copies", "Copies");
    let utterances: usize = report.families.iter().map(|family| family.utterances.len()).sum();
    *html += &format!(
        "<p>{} in {} have the same sound as others, exactly or nearly.",
        count_of(utterances, "utterances"),
        if report.families.len() == 1 {
            "one family".to_owned()
        } else {
            format!("{} families", grouped(report.families.len()))
        }
    );
    if report.families.len() > MOST_ROWS {
        *html += &format!(" The first {MOST_ROWS} are listed.");
    }
    html.push_str("</p>\n");
    fold(html, report.families.len(), "All families", |html| {
        html.push_str("<ul class=\"families\">\n");
        for family in report.families.iter().take(MOST_ROWS) {
            let key = |&utterance: &usize| places.link(report, report.corpus.utterances[utterance].key.as_bstr());
            let keys = family.utterances.iter().map(key);
            let kind = if family.rule == Rule::DuplicateAudio { "the same samples" } else { "nearly the same sound" };
            let rule = family.rule.name();
            *html += &format!("<li data-testid=\"family\" data-rule=\"{rule}\">{}: {kind}</li>\n", list(keys));
        }
        html.push_str("</ul>\n");
    });
    html.push_str("</section>\n");
}

/// The section with the sets that the corpus was compared with.
pub(crate) fn against(html: &mut String, report: &CorpusReport<'_>) {
    if report.corpus.compared.is_empty() {
        return;
    }
    open(html, "against", "Compared with other sets");
    html.push_str("<p>Sound, speakers and texts of this corpus that another set has, too.</p>\n");
    let rows = report.corpus.compared.iter().map(|set| {
        let mut speakers = grouped(set.speakers.len());
        if !set.speakers.is_empty() {
            speakers += &format!(": {}", list(set.speakers.iter().map(|name| shorten(name, MOST_OF_KEY))));
        }
        let numbers = [set.utterances, set.leaks.len(), set.texts].map(grouped);
        let [utterances, leaks, texts] = numbers;
        (String::new(), vec![shorten(&set.name, MOST_OF_KEY), utterances, leaks, speakers, texts])
    });
    let heads = [
        "set",
        "its utterances#",
        "utterances whose sound it has#",
        "speakers that it has",
        "utterances whose text it has#",
    ];
    table(html, &heads, rows);
    html.push_str("</section>\n");
}

/// The first keys of a list; they are HTML already.
fn list(keys: impl ExactSizeIterator<Item = String>) -> String {
    let more = keys.len().saturating_sub(MOST_KEYS);
    let mut html = keys.take(MOST_KEYS).collect::<Vec<_>>().join(", ");
    if more > 0 {
        html += &format!(" and {more} more");
    }
    html
}
