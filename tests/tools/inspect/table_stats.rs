use serde_json::Value;

use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, ints, matrix, matrix_f64};
use crate::support::tar::tar;
use crate::support::wave::wave;

fn table() -> Scratch {
    let scratch = Scratch::new();
    let nan = f32::NAN;
    let rows = |rows: &[[f32; 3]]| Sample::Matrix(rows.iter().map(|row| row.to_vec()).collect());
    let entries = [
        ("a-1", rows(&[[1.0, 7.0, 2.0], [3.0, 7.0, nan]])),
        ("b-1", rows(&[[5.0, 7.0, f32::INFINITY]])),
        ("a-2", rows(&[[-1.0, 7.0, 0.5], [2.0, 7.0, -f32::INFINITY], [2.0, 7.0, 1.0]])),
    ];
    scratch.write("m.ark", binary_archive(&entries)).write("utt2spk", "a-1 a\na-2 a\nb-1 b\n");
    scratch
}

/// The objects that a command writes.
#[track_caller]
fn objects(scratch: &Scratch, command: &str) -> Vec<Value> {
    let ran = scratch.sh(command).succeeds();
    String::from_utf8_lossy(ran.stdout()).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_table_is_a_block_of_lines() {
    let scratch = table();
    let expected = "\
m.ark: 3 entries
count              15
min                -1
max                7
mean               3.83333
stddev             2.86162
1 %                -0.998047
25 %               1.00391
50 %               3.00781
75 %               7
99 %               7
nan                1
inf                2
constant columns   1
lengths            entries
1                  1        ########################################
2                  1        ########################################
3                  1        ########################################
";
    let ran = scratch.sh("table-stats m.ark").succeeds();
    let text = String::from_utf8_lossy(ran.stdout()).into_owned();
    let exact =
        |text: &str| -> Vec<String> { text.lines().filter(|line| !line.contains('%')).map(str::to_owned).collect() };
    assert_eq!(exact(&text), exact(expected), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains(" %  ")).count(), 5, "{text}");
}

#[test]
fn groups_have_a_line_each() {
    let scratch = table();
    let groups = |options: &str| {
        let ran = scratch.sh(&format!("table-stats {options} m.ark | cut -f 2-6,13,14")).succeeds();
        String::from_utf8_lossy(ran.stdout()).into_owned()
    };
    let names = "group\tcount\tmin\tmax\tmean\tnan\tinf\n";
    assert_eq!(
        groups("--by=column"),
        format!("{names}0\t6\t-1\t5\t2\t0\t0\n1\t6\t7\t7\t7\t0\t0\n2\t3\t0.5\t2\t1.16667\t1\t2\n")
    );
    assert_eq!(
        groups("--by=key"),
        format!("{names}a-1\t5\t1\t7\t4\t1\t0\nb-1\t2\t5\t7\t6\t0\t1\na-2\t8\t-1\t7\t3.1875\t0\t1\n")
    );
    let by_speaker = groups("--by=speaker --utt2spk=ark:utt2spk");
    assert_eq!(by_speaker, format!("{names}a\t13\t-1\t7\t3.5\t1\t1\nb\t2\t5\t7\t6\t0\t1\n"));
}

#[test]
fn json_has_the_documented_names() {
    let scratch = table();
    let [object] = &objects(&scratch, "table-stats --json m.ark")[..] else { panic!() };
    let names: Vec<&String> = object.as_object().unwrap().keys().collect();
    let expected = [
        "constant_columns",
        "count",
        "entries",
        "group",
        "inf",
        "lengths",
        "max",
        "mean",
        "min",
        "nan",
        "quantiles",
        "stddev",
        "table",
    ];
    assert_eq!(names, expected);
    assert_eq!(object["constant_columns"], serde_json::json!([1]));
    assert_eq!(object["lengths"], serde_json::json!({ "1": 1, "2": 1, "3": 1 }));
    let quantiles: Vec<&String> = object["quantiles"].as_object().unwrap().keys().collect();
    assert_eq!(quantiles, ["0.01", "0.25", "0.5", "0.75", "0.99"]);
    let columns = objects(&scratch, "table-stats --json --by=column m.ark");
    assert_eq!(columns.len(), 3);
    assert_eq!((&columns[1]["group"], &columns[1]["stddev"]), (&"1".into(), &0.0.into()));
    // Nothing finite.
    scratch.write("v.ark", binary_archive(&[("x", Sample::Vector(vec![f32::NAN]))]));
    let [object] = &objects(&scratch, "table-stats --json v.ark")[..] else { panic!() };
    assert!(object["mean"].is_null() && object["quantiles"]["0.5"].is_null() && object["nan"] == 1, "{object}");
}

