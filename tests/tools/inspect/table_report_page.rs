//! The page of table-report: its hooks, its pictures, its charts.

use std::collections::BTreeSet;

use super::table_report::{Noise, faulty, json, strings};
use crate::support::Scratch;
use crate::support::wave::wave;

/// The value of an attribute in all elements with a hook.
fn attributes<'a>(page: &'a str, hook: &str, name: &str) -> Vec<&'a str> {
    let hook = format!("data-testid=\"{hook}\"");
    let elements = page.split(&hook).skip(1);
    let value = |element: &'a str| {
        let element = element.split('>').next().unwrap();
        element.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next()).unwrap()
    };
    elements.map(value).collect()
}

/// The text in all elements with a hook, up to the next element.
fn texts<'a>(page: &'a str, hook: &str) -> Vec<&'a str> {
    let hook = format!("data-testid=\"{hook}\"");
    let elements = page.split(&hook).skip(1);
    elements.map(|element| element.split(['>', '<']).nth(1).unwrap()).collect()
}

#[test]
fn findings_are_grouped_by_utterance_and_counted_by_rule() {
    let scratch = Scratch::new();
    faulty(&scratch, 2, 60);
    scratch.sh("table-report --hyp=hyp --json=r.json data p.html").succeeds();
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    let data = json(&scratch, "r.json");
    let findings = data["findings"].as_array().unwrap();
    let keys: BTreeSet<&str> = strings(&data["findings"], "key").into_iter().collect();
    assert_eq!(attributes(&page, "group", "data-key").len(), keys.len());
    assert_eq!(attributes(&page, "finding", "data-key"), strings(&data["findings"], "key"));
    assert_eq!(attributes(&page, "finding", "data-rule"), strings(&data["findings"], "rule"));
    assert_eq!(texts(&page, "count"), [format!("{0} of {0} utterances", keys.len())]);
    // The most frequent rule is the first.
    let rules = attributes(&page, "rule", "data-rule");
    let counts: Vec<usize> =
        attributes(&page, "rule", "data-count").iter().map(|count| count.parse().unwrap()).collect();
    assert!(counts.is_sorted_by(|left, right| left >= right), "{counts:?}");
    for (rule, count) in rules.iter().zip(&counts) {
        assert_eq!(findings.iter().filter(|finding| finding["rule"] == *rule).count(), *count, "{rule}");
        assert!(page.contains(&format!("<dd data-rule=\"{rule}\">")), "{rule}");
    }
    // Values have their units, and as many decimals in all rows of a rule.
    let values = texts(&page, "value");
    assert!(values.iter().all(|value| value.chars().count() <= 24), "{values:?}");
    for (rule, unit) in [("clipping", " %"), ("level", " dB"), ("rate", " Hz"), ("snr", " dB"), ("duration", " s")] {
        let own = findings.iter().zip(&values).filter(|(finding, _)| finding["rule"] == rule).map(|(_, value)| value);
        let decimals = |value: &str| value.split_once('.').map_or(0, |(_, rest)| rest.len() - unit.len());
        let own: Vec<&&str> = own.collect();
        assert!(!own.is_empty() && own.iter().all(|value| value.ends_with(unit)), "{rule}: {own:?}");
        assert!(own.iter().all(|value| decimals(value) == decimals(own[0])), "{rule}: {own:?}");
    }
    // What there is in words instead of a number.
    assert!(page.contains("<span data-testid=\"message\">same sound as <a href=\"#utterance-"));
    assert!(texts(&page, "message").iter().any(|message| message.contains("as the header says, got")));
}

