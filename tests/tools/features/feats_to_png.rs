use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive, vector};

/// Three utterances in `f.ark`.
fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", binary_archive(&[("a", matrix(1, 90, 13)), ("b", matrix(2, 7, 40)), ("c", matrix(3, 1, 2))]));
    scratch
}

/// A recording of `seconds` at 8000 Hz: silence with one loud sample in its middle.
fn recording(seconds: f64, num_channels: u16) -> Vec<u8> {
    let num_samples = (8000.0 * seconds) as usize;
    let num_bytes = 2 * num_samples as u32 * u32::from(num_channels);
    let mut file = b"RIFF".to_vec();
    file.extend((36 + num_bytes).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    file.extend(num_channels.to_le_bytes());
    file.extend(8000_u32.to_le_bytes());
    file.extend((16_000 * u32::from(num_channels)).to_le_bytes());
    file.extend((2 * num_channels).to_le_bytes());
    file.extend(b"\x10\0data");
    file.extend(num_bytes.to_le_bytes());
    for at in 0..num_samples {
        let sample: i16 = if at == num_samples / 2 { 20_000 } else { 0 };
        (0..num_channels).for_each(|channel| file.extend((sample / (channel as i16 + 1)).to_le_bytes()));
    }
    file
}

/// A picture that was read back.
struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    #[track_caller]
    fn read(bytes: &[u8]) -> Picture {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("it is a PNG file");
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        Picture { width: info.width as usize, height: info.height as usize, pixels }
    }

    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn count(&self, color: [u8; 3]) -> usize {
        self.pixels.chunks_exact(3).filter(|pixel| **pixel == color).count()
    }

    /// Pixels that are neither white nor gray nor black.
    fn count_colored(&self) -> usize {
        self.pixels
            .chunks_exact(3)
            .filter(|pixel| pixel[0].abs_diff(pixel[1]).max(pixel[1].abs_diff(pixel[2])) > 8)
            .count()
    }
}

/// The first and the last colour of viridis.
const VIOLET: [u8; 3] = [68, 1, 84];
const YELLOW: [u8; 3] = [253, 231, 37];

#[test]
fn every_utterance_gets_a_file_in_a_new_folder() {
    let scratch = feats();
    scratch.sh("feats-to-png ark:f.ark pictures").succeeds().stderr_has("Drew 3 utterances, 0 were empty.");
    assert_eq!(scratch.list(), ["f.ark", "pictures"]);
    scratch.sh("ls pictures").succeeds().stdout_is("a.png\nb.png\nc.png\n");
    for name in ["a", "b", "c"] {
        let picture = Picture::read(&scratch.read(&format!("pictures/{name}.png")));
        assert_eq!(picture.size(), (1000, 420));
        assert!(picture.count_colored() > 200_000, "{name}");
        assert!(picture.count(VIOLET) > 0 && picture.count(YELLOW) > 0, "{name}");
    }
    // Again, into the folder that is there now.
    scratch.sh("feats-to-png ark:f.ark pictures/").succeeds();
    scratch.sh("ls -A pictures").succeeds().stdout_is("a.png\nb.png\nc.png\n");
}

#[test]
fn pictures_are_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..40).map(|at| format!("u{at:02}")).collect();
    let feats: Vec<_> = keys.iter().zip(0..).map(|(key, seed)| (key.as_str(), matrix(seed, 400, 40))).collect();
    scratch.write("f.ark", binary_archive(&feats));
    let draw = "feats-to-png --width=400 --height=240";
    scratch.sh(&format!("{draw} --num-threads=1 ark:f.ark one; {draw} --num-threads=4 ark:f.ark four")).succeeds();
    scratch.sh("diff -r one four && ls four | wc -l").succeeds().stdout_is("40\n");
}

#[test]
fn a_file_is_a_sheet_of_all() {
    let scratch = feats();
    scratch.sh("feats-to-png --width=500 --height=300 ark:f.ark sheet.PNG").succeeds();
    assert_eq!(Picture::read(&scratch.read("sheet.PNG")).size(), (500, 900));
    for target in ["-", "'|cat'"] {
        let ran = scratch.sh(&format!("feats-to-png --width=500 --height=300 ark:f.ark {target}")).succeeds();
        assert!(ran.stdout() == scratch.read("sheet.PNG"), "{target}");
    }
    assert_eq!(scratch.list(), ["f.ark", "sheet.PNG"]);
}