#[test]
fn results_are_the_same_for_any_number_of_threads_and_any_form() {
    let scratch = Scratch::new();
    let entries: Vec<(String, Sample)> =
        (0..300).map(|at| (format!("u{at:03}"), matrix(at, 10 + at as usize, 20))).collect();
    let entries: Vec<(&str, Sample)> = entries.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    scratch.write("m.ark", binary_archive(&entries));
    scratch
        .sh("copy-feats ark:m.ark ark,scp:c.ark,m.scp; sed 's/\\(u...\\).*/\\1 spk\\1/; s/.$//' m.scp > utt2spk")
        .succeeds();
    for by in ["table", "column", "key", "speaker"] {
        let utt2spk = if by == "speaker" { "--utt2spk=ark:utt2spk" } else { "" };
        for json in ["--json", ""] {
            let command = |threads: u32, table: &str| {
                let ran = scratch.sh(&format!(
                    "table-stats --num-threads={threads} --by={by} {utt2spk} {json} {table} < m.ark | sed 's/m.scp/T/; s/ark:-/T/; s/m.ark/T/'"
                ));
                ran.succeeds().stdout().to_vec()
            };
            let one = command(1, "m.ark");
            assert!(one.len() > 200, "{by}");
            for table in ["m.ark", "m.scp", "ark:-"] {
                assert!(command(4, table) == one, "{by} {table}");
            }
        }
    }
}

#[test]
fn doubles_and_integers_are_numbers_too() {
    let scratch = Scratch::new();
    scratch.write("d.ark", binary_archive(&[("a", matrix_f64(1, 4, 3))]));
    scratch.write(
        "i.ark",
        binary_archive(&[("a", Sample::Ints(vec![3, 1, 2])), ("b", ints(1, 50)), ("c", Sample::Ints(vec![]))]),
    );
    let sum = objects(&scratch, "table-stats --json --by=column d.ark i.ark 2> /dev/null");
    assert_eq!(sum.len(), 3 + 50);
    let [a, _, c] = &objects(&scratch, "table-stats --json --by=key i.ark")[..] else { panic!() };
    assert_eq!((&a["quantiles"]["0.5"], &a["mean"], &a["max"]), (&2.0.into(), &2.0.into(), &3.0.into()));
    assert_eq!((&c["count"], &c["min"]), (&0.into(), &Value::Null));
    scratch.write("t.txt", "a 0.5\nb 1.5\n");
    let [object] = &objects(&scratch, "table-stats --json ark:t.txt")[..] else { panic!() };
    assert_eq!((&object["count"], &object["mean"]), (&2.into(), &1.0.into()));
}

#[test]
fn utterances_without_a_speaker_are_left_out() {
    let scratch = table();
    scratch.write("utt2spk", "a-1 a\n");
    let ran = scratch.sh("table-stats --by=speaker --utt2spk=ark:utt2spk m.ark | wc -l").succeeds();
    ran.stdout_is("2\n").stderr_has("b-1 has no speaker, and is left out");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = table();
    scratch.write("long.ark", binary_archive(&[("x", ints(1, 5000))])).write("words.txt", "a hello\n");
    scratch.sh("head -c 60 m.ark > cut.ark; mkdir f").succeeds();
    for (arguments, message) in [
        ("--by=row m.ark", "--by=row: expected table, column, key or speaker, got \"row\""),
        ("--by=speaker m.ark", "expected --utt2spk with --by=speaker"),
        ("--utt2spk=ark:utt2spk m.ark", "expected --utt2spk with --by=speaker"),
        ("--by=column long.ark", "x: expected at most 4096 columns, got 5000"),
        ("words.txt", "words.txt"),
        ("cut.ark", "cut.ark"),
        ("nowhere", "nowhere"),
        ("f", "f is a folder"),
    ] {
        scratch.sh(&format!("table-stats {arguments}")).fails_with(255).stderr_has(message);
    }
    scratch.sh("table-stats /dev/null").fails_with(1);
}

