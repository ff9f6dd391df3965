use crate::support::Scratch;
use crate::support::sample::{binary_archive, ints, matrix};

fn npy(descr: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), numbers].concat()
}

#[test]
fn integers_become_vectors_and_matrices_of_integers() {
    let scratch = Scratch::new();
    scratch.write("ali.npy", npy(">i2", "(3,)", &[0, 1, 0xff, 0xff, 1, 0]));
    scratch.sh("table-import ali.npy ark,t:-").succeeds().stdout_is("ali 1 -1 256 \n");
    scratch.sh("table-import --type=vector ali.npy ark,t:-").succeeds().stdout_is("ali  [ 1 -1 256 ]\n");
    scratch.write("grid.npy", npy("|u1", "(2, 2)", &[1, 2, 3, 255]));
    scratch.sh("table-import grid.npy ark,t:-").succeeds().stdout_is("grid 1 2 ; 3 255 ; \n");
    scratch.sh("table-import --type=matrix grid.npy ark,t:-").succeeds().stdout_is("grid  [\n  1 2 \n  3 255 ]\n");
    scratch.write("far.npy", npy("<i8", "(1, 1)", &16_777_217_i64.to_le_bytes()));
    scratch.sh("table-import --type=matrix far.npy ark:o").fails_with(255).stderr_has("far: 16777217 is not exactly");
    scratch.sh("table-import far.npy ark,t:-").succeeds().stdout_is("far 16777217 ; \n");
    for (shape, text) in [("(0, 8)", "empty \n"), ("(2, 0)", "empty ; ; \n")] {
        scratch.write("empty.npy", npy("<i4", shape, b""));
        scratch.sh("table-import --type=int32-matrix empty.npy ark,t:-").succeeds().stdout_is(text);
    }
    scratch.write("far.npy", npy("<i8", "(1,)", &i64::MAX.to_le_bytes()));
    scratch
        .sh("table-import far.npy ark:o")
        .fails_with(255)
        .stderr_has("far: expected 32-bit integers, got 9223372036854775807");
    assert!(!scratch.path("o").exists());
}

#[test]
fn the_type_has_to_fit_all_arrays() {
    let scratch = Scratch::new();
    scratch
        .write("x.jsonl", "{\"key\": \"a\", \"value\": [[1.5]]}\n\n{\"value\": [2], \"more\": {}, \"key\": \"b\"}\n");
    let ran = scratch.sh("table-import x.jsonl ark,t:o");
    ran.fails_with(255).stderr_has("b: expected matrix as before, got int32-vector; --type= sets the type of all");
    scratch
        .sh("table-import --type=matrix x.jsonl ark,t:o")
        .fails_with(255)
        .stderr_has("b: expected an array of 2 dimension(s)");
    scratch
        .sh("table-import --type=int32-vector x.jsonl ark,t:o")
        .fails_with(255)
        .stderr_has("a: expected an array of 1");
    scratch.sh("table-import --type=word x.jsonl ark,t:o").fails_with(255).stderr_has("expected matrix, vector, wave");
    assert_eq!(scratch.list(), ["x.jsonl"]);
}

#[test]
fn lines_of_a_key_are_rows() {
    let scratch = Scratch::new();
    scratch.write("x.csv", "a,1,2\na,3,4e-3\n\"b,c\",nan,-inf\n");
    scratch.sh("table-import x.csv ark,t:-").succeeds().stdout_is("a  [\n  1 2 \n  3 0.004 ]\nb,c  [\n  nan -inf ]\n");
    let ran = scratch.sh("sed 's/a,3/c,3/' x.csv > v.csv; table-import --type=vector v.csv ark,t:-");
    ran.succeeds().stdout_is("a  [ 1 2 ]\nc  [ 3 0.004 ]\nb,c  [ nan -inf ]\n");
    scratch.sh("table-import --type=vector x.csv ark,t:o").fails_with(255).stderr_has("a: this key comes twice");
    for (line, message) in [
        ("a,1,2\na,3\n", "x.csv:2: expected 2 numbers as in the line before of \"a\", got 1"),
        ("a,1\nkey,f0\n", "x.csv:2: expected a number, got \"f0\"; a line of names has to be cut off first"),
        ("a b,1\n", "cannot be a key"),
        (",1\n", "cannot be a key"),
    ] {
        scratch.write("x.csv", line);
        scratch.sh("table-import x.csv ark:o").fails_with(255).stderr_has(message);
    }
    scratch.write("x.tsv", "a\t1\t2147483648\n");
    scratch
        .sh("table-import --type=int32-vector x.tsv ark:o")
        .fails_with(255)
        .stderr_has("x.tsv:1: expected a 32-bit integer");
}