#[test]
fn a_folder_may_be_called_like_a_file() {
    let scratch = feats();
    scratch.sh("mkdir x.png && feats-to-png ark:f.ark x.png && ls x.png").succeeds().stdout_is("a.png\nb.png\nc.png\n");
}

#[test]
fn a_sheet_holds_as_many_as_have_room_and_says_so() {
    let scratch = feats();
    let ran = scratch.sh("feats-to-png --width=8000 --height=1001 ark:f.ark s.png");
    ran.succeeds().stderr_has("The sheet is full: it has the first 1 utterances").stderr_has("Drew 1 utterances");
    assert_eq!(Picture::read(&scratch.read("s.png")).size(), (8000, 1001));
}

#[test]
fn max_utts_ends_the_work() {
    let scratch = feats();
    scratch.sh("feats-to-png --max-utts=2 ark:f.ark o && ls o").succeeds().stdout_is("a.png\nb.png\n");
    // What comes behind is not even read.
    scratch.sh("(cat f.ark; echo 'd [ x') > g.ark; feats-to-png --max-utts=2 ark:g.ark p && ls p").succeeds();
    scratch.sh("feats-to-png --max-utts=2 'ark:cat f.ark; false |' o").succeeds();
}

#[test]
fn keys_become_names_that_stay_in_the_folder() {
    let scratch = Scratch::new();
    let keys = ["../up", "a/b", "a%2Fb", ".hidden", "a[1m", "same", "same"];
    let feats: Vec<_> = keys.iter().map(|key| (*key, matrix(1, 3, 3))).collect();
    scratch.write("f.ark", binary_archive(&feats));
    scratch.sh("feats-to-png --width=400 --height=240 ark:f.ark o").succeeds();
    assert_eq!(scratch.list(), ["f.ark", "o"]);
    let names = ["%2E.%2Fup", "%2Ehidden", "a%252Fb", "a%2Fb", "a[1m", "same%_2", "same"];
    let names: String = names.map(|name| format!("{name}.png\n")).concat();
    scratch.sh("ls -A o").succeeds().stdout_is(names);
}

#[test]
fn empty_features_are_left_out_and_counted() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ ]\nb [\n 1 2\n 3 4 ]\nc [ ]\n");
    let ran = scratch.sh("feats-to-png ark:f.ark o && ls o");
    ran.succeeds()
        .stdout_is("b.png\n")
        .stderr_has("Empty features of c")
        .stderr_has("Drew 1 utterances, 2 were empty.");
    scratch.write("e.ark", "a [ ]\n").sh("feats-to-png ark:e.ark e.png").fails_with(1);
    assert_eq!(scratch.list(), ["e.ark", "f.ark", "o"], "nothing was drawn: no sheet");
    scratch.sh("feats-to-png ark:/dev/null e.png").fails_with(1).stderr_has("Drew 0 utterances");
}

#[test]
fn a_waveform_stands_above_its_features() {
    let scratch = feats();
    scratch.write("a.wav", recording(0.92, 1)).write("b.wav", recording(0.09, 2));
    scratch.sh("printf 'a a.wav\\nb cat b.wav |\\n' > wav.scp").succeeds();
    let ran = scratch.sh("feats-to-png --wav=scp:wav.scp ark:f.ark o && ls o");
    ran.succeeds()
        .stdout_is("a.png\nb.png\nc.png\n")
        .stderr_has("No waveform for c, whose features are drawn alone")
        .stderr_lacks("waveform at");
    let picture = Picture::read(&scratch.read("o/a.png"));
    assert_eq!(picture.size(), (1000, 560));
    // A line of silence and a click.
    assert!((700..2000).contains(&picture.count([38, 84, 144])), "{}", picture.count([38, 84, 144]));
    assert_eq!(Picture::read(&scratch.read("o/c.png")).count([38, 84, 144]), 0);
    let ran = scratch.sh("feats-to-png --wav=scp:wav.scp --channel=1 ark:f.ark o");
    ran.fails_with(255).stderr_has("a: expected --channel to be below 1, got 1");
    scratch
        .sh("feats-to-png --wav=scp:wav.scp --frame-shift=0.02 --frame-length=0.02 ark:f.ark o")
        .succeeds()
        .stderr_has("a: the features end at 1.80 s and the waveform at 0.92 s; is --frame-shift right?");
}

