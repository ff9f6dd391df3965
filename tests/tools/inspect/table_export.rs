use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, ints, matrix, matrix_f64, vector};
use crate::support::wave::wave;

fn tables() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(
        "m.ark",
        binary_archive(&[("one", matrix(1, 1, 3)), ("two", matrix(2, 2, 3)), ("none", matrix(3, 0, 0))]),
    );
    scratch.write("d.ark", binary_archive(&[("a", matrix_f64(1, 2, 2))]));
    scratch.write("v.ark", binary_archive(&[("x", vector(1, 3)), ("y", vector(2, 3))]));
    scratch.write("i.ark", binary_archive(&[("c", ints(1, 2)), ("a", ints(2, 9)), ("b", ints(3, 0))]));
    scratch
}

#[test]
fn every_format_leads_back_to_the_same_table() {
    let scratch = tables();
    for table in ["m", "d", "v", "i"] {
        for format in ["npz", "safetensors", "parquet"] {
            let command =
                format!("table-export {table}.ark o.{format} && table-import o.{format} ark:- | cmp - {table}.ark");
            scratch.sh(&command).succeeds();
        }
    }
    for table in ["v", "i"] {
        let kind = if table == "v" { "vector" } else { "int32-vector" };
        for format in ["csv", "tsv", "jsonl"] {
            let command = format!(
                "table-export {table}.ark o.{format} && table-import --type={kind} o.{format} ark:- | cmp - {table}.ark"
            );
            scratch.sh(&command).succeeds();
        }
    }
    scratch.sh("table-export m.ark o.jsonl && table-import o.jsonl ark:- | cmp - m.ark").succeeds();
    scratch
        .sh("table-export ark:m.ark o.csv; table-import o.csv ark:o.ark; copy-feats ark:m.ark ark,scp:o,o.scp")
        .succeeds();
    scratch.sh("head -n 2 o.scp | copy-feats scp:- ark:- | cmp - o.ark").succeeds();
}

/// The text of a table of each type, with its name, whether NumPy's files have a place for it, and whether lines have.
const TYPES: [(&str, &str, bool, bool); 12] = [
    ("int32", "a 7 \nb -8 \n", true, true),
    ("float", "a 7.5 \nb -8e-20 \n", true, true),
    ("double", "a 0.1000000000000000055 \nb -8e-200 \n", true, true),
    ("bool", "a T \nb F \n", true, true),
    ("int32-pairs", "a 1 2 ; 3 4 \nb 5 -6 \n", true, true),
    ("float-pairs", "a 1 2.5 ; 3 4 \nb 5 1e-20 \n", true, true),
    ("int32-matrix", "a 1 11 ; 2 -12 ; \nb 2147483647 3 ; \n", true, true),
    ("int32-vector-vector", "a 1 2 ; ; 3 ; \nb 4 ; \n", true, true),
    ("posterior", "a [ 1 0.5 3 0.25 ] [ ] [ 7 0.1 ] \nb [ 2 1 ] \n", true, true),
    ("gauss-post", "a 2 1 5 [ 0.5 0.25 ]\n 0 \nb 1 2 3 [ 1 ]\n 4 [ 0.1 ]\n\n", true, false),
    ("token", "a s1\nb \"s,2\"\n", false, true),
    ("token-vector", "a hello w\u{f6}rld, \"x\" \nb \nc [ 1 \n", false, true),
];

#[test]
fn every_type_leads_back_to_the_same_table() {
    let scratch = Scratch::new();
    for (name, text, has_arrays, has_lines) in TYPES {
        scratch.write("given", text);
        // In the form in which the tools write it.
        scratch.sh(&format!("table-export --type={name} given g.jsonl && table-import --type={name} g.jsonl ark,t:t.ark && table-import --type={name} g.jsonl ark:b.ark")).succeeds();
        for table in ["t.ark", "b.ark"] {
            let form = if table == "t.ark" { "ark,t" } else { "ark" };
            for format in ["npz", "safetensors", "parquet", "csv", "tsv", "jsonl"] {
                let lines = matches!(format, "csv" | "tsv");
                let ran = scratch.sh(&format!(
                    "table-export --type={name} {table} o.{format} && table-import --type={name} o.{format} {form}:- | cmp - {table}"
                ));
                match (format, lines) {
                    ("npz" | "safetensors", _) if !has_arrays => ran.fails_with(255).stderr_has("and no words"),
                    (_, true) if !has_lines => ran.fails_with(255).stderr_has("has no rows for csv and tsv"),
                    _ => ran.succeeds(),
                };
            }
        }
    }
}