#[test]
fn what_takes_several_arrays_is_put_together() {
    let scratch = Scratch::new();
    let int = |values: &[i32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    // Arrays of several keys may stand apart, as libraries sort them.
    let arrays = [
        ("a.index", "I32", int(&[3, 4]), 2),
        ("b.index", "I32", int(&[]), 0),
        ("a.lengths", "I32", int(&[2, 0]), 2),
        ("b.lengths", "I32", int(&[0]), 1),
        ("b.weight", "F32", int(&[]), 0),
        ("a.weight", "F32", [0.5_f32, 0.25].iter().flat_map(|value| value.to_le_bytes()).collect(), 2),
    ];
    let file = |arrays: &[(&str, &str, Vec<u8>, usize)]| {
        let (mut header, mut data) = (Vec::new(), Vec::new());
        for (name, dtype, bytes, count) in arrays {
            let (start, end) = (data.len(), data.len() + bytes.len());
            header.push(format!(
                "\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":[{count}],\"data_offsets\":[{start},{end}]}}"
            ));
            data.extend(bytes);
        }
        let header = format!("{{{}}}", header.join(","));
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
    };
    scratch.write("x.safetensors", file(&arrays));
    let import = "table-import --type=posterior x.safetensors ark,t:-";
    scratch.sh(import).succeeds().stdout_is("b [ ] \na [ 3 0.5 4 0.25 ] [ ] \n");
    scratch.sh("table-import x.safetensors ark,t:-").fails_with(255).stderr_has("a.weight: expected int32-vector");
    scratch.write("x.safetensors", file(&arrays[..5]));
    scratch.sh(import).fails_with(255).stderr_has("a: expected the array a.weight for a posterior");
    for (place, bytes, count, message) in [
        (2, int(&[2, 1]), 2, "a: expected lengths that add up to 2 values"),
        (2, int(&[-1, 3]), 2, "a: expected lengths that add up to 2 values"),
        (0, int(&[3]), 1, "a: expected as many indices as weights, got 1 and 2"),
    ] {
        let mut wrong = arrays.clone();
        (wrong[place].2, wrong[place].3) = (bytes, count);
        scratch.write("x.safetensors", file(&wrong));
        scratch.sh(import).fails_with(255).stderr_has(message);
    }
    scratch.write("x.safetensors", file(&[("plain", "I32", int(&[1]), 1)]));
    scratch.sh(import).fails_with(255).stderr_has("plain: expected arrays named <key>.lengths and <key>.index");
}

#[test]
fn lines_have_the_type_that_is_told() {
    let scratch = Scratch::new();
    for (line, name, expected) in [
        ("a,hello  you,too\n", "token-vector", "a hello you too \n"),
        ("a\n", "token-vector", "a \n"),
        ("a, s1\n", "token", "a s1\n"),
        ("a,true\nb,F\nc,0\n", "bool", "a T \nb F \nc F \n"),
        ("a,0.1\n", "double", "a 0.1 \n"),
        ("a,1,2\na,3,4\n", "int32-pairs", "a 1 2 ; 3 4 \n"),
    ] {
        scratch.write("x.csv", line);
        scratch.sh(&format!("table-import --type={name} x.csv ark,t:-")).succeeds().stdout_is(expected);
    }
    for (line, name, message) in [
        ("a,hello you\n", "token", "x.csv:1: expected one word, got 2"),
        ("a,1,2\n", "int32", "x.csv:1: expected one field after the key for the type int32, got 2"),
        ("a,2\n", "bool", "expected true or false, got \"2\""),
        ("a,1,2,3\n", "int32-pairs", "expected two numbers for a pair, got 3"),
        ("a,1\n", "posterior", "expected pairs of an index and a weight, got 1 fields"),
        ("a,1\n", "wave", "no place for a wave"),
        ("a,1.5\n", "int32", "expected a 32-bit integer"),
    ] {
        scratch.write("x.csv", line);
        scratch.sh(&format!("table-import --type={name} x.csv ark,t:-")).fails_with(255).stderr_has(message);
    }
    scratch.write("x.jsonl", "{\"key\": \"a\", \"value\": \"b c\"}\n");
    scratch.sh("table-import x.jsonl ark,t:-").fails_with(255).stderr_has("a: ");
    scratch.write("x.jsonl", "{\"key\": \"a\", \"samples\": [1, 2, 3], \"rate\": 8000, \"channels\": 2}\n");
    scratch
        .sh("table-import x.jsonl ark:-")
        .fails_with(255)
        .stderr_has("x.jsonl:1: expected samples of 2 channels, got 3");
    scratch.write("x.jsonl", "{\"key\": \"a\"}\n");
    scratch.sh("table-import x.jsonl ark:-").fails_with(255).stderr_has("x.jsonl:1: expected a value, got none");
}

#[test]
fn streams_are_read_where_no_directory_is_needed() {
    let scratch = Scratch::new();
    scratch.write("i.ark", binary_archive(&[("c", ints(1, 2)), ("a", ints(2, 9))]));
    for format in ["safetensors", "jsonl"] {
        let command =
            format!("table-export --format={format} i.ark - | table-import --format={format} - ark:- | cmp - i.ark");
        scratch.sh(&command).succeeds();
    }
    for format in ["npz", "parquet"] {
        let command = format!("table-export --format={format} i.ark - | table-import --format={format} - ark:o");
        scratch.sh(&command).fails_with(255).stderr_has("expected a regular file, got a stream");
    }
    scratch.sh("table-import --format=jsonl 'false |' ark:o").fails_with(255).stderr_has("false");
    scratch.sh("table-import - ark:o").fails_with(255).stderr_has("expected --format=");
    assert_eq!(scratch.list(), ["i.ark"]);
}

/// A few hundred cuts and damaged bytes of each format: an error or a table, no panic, no signal, no memory.
#[test]
fn damaged_files_are_errors_and_take_no_memory() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("one", matrix(1, 1, 3)), ("two", matrix(2, 2, 3))]));
    for format in ["npy", "npz", "safetensors", "parquet", "csv", "jsonl"] {
        let stack = if format == "npy" { "--stack" } else { "" };
        scratch.sh(&format!("table-export {stack} m.ark whole.{format}")).succeeds();
        let whole = scratch.read(&format!("whole.{format}"));
        for step in 0..24 {
            let at = step * whole.len() / 24;
            scratch.write(&format!("x.{format}"), &whole[..at]);
            let ran = scratch.sh(&format!("ulimit -v 600000; table-import x.{format} ark:o; echo $?"));
            let code = String::from_utf8_lossy(ran.stdout()).trim().to_owned();
            let text_may_be_shorter = matches!(format, "csv" | "jsonl") && code == "0";
            assert!(code == "255" || text_may_be_shorter || code == "1" && at == 0, "{format} cut at {at}: {code}");
            let mut bytes = whole.clone();
            for (place, byte) in bytes[at..].iter_mut().take(4).enumerate() {
                *byte ^= 0xff >> place;
            }
            scratch.write(&format!("x.{format}"), bytes);
            let ran = scratch.sh(&format!("ulimit -v 600000; table-import x.{format} ark:o; echo $?"));
            let code = String::from_utf8_lossy(ran.stdout()).trim().to_owned();
            assert!(["0", "255"].contains(&&*code), "{format} damaged at {at}: {code}");
        }
    }
}