#[test]
fn axes_have_frames_or_seconds() {
    let scratch = feats();
    let draw = |options: &str, name: &str| {
        scratch.sh(&format!("feats-to-png {options} --max-utts=1 ark:f.ark {name}.png")).succeeds();
        scratch.read(&format!("{name}.png"))
    };
    let frames = draw("", "frames");
    let seconds = draw("--frame-shift=0.01", "seconds");
    let whole = draw("--frame-shift=0.01 --snip-edges=false", "whole");
    assert!(frames != seconds && seconds != whole);
    // Windows as long as their shift begin where they are drawn.
    assert!(draw("--frame-shift=0.01 --frame-length=0.01", "short") == whole);
    for (options, message) in [
        ("--frame-shift=10", "expected --frame-shift to be above 0 and below 1, got 10 (it is in seconds)"),
        ("--frame-shift=-0.01", "expected --frame-shift to be above 0 and below 1, got -0.01"),
        ("--frame-shift=0.01 --frame-length=25", "expected --frame-length to be --frame-shift (0.01) or more"),
    ] {
        scratch.sh(&format!("feats-to-png {options} ark:f.ark x.png")).fails_with(255).stderr_has(message);
    }
    assert!(!scratch.path("x.png").exists());
}

#[test]
fn values_that_are_not_finite_have_colours_of_their_own() {
    let scratch = Scratch::new();
    let mut rows = vec![vec![0.5; 10]; 100];
    rows[10][3] = f32::NAN;
    rows[20][3] = f32::INFINITY;
    rows[30][3] = f32::NEG_INFINITY;
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(rows))]));
    scratch.sh("feats-to-png ark:f.ark o").succeeds();
    let picture = Picture::read(&scratch.read("o/a.png"));
    for color in [[235, 0, 0], [255, 0, 255], [0, 225, 255]] {
        assert!(picture.count(color) > 100, "{color:?}");
    }
}

#[test]
fn the_range_of_colours_can_be_given() {
    let scratch = Scratch::new();
    let ramp = Sample::Matrix((0..100).map(|frame| vec![frame as f32; 4]).collect());
    scratch.write("f.ark", binary_archive(&[("a", ramp)]));
    let counts = |options: &str| {
        scratch.sh(&format!("feats-to-png {options} ark:f.ark o")).succeeds();
        let picture = Picture::read(&scratch.read("o/a.png"));
        (picture.count(VIOLET), picture.count(YELLOW))
    };
    let (low, high) = counts("");
    assert!(low > 0 && high > 0 && low < 15_000 && high < 15_000, "{low} {high}");
    let (low, high) = counts("--min=50");
    assert!(low > 100_000 && high < 15_000, "{low} {high}");
    let (low, high) = counts("--min=-100 --max=25.5");
    assert!(low < 15_000 && high > 150_000, "{low} {high}");
    let ran = scratch.sh("feats-to-png --min=1 --max=0 ark:f.ark o");
    ran.fails_with(255).stderr_has("expected --max to be above --min=1, got 0");
}

#[test]
fn other_colours_and_sizes() {
    let scratch = feats();
    for colormap in ["magma", "inferno", "plasma", "cividis", "gray", "diverging"] {
        scratch.sh(&format!("feats-to-png --colormap={colormap} --max-utts=1 ark:f.ark {colormap}.png")).succeeds();
        assert_eq!(Picture::read(&scratch.read(&format!("{colormap}.png"))).count(VIOLET), 0);
    }
    let ran = scratch.sh("feats-to-png --colormap=jet ark:f.ark x.png");
    ran.fails_with(255).stderr_has("Invalid option --colormap=jet: expected viridis, magma, ");
    scratch
        .sh("feats-to-png --font-size=32 --width=2000 --height=900 --value-label='log energy' ark:f.ark o")
        .succeeds();
    assert_eq!(Picture::read(&scratch.read("o/b.png")).size(), (2000, 900));
    scratch.sh("feats-to-png --font-size=7 ark:f.ark o").fails_with(255).stderr_has("from 8 to 100 pixels, got 7");
    scratch.sh("feats-to-png --width=5 ark:f.ark o").fails_with(255).stderr_has("expected --width to be from 400 to");
    scratch
        .sh("feats-to-png --height=99999 ark:f.ark o")
        .fails_with(255)
        .stderr_has("expected --height to be from 240 to");
}