#[test]
fn tensors_are_the_same_whether_their_sizes_are_known_before_or_not() {
    let scratch = tables();
    scratch
        .sh("copy-feats --compress=true ark:m.ark ark,scp:c.ark,c.scp; copy-feats ark:m.ark ark,scp:o.ark,o.scp")
        .succeeds();
    scratch
        .sh("head -n 1 o.scp | sed 's/$/[0:0]/' > range.scp; cat o.scp range.scp | sed '4s/^one/part/' > ranges.scp")
        .succeeds();
    scratch
        .sh("echo 'cmd echo x >> runs; copy-matrix --print-args=false o.ark:4 - |' | cat o.scp - > commands.scp")
        .succeeds();
    scratch.write("e.ark", [&b"no_rows \0BFM \x04\0\0\0\0\x04\x03\0\0\0"[..], &scratch.read("m.ark")].concat());
    for table in ["m.ark", "d.ark", "v.ark", "i.ark", "c.ark", "e.ark", "o.scp", "ranges.scp", "commands.scp"] {
        for options in ["", "--dtype=float16"] {
            let kind = if table.ends_with("scp") { "scp" } else { "ark" };
            // A stream is read only once.
            let command = format!(
                "table-export {options} {kind}:{table} a.safetensors && \
                 cat {table} | table-export {options} {kind}:- b.safetensors && cmp a.safetensors b.safetensors"
            );
            scratch.sh(&command).succeeds();
        }
    }
    scratch.sh("wc -l < runs").stdout_is("4\n");
    // Named pipes and standard input in a script file are read once, too.
    let named = "mkfifo pipe; (copy-matrix o.ark:4 - > pipe &); echo 'cmd pipe' | cat o.scp - > pipes.scp";
    let export = "table-export --print-args=false";
    scratch.sh(&format!("{named}; {export} scp:pipes.scp a.safetensors")).succeeds();
    let stdin = "echo 'cmd -' | cat o.scp - > stdin.scp; copy-matrix o.ark:4 -";
    scratch.sh(&format!("{stdin} | {export} scp:stdin.scp b.safetensors")).succeeds();
    scratch.sh(&format!("{export} scp:commands.scp c.safetensors; cmp a.safetensors c.safetensors")).succeeds();
    scratch.sh("cmp b.safetensors c.safetensors").succeeds();
    // What cannot be read is left out in both ways.
    scratch
        .sh("head -c -4 o.ark > cut.ark; sed 's/o.ark/cut.ark/' o.scp | tail -n 2 > cut.scp; cp m.ark m2.ark")
        .succeeds();
    for source in ["scp:cut.scp", "ark:cut.ark"] {
        scratch.sh(&format!("table-export {source} e.safetensors")).fails_with(255);
        scratch.sh("ls e.safetensors").fails_with(2);
    }
}

#[test]
fn integer_matrices_are_found_by_looking_and_are_arrays_of_int32() {
    let scratch = Scratch::new();
    scratch.write("x", "a 1 11 ; 2 12 ; 3 13 ; \n");
    scratch.sh("copy-gselect ark:x ark:x.ark").succeeds();
    for format in ["npy", "npz", "safetensors", "parquet"] {
        for table in ["x", "x.ark"] {
            scratch
                .sh(&format!("table-export {table} a.{format} && table-import a.{format} ark,t:- | cmp - x"))
                .succeeds();
        }
    }
    let file = scratch.read("a.npy");
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }";
    assert!(file.windows(header.len()).any(|window| window == header.as_bytes()));
    assert!(file.ends_with(&[1_i32, 11, 2, 12, 3, 13].map(i32::to_le_bytes).concat()));
    // Lists of other lengths are no matrix.
    scratch.write("y", "a 1 ; 2 ; \nb 3 ; 4 5 ; \n");
    scratch.sh("table-export y y.npz && table-import --type=int32-vector-vector y.npz ark,t:- | cmp - y").succeeds();
    let message = "b: y:2: expected 1 numbers in row 1 as in row 0, got 2";
    scratch.sh("table-export --type=int32-matrix y z.npz").fails_with(255).stderr_has(message);
    scratch.sh("ls z.npz").fails_with(2);
}