#[test]
fn pickles_are_refused() {
    let scratch = Scratch::new();
    scratch.write("x.npy", b"\x80\x04\x95\x10\0\0\0\0\0\0\0]");
    scratch.sh("table-import x.npy ark:o").fails_with(255).stderr_has("x.npy: expected an array of NumPy");
    scratch.write("x.npy", npy("|O", "(1,)", b"\x80\x04"));
    scratch.sh("table-import x.npy ark:o").fails_with(255).stderr_has("Python objects (pickled), which is not read");
}

#[test]
fn an_archive_needs_no_specifier() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "u1,1,2\n");
    scratch.sh("table-import a.csv out.ark && copy-feats ark:out.ark ark,t:-").succeeds().stdout_is("u1  [\n  1 2 ]\n");
}

#[test]
fn key_and_value_have_the_names_that_are_given() {
    let scratch = Scratch::new();
    scratch
        .write(
            "a.jsonl",
            "{\"id\": \"a\", \"embedding\": [1.5, 2.5], \"x\": {}}\n{\"id\": 7, \"embedding\": [3.5, 4.5]}\n",
        )
        .write("a.csv", "spk,id,e0,e1\ns,a,1,2\nt,b,3,4\n")
        .write("b.csv", "id,embedding,text\na,\"[1.5, 2.5]\",hello\nb,3 4.5,good day\n");
    let vectors = "a  [ 1.5 2.5 ]\n7  [ 3.5 4.5 ]\n";
    scratch.sh("table-import --key=id --value=embedding a.jsonl ark,t:-").succeeds().stdout_is(vectors);
    scratch.sh("table-import --key=id --value=e1 a.csv ark,t:-").succeeds().stdout_is("a 2 \nb 4 \n");
    scratch
        .sh("cut -d, -f2- a.csv > c.csv; table-import --key=id c.csv ark,t:-")
        .succeeds()
        .stdout_is("a  [\n  1 2 ]\nb  [\n  3 4 ]\n");
    let vectors = "a  [ 1.5 2.5 ]\nb  [ 3 4.5 ]\n";
    scratch.sh("table-import --key=id --value=embedding b.csv ark,t:-").succeeds().stdout_is(vectors);
    let text = "a hello \nb good day \n";
    scratch.sh("table-import --key=id --value=text b.csv ark,t:-").succeeds().stdout_is(text);
    let message = "b.csv:1: expected a column \"key\" in the first line, got id, embedding, text";
    scratch.sh("table-import --value=text b.csv ark:o").fails_with(255).stderr_has(message);
    let message = "a.jsonl:1: expected an entry \"y\", got embedding, id, x";
    scratch.sh("table-import --key=id --value=y a.jsonl ark:o").fails_with(255).stderr_has(message);
    scratch.write("a.npy", npy("<f4", "(1,)", &[0; 4]));
    scratch.sh("table-import --key=id a.npy ark:o").fails_with(255).stderr_has("expected --key and --value with");
}

