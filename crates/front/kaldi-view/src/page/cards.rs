//! The utterances that a page shows, each on a card: why it is shown, its text, its pictures, its sound, its measures.

use corpus_quality::{Finding, UtteranceMeasure, decimal};
use kaldi_io::WorkStage;
use kaldi_wave::Wave;

use crate::Result;
use crate::markup::{data_url, escape};
use crate::page::findings::{Places, message, names_of, usual, value};
use crate::page::{MOST_OF_KEY, MOST_OF_TEXT, open, shorten};
use crate::report::CorpusReport;
use crate::scale::{decimals_of_step, round_numbers, round_step};
use crate::utterance_sound::{self, Levels, ShownSound};

/// The name and the heading of the section.
pub(crate) const NAME: &str = "utterances";
pub(crate) const HEADING: &str = "Clearest findings";

/// Bytes of the elements around pictures and a sound, besides the key and the waveform.
const ELEMENTS: usize = 6000;

/// Characters of a text that are in sight.
const MOST_IN_SIGHT: usize = 240;

/// Measures that are in sight.
const MOST_MEASURES: usize = 6;

/// The measures that are in sight before others, besides those of findings.
const FIRST_MEASURES: [UtteranceMeasure; 6] = [
    UtteranceMeasure::Duration,
    UtteranceMeasure::Level,
    UtteranceMeasure::Snr,
    UtteranceMeasure::CharactersPerSecond,
    UtteranceMeasure::Bandwidth,
    UtteranceMeasure::Frames,
];

/// The utterances with the clearest findings, in `room` bytes.
///
/// # Errors
/// If a picture cannot be drawn.
pub(crate) fn section(html: &mut String, report: &CorpusReport<'_>, places: &Places, room: usize) -> Result<()> {
    if report.shown.is_empty() {
        return Ok(());
    }
    open(html, NAME, "Utterances with the clearest findings");
    *html += "<p class=\"quiet\">All waveforms are of full scale, and a colour is the same level in dB in all spectrograms.</p>\n";
    let texts: Vec<[String; 2]> = report.shown.iter().map(|&index| around_media(report, places, index)).collect();
    let sizes = texts.iter().map(|text| text[0].len() + text[1].len() + ELEMENTS);
    // With very many of them, the last ones have no room.
    let mut used = 0;
    let count = sizes.take_while(|size| {
        used += size;
        used <= room / 2
    });
    let count = count.count();
    let media = media(report, count, room.saturating_sub(used.min(room / 2)))?;
    for (at, ([before, after], media)) in texts.iter().zip(media).enumerate() {
        *html += &format!("<article data-testid=\"utterance\" id=\"utterance-{at}\"{before}{media}{after}");
    }
    if count < report.shown.len() {
        *html += &format!("<p>The page has no room for {} more.</p>\n", report.shown.len() - count);
    }
    html.push_str("</section>\n");
    Ok(())
}

/// What is before and after the pictures and the sound of an utterance.
fn around_media(report: &CorpusReport<'_>, places: &Places, index: usize) -> [String; 2] {
    let utterance = &report.corpus.utterances[index];
    let key = shorten(&utterance.key, MOST_OF_KEY);
    let own: Vec<Finding> = report.findings.list.iter().filter(|finding| finding.utterance == index).cloned().collect();
    let mut before = format!(" data-key=\"{key}\" data-rules=\"{}\">\n<header><h3>{key}</h3>", names_of(&own));
    if let Some(group) = places.group_of.get(&index) {
        before += &format!(
            "<a data-testid=\"back\" href=\"#group-{group}\" aria-label=\"Back to the row of {key}\">↑ to its row</a>"
        );
    }
    before += "</header>\n<ul class=\"whys\">\n";
    for finding in &own {
        let rule = finding.rule;
        before +=
            &format!("<li data-testid=\"why\" data-rule=\"{0}\" title=\"{1}\"><b>{0}</b>", rule.name(), rule.meaning());
        let text = value(finding);
        if text != "–" {
            before += &format!(" <span class=\"value\">{text}</span>");
        }
        if let Some(usual) = usual(report, finding) {
            before += &format!(" <span class=\"quiet\">usual {usual}</span>");
        }
        if let Some(message) = message(report, places, finding) {
            before += &format!(" <span>{message}</span>");
        }
        before += "</li>\n";
    }
    before += "</ul>\n";
    if let Some(text) = report.corpus.text(index).filter(|_| report.options.sound) {
        let (start, whole) = (shorten(text, MOST_IN_SIGHT), shorten(text, MOST_OF_TEXT));
        before += &match start == whole {
            true => format!("<p class=\"text\" dir=\"auto\">{whole}</p>\n"),
            false => format!(
                "<details class=\"text\"><summary dir=\"auto\">{start}</summary><p dir=\"auto\">{whole}</p></details>\n"
            ),
        };
    }
    [before, measures(report, index, &own) + "</article>\n"]
}