#[test]
fn the_type_is_found_by_looking_and_told_where_several_fit() {
    let scratch = Scratch::new();
    for (text, value) in [
        ("a 7\n", "7"),
        ("a 7.5\n", "7.5"),
        ("a 1 2\n", "[1, 2]"),
        ("a hello\n", "\"hello\""),
        ("a T\n", "true"),
        ("a hello you\n", "[\"hello\", \"you\"]"),
        ("a [ 1 2 ] [ 3 4 ]\n", "[[[1, 2.0]], [[3, 4.0]]]"),
    ] {
        scratch.write("x", text);
        let expected = format!("{{\"key\": \"a\", \"value\": {value}}}\n");
        scratch.sh("table-export --format=jsonl x -").succeeds().stdout_is(&expected);
    }
    scratch.write("x", "a 7\n");
    for (name, value) in [("float", "7.0"), ("int32-vector", "[7]"), ("token", "\"7\""), ("token-vector", "[\"7\"]")] {
        let expected = format!("{{\"key\": \"a\", \"value\": {value}}}\n");
        scratch.sh(&format!("table-export --type={name} --format=jsonl x -")).succeeds().stdout_is(&expected);
    }
    // Numbers that are alone look like the lengths of vectors, in binary form.
    scratch.write("one.ark", b"a \0B\x04\0\0\xf0\x40b \0B\x04\0\0\0\xbf");
    scratch.sh("table-export --format=csv one.ark -").succeeds().stdout_is("a,7.5\nb,-0.5\n");
    scratch.write("one.ark", b"a \0B\x04\x07\0\0\0b \0B\x04\x09\0\0\0");
    scratch.sh("table-export --format=csv one.ark -").succeeds().stdout_is("a,7\nb,9\n");
    // A stream is read once.
    scratch.write("x", "a hello you\n");
    scratch.sh("cat x | table-export --format=csv --type=token-vector - -").succeeds().stdout_is("a,hello you\n");
    scratch
        .sh("cat x | table-export --format=csv - -")
        .fails_with(255)
        .stderr_has("the type of a stream is not found by looking: use --type= unless it is");
    scratch.sh("table-export --type=vector --format=csv x -").fails_with(255).stderr_has("x");
}

#[test]
fn the_type_that_is_asked_for_has_to_fit() {
    let scratch = tables();
    scratch
        .sh("table-export --type=vector m.ark o.npz")
        .fails_with(255)
        .stderr_has("one: expected a vector, got a matrix");
    scratch.sh("table-export --type=int32-vector v.ark o.npz").fails_with(255).stderr_has("got a vector");
    scratch.write("x", "a  [ 1 2 ]\n");
    scratch
        .sh("table-export --type=matrix --format=jsonl x -")
        .succeeds()
        .stdout_is("{\"key\": \"a\", \"value\": [[1.0, 2.0]]}\n");
    scratch.write("x", "a 1 2\n");
    scratch
        .sh("table-export --type=vector --format=jsonl x -")
        .succeeds()
        .stdout_is("{\"key\": \"a\", \"value\": [1.0, 2.0]}\n");
    scratch.sh("table-export --type=words x o.npz").fails_with(255).stderr_has("words");
}

#[test]
fn waveforms_are_samples_with_their_rate() {
    let scratch = Scratch::new();
    scratch.write("mono.wav", wave(16000, &[&[1, -2, 32767, -32768]]));
    scratch.write("stereo.wav", wave(8000, &[&[1, 3, 5], &[2, 4, 6]]));
    scratch.write("wav.scp", "a mono.wav\nb cat stereo.wav |\n");
    scratch.sh("wav-copy scp:wav.scp ark:w.ark").succeeds();
    for format in ["npz", "safetensors", "parquet", "jsonl"] {
        let command =
            format!("table-export wav.scp o.{format} && table-import --type=wave o.{format} ark:- | cmp - w.ark");
        scratch.sh(&command).succeeds();
    }
    scratch
        .sh("tail -n 1 o.jsonl")
        .stdout_is("{\"key\": \"b\", \"rate\": 8000, \"channels\": 2, \"samples\": [1, 2, 3, 4, 5, 6]}\n");
    scratch.sh("table-export w.ark o.csv").fails_with(255).stderr_has("a wave has no rows for csv and tsv");
    scratch.sh("table-export --format=npy w.ark folder").fails_with(255).stderr_has("a wave is several arrays");
    scratch.sh("table-import --type=wave o.npz ark,t:o.ark").fails_with(255).stderr_has("a wave has no text form");
    assert!(!scratch.path("o.ark").exists());
}