#[test]
fn a_header_line_is_no_entry() {
    let scratch = Scratch::new();
    scratch.write("a.csv", "utt,mean,stddev\na,1,2\nb,nan,inf\n");
    scratch.sh("table-import --type=vector a.csv ark,t:-").succeeds().stdout_is("a  [ 1 2 ]\nb  [ nan inf ]\n");
    // Words may be words, and a later line is no header.
    scratch.sh("table-import --type=token-vector a.csv ark,t:- | head -n 1").succeeds().stdout_is("utt mean stddev \n");
    scratch.write("b.csv", "a,1,2\nutt,mean,stddev\n");
    scratch.sh("table-import --type=vector b.csv ark:o").fails_with(255).stderr_has("b.csv:2: ");
}

/// Programs for data frames number columns without names.
#[test]
fn numbered_columns_are_no_entry() {
    let scratch = Scratch::new();
    for names in ["id,0,1,2", ",0,1,2", "Utt,1,2,3"] {
        scratch.write("a.csv", format!("{names}\na,3,4,5\n"));
        let ran = scratch.sh("table-import --type=vector a.csv ark,t:-").succeeds();
        ran.stdout_is("a  [ 3 4 5 ]\n").stderr_has("a.csv:1: these are names of columns and no entry");
    }
    scratch.write("b.csv", "a,0,1,2\nid,0,1,2\n");
    let ran = scratch.sh("table-import --type=vector b.csv ark,t:-").succeeds();
    ran.stdout_is("a  [ 0 1 2 ]\nid  [ 0 1 2 ]\n");
}

