//! Streams and names that are something else than what was wanted: the message says what, and what to write.

use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix, text_archive, vector};

/// Standard error of a command that fails, which has one line besides the command's echo.
#[track_caller]
fn error_of(scratch: &Scratch, command: &str) -> String {
    let ran = scratch.sh(&format!("{command} 2> errors")).fails_with(255);
    assert!(ran.stdout().is_empty(), "{command}");
    let errors = String::from_utf8(scratch.read("errors")).unwrap();
    assert_eq!(errors.lines().count(), 2, "{command}: {errors}");
    errors.lines().last().unwrap().to_owned()
}

#[track_caller]
fn says(scratch: &Scratch, command: &str, expected: &str) {
    let error = error_of(scratch, command);
    assert!(error.contains(expected), "{command}: expected {expected}\n{error}");
}

#[test]
fn compressed_streams_are_read_as_they_are() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 3, 4)), ("b", matrix(2, 300, 40))]));
    scratch.sh("copy-matrix --scale=1 ark:m.ark ark,scp:n.ark,n.scp && cp n.scp m.scp").succeeds();
    scratch.sh("printf '[ 1 2 ]' | copy-matrix - m.mat; gzip -k m.ark m.scp m.mat").succeeds();
    let all = scratch.read("m.ark");
    for command in [
        "copy-matrix ark:m.ark.gz ark:-",
        "copy-matrix ark:- ark:- < m.ark.gz",
        "cat m.ark.gz | copy-matrix ark:- ark:-",
        "copy-matrix 'ark:cat m.ark.gz |' ark:-",
        "copy-matrix ark,bg:m.ark.gz ark:-",
        "copy-matrix scp:m.scp.gz ark:-",
        "concat-ark m.ark.gz ark:-",
        "cut -d' ' -f1 m.scp | gzip > keys.gz; subset-feats --include=keys.gz ark:m.ark.gz ark:-",
        "split -b 1000 --filter='gzip -c' m.ark > parts.gz; copy-matrix ark:parts.gz ark:-",
    ] {
        scratch.sh(command).succeeds().stdout_is(all.clone());
    }
    let text = " [\n  1 2 ]\n";
    scratch.sh("copy-matrix --binary=false m.mat.gz -").succeeds().stdout_is(text);
    scratch.sh("copy-matrix --binary=false - - < m.mat.gz").succeeds().stdout_is(text);
    scratch
        .sh("for i in 1 2; do echo $i m.mat.gz; done | copy-matrix scp:- ark,t:- | wc -l")
        .succeeds()
        .stdout_is("4\n");
    says(
        &scratch,
        "copy-matrix m.ark.gz:2 -",
        "m.ark.gz:2: this is gzip-compressed data, into which an offset cannot lead; decompress it with gunzip -c",
    );
    let advice = "a: m.ark.gz:2: this is gzip-compressed data, into which an offset cannot lead";
    says(&scratch, "echo a m.ark.gz:2 | copy-matrix scp:- ark:-", advice);
    says(&scratch, "ark-to-scp m.ark.gz -", "m.ark.gz is compressed, so that no offset leads into it");
}

#[test]
fn compressed_streams_that_are_not_whole_are_errors() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 3, 4)), ("b", matrix(2, 300, 40))]));
    scratch
        .sh("gzip m.ark; head -c -9 m.ark.gz > cut.gz; (cat m.ark.gz; echo more than the header of a stream) > more.gz")
        .succeeds();
    scratch
        .sh("python3 -c \"b = bytearray(open('m.ark.gz', 'rb').read()); b[-6] ^= 1; open('sum.gz', 'wb').write(b)\"")
        .succeeds();
    for (file, expected) in [
        ("cut.gz", "expected the rest of the gzip stream, got the end of the file"),
        ("sum.gz", "expected a whole gzip stream: "),
        ("more.gz", "expected a whole gzip stream: "),
    ] {
        says(&scratch, &format!("copy-matrix ark:{file} ark:- > /dev/null"), &format!("cannot read {file}:"));
        says(&scratch, &format!("copy-matrix ark:{file} ark:- > /dev/null"), expected);
        says(&scratch, &format!("copy-matrix ark:- ark:- < {file} > /dev/null"), expected);
        says(&scratch, &format!("copy-matrix ark:{file} ark:x"), expected);
        assert!(!scratch.list().contains(&"x".to_owned()), "{file}");
    }
}