#[test]
fn tables_may_be_pipes_script_files_and_compressed() {
    let scratch = tables();
    scratch.sh("copy-feats --compress ark:m.ark ark,scp:c.ark,c.scp").succeeds();
    scratch.sh("copy-feats scp:c.scp ark:- | table-export ark:- pipe.npz && table-export c.scp list.npz").succeeds();
    scratch
        .sh("cmp pipe.npz list.npz && table-export scp:c.scp '| cat > command.npz' && cmp pipe.npz command.npz")
        .succeeds();
    for format in ["npz", "safetensors", "parquet", "csv", "jsonl"] {
        let command =
            format!("table-export m.ark o.{format}; table-export --format={format} m.ark - | cmp - o.{format}");
        scratch.sh(&command).succeeds();
    }
    scratch
        .sh("table-export 'ark:copy-feats ark:m.ark ark,t:- |' text.csv; cut -d, -f1 text.csv")
        .stdout_is("one\ntwo\ntwo\n");
    assert!(!scratch.list().iter().any(|name| name.starts_with('.')), "{:?}", scratch.list());
}

#[test]
fn a_folder_has_a_file_for_each_key() {
    let scratch = tables();
    scratch
        .sh("table-export --format=npy m.ark folder && ls folder")
        .succeeds()
        .stdout_is("none.npy\none.npy\ntwo.npy\n");
    let ran = scratch.sh("table-import --format=npy folder ark,t:- | grep -c '\\['");
    ran.succeeds().stdout_is("3\n").stderr_has("Imported 3 entries (matrix) of 3 file(s)");
    scratch.write("odd.ark", binary_archive(&[("a/b", vector(1, 2)), ("..", vector(2, 2))]));
    scratch
        .sh("mkdir odd; table-export --format=npz odd.ark odd && ls odd")
        .succeeds()
        .stdout_is("%2E..npz\na%2Fb.npz\n");
    scratch
        .sh("table-export --format=npy odd.ark odd && table-import --format=npy odd ark:- | table-export ark:- o.tsv")
        .succeeds();
    scratch.sh("cut -f1 o.tsv").stdout_is("..\na/b\n");
}

#[test]
fn a_npy_has_one_value_or_stacked_rows() {
    let scratch = tables();
    scratch.sh("table-export m.ark o.npy").fails_with(255).stderr_has("two: a .npy has one value, got a second");
    scratch.sh("table-export d.ark o.npy && table-import o.npy ark,t:- | head -c 4").succeeds().stdout_is("o  [");
    scratch
        .sh("table-export --stack m.ark all.npy && table-import all.npy ark:- | feat-to-len ark:- ark,t:-")
        .stdout_is("all 3 \n");
    scratch.sh("table-export --stack v.ark v.npy && table-import v.npy ark:- | feat-to-dim ark:- -").stdout_is("3\n");
    let ran = scratch.sh("table-export --stack i.ark i.npy");
    ran.fails_with(255).stderr_has("a: expected rows of 2 Int32 as before, got 9 Int32");
    scratch.sh("copy-matrix 'echo \"[ 1 2 ; 3 4 ]\" |' x.mat; table-export x.mat x.npy").succeeds();
    scratch.sh("table-export x.mat x.npz").fails_with(255).stderr_has("x.mat is a single value without a key");
}

#[test]
fn half_precision_warns_of_what_is_lost() {
    let scratch = tables();
    scratch.write("big.ark", binary_archive(&[("big", Sample::Vector(vec![1.0, 1e6, -1e9, f32::INFINITY]))]));
    let ran = scratch.sh("table-export --dtype=float16 big.ark o.npz && table-import o.npz ark,t:-");
    ran.succeeds().stdout_is("big  [ 1 inf -inf inf ]\n").stderr_has("big: 2 numbers are too large for Float16");
    scratch.sh("table-export --dtype=float16 i.ark o.npz && table-import o.npz ark:- | cmp - i.ark").succeeds();
    scratch.sh("table-export --dtype=float64 m.ark o.npz && table-import o.npz ark:- | copy-feats ark:- ark:- | cmp - m.ark").succeeds();
    scratch.sh("table-export --dtype=int8 m.ark o.npz").fails_with(255).stderr_has("float16, float32 or float64");
}