/// The measures of an utterance: those of its findings and a few others in sight, the rest behind them.
fn measures(report: &CorpusReport<'_>, index: usize, own: &[Finding]) -> String {
    let utterance = &report.corpus.utterances[index];
    let all: Vec<(UtteranceMeasure, Option<f64>)> =
        UtteranceMeasure::ALL.iter().filter_map(|&(measure, _)| Some((measure, measure.of(utterance)?))).collect();
    let found = own.iter().filter_map(|finding| finding.measure);
    let mut first: Vec<UtteranceMeasure> = Vec::new();
    for measure in found.chain(FIRST_MEASURES) {
        if first.len() < MOST_MEASURES && !first.contains(&measure) && all.iter().any(|(other, _)| *other == measure) {
            first.push(measure);
        }
    }
    let list = |is_first: bool| {
        let mut html = "<dl class=\"measures\">\n".to_owned();
        for &(measure, value) in all.iter().filter(|(measure, _)| first.contains(measure) == is_first) {
            let wording = measure.wording();
            html += &format!(
                "<div data-testid=\"measure\" data-name=\"{}\"><dt>{}</dt><dd>{}</dd></div>\n",
                measure.name(),
                wording.label,
                wording.text(value)
            );
        }
        html + "</dl>\n"
    };
    match all.len() {
        0 => String::new(),
        count if count == first.len() => list(true),
        count => format!(
            "{}<details><summary>{} more measures</summary>\n{}</details>\n",
            list(true),
            count - first.len(),
            list(false)
        ),
    }
}