#[test]
fn other_formats_are_named_wherever_a_table_or_a_file_was_wanted() {
    let scratch = Scratch::new();
    scratch
        .write("x.npy", b"\x93NUMPY\x01\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n\0\0\0\0")
        .write("x.h5", b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0")
        .write("x.json", "{\"utt1\": [[1.0, 2.0], [3.0, 4.0]]}\n")
        .write("x.wav", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0")
        .write("x.ogg", b"OggS\0\x02\0\0\0\0\0\0\0\0 \0");
    scratch.sh("tar -cf x.tar x.npy x.wav").succeeds();
    for (file, what) in [
        ("x.npy", "a NumPy array (.npy); table-import makes a table of it: table-import x.npy ark:-"),
        ("x.h5", "an HDF5 file; in Python, kaldiio.save_ark"),
        ("x.json", "JSON text"),
        ("x.wav", "a WAV file; tools such as compute-mfcc-feats and wav-copy read it"),
        ("x.ogg", "an Ogg file; tools such as compute-mfcc-feats and wav-copy read it"),
        ("x.tar", "a tar file"),
    ] {
        for command in ["copy-feats ark:FILE ark:-", "copy-feats scp:FILE ark:-", "copy-feats FILE -"] {
            says(&scratch, &command.replace("FILE", file), &format!("this is {what}"));
        }
    }
    says(&scratch, "wav-copy x.ogg -", "x.ogg:4: expected 27 bytes of the Ogg file, found its end");
    scratch.write("x.amr", "#!AMR\n");
    says(&scratch, "wav-copy x.amr -", "x.amr:0: expected RIFF or RIFX, got #!AM: this is an AMR file");
    says(&scratch, "copy-int-vector ark:x.npy ark:-", "this is a NumPy array");
    says(&scratch, "compute-mfcc-feats ark:x.wav ark:-", "this is a WAV file");
    says(&scratch, "compute-mfcc-feats scp:x.wav ark:-", "this is a WAV file");
}

#[test]
fn archives_script_files_and_single_values_are_told_apart() {
    let scratch = Scratch::new();
    let entries = [("utt1", matrix(1, 3, 4)), ("utt2", matrix(2, 2, 4))];
    scratch
        .write("m.ark", binary_archive(&entries))
        .write("t.ark", text_archive(&entries))
        .write("v.ark", text_archive(&[("utt1", vector(1, 5))]))
        .write("i.ark", "utt1 3 4 5\nutt2 6\n")
        .write("m.scp", "utt1 m.ark:5\nutt2 m.ark:80\n")
        .write("m.mat", matrix(1, 3, 4).binary())
        .write("t.mat", " [\n  1 2\n  3 4 ]\n");
    let archive = |name| format!("this is an archive (keys before the values): write ark:{name}");
    for (tool, name) in [("copy-feats", "m.ark"), ("copy-feats", "t.ark"), ("copy-vector", "v.ark")] {
        says(&scratch, &format!("{tool} {name} -"), &format!("{}, or {name}:5 for its first value", archive(name)));
        says(&scratch, &format!("{tool} scp:{name} ark:-"), &archive(name));
        scratch.sh(&format!("{tool} {name}:5 o && {tool} ark:{name} ark:o")).succeeds();
    }
    says(&scratch, "copy-int-vector i.ark -", &archive("i.ark"));
    says(&scratch, "copy-int-vector scp:i.ark ark:-", &archive("i.ark"));
    says(&scratch, "vector-sum ark:v.ark scp:v.ark ark:-", &archive("v.ark"));
    let script = "this is a script file (keys and file names): write scp:m.scp";
    says(&scratch, "copy-feats ark:m.scp ark:-", script);
    says(&scratch, "copy-int-vector ark:m.scp ark:-", script);
    says(&scratch, "copy-feats m.scp -", script);
    for name in ["m.mat", "t.mat"] {
        let value = format!("this is one value without a key, and no table: write {name} without ark: or scp:");
        says(&scratch, &format!("copy-feats ark:{name} ark:-"), &value);
        says(&scratch, &format!("copy-feats scp:{name} ark:-"), &value);
    }
    // A list that is no table has no other form.
    let ran = scratch.sh("make-symbols m.mat o");
    ran.fails_with(255).stderr_has("m.mat:0: expected text, got binary data").stderr_lacks("write ");
}

/// A second entry is no begin of a file, and a tool that reads the format has better to say.
#[test]
fn only_the_begin_of_a_stream_tells_what_it_is() {
    let scratch = Scratch::new();
    scratch.write("m.ark", [binary_archive(&[("a", matrix(1, 3, 4))]), b"\x1f\x8b\x08 x".to_vec()].concat());
    scratch.sh("copy-matrix ark:m.ark ark:/dev/null").fails_with(255).stderr_lacks("gzip");
    scratch.write("x.wav", b"RIFF\x24\0\0\0WAVEfmt \x02\0\0\0\x01\0data\0\0\0\0");
    scratch.sh("wav-copy x.wav -").fails_with(255).stderr_lacks("compute-mfcc-feats");
}

#[test]
fn names_that_only_a_shell_or_a_browser_understands_get_advice() {
    let scratch = Scratch::new();
    for (command, advice) in [
        ("copy-feats 'ark:~/feats.ark' ark:-", "write $HOME instead"),
        ("copy-feats 'ark:raw_*.ark' ark:-", "'cat FILES |'"),
        ("copy-feats 'sox a.wav -t wav -' -", "a command needs a pipe sign: 'command |' to read"),
        ("copy-feats ark:ftp://example.org/a.ark ark:-", "'curl -sSfL ftp://example.org/a.ark |'"),
        ("copy-feats ark:a.ark,scp:a.scp ark:-", "one table has one name: ark:FILE or scp:FILE to read"),
        ("copy-feats -j4 ark:-", "as a table, \"-j4\" is written \"ark:-j4\""),
        ("copy-feats -j4 -", "options have the form --name=value"),
        ("copy-feats feats.scp ark:-", "as a table, \"feats.scp\" is written \"scp:feats.scp\""),
        ("copy-feats scp:feats.scp out", "as a table, \"out\" is written \"ark:out\""),
        ("feat-to-len feats.scp", "write scp:feats.scp"),
        ("feat-to-len feats.ark", "write ark:feats.ark"),
    ] {
        says(&scratch, command, advice);
    }
    scratch
        .sh("copy-feats ark:nosuch.ark ark:-")
        .fails_with(255)
        .stderr_has("cannot open nosuch.ark: No such file or directory\n");
}

#[test]
fn names_of_outputs_that_look_like_mistakes_are_warned_about() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 3, 4))]));
    let ran = scratch.sh("copy-feats ark:m.ark ark:o.ark,scp:o.scp").succeeds();
    ran.stderr_has("WARNING (copy-feats").stderr_has("is written as ark,scp:foo.ark,foo.scp");
    scratch.sh("copy-feats ark:m.ark 'ark,t:o > log'").succeeds().stderr_has("> is a part of the name here");
    assert!(scratch.list().contains(&"o.ark,scp:o.scp".to_owned()));
    scratch.sh("copy-feats ark:m.ark 'ark:| cat > o'").succeeds().stderr_lacks("WARNING");
}