#[test]
fn what_a_file_cannot_have_is_an_error_and_leaves_no_file() {
    let scratch = tables();
    scratch
        .sh("cat v.ark v.ark > twice.ark; cat m.ark d.ark > mixed.ark; mkdir f; printf 'a\\377 1\\n' > bytes.ark")
        .succeeds();
    let before = scratch.list();
    for (arguments, message) in [
        ("twice.ark o.npz", "expected each key once"),
        ("twice.ark o.safetensors", "x: this key comes twice"),
        ("twice.ark o.csv", "x: this key comes twice"),
        ("mixed.ark o.parquet", "a: expected matrix of Float32 as before, got matrix of Float64"),
        ("bytes.ark o.safetensors", "expected a key in UTF-8"),
        ("bytes.ark o.npz", "expected a key in UTF-8"),
        ("bytes.ark o.parquet", "expected a key in UTF-8"),
        ("bytes.ark o.jsonl", "expected a key in UTF-8"),
        ("m.ark o.xyz", "expected --format=, since the name o.xyz does not show the format"),
        ("m.ark f", "expected --format="),
        ("--stack m.ark o.npz", "expected --stack with npy only, got npz"),
        ("--stack --format=npy m.ark f", "expected the name of a file with --stack"),
        ("--format=zip m.ark o", "expected npy, npz, safetensors, parquet, csv, tsv or jsonl"),
        ("nowhere.ark o.npz", "nowhere.ark"),
        ("f o.npz", "f is a folder: expected a table"),
    ] {
        let ran = scratch.sh(&format!("table-export {arguments}"));
        ran.fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), before);
}

#[test]
fn a_cut_table_leaves_no_file() {
    let scratch = tables();
    scratch.sh("head -c 60 m.ark > cut.ark").succeeds();
    for format in ["npz", "safetensors", "parquet", "csv", "jsonl"] {
        scratch.sh(&format!("table-export cut.ark o.{format}")).fails_with(255).stderr_has("cut.ark");
        scratch
            .sh(&format!("table-export --format={format} m.ark /dev/full"))
            .fails_with(255)
            .stderr_has("No space left");
    }
    assert!(!scratch.list().iter().any(|name| name.starts_with("o.") || name.starts_with('.')), "{:?}", scratch.list());
}

#[test]
fn an_empty_table_is_an_empty_file_of_its_format() {
    let scratch = Scratch::new();
    for format in ["npz", "safetensors", "parquet", "csv", "jsonl"] {
        scratch
            .sh(&format!("table-export /dev/null o.{format}; table-import o.{format} ark:-"))
            .fails_with(1)
            .stdout_is("");
    }
    scratch.sh("table-export /dev/null o.npy").fails_with(255).stderr_has("a .npy has one value, got none");
}

/// A transition model of one phone with three pdfs, one of them with two Gaussians.
const MODEL: &str = "<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n1 \n</ForPhones> \n<State> 0 <PdfClass> 0 \
    <Transition> 0 0.5 <Transition> 1 0.5 </State> \n<State> 1 </State> \n</TopologyEntry> \n</Topology> \n<Triples> 2 \n1 0 0 \n\
    1 0 1 \n</Triples> \n<LogProbs> \n [ 0 -0.5 -1 -0.25 -1.5 ]\n</LogProbs> \n</TransitionModel> \n";
const PDFS: &str = "<DIMENSION> 1 <NUMPDFS> 2 <DiagGMM> \n<WEIGHTS>  [ 0.5 0.5 ]\n<MEANS_INVVARS>  [\n  8 \n  1 ]\n\
    <INV_VARS>  [\n  4 \n  0.5 ]\n</DiagGMM> \n<DiagGMM> \n<WEIGHTS>  [ 1 ]\n<MEANS_INVVARS>  [\n  -3 ]\n\
    <INV_VARS>  [\n  1 ]\n</DiagGMM> \n";

#[test]
fn models_become_arrays() {
    let scratch = Scratch::new();
    scratch.write("final.mdl", format!("{MODEL}{PDFS}")).write("tm", MODEL);
    let made =
        scratch.sh("table-export final.mdl m.npz && table-export --format=npy final.mdl folder && table-info m.npz");
    made.succeeds()
        .stderr_has("Exported 8 arrays of a model (transition-model) to npz")
        .stdout_has("means        float32 3x1");
    for (array, expected) in [
        ("means", "2,2,-3"),
        ("variances", "0.25,2,1"),
        ("weights", "0.5,0.5,1"),
        ("pdfs", "0,0,1"),
        ("transition_log_probs", "0,-0.5,-1,-0.25,-1.5"),
        ("transition_phones", "0,1,1,1,1"),
        ("transition_pdfs", "-1,0,0,1,1"),
        ("transition_states", "0,1,1,2,2"),
    ] {
        let numbers = format!(
            "table-import folder/{array}.npy ark,t:- | sed 's/[^ ]* //' | tr -s ' []\\n' , | sed 's/^,//; s/,$//'"
        );
        scratch.sh(&numbers).succeeds().stdout_is(expected);
    }
    scratch
        .sh("table-export --format=npy --dtype=float64 tm short && ls short && table-info short/transition_log_probs.npy")
        .succeeds()
        .stdout_has("transition_log_probs.npy\ntransition_pdfs.npy\ntransition_phones.npy\ntransition_states.npy\n")
        .stdout_has("float64 5");
}