#[test]
fn stacked_rows_have_their_keys() {
    let scratch = Scratch::new();
    scratch.write("v.ark", "a  [ 1 2 ]\nb  [ 3 4 ]\n").write("m.ark", "a  [\n  1 2 \n  3 4 ]\nb  [\n  5 6 ]\n");
    for name in ["v", "m"] {
        scratch
            .sh(&format!(
                "table-export --stack --write-keys={name}.keys ark:{name}.ark {name}.npy &&
                 table-import --keys={name}.keys {name}.npy ark,t:- | cmp - {name}.ark"
            ))
            .succeeds();
    }
    assert_eq!((scratch.read("v.keys"), scratch.read("m.keys")), (b"a\nb\n".to_vec(), b"a 2\nb 1\n".to_vec()));
    let message = "expected 2 rows as the keys say, got 3";
    scratch.sh("table-import --keys=v.keys m.npy ark:o").fails_with(255).stderr_has(message);
    scratch.write("x.keys", "a x\n");
    scratch.sh("table-import --keys=x.keys v.npy ark:o").fails_with(255).stderr_has("x.keys:1: expected a key, and");
    scratch.sh("table-export --write-keys=k ark:v.ark v.npz").fails_with(255).stderr_has("with --stack only");
}

#[test]
fn what_is_lost_or_mixed_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("a.jsonl", "{\"key\": \"a\", \"value\": [1, [2, 3]]}\n");
    scratch
        .sh("table-import a.jsonl ark:o")
        .fails_with(255)
        .stderr_has("a.jsonl:1: expected a list of numbers, or rows");
    scratch.write("p.jsonl", "{\"key\": \"a\", \"value\": [[[3, \"NaN\"]]]}\n");
    scratch
        .sh("table-import --type=posterior p.jsonl ark,t:o")
        .fails_with(255)
        .stderr_has("a: expected finite weights, as the text form of posteriors has no others");
    scratch.sh("table-import --type=posterior p.jsonl ark:o && copy-post ark:o ark:/dev/null").succeeds();
}

/// Written by pyarrow, with the columns `key` and `value`, and pages of both versions.
#[test]
fn parquet_may_be_compressed_by_gzip_brotli_and_lz4() {
    let scratch = Scratch::new();
    for file in [&include_bytes!("gzip.parquet")[..], include_bytes!("brotli.parquet"), include_bytes!("lz4.parquet")] {
        scratch.write("v.parquet", file);
        let vectors = "a  [ 0.5 1.5 ]\nb  [ 2.5 3.5 ]\nc  [ 4.5 -1 ]\n";
        for names in ["", "--key=key", "--value=value", "--key=key --value=value"] {
            scratch.sh(&format!("table-import {names} v.parquet ark,t:-")).succeeds().stdout_is(vectors);
        }
        for at in (0..file.len()).step_by(7) {
            let mut damaged = file.to_vec();
            damaged[at] ^= 0x55;
            scratch.write("d.parquet", damaged);
            let ran = scratch.sh("ulimit -v 900000; table-import d.parquet ark:o; test $? = 0 -o $? = 255");
            ran.succeeds().stderr_lacks("internal error");
        }
    }
    scratch.write("l.parquet", include_bytes!("lists.parquet"));
    scratch.sh("table-import --type=int32-vector l.parquet ark,t:-").succeeds().stdout_is("a 16777217 1 \nb 3 \n");
}

#[test]
fn an_integer_in_text_is_exact_or_an_error() {
    let scratch = Scratch::new();
    scratch.write("m.jsonl", "{\"key\": \"a\", \"value\": [[1, 2]]}\n{\"key\": \"b\", \"value\": [[16777217, 1]]}\n");
    scratch.write("m.csv", "a,1,2\nb,16777217,1\n").write("v.csv", "key,value\na,0.5 16777217\n");
    let message = "16777217 is not exactly a number of single precision: --type=int32-matrix and --type=int32-vector keep integers";
    for (command, place) in [
        ("table-import m.jsonl ark:o", "m.jsonl:2: "),
        ("table-import --type=matrix m.jsonl ark:o", "m.jsonl:2: "),
        ("table-import m.csv ark:o", "m.csv:2: "),
        ("table-import --type=vector m.csv ark:o", "m.csv:2: "),
        ("table-import --value=value --type=vector v.csv ark:o", "v.csv:2: "),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(&format!("{place}{message}"));
    }
    assert_eq!(scratch.list(), ["m.csv", "m.jsonl", "v.csv"]);
    for file in ["m.jsonl", "m.csv"] {
        let ran = scratch.sh(&format!("table-import --type=int32-matrix {file} ark,t:-"));
        ran.succeeds().stdout_has("16777217 1");
    }
    // With a point it is text of a number with as many digits as it likes.
    scratch.write("p.csv", "a,16777217.0,0.1\n");
    scratch.sh("table-import p.csv ark,t:-").succeeds().stdout_has("1.677722e+07 0.1");
}