#[test]
fn a_plot_is_a_picture_or_a_drawing() {
    let scratch = table();
    scratch.sh("table-stats --plot=m.png m.ark && table-stats --plot=m.SVG m.ark").succeeds().stdout_is({
        let ran = scratch.sh("table-stats m.ark; table-stats m.ark").succeeds();
        ran.stdout().to_vec()
    });
    let png = scratch.read("m.png");
    let mut reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    // A title and three charts.
    assert_eq!((info.width, info.height), (900, 820));
    let svg = String::from_utf8(scratch.read("m.SVG")).unwrap();
    for text in ["m.ark: 3 entries, 15 numbers", "lengths of entries", "means and standard deviations of columns"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // A table of integers has a bar for each, and no columns worth a chart.
    scratch.write("i.txt", "a 1 2 3\nb 2 2\nc 9\n");
    scratch.sh("table-stats --plot=i.svg ark:i.txt; table-stats --plot=none.png /dev/null").fails_with(1);
    assert!(scratch.path("i.svg").exists() && scratch.path("none.png").exists());
    for (arguments, message) in [
        ("--plot=x.pdf m.ark", "expected the file of --plot to end in .png or .svg, got x.pdf"),
        ("--plot=x.png m.ark m.ark", "expected one table with --plot, got 2"),
        ("--plot=x.png --by=key m.ark", "expected --plot without --by"),
        ("--plot=x.png nowhere", "nowhere"),
        ("--plot=nowhere/x.png m.ark", "nowhere/x.png"),
    ] {
        scratch.sh(&format!("table-stats {arguments}")).fails_with(255).stderr_has(message);
    }
    assert!(!scratch.path("x.png").exists() && !scratch.path("x.pdf").exists());
}

/// Few numbers are sorted, many are counted in a table of all buckets: both tell the same.
#[test]
fn groups_of_any_size_have_the_same_quantiles() {
    let scratch = Scratch::new();
    let numbers: Vec<f32> = (0..10_000).map(|at| ((at * 7919) % 10_007) as f32 / 7.0 - 400.0).collect();
    let row = |numbers: &[f32]| Sample::Matrix(vec![numbers.to_vec()]);
    scratch.write("whole.ark", binary_archive(&[("a", row(&numbers))]));
    scratch.write("parts.ark", binary_archive(&[("a", row(&numbers[..3000])), ("b", row(&numbers[3000..]))]));
    scratch.write("utt2spk", "a s\nb s\n");
    let fields = "cut -f 3-5,8-";
    scratch.sh(&format!("table-stats --by=key whole.ark | {fields} > key; table-stats --by=speaker --utt2spk=ark:utt2spk parts.ark | {fields} > parts; table-stats --by=speaker --utt2spk=ark:utt2spk whole.ark | {fields} > speaker")).succeeds();
    scratch.sh("cmp key parts && cmp key speaker && wc -l < key").succeeds().stdout_is("2\n");
}

#[test]
fn waveforms_are_measured() {
    let scratch = Scratch::new();
    let square: Vec<i16> = (0..8000).map(|at| if at / 40 % 2 == 0 { 16384 } else { -16384 }).collect();
    scratch.write("a.wav", wave(8000, &[&square])).write("b.wav", wave(16000, &[&[0; 8000], &[0; 8000]]));
    scratch.write("wav.scp", "a a.wav\nb b.wav\n");
    scratch.sh("wav-copy scp:wav.scp ark:wav.ark").succeeds();
    scratch.write("x.tar", tar(&[("a.wav", &scratch.read("a.wav")), ("b.wav", &scratch.read("b.wav"))]));
    let entries = objects(&scratch, "table-stats --by=key --json wav.scp");
    let of = |at: usize, name: &str| entries[at][name].clone();
    assert_eq!((of(0, "group"), of(0, "table"), of(1, "group")), ("a".into(), "wav.scp".into(), "b".into()));
    assert_eq!((of(0, "duration"), of(0, "rate"), of(0, "channels")), (1.0.into(), 8000.0.into(), 1.0.into()));
    assert_eq!((of(1, "duration"), of(1, "rate"), of(1, "channels")), (0.5.into(), 16000.0.into(), 2.0.into()));
    assert_eq!((of(0, "clipped"), of(1, "zeros"), of(1, "peak")), (1.0.into(), 1.0.into(), Value::Null));
    assert!((of(0, "peak").as_f64().unwrap() + 6.0206).abs() < 1e-3);
    assert!((of(0, "level").as_f64().unwrap() + 6.0206).abs() < 1e-3);
    // All sources and any number of threads say the same.
    let numbers = |command: &str| {
        let mut objects = objects(&scratch, command);
        objects.iter_mut().for_each(|object| object["table"] = Value::Null);
        objects
    };
    let expected = numbers("table-stats --by=key --json wav.scp");
    for table in ["scp:wav.scp", "wav.ark", "--type=wave 'ark:cat wav.ark |'", "shard:x.tar", "--num-threads=3 wav.ark"]
    {
        assert_eq!(numbers(&format!("table-stats --by=key --json {table}")), expected, "{table}");
    }
    let groups = objects(&scratch, "table-stats --json wav.scp");
    let names: Vec<&str> = groups.iter().map(|group| group["group"].as_str().unwrap()).collect();
    assert_eq!(names[..7], ["duration", "rate", "channels", "peak", "offset", "level", "clipped"]);
    assert_eq!((&groups[0]["count"], &groups[0]["mean"]), (&2.into(), &0.75.into()));
    assert_eq!((&groups[0]["quantiles"]["0.5"], &groups[1]["max"]), (&0.75.into(), &16000.0.into()));
    // A level of minus infinity.
    assert_eq!((&groups[3]["count"], &groups[3]["inf"]), (&1.into(), &1.into()));
    let text = scratch.sh("table-stats --by=key wav.scp | cut -f 1-6").succeeds();
    text.stdout_is(
        "table\tgroup\tduration\trate\tchannels\tpeak\nwav.scp\ta\t1\t8000\t1\t-6.0206\nwav.scp\tb\t0.5\t16000\t2\t-\n",
    );
    let text = scratch.sh("table-stats wav.scp | head -n 2 | cut -f 2-6").succeeds();
    text.stdout_is("group\tcount\tmin\tmax\tmean\nduration\t2\t0.5\t1\t0.75\n");
    scratch.sh("table-stats --plot=p.png wav.scp").succeeds();
    assert!(scratch.read("p.png").starts_with(b"\x89PNG"));
    scratch
        .sh("table-stats --by=column wav.scp")
        .fails_with(255)
        .stderr_has("expected --by=table or --by=key for waveforms");
    scratch.sh("head -c 9000 a.wav > cut.wav; echo c cut.wav > c.scp").succeeds();
    scratch.sh("table-stats c.scp").fails_with(1).stderr_has("expected 8000 samples as the header says, got 4478");
}

#[test]
fn the_map_of_speakers_may_be_the_name_of_a_file() {
    let scratch = Scratch::new();
    scratch.write("v.txt", "a [ 1 2 ]\nb [ 3 4 ]\n").write("utt2spk", "a x\nb x\n");
    let named = scratch.sh("table-stats --by=speaker --utt2spk=utt2spk v.txt").succeeds();
    scratch.sh("table-stats --by=speaker --utt2spk=ark:utt2spk v.txt").succeeds().stdout_is(named.stdout());
}

#[test]
fn a_damaged_entry_is_named_and_the_others_go_on() {
    let scratch = super::tables();
    let broken = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x55\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";
    scratch.write("bad.wav", broken).write("b.wav", scratch.read("a.wav"));
    scratch.write("wav.scp", "a a.wav\nbad bad.wav\nno nowhere.wav\nz b.wav\n");
    for table in ["wav.scp", "scp:wav.scp", "scp,p:wav.scp"] {
        let ran =
            scratch.sh(&format!("table-stats --by=key {table} | cut -f1,2 | grep -c a.wav; table-stats {table} > o"));
        let ran = ran.fails_with(1).stderr_has("bad").stderr_has("nowhere.wav");
        ran.stderr_has("2 entries were left out, since they cannot be read").stderr_has("Measured 2 entries");
    }
    scratch
        .sh("sed 's/a feats/a nowhere/' feats.scp > f.scp; table-stats --json f.scp")
        .fails_with(1)
        .stdout_has("\"count\":6");
    scratch.sh("table-stats feats.scp").succeeds();
}