#[test]
fn models_have_a_place_in_some_formats_only() {
    let scratch = Scratch::new();
    scratch.write("tm", MODEL).write("tree", "ContextDependency 1 0 ToPdf CE 0 EndContextDependency ");
    for (command, message) in [
        ("tm o.npy", "tm is a model of several arrays: expected .npz, .safetensors or a folder, got o.npy"),
        ("--stack tm o.npy", "tm is a model, whose arrays cannot be stacked"),
        ("tm o.csv", "a model is arrays of several sizes, for which csv has no place: npz and safetensors have"),
        ("--type=matrix tm o.npz", "tm is a model (transition-model): expected no --type"),
        ("tree o.npz", "tree: of tree no arrays are exported; table-head shows its text"),
        ("ark:tm o.npz", ""),
    ] {
        let ran =
            scratch.sh(&format!("table-export {command}; code=$?; [ ! -e o.npy ] && [ ! -e o.npz ] && exit $code"));
        ran.fails_with(255).stderr_has(message);
    }
    scratch.write("tm", &MODEL[..300]);
    scratch.sh("table-export tm o.npz; code=$?; [ ! -e o.npz ] && exit $code").fails_with(255).stderr_has("tm");
}

#[test]
fn lists_of_parquet_fill_pages_and_may_be_longer_than_one() {
    let scratch = Scratch::new();
    let numbers = "{ for (n = 0; n < 25000; n++) { printf \"k%d\", n; for (i = 0; i < n % 4; i++) printf \" %d\", i; print \" \" } }";
    let long = "{ printf \"long\"; for (n = 0; n < 400000; n++) printf \" %d\", n; print \" \" }";
    scratch.sh(&format!("awk 'BEGIN {numbers}; BEGIN {long}; BEGIN {{ print \"last \" }}' > i.ark")).succeeds();
    scratch.sh("table-export ark:i.ark i.parquet && table-import i.parquet ark,t:- | cmp - i.ark").succeeds();
}

#[test]
fn a_graph_of_a_file_becomes_arrays_or_an_object() {
    let scratch = Scratch::new();
    scratch.write("lat", "a \n0 1 3 4 0.5,0,1_1\n1 0.25,0,\n\n").write("v.vec", " [ 1 2.5 ]\n");
    scratch.sh("lattice-copy ark:lat ark:- | lattice-to-fst ark:- ark:g.ark && tail -c +3 g.ark > L.fst").succeeds();
    scratch.sh("table-export L.fst L.jsonl && cat L.jsonl").succeeds().stdout_is(
        "{\"start\": 0, \"from\": [0], \"to\": [1], \"input\": [3], \"output\": [3], \"graph\": [0.0], \
         \"final_graph\": [\"Infinity\", 0.0]}\n",
    );
    for format in ["npz", "safetensors"] {
        let names = ["start", "from", "to", "input", "output", "graph", "final_graph"];
        let ran = scratch.sh(&format!("table-export L.fst L.{format} && table-info L.{format}")).succeeds();
        names.iter().fold(ran, |ran, name| ran.stdout_has(&format!("  {name:<12} ")));
    }
    scratch.sh("table-export --format=npz L.fst folder/").fails_with(255).stderr_has("got a folder");
    scratch
        .sh("table-export L.fst x.csv")
        .fails_with(255)
        .stderr_has("L.fst is a single value without a key: it can be one of .npz, .safetensors, .jsonl, got .csv");
    scratch
        .sh("table-export v.vec x.npz")
        .fails_with(255)
        .stderr_has("it can be one of .npy, .csv, .tsv, .jsonl, got .npz");
    scratch.sh("table-export v.vec v.jsonl && cat v.jsonl").succeeds().stdout_is("[1.0, 2.5]\n");
}
