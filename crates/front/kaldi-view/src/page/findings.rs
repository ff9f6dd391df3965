//! The findings of a page: rules to choose from, and a table with a group of rows for each utterance.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use bstr::{BStr, ByteSlice};
use corpus_quality::{Finding, FindingValue, Rule, decimal};

use crate::copies_page;
use crate::page::{MOST_OF_KEY, MOST_ROWS, count_of, grouped, open, shorten};
use crate::report::CorpusReport;

/// Utterances that are listed for each rule before the list is filled up.
const MOST_FOR_SURE: usize = 10;

/// Characters of a value and of a message.
const MOST_OF_VALUE: usize = 22;
const MOST_OF_MESSAGE: usize = 300;

/// Where findings and utterances are in the page.
pub(crate) struct Places {
    /// The utterances in the table: with the place of their findings in the list, in its order.
    pub groups: Vec<(usize, Range<usize>)>,
    /// The place in the table, by utterance.
    pub group_of: HashMap<usize, usize>,
    /// The card of an utterance.
    pub cards: HashMap<usize, usize>,
}

impl Places {
    /// Of all findings: if there are too many, the first ones, and of each rule some.
    pub fn of(report: &CorpusReport<'_>) -> Self {
        let all = groups(&report.findings.list);
        let chosen = choose(&report.findings.list, &all);
        let groups: Vec<_> =
            all.into_iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen).map(|(group, _)| group).collect();
        let numbered =
            |list: &mut dyn Iterator<Item = usize>| list.enumerate().map(|(at, index)| (index, at)).collect();
        Self {
            group_of: numbered(&mut groups.iter().map(|group| group.0)),
            cards: numbered(&mut report.shown.iter().copied()),
            groups,
        }
    }

    /// The key of an utterance with a link to its card, or to its row; as HTML.
    pub fn link(&self, report: &CorpusReport<'_>, key: &BStr) -> String {
        let text = shorten(key, MOST_OF_KEY);
        let utterance = report.corpus.find(key);
        let of = |places: &HashMap<usize, usize>| utterance.and_then(|utterance| places.get(&utterance)).copied();
        match (of(&self.cards), of(&self.group_of)) {
            (Some(card), _) => format!("<a href=\"#utterance-{card}\">{text}</a>"),
            (None, Some(group)) => format!("<a href=\"#group-{group}\">{text}</a>"),
            (None, None) => text,
        }
    }
}

/// The findings of each utterance: they stand side by side.
fn groups(list: &[Finding]) -> Vec<(usize, Range<usize>)> {
    let mut start = 0;
    let group = |own: &[Finding]| {
        start += own.len();
        (own[0].utterance, start - own.len()..start)
    };
    list.chunk_by(|left, right| left.utterance == right.utterance).map(group).collect()
}

/// Which groups are listed, so that there are not too many findings.
fn choose(list: &[Finding], groups: &[(usize, Range<usize>)]) -> Vec<bool> {
    let (mut chosen, mut count) = (vec![false; groups.len()], 0);
    let mut counts = HashMap::<Rule, usize>::new();
    for (is_chosen, (_, range)) in chosen.iter_mut().zip(groups) {
        let own = &list[range.clone()];
        let is_rare = own.iter().any(|finding| *counts.entry(finding.rule).or_default() < MOST_FOR_SURE);
        if is_rare && count + own.len() <= MOST_ROWS {
            own.iter().for_each(|finding| *counts.entry(finding.rule).or_default() += 1);
            (*is_chosen, count) = (true, count + own.len());
        }
    }
    for (is_chosen, (_, range)) in chosen.iter_mut().zip(groups).filter(|(is_chosen, _)| !**is_chosen) {
        if count + range.len() > MOST_ROWS {
            break;
        }
        (*is_chosen, count) = (true, count + range.len());
    }
    chosen
}