/// Written by pyarrow, with pages of both versions.
#[test]
fn parquet_may_be_compressed_by_zstd() {
    let scratch = Scratch::new();
    for file in [&include_bytes!("zstd-1.parquet")[..], include_bytes!("zstd-2.parquet")] {
        scratch.write("v.parquet", file);
        let vectors = "a  [ 0.5 1.5 ]\nb  [ 2.5 3.5 ]\nc  [ 4.5 -1 ]\n";
        scratch.sh("table-import --key=id --value=embedding v.parquet ark,t:-").succeeds().stdout_is(vectors);
        let message = "expected a column \"key\", got id, embedding; --key names another one";
        scratch.sh("table-import v.parquet ark:o").fails_with(255).stderr_has(message);
        // No damage is more than an error.
        for at in (0..file.len()).step_by(3) {
            let mut damaged = file.to_vec();
            damaged[at] ^= 0x55;
            scratch.write("d.parquet", damaged);
            let ran = scratch.sh("table-import --key=id --value=embedding d.parquet ark:o; test $? = 0 -o $? = 255");
            ran.succeeds().stderr_lacks("internal error");
        }
    }
}

#[test]
fn a_key_that_comes_twice_is_an_error() {
    let scratch = Scratch::new();
    scratch.write(
        "x.jsonl",
        "{\"key\": \"a\", \"value\": 1}\n{\"key\": \"b\", \"value\": 2}\n{\"key\": \"a\", \"value\": 3}\n",
    );
    scratch.write("x.csv", "speaker,age\ns1,30\ns2,40\ns1,50\n").write("m.csv", "a,1\na,2\nb,3\na,4\n");
    for (line, key) in [
        ("table-import x.jsonl ark:o", "a"),
        ("table-import --key=speaker --value=age x.csv ark:o", "s1"),
        ("table-import m.csv ark:o", "a"),
        ("table-import --type=token-vector m.csv ark:o", "a"),
    ] {
        scratch.sh(line).fails_with(255).stderr_has(&format!("{key}: this key comes twice"));
    }
    assert_eq!(scratch.list(), ["m.csv", "x.csv", "x.jsonl"]);
}

#[test]
fn words_are_known_by_the_first_lines() {
    let scratch = Scratch::new();
    scratch.write("text", "a two words\nb one\n");
    for header in ["", "--header"] {
        scratch
            .sh(&format!("table-export {header} text t.csv; table-import t.csv ark,t:back; table-diff text back"))
            .succeeds();
        scratch.sh("table-import --type=token-vector t.csv ark,t:back; table-diff text back").succeeds();
    }
    scratch.write("one.csv", "a,word\n").write("named.csv", "utt,sentence\na,two words\n");
    scratch.sh("table-import one.csv ark,t:-").succeeds().stdout_is("a word \n");
    scratch
        .sh("table-import named.csv ark,t:-")
        .succeeds()
        .stdout_is("a two words \n")
        .stderr_has("named.csv:1: these are names of columns and no entry");
    // Names above numbers are no words.
    scratch.write("n.csv", "first,second\na,1\n");
    scratch.sh("table-import n.csv ark,t:-").succeeds().stdout_is("a  [\n  1 ]\n");
    scratch.write("mixed.csv", "a,1,word\n");
    scratch.sh("table-import mixed.csv ark,t:-").fails_with(255).stderr_has("--type=token-vector reads words");
}