#[test]
fn all_pictures_have_one_scale() {
    let scratch = Scratch::new();
    faulty(&scratch, 1, 60);
    scratch.sh("table-report --top=40 data p.html").succeeds();
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    let lows: BTreeSet<&str> = attributes(&page, "spectrogram", "data-low").into_iter().collect();
    let highs: BTreeSet<&str> = attributes(&page, "spectrogram", "data-high").into_iter().collect();
    let (low, high): (f64, f64) = (lows.first().unwrap().parse().unwrap(), highs.first().unwrap().parse().unwrap());
    assert_eq!((lows.len(), highs.len(), high - low), (1, 1, 80.0));
    assert!((-40.0..=0.0).contains(&high), "{high}");
    let scales = attributes(&page, "waveform", "data-scale");
    assert!(scales.len() > 10 && scales.iter().all(|scale| *scale == "1"), "{scales:?}");
    let bar = page.split_once("data-testid=\"colour-bar\"").unwrap().1.split_once("</p>").unwrap().0;
    for end in [low, high] {
        assert!(bar.contains(&format!("−{} dB", -end)) || end == 0.0, "{bar}");
    }
    // The utterance of zeros is a line in the middle.
    let card = page.split("<article").skip(1).find(|card| card.contains("data-key=\"utt004\"")).unwrap();
    let path = card.split_once("<path d=\"M").unwrap().1.split_once('z').unwrap().0;
    assert!(path.split_whitespace().skip(1).step_by(2).all(|height| height == "100"), "{path}");
}

#[test]
fn charts_hold_every_utterance() {
    let scratch = Scratch::new();
    faulty(&scratch, 1, 60);
    scratch.sh("table-report --top=0 --json=r.json data p.html").succeeds();
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    let data = json(&scratch, "r.json");
    let charts: Vec<&str> = page.split("<figure data-testid=\"chart\"").skip(1).collect();
    assert_eq!(charts.len(), data["distributions"].as_object().unwrap().len());
    for chart in charts {
        let chart = chart.split("</figure>").next().unwrap();
        let name = chart.split('"').nth(1).unwrap();
        let found = &data["distributions"][name];
        let numbers = |hook: &str, of: &str| -> Vec<f64> {
            attributes(chart, hook, of).iter().map(|number| number.parse().unwrap()).collect()
        };
        let held: f64 = ["bar", "below", "above"].iter().flat_map(|hook| numbers(hook, "data-count")).sum();
        assert_eq!(Some(held), found["count"].as_f64(), "{name}");
        let (from, to) = (numbers("bar", "data-from"), numbers("bar", "data-to"));
        assert!(from[0] <= found["quantiles"]["0.01"].as_f64().unwrap() + 1e-9, "{name}: {from:?}");
        assert!(*to.last().unwrap() >= found["quantiles"]["0.99"].as_f64().unwrap() - 1e-9, "{name}: {to:?}");
        assert_eq!([texts(chart, "x-label").len(), texts(chart, "y-label").len()], [1, 1], "{name}");
        assert!(!texts(chart, "tick").is_empty() && !texts(chart, "x-label")[0].contains('_'), "{name}");
    }
}

/// Bytes of the files of a kind in a page, sorted; perhaps two more.
fn sizes(page: &str, kind: &str) -> Vec<usize> {
    let files = page.match_indices(kind).map(|(at, _)| &page[at + kind.len()..]);
    let mut sizes: Vec<usize> = files.map(|rest| rest.find('"').unwrap() / 4 * 3).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn a_page_takes_at_most_12_megabytes_and_short_sounds_are_whole() {
    let scratch = Scratch::new();
    let mut noise = Noise(7);
    let mut sound = |rate: u32, seconds: u32| -> Vec<u8> {
        let samples: Vec<i16> = (0..rate * seconds).map(|_| if noise.next() > 0.0 { 32767 } else { -32768 }).collect();
        wave(rate, &[&samples])
    };
    for at in 0..6 {
        scratch.write(&format!("{at}.wav"), sound(96000, 9));
    }
    scratch.write("6.wav", sound(8000, 2));
    scratch.write("wav.scp", (0..7).map(|at| format!("{at} {at}.wav\n")).collect::<String>());
    scratch.sh("table-report --seconds=8.5 scp:wav.scp p.html").succeeds();
    let page = String::from_utf8(scratch.read("p.html")).unwrap();
    assert!((11_000_000..=12_000_000).contains(&page.len()), "{}", page.len());
    let pictures = sizes(&page, "data:image/png;base64,");
    assert!(pictures.len() == 7 && pictures[6] < 150_000, "{pictures:?}");
    let sounds = sizes(&page, "data:audio/wav;base64,");
    // The short one is whole, the long ones are cut to the same length.
    assert!(sounds[0].abs_diff(44 + 2 * 16_000) < 3 && sounds[1].abs_diff(sounds[6]) < 3, "{sounds:?}");
    assert!((2 * 96_000 * 2..2 * 96_000 * 8).contains(&sounds[1]), "{sounds:?}");
}