/// What is rare disappears in means, and stays in maxima.
#[test]
fn a_hundred_thousand_frames_have_room() {
    let scratch = Scratch::new();
    let rows = (0..100_000).map(|frame| vec![if frame % 5000 == 77 { 1.0 } else { 0.0 }; 2]).collect();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(rows))]));
    let yellow = |options: &str| {
        scratch.sh(&format!("feats-to-png --min=0 --max=1 {options} ark:f.ark o")).succeeds();
        Picture::read(&scratch.read("o/a.png")).count(YELLOW)
    };
    let (mean, max) = (yellow(""), yellow("--pool=max"));
    assert!(mean < 200 && max > 20 * 300, "{mean} {max}");
    scratch.sh("feats-to-png --pool=median ark:f.ark o").fails_with(255).stderr_has("mean or max, got \"median\"");
}

#[test]
fn one_dimension_and_vectors_are_curves() {
    let scratch = Scratch::new();
    let column = Sample::Matrix((0..50).map(|frame| vec![(frame as f32 / 5.0).sin()]).collect());
    scratch
        .write("f.ark", binary_archive(&[("column", column)]))
        .write("v.ark", binary_archive(&[("vector", vector(1, 50))]));
    scratch.write("f.txt", text_archive(&[("text", vector(2, 50))]));
    scratch.sh("for table in f.ark v.ark f.txt; do feats-to-png ark:$table o || exit; done").succeeds();
    for name in ["column", "vector", "text"] {
        let picture = Picture::read(&scratch.read(&format!("o/{name}.png")));
        assert!(picture.count([38, 84, 144]) > 1000 && picture.count(YELLOW) == 0, "{name}");
    }
}

/// The light red of label 0, and the light green of label 1.
const BANDS: [[u8; 3]; 2] = [[240, 117, 147], [138, 210, 147]];

#[test]
fn integers_and_decisions_are_bands() {
    let scratch = Scratch::new();
    scratch.write("ali.txt", "a 0 0 0 1 1 1 1 1 1\nb 0 0 0\nc\n");
    scratch.write("vad.txt", "a [ 0 0 0 1 1 1 1 1 1 ]\nb [ 0 0 0 ]\n");
    scratch.sh("copy-int-vector ark,t:ali.txt ark:ali.ark && copy-vector ark,t:vad.txt ark:vad.ark").succeeds();
    for table in ["ark:ali.txt", "ali.ark", "ark:ali.ark"] {
        let ran = scratch.sh(&format!("feats-to-png {table} o && ls o")).succeeds().stdout_is("a.png\nb.png\n");
        ran.stderr_has("Empty features of c, for which there is no picture").stderr_has("1 were empty");
    }
    scratch.sh("feats-to-png ark:vad.ark v").succeeds();
    let picture = Picture::read(&scratch.read("o/a.png"));
    let [low, high] = BANDS.map(|color| picture.count(color));
    assert!(low > 80_000 && high > 150_000 && (1.9..2.1).contains(&(high as f64 / low as f64)), "{low} {high}");
    for name in ["a", "b"] {
        assert!(scratch.read(&format!("o/{name}.png")) == scratch.read(&format!("v/{name}.png")), "{name}");
    }
}