#[test]
fn a_table_of_another_type_is_told_with_the_tool_that_reads_it() {
    let scratch = Scratch::new();
    scratch
        .write("m", "a [ 1 2\n 3 4 ]\n")
        .write("v", "a [ 1 2.5 ]\n")
        .write("i", "a 1 2 3\n")
        .write("g", "a 1 2 ; 3 ;\n");
    scratch.write("p", "a [ 1 0.5 3 0.5 ] [ 2 1 ]\n").write("n", "a 0.5\n").write("w", "a hello world\n");
    scratch.sh("copy-matrix ark:m ark:m.b; copy-vector ark:v ark:v.b; copy-int-vector ark:i ark:i.b").succeeds();
    scratch.sh("copy-post ark:p ark:p.b; copy-gselect ark:g ark:g.b; copy-feats --compress ark:m ark:c.b").succeeds();
    let [matrix, vector, ints, lists, posterior] = [
        "this is a matrix; copy-matrix reads it",
        "this is a vector; copy-vector reads it",
        "this is an integer vector; copy-int-vector reads it",
        "these are vectors of integers; copy-gselect reads them",
        "this is a posterior; copy-post reads it",
    ];
    for (tool, input, advice) in [
        ("copy-matrix", "i", ints),
        ("copy-matrix", "i.b", ints),
        ("copy-matrix", "g.b", lists),
        ("copy-matrix", "p.b", posterior),
        ("copy-matrix", "v.b", vector),
        ("copy-matrix", "n", "this is a number; table-head prints it"),
        ("copy-matrix", "w", "these are words; table-head prints them"),
        ("copy-vector", "m.b", matrix),
        ("copy-vector", "c.b", "this is a compressed matrix; copy-feats reads it"),
        ("copy-int-vector", "m", matrix),
        ("copy-int-vector", "v", vector),
        ("copy-int-vector", "p", posterior),
        ("copy-int-vector", "g", lists),
        ("copy-int-vector", "m.b", matrix),
        ("copy-post", "m", matrix),
        ("copy-post", "v.b", vector),
        ("copy-gselect", "i", ints),
        ("copy-gselect", "p", posterior),
        ("wav-copy", "v", vector),
        ("wav-copy", "g.b", lists),
    ] {
        says(&scratch, &format!("{tool} ark:{input} ark:out"), advice);
    }
    // A script file, too; and a part of a value that is not there says nothing of types.
    scratch.sh("ark-to-scp v.b v.scp; sed 's/$/[7:8]/' v.scp > part.scp").succeeds();
    says(&scratch, "copy-matrix scp:v.scp ark:out", vector);
    let error = error_of(&scratch, "copy-vector scp:part.scp ark:out");
    assert!(!error.contains("copy-vector reads it"), "{error}");
}