/// The pictures and the sound of the first `count` utterances that are shown, in `room` bytes: pictures have half of it at most; sounds
/// share the rest, the longest ones are cut.
fn media(report: &CorpusReport<'_>, count: usize, room: usize) -> Result<Vec<String>> {
    let places: Vec<_> = report.shown.iter().take(count).map(|&index| report.corpus.place(index)).collect();
    let seconds = if report.options.sound { report.options.seconds } else { 0.0 };
    let shown = utterance_sound::sounds(&places, seconds);
    let levels = Levels::of(shown.iter().filter_map(|shown| shown.spectrum.as_ref()));
    let (mut left, mut pictures) = (room, Vec::new());
    for (at, shown) in shown.iter().enumerate() {
        let key = shorten(&report.corpus.utterances[report.shown[at]].key, MOST_OF_KEY);
        let html = draw(&key, shown, levels)?;
        let html = Some(html).filter(|html| left.saturating_sub(html.len()) >= room / 2).unwrap_or_default();
        left -= html.len();
        WorkStage::step_of_session();
        pictures.push(html);
    }
    let sounds: Vec<&Wave> = shown.iter().filter_map(|shown| shown.sound.as_ref()).collect();
    let share = share(sounds.iter().map(|sound| utterance_sound::characters(sound)).collect(), left);
    for (at, html) in pictures.iter_mut().enumerate() {
        let key = shorten(&report.corpus.utterances[report.shown[at]].key, MOST_OF_KEY);
        if let Some(sound) = shown[at].sound.as_ref().filter(|_| report.options.sound) {
            let url = data_url("audio/wav", &utterance_sound::wav_file(sound, share));
            *html +=
                &format!("<audio controls preload=\"metadata\" src=\"{url}\" aria-label=\"Sound of {key}\"></audio>\n");
        }
    }
    Ok(pictures)
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

/// The waveform and the spectrogram of an utterance on one time axis, and the meaning of the colours.
///
/// # Errors
/// If a picture cannot be drawn.
fn draw(key: &str, shown: &ShownSound, levels: Levels) -> Result<String> {
    if shown.wave.is_empty() {
        return Ok(String::new());
    }
    let (seconds, columns) = (decimal(shown.seconds, 2), shown.wave.len());
    let mut html = "<div class=\"pictures\">\n".to_owned();
    html += &axis_up("amplitude", &[(0.0, "+1"), (0.5, "0"), (1.0, "−1")]);
    html += &format!(
        "<svg data-testid=\"waveform\" data-scale=\"1\" role=\"img\" viewBox=\"0 0 {columns} 200\" preserveAspectRatio=\"none\">\
         <title>Waveform of {key}, full scale, {seconds} s</title><path d=\"{}\"/></svg>\n",
        shown.path()
    );
    if let Some(spectrum) = &shown.spectrum {
        let highest = f64::from(shown.rate) / 2000.0;
        let step = round_step(highest, 4, false);
        let places = round_numbers(0.0, highest, 4, false);
        let texts: Vec<(f64, String)> =
            places.iter().map(|&place| (1.0 - place / highest, decimal(place, decimals_of_step(step)))).collect();
        let texts: Vec<(f64, &str)> = texts.iter().map(|(place, text)| (*place, text.as_str())).collect();
        html += &axis_up("kHz", &texts);
        html += &format!(
            "<img data-testid=\"spectrogram\" data-low=\"{}\" data-high=\"{}\" src=\"{}\" alt=\"Spectrogram of {key}, 0 to {} kHz, {seconds} s\">\n",
            levels.low,
            levels.high,
            data_url("image/png", &spectrum.picture(levels)?),
            decimal(highest, 1),
        );
        html += &time_axis(shown.seconds);
        html += &colour_bar(levels);
    }
    Ok(html + "</div>\n")
}

/// Marks beside a picture: places from 0 at its top to 1, and texts.
fn axis_up(unit: &str, marks: &[(f64, &str)]) -> String {
    let mut html = format!("<svg class=\"up\" aria-hidden=\"true\"><title>{unit}</title>");
    for (at, (place, text)) in marks.iter().enumerate() {
        // The outer ones stay within the height of the picture.
        let baseline = if *place < 0.05 {
            "hanging"
        } else if *place > 0.95 {
            "auto"
        } else {
            "central"
        };
        let unit = if at + 1 == marks.len() && unit == "kHz" { " kHz" } else { "" };
        html += &format!(
            "<text x=\"100%\" y=\"{:.1}%\" text-anchor=\"end\" dominant-baseline=\"{baseline}\">{text}{unit}</text>",
            100.0 * place
        );
    }
    html + "</svg>\n"
}

/// Marks below the pictures, in seconds.
fn time_axis(seconds: f64) -> String {
    let decimals = decimals_of_step(round_step(seconds, 5, false));
    let mut html = "<svg class=\"across\" aria-hidden=\"true\">".to_owned();
    for place in round_numbers(0.0, seconds, 5, false) {
        let x = 100.0 * place / seconds;
        let anchor = if x < 3.0 {
            "start"
        } else if x > 95.0 {
            "end"
        } else {
            "middle"
        };
        html += &format!(
            "<line x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"0\" y2=\"4\"/><text x=\"{x:.2}%\" y=\"15\" text-anchor=\"{anchor}\">{} s</text>",
            decimal(place, decimals)
        );
    }
    html + "</svg>\n"
}

/// What colours mean.
fn colour_bar(levels: Levels) -> String {
    // Half of them are enough to see.
    let colors: Vec<[u8; 3]> = Levels::colors().into_iter().skip(1).step_by(2).collect();
    let width = 100.0 / colors.len() as f64;
    let mut html =
        format!("<p data-testid=\"colour-bar\"><span>{} dB</span> <svg aria-hidden=\"true\">", decimal(levels.low, 0));
    for (at, [red, green, blue]) in colors.iter().enumerate() {
        html += &format!(
            "<rect x=\"{:.2}%\" width=\"{:.2}%\" height=\"100%\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>",
            width * at as f64,
            width + 0.2
        );
    }
    html + &format!("</svg> <span>{} dB</span></p>\n", escape(&decimal(levels.high, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_sounds_are_cut_first() {
        assert_eq!(share(vec![10, 100, 100], 150), 70);
        assert_eq!(share(vec![10, 20], 30), usize::MAX);
    }

    #[test]
    fn times_stand_within_their_pictures() {
        let axis = time_axis(3.0);
        assert_eq!(axis.matches("<text").count(), 4);
        assert!(axis.contains("text-anchor=\"start\">0 s<") && axis.contains("text-anchor=\"end\">3 s<"), "{axis}");
        assert!(time_axis(0.01).contains(">0.002 s<"));
    }
}