#[test]
fn posteriors_are_heat_maps() {
    let scratch = Scratch::new();
    scratch.write("post.txt", "a [ 0 0.25 1 0.75 ] [ 3 1 ] [ ]\nb [ ]\nc\n");
    scratch.sh("copy-post ark,t:post.txt ark:post.ark").succeeds();
    let ran = scratch.sh("feats-to-png ark:post.ark o && feats-to-png post.txt t && ls o");
    ran.succeeds().stdout_is("a.png\n").stderr_has("Empty features of b");
    let file = scratch.read("o/a.png");
    assert!(file == scratch.read("t/a.png"));
    // One of twelve cells, and most of the others.
    let picture = Picture::read(&file);
    let (low, high) = (picture.count(VIOLET), picture.count(YELLOW));
    assert!((15_000..30_000).contains(&high) && low > 8 * high, "{low} {high}");
    scratch.write("gselect.txt", "a 0 1 ; 3 ; 2 1 ;\n");
    scratch.sh("copy-gselect ark,t:gselect.txt ark:gselect.ark && feats-to-png ark:gselect.ark o").succeeds();
    let picture = Picture::read(&scratch.read("o/a.png"));
    assert!((0.6..0.8).contains(&(picture.count(YELLOW) as f64 / picture.count(VIOLET) as f64)));
}

#[test]
fn waveforms_are_curves_over_seconds() {
    let scratch = Scratch::new();
    scratch
        .write("a.wav", recording(0.92, 1))
        .write("b.wav", recording(0.09, 2))
        .write("wav.scp", "a a.wav\nb b.wav\n");
    scratch
        .sh("feats-to-png scp:wav.scp o && feats-to-png a.wav single && ls o single")
        .succeeds()
        .stdout_is("o:\na.png\nb.png\n\nsingle:\na.wav.png\n");
    let picture = Picture::read(&scratch.read("o/a.png"));
    assert_eq!(picture.size(), (1000, 420));
    assert!((900..2500).contains(&picture.count([38, 84, 144])), "{}", picture.count([38, 84, 144]));
    let ran = scratch.sh("feats-to-png --channel=1 wav.scp o");
    ran.fails_with(255).stderr_has("a: expected --channel to be below 1, got 1");
}

#[test]
fn a_table_is_found_by_looking() {
    let scratch = feats();
    scratch.sh("copy-feats ark:f.ark ark,scp:g.ark,g.scp").succeeds();
    scratch
        .sh("feats-to-png ark:f.ark a; feats-to-png f.ark b; feats-to-png g.scp c; cat f.ark | feats-to-png - d")
        .succeeds();
    for folder in ["b", "c", "d"] {
        scratch.sh(&format!("diff -r a {folder}")).succeeds();
    }
    scratch.write("words", "a hello world\nb more\n").write("pairs", "a 1 2 ; 3 4\n");
    for (table, name) in [("words", "token-vector"), ("ark:pairs", "int32-pairs")] {
        let expected = "a: expected matrices, vectors, integer vectors, posteriors, lattices, training examples or waveforms, got a value of type";
        let ran = scratch.sh(&format!("feats-to-png {table} x.png")).fails_with(255);
        ran.stderr_has(&format!("{expected} {name}"));
    }
    scratch.sh("feats-to-png . x.png").fails_with(255);
    assert!(!scratch.path("x.png").exists());
}

#[test]
fn the_type_can_be_given() {
    let scratch = Scratch::new();
    // Integers, or a vector of one number.
    scratch.write("ints.txt", "a 7\nb 8\n");
    scratch.sh("feats-to-png ark:ints.txt o").fails_with(255).stderr_has("got a value of type int32");
    scratch.sh("feats-to-png --type=int32-vector ark:ints.txt o && ls o").succeeds().stdout_is("a.png\nb.png\n");
}

#[test]
fn what_cannot_be_read_is_left_out_where_that_is_allowed() {
    let scratch = feats();
    scratch.sh("copy-feats ark:f.ark ark,scp:g.ark,g.scp; sed -i '2s/.*/b nowhere:9/' g.scp").succeeds();
    scratch.sh("feats-to-png scp:g.scp o").fails_with(255).stderr_has("nowhere");
    scratch.sh("feats-to-png scp,p:g.scp p && ls p").succeeds().stdout_is("a.png\nc.png\n").stderr_has("nowhere");
    scratch.sh("head -c 5000 f.ark > cut.ark; feats-to-png ark,p:cut.ark q && ls q").succeeds().stdout_is("a.png\n");
    scratch.sh("feats-to-png ark:cut.ark r").fails_with(255).stderr_has("cut.ark");
}