/// The section of the findings.
pub(crate) fn section(html: &mut String, report: &CorpusReport<'_>, places: &Places) {
    open(html, "findings", "Findings");
    let count = report.findings.list.len();
    if count == 0 {
        *html += "<p>No utterance stands out.</p>\n</section>\n";
        return;
    }
    let all = count_of(count, "findings");
    *html += &format!("<p>{all}. A finding is a hint, not an error: what is odd depends on the data.</p>\n");
    rules(html, report);
    let listed = places.groups.len();
    *html += &format!(
        "<p class=\"count\"><span data-testid=\"count\" role=\"status\">{listed} of {listed} utterances</span>"
    );
    let findings: usize = places.groups.iter().map(|group| group.1.len()).sum();
    if findings < count {
        *html += &format!(
            " <span class=\"quiet\">Listed are {} of {}, some of each rule.</span>",
            grouped(findings),
            count_of(count, "findings")
        );
    }
    html.push_str("</p>\n<p id=\"explained\" class=\"quiet\" hidden></p>\n");
    html.push_str(
        "<table class=\"findings\">\n<caption>A score of 100 is a fact; a lower one is the distance from what is usual (the median), in \
         robust standard deviations.</caption>\n<thead><tr>\
         <th scope=\"col\" aria-sort=\"none\"><button type=\"button\" data-testid=\"sort-utterance\">Utterance</button></th>\
         <th scope=\"col\" aria-sort=\"none\"><button type=\"button\" data-testid=\"sort-findings\">Findings</button></th>\
         <th scope=\"col\" class=\"number\">Value</th><th scope=\"col\" class=\"number\">Usual</th>\
         <th scope=\"col\" class=\"number\" aria-sort=\"descending\">\
         <button type=\"button\" data-testid=\"sort-score\">Score</button></th></tr></thead>\n",
    );
    for (at, (utterance, range)) in places.groups.iter().enumerate() {
        group(html, report, places, (at, *utterance), &report.findings.list[range.clone()]);
    }
    html.push_str("</table>\n<button type=\"button\" id=\"more\" hidden>Show all</button>\n</section>\n");
}

