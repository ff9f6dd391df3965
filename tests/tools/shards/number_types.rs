//! Tables of utterances become numbers of other formats only if they come back letter by letter.

use super::data_dirs::data;
use crate::support::Scratch;

/// Lines of tables `utt2<name>` for the utterances s-a, s-b and t-c.
const TABLES: [(&str, [&str; 3]); 14] = [
    ("int", ["1", "-20", "0"]),
    ("real", ["1", "2.5", "-0.125"]),
    ("snr", ["1.0", "12.5", "7.0"]),
    ("places", ["1.50", "12.25", "7.00"]),
    ("zeros", ["007", "1", "2"]),
    ("mixed", ["007 1 2", "3", "4"]),
    ("account", ["0049123", "5", "6"]),
    ("plus", ["+5", "5", "6"]),
    ("long", ["12345678901234567890", "98765432109876543210", "1"]),
    ("round", ["10000000000000000000", "2", "3"]),
    ("small", ["1e-5", "1E5", "0.1"]),
    ("list", ["1 2", "3", "4 5 6"]),
    ("reals", ["0.5 2", "3", "4"]),
    ("odd", ["nan", "inf", "0x10"]),
];

fn with_tables() -> Scratch {
    let scratch = data();
    for (name, [a, b, c]) in TABLES {
        scratch.write(&format!("data/utt2{name}"), format!("s-a {a}\ns-b {b}\nt-c {c}\n"));
    }
    scratch
}

#[test]
fn tables_come_back_letter_by_letter_from_every_format() {
    let scratch = with_tables();
    for (command, source) in [
        ("make-shar data x", "x"),
        ("export-data-dir --format=lhotse data x", "x"),
        ("export-data-dir --format=parquet data x.parquet", "x.parquet"),
    ] {
        scratch.sh(&format!("{command} && make-data-dir --split-channels --extra=all {source} again || make-data-dir --extra=all {source} again")).succeeds();
        for (name, _) in TABLES {
            // The utterance of two channels may have become two.
            let lines = |folder: &str| format!("grep -v '^s-b' {folder}/utt2{name}");
            let [before, after] =
                ["data", "again"].map(|folder| scratch.sh(&lines(folder)).succeeds().stdout().to_vec());
            assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(&before), "{command}: {name}");
            let value = |folder: &str| {
                scratch
                    .sh(&format!("grep '^s-b' {folder}/utt2{name} | head -n 1 | cut -d' ' -f2-"))
                    .succeeds()
                    .stdout()
                    .to_vec()
            };
            assert_eq!(value("again"), value("data"), "{command}: {name}");
        }
        scratch.sh(&format!("rm -r again {source}")).succeeds();
    }
}

#[test]
fn numbers_are_numbers_where_they_can_be() {
    let scratch = with_tables();
    scratch
        .sh("make-shar --compress=none data s && export-data-dir --format=lhotse data l && gunzip l/cuts.jsonl.gz")
        .succeeds();
    for file in ["s/cuts.000000.jsonl", "l/cuts.jsonl"] {
        let line = scratch.sh(&format!("head -n 1 {file}")).succeeds();
        let line = String::from_utf8_lossy(line.stdout()).into_owned();
        for expected in [
            "\"int\": 1, ",
            "\"real\": 1, ",
            "\"snr\": 1.0, ",
            "\"places\": \"1.50\", ",
            "\"mixed\": \"007 1 2\", ",
            "\"account\": \"0049123\", ",
            "\"plus\": \"+5\", ",
            "\"long\": \"12345678901234567890\", ",
            "\"list\": [1, 2], ",
        ] {
            assert!(line.contains(expected), "{file}: {expected}: {line}");
        }
    }
    scratch.sh("export-data-dir --format=parquet data p.parquet").succeeds();
    for (name, kind) in [
        ("int", "int32"),
        ("real", "double"),
        ("snr", "token-vector"),
        ("long", "token-vector"),
        ("list", "int32-vector"),
    ] {
        let ran = scratch.sh(&format!("table-import --key=id --value={name} p.parquet ark:x.ark")).succeeds();
        ran.stderr_has(&format!("({kind})"));
    }
}

#[test]
fn fields_of_lists_keep_their_letters() {
    let scratch = data();
    scratch.write(
        "m.list",
        "{\"key\": \"u\", \"wav\": \"a.wav\", \"txt\": \"x\", \"n\": 12345678901234567890, \"r\": 1.50, \"l\": [1, 2.50]}\n",
    );
    scratch.write(
        "m.json",
        "{\"audio_filepath\": \"a.wav\", \"utt_id\": \"u\", \"n\": 12345678901234567890, \"r\": 1.50, \"l\": [1, 2.50]}\n",
    );
    for manifest in ["m.list", "m.json"] {
        scratch
            .sh(&format!("make-data-dir --extra=all {manifest} d && cat d/utt2n d/utt2r d/utt2l && rm -r d"))
            .succeeds()
            .stdout_is("u 12345678901234567890\nu 1.50\nu 1 2.50\n");
    }
}

#[test]
fn names_of_digits_are_no_numbers_of_tables_either() {
    let scratch = Scratch::new();
    // Columns and tables whose type is found by looking.
    scratch.write("a.csv", "id,account,n\nu,0049123,1\nv,5,007\n");
    scratch.sh("table-import --key=id --value=account a.csv ark,t:-").succeeds().stdout_is("u 0049123 \nv 5 \n");
    scratch.sh("table-import --key=id --value=n a.csv ark,t:-").fails_with(255).stderr_has(
        "a.csv:3: expected numbers that come back letter by letter, got 007: --type=token-vector keeps words",
    );
    scratch.sh("table-import --type=float --key=id --value=n a.csv ark,t:-").succeeds().stdout_is("u 1 \nv 7 \n");
    scratch.write("b.csv", "id,n\nu,12345678901234567890\nv,+5\n");
    scratch
        .sh("table-import --key=id --value=n b.csv ark,t:-")
        .succeeds()
        .stdout_is("u 12345678901234567890 \nv +5 \n");
    for odd in ["007", "0049123", "+5", "1 007", "3000000001"] {
        scratch.write("t", format!("u {odd}\nv 1\n"));
        for format in ["jsonl", "csv", "parquet"] {
            scratch
                .sh(&format!("table-export ark:t x.{format}"))
                .fails_with(255)
                .stderr_has("u: ")
                .stderr_has("expected numbers that come back letter by letter, got ");
        }
        scratch
            .sh("table-export --type=token-vector ark:t x.csv && cat x.csv && rm x.csv")
            .succeeds()
            .stdout_is(format!("u,{odd}\nv,1\n"));
    }
    scratch.write("t", "u 7\nv -1\n");
    scratch.sh("table-export ark:t - --format=csv").succeeds().stdout_is("u,7\nv,-1\n");
}