#[test]
fn drawings_have_lines_and_letters() {
    let scratch = feats();
    scratch.write("v.txt", "\u{3b1}<b> [ 1 2 4 8 ]\n");
    scratch
        .sh("feats-to-png ark:v.txt v.SVG && feats-to-png --format=svg ark:f.ark o && ls o")
        .succeeds()
        .stdout_is("a.svg\nb.svg\nc.svg\n");
    let text = String::from_utf8(scratch.read("v.SVG")).unwrap();
    assert!(text.contains("\u{3b1}&lt;b&gt;") && text.contains("<polyline"), "{text}");
    let text = String::from_utf8(scratch.read("o/a.svg")).unwrap();
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    // The heat map and its colours.
    assert_eq!(text.matches("<image ").count(), 2);
    scratch.sh("feats-to-png --format=svg ark:f.ark - | tail -n 1").succeeds().stdout_is("</svg>\n");
    scratch.sh("feats-to-png --format=pdf ark:f.ark o").fails_with(255).stderr_has("png or svg, got \"pdf\"");
}

#[test]
fn compressed_features_and_ranges_are_read() {
    let scratch = feats();
    scratch.sh("copy-feats --compress ark:f.ark ark,scp:c.ark,c.scp; sed 's/$/[0:0]/' c.scp > r.scp").succeeds();
    scratch.sh("feats-to-png scp:r.scp o && ls o | wc -l").succeeds().stdout_is("3\n");
}

#[test]
fn a_broken_entry_is_an_error_after_whole_pictures() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [\n 1 2\n 3 4 ]\nb [\n 1 x ]\n");
    scratch.sh("feats-to-png ark:f.ark o").fails_with(255).stderr_has("b: f.ark:");
    scratch.sh("ls -A o").succeeds().stdout_is("a.png\n");
    scratch.sh("feats-to-png ark:f.ark s.png").fails_with(255);
    assert_eq!(scratch.list(), ["f.ark", "o"], "half a sheet is no sheet");
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let scratch = feats();
    scratch.sh("feats-to-png ark:f.ark a/b").fails_with(255).stderr_has("cannot make the folder a/b");
    scratch
        .sh("feats-to-png ark:f.ark f.ark")
        .fails_with(255)
        .stderr_has("expected the name of a folder, or of a file that ends in .png or .svg, got f.ark");
    scratch.sh("feats-to-png ark:f.ark missing/x.png").fails_with(255).stderr_has("cannot open missing/x.png");
    scratch.sh("mkdir -p o/a.png && feats-to-png ark:f.ark o").fails_with(255).stderr_has("o/a.png");
    scratch.sh("feats-to-png ark:f.ark '| false'").fails_with(255).stderr_has("false");
}

#[test]
fn labels_are_shown_by_their_symbols() {
    let scratch = Scratch::new();
    scratch
        .write("ali", format!("a {}{}{}\n", "1 ".repeat(40), "104 ".repeat(40), "7 ".repeat(40)))
        .write("phones.txt", "<eps> 0\nSIL 1\nAA_B 104\n")
        .write("f.txt", "a [\n 1 2\n 3 4 ]\n");
    let texts = "grep -A1 '^<text' | grep -v '^<\\|^--' | sort | uniq -c | tr -s ' \\n' ' '";
    let ran = scratch.sh(&format!("feats-to-png --symbols=phones.txt ark:ali x.svg && cat x.svg | {texts}"));
    // A label without a symbol keeps its number. Each is on its band and beside its colour.
    ran.succeeds().stdout_has(" 2 7 ").stdout_has(" 2 AA_B ").stdout_has(" 2 SIL ");
    scratch.sh(&format!("feats-to-png ark:ali y.svg && cat y.svg | {texts}")).succeeds().stdout_has(" 2 104 ");
    let ran = scratch.sh("feats-to-png --symbols=phones.txt ark:f.txt o").fails_with(255);
    ran.stderr_has("a: expected integers for --symbols, got other values");
    scratch.sh("feats-to-png --symbols=none ark:ali o").fails_with(255).stderr_has("cannot open none");
    scratch
        .sh("feats-to-png --symbols=f.txt ark:ali o")
        .fails_with(255)
        .stderr_has("f.txt:1: expected a number of 32 bits");
}