/// The rules with findings, the most frequent one first: to choose from, and what they mean.
fn rules(html: &mut String, report: &CorpusReport<'_>) {
    let mut counts = BTreeMap::<Rule, Vec<usize>>::new();
    for finding in &report.findings.list {
        let utterances = counts.entry(finding.rule).or_default();
        if utterances.last() != Some(&finding.utterance) {
            utterances.push(finding.utterance);
        }
    }
    let mut rules: Vec<(Rule, usize)> = counts.into_iter().map(|(rule, utterances)| (rule, utterances.len())).collect();
    rules.sort_by_key(|&(rule, count)| (std::cmp::Reverse(count), rule));
    let all = grouped(report.num_findings().0);
    *html += &format!(
        "<ul class=\"rules\" data-testid=\"rules\">\n\
         <li><a data-testid=\"all\" href=\"#findings\" aria-current=\"true\"><b>all</b> <span>{all}</span> <small>all rules</small></a></li>\n"
    );
    for (rule, count) in &rules {
        let (name, meaning) = (rule.name(), rule.meaning());
        *html += &format!(
            "<li><a data-testid=\"rule\" data-rule=\"{name}\" data-count=\"{count}\" href=\"#rule={name}\" title=\"{meaning}\">\
             <b>{name}</b> <span>{count}</span> <small>{meaning}</small></a></li>\n"
        );
    }
    html.push_str(
        "</ul>\n<details class=\"meanings\">\n<summary>What the rules mean, and common causes</summary>\n<dl>\n",
    );
    for (rule, _) in &rules {
        *html += &format!(
            "<div><dt>{0}</dt><dd data-rule=\"{0}\">{1}. Common causes: {2}.</dd></div>\n",
            rule.name(),
            capitalized(rule.meaning()),
            rule.causes()
        );
    }
    html.push_str("</dl>\n</details>\n");
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The rows of an utterance.
fn group(
    html: &mut String,
    report: &CorpusReport<'_>,
    places: &Places,
    (at, utterance): (usize, usize),
    own: &[Finding],
) {
    let key = report.corpus.utterances[utterance].key.as_bstr();
    let name = shorten(key, MOST_OF_KEY);
    let score = own.iter().map(|finding| finding.score).fold(0.0, f64::max);
    *html += &format!(
        "<tbody data-testid=\"group\" id=\"group-{at}\" data-key=\"{name}\" data-rules=\"{}\" data-score=\"{score}\">\n",
        names_of(own)
    );
    for (row, finding) in own.iter().enumerate() {
        let rule = finding.rule;
        *html += &format!("<tr data-testid=\"finding\" data-key=\"{name}\" data-rule=\"{}\">", rule.name());
        if row == 0 {
            let link = match places.cards.get(&utterance) {
                Some(card) => format!("<a href=\"#utterance-{card}\">{name}</a>"),
                None => name.clone(),
            };
            *html += &format!("<th scope=\"rowgroup\" rowspan=\"{}\" class=\"key\">{link}</th>", own.len());
        }
        *html += &format!(
            "<td class=\"rule\"><span title=\"{}\">{}</span>{}</td>",
            rule.meaning(),
            rule.name(),
            message(report, places, finding)
                .map_or_else(String::new, |text| format!(" <span data-testid=\"message\">{text}</span>"))
        );
        *html += &format!(
            "<td data-testid=\"value\" class=\"number\">{}</td><td data-testid=\"usual\" class=\"number\">{}</td>\
             <td data-testid=\"score\" class=\"number\">{}</td></tr>\n",
            value(finding),
            usual(report, finding).unwrap_or_else(|| "–".to_owned()),
            decimal(finding.score, 0)
        );
    }
    html.push_str("</tbody>\n");
}

/// The names of the rules of findings, each once.
pub(crate) fn names_of(findings: &[Finding]) -> String {
    let mut names: Vec<&str> = findings.iter().map(|finding| finding.rule.name()).collect();
    names.dedup();
    names.join(" ")
}

/// The value of a finding with its unit, as HTML. A dash if it has a message instead.
pub(crate) fn value(finding: &Finding) -> String {
    match &finding.value {
        // How many, or how alike: the message says it.
        FindingValue::Number(_) if finding.other.is_some() && finding.measure.is_none() => "–".to_owned(),
        FindingValue::Number(value) => finding.rule.wording(finding.measure).text(*value),
        FindingValue::Text(text) if finding.rule == Rule::Character => shorten(text.as_bytes(), MOST_OF_VALUE),
        FindingValue::Text(_) => "–".to_owned(),
    }
}

/// What is usual: what the finding was compared with, or the median of its measure.
pub(crate) fn usual(report: &CorpusReport<'_>, finding: &Finding) -> Option<String> {
    let median = || {
        let name = finding.measure?.name();
        let (_, found) = report.distributions.iter().find(|(other, _)| *other == name)?;
        Some(found.median)
    };
    let usual = finding.usual.or_else(median)?;
    Some(finding.rule.wording(finding.measure).text(Some(usual)))
}

/// What a finding says in words, as HTML.
pub(crate) fn message(report: &CorpusReport<'_>, places: &Places, finding: &Finding) -> Option<String> {
    match &finding.value {
        FindingValue::Text(_) if finding.rule == Rule::Character => None,
        FindingValue::Text(text) => Some(shorten(text.as_bytes(), MOST_OF_MESSAGE)),
        FindingValue::Number(_) => copies_page::phrase(report, places, finding),
    }
}

#[cfg(test)]
mod tests {
    use corpus_quality::{MeasuredUtterance, RankedFindings, SoundMeasures};

    use super::*;

    #[test]
    fn of_too_many_findings_some_of_each_rule_are_listed() {
        // Many are silent, the last ones are clipped.
        let utterance = |at: usize| {
            let mut sound = SoundMeasures::of(8000.0, &[&[0.0; 8]]);
            (sound.rate, sound.level, sound.peak) = (8000.0, Some(-70.0), Some(-60.0));
            if at >= 2000 {
                (sound.level, sound.clipped) = (Some(-20.0), 0.5);
            }
            MeasuredUtterance { key: format!("{at:05}").into(), sound: Some(sound), ..MeasuredUtterance::default() }
        };
        let utterances: Vec<_> = (0..2005).map(utterance).collect();
        let mut list = RankedFindings::of(&utterances, None).list;
        list.retain(|finding| matches!(finding.rule, Rule::Silence | Rule::Clipping));
        list.sort_by_key(|finding| finding.utterance);
        let groups = groups(&list);
        assert_eq!(groups.len(), 2005);
        let chosen = choose(&list, &groups);
        let mut listed: Vec<usize> = (0..2005).filter(|&at| chosen[at]).map(|at| groups[at].0).collect();
        listed.sort_unstable();
        assert_eq!(listed.len(), MOST_ROWS);
        assert_eq!(listed[494..], [494, 2000, 2001, 2002, 2003, 2004]);
    }
}
