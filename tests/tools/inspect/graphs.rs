//! Archives of lattices and FSTs: what tools of any type say of them, and that they pass through unchanged.

use crate::support::Scratch;

/// A folder with the lattices of the recorded cases.
fn lattices() -> Scratch {
    let scratch = Scratch::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/lattices");
    for name in ["mixed.ark", "real.ark", "graphs.ark", "corners.txt", "corners-plain.txt", "fewl.txt"] {
        scratch.write(name, std::fs::read(format!("{data}/{name}")).unwrap());
    }
    scratch
}

#[test]
fn their_states_arcs_frames_and_words_are_told() {
    let scratch = lattices();
    let mut ran = scratch.sh("table-info real.ark").succeeds();
    for line in [
        "  type         compact-lattice\n",
        "  precision    single\n",
        "  states       6 to 52\n",
        "  arcs         6 to 107\n",
        "  depth        8.47\n",
        "  frames       2061\n",
        "  words        57\n",
        "  word_rate    2.77\n",
    ] {
        ran = ran.stdout_has(line);
    }
    // Words and depth are those of the tools for lattices.
    scratch.sh("lattice-best-path ark:real.ark ark,t:- | awk '{ n += NF - 1 } END { print n }'").stdout_is("57\n");
    scratch.sh("lattice-depth ark:real.ark ark:/dev/null").stderr_has("density is 8.46");
    scratch.sh("table-info --frame-shift=0.03 real.ark").stdout_has("  word_rate    0.92\n");
    let ran = scratch.sh("table-info graphs.ark").succeeds();
    ran.stdout_has("  type         fst\n").stdout_has("  states       91 to 170\n").stdout_has("duplicates   0\n");
    scratch.sh("table-info graphs.ark | grep -c 'words\\|frames'").fails_with(1).stdout_is("0\n");
    let ran = scratch.sh("table-info --json mixed.ark").succeeds();
    ran.stdout_has(
        "\"type\":\"compact-lattice\",\"types\":{\"compact-lattice\":3,\"lattice\":3},\"precision\":\"mixed\"",
    );
}

#[test]
fn graphs_of_several_types_and_forms_pass_through_unchanged() {
    let scratch = lattices();
    scratch.sh("concat-ark --sort-keys=false mixed.ark ark:- | cmp - mixed.ark").succeeds();
    scratch.sh("cat graphs.ark fewl.txt mixed.ark > all.ark").succeeds();
    for name in ["mixed.ark", "corners.txt", "all.ark"] {
        let script = format!(
            "ark-to-scp {name} t.scp && table-sort scp:t.scp ark:sorted.ark
             table-sort ark:{name} ark:again.ark && cmp sorted.ark again.ark
             table-sample --n=1000 ark:{name} ark:sample.ark && cmp {name} sample.ark
             table-split ark:{name} ark:1.ark ark:2.ark && cat 1.ark 2.ark | cmp - {name}
             concat-ark 1.ark 2.ark ark:joined.ark && cmp {name} joined.ark
             table-shuffle ark:{name} ark:- | table-sort ark:- ark:- | cmp - sorted.ark
             [ $(table-keys {name} | wc -l) = $(table-keys scp:t.scp | wc -l) ]"
        );
        scratch.sh(&script).succeeds();
    }
    // What is shown has the form in which it is stored.
    scratch.sh("table-get mixed.ark l4 > shown; sed 1d shown | head -n 1 | wc -w").succeeds().stdout_is("5\n");
    scratch
        .sh("table-get --to=ark:c4.ark mixed.ark c4 && table-info c4.ark")
        .stdout_has("type         compact-lattice");
    scratch.sh("ark-to-scp --type=lattice mixed.ark - | wc -l").stdout_is("6\n");
    scratch.sh("table-keys --dims mixed.ark | head -n 1").succeeds();
}

#[test]
fn faults_of_lattices_are_found() {
    let scratch = lattices();
    scratch.sh("table-check real.ark && table-check graphs.ark").succeeds().stdout_is("");
    scratch.write("cycle", "a \n0 1 8 1,2,3\n1 0 9 1,2,3\n1 1,nan,\n\n");
    let ran = scratch.sh("table-check cycle").fails_with(1);
    ran.stdout_is("cycle: a: 1 of 3 costs are not finite; the first is the final cost of state 1; there is a cycle\n");
    scratch.write("line", "a \n0 1 8 1,2,3\n1\n\nb \n0 1 8 1,2,3\n1 2,x,\n\n");
    let ran = scratch.sh("table-check line").fails_with(1);
    ran.stdout_is("line: b: line:7: expected a cost, got \"2,x,\"\n");
    // A table has lattices or FSTs.
    let ran = scratch.sh("cat graphs.ark real.ark > both.ark; table-check both.ark").fails_with(1);
    ran.stdout_has("expected values of the type fst, got one of the type compact-lattice");
    scratch.write("cut", "a \n0 1 8 1,2,3\n1\n\nb \n0 1 8 1,2,3\n1\n");
    let message = "cut: b: cut:7: expected an empty line after the value, got the end of the input\n";
    scratch.sh("table-check cut").fails_with(1).stdout_is(message);
}

#[test]
fn what_differs_in_lattices_is_told() {
    let scratch = lattices();
    scratch.write("one", "a \n0 1 8 1,2,3\n1\n\n");
    for (other, what) in [
        (
            "0 1 8 1,2.5,3\n1\n",
            "1 of 4 costs differs; the largest difference is 0.500000 at arc 0 of state 0: 2, and 2.5",
        ),
        ("0 1 9 1,2,3\n1\n", "arc 0 of state 0 differs: its labels or its next state"),
        ("0 1 8 1,2,4\n1\n", "arc 0 of state 0 differs: its transition-ids"),
        ("0 1 8 1,2,3\n1 0,0,4\n", "state 1 differs: its final string or the number of its arcs"),
        ("1\n0 1 8 1,2,3\n", "start states differ: 0, and 1"),
        (
            "0 1 8 1,2,3\n1 2 8\n2\n",
            "sizes differ: a compact lattice of 2 states and 1 arcs, and a compact lattice of 3 states and 2 arcs",
        ),
    ] {
        scratch.write("other", format!("a \n{other}\n"));
        scratch.sh("table-diff one other").fails_with(1).stdout_is(format!("a: {what}\n"));
    }
    scratch.write("other", "a \n0 1 8 1,2.5,3\n1\n\n");
    scratch.sh("table-diff --atol=0.5 one other").succeeds();
    scratch
        .sh("table-diff --json one other")
        .stdout_has("{\"difference\":\"graphs\",\"key\":\"a\",\"what\":\"1 of 4 costs");
    scratch.sh("lattice-copy ark:one ark:binary && table-diff one binary").succeeds();
}

#[test]
fn arcs_are_objects_of_json_and_arrays_of_files() {
    let scratch = lattices();
    scratch.write("one", "a \n0 1 8 1,2,3_4\n1 0.5,0,\n\n");
    let value = "{\"arcs\":[{\"acoustic\":2,\"from\":0,\"graph\":1,\"ids\":[3,4],\"to\":1,\"word\":8}],\
                 \"finals\":[{\"acoustic\":0,\"graph\":0.5,\"ids\":[],\"state\":1}],\"start\":0,\"states\":2}";
    scratch.sh("table-head --json one").stdout_has(value);
    scratch.write("fst", "a \n0 1 3 8 1.5\n1\n\n");
    let arc =
        "{\"arcs\":[{\"cost\":1.5,\"from\":0,\"input\":3,\"output\":8,\"to\":1}],\"finals\":[{\"cost\":0,\"state\":1}]";
    scratch.sh("table-head --json fst").stdout_has(arc);
    scratch.sh("table-export one one.npz && table-info one.npz").stdout_has("a.final_acoustic");
    // Arrays lead back to the same graphs, of each type and from each kind of file.
    scratch.sh("lattice-copy --write-compact=false ark:real.ark ark:plain.ark").succeeds();
    for (table, name) in [("real.ark", "compact-lattice"), ("plain.ark", "lattice"), ("graphs.ark", "fst")] {
        for file in ["t.npz", "t.safetensors", "t.parquet", "t.jsonl"] {
            let script = format!(
                "table-export {table} {file} && table-import --type={name} {file} ark:back.ark && table-diff {table} back.ark"
            );
            scratch.sh(&script).succeeds();
        }
    }
    scratch.sh("table-import t.parquet ark:back.ark && table-diff graphs.ark back.ark").succeeds();
    scratch.sh("table-export real.ark t.csv").fails_with(255).stderr_has("has no rows for csv and tsv");
    scratch
        .sh("table-export --type=compact-lattice one bad.jsonl && sed -i 's/\"to\": .1/\"to\": [7/' bad.jsonl")
        .succeeds();
    let ran = scratch.sh("table-import --type=compact-lattice bad.jsonl ark:x.ark").fails_with(255);
    ran.stderr_has("bad.jsonl:1: expected states below 2, got 7");
}

#[test]
fn statistics_are_those_of_states_arcs_frames_words_and_depth() {
    let scratch = lattices();
    let ran = scratch.sh("table-stats real.ark").succeeds();
    ran.stdout_has("real.ark\tstates\t10\t6\t52\t23.8\t").stdout_has("real.ark\twords\t10\t2\t10\t5.7\t");
    let ran = scratch.sh("table-stats --by=key --json real.ark | head -n 1").succeeds();
    ran.stdout_has("\"states\":16.0").stdout_has("\"words\":3.0}").stdout_has("\"arcs\":19.0,\"depth\":5.6376");
    let ran = scratch.sh("table-stats --by=key graphs.ark | head -n 1").succeeds();
    ran.stdout_is("table\tgroup\tstates\tarcs\n");
    scratch.sh("table-stats --by=column real.ark").fails_with(255).stderr_has("--by=table or --by=key for lattices");
    scratch.sh("table-stats --plot=real.svg real.ark > table && grep -c depth real.svg").succeeds().stdout_is("1\n");
}

#[test]
fn a_lattice_is_drawn_for_graphviz() {
    let scratch = lattices();
    scratch.write("one", "a \n0 1 8 1,2,3_4\n0 1 9\n1 0.5,0,\n\n").write("words", "say\"x\" 8\n");
    let picture = "digraph \"a\" {\n  rankdir = LR;\n  0 [label = \"0\", shape = circle, style = bold];\n  \
                   0 -> 1 [label = \"say\\\"x\\\"/1,2 (2)\"];\n  0 -> 1 [label = \"9\"];\n  \
                   1 [label = \"1/0.5,0\", shape = doublecircle];\n}\n";
    scratch.sh("table-head --dot --symbols=words one").succeeds().stdout_is(picture);
    scratch.write("fst", "a \n0 1 3 8 1.5\n1\n\n");
    scratch.sh("table-head --dot fst").succeeds().stdout_has("0 -> 1 [label = \"3:8/1.5\"];");
    scratch
        .sh("echo 'a 1 2' > ints; table-head --dot ints")
        .fails_with(255)
        .stderr_has("expected lattices or FSTs with --dot");
    scratch.sh("table-head --symbols=words one").fails_with(255).stderr_has("expected --symbols with --dot only");
}

#[test]
fn words_of_lattices_are_drawn_as_labels() {
    let scratch = lattices();
    scratch.sh("feats-to-png --format=svg ark:real.ark pictures && ls pictures | wc -l").succeeds().stdout_is("10\n");
    let ran = scratch.sh("feats-to-png --format=svg ark:graphs.ark other").fails_with(255);
    ran.stderr_has("lattices, training examples or waveforms, got a value of type fst");
}

#[test]
fn a_lattice_given_to_a_tool_for_features_is_told_apart() {
    let scratch = lattices();
    for table in ["real.ark", "fewl.txt"] {
        let ran = scratch.sh(&format!("copy-feats ark:{table} ark:/dev/null")).fails_with(255);
        ran.stderr_has("this is a lattice; lattice-copy reads it");
    }
    let ran = scratch.sh("copy-feats ark:graphs.ark ark:/dev/null").fails_with(255);
    ran.stderr_has("this is an FST; table-head prints it");
    let ran = scratch.sh("lattice-copy ark:graphs.ark ark:/dev/null").fails_with(255);
    ran.stderr_has("expected a lattice, got an FST with standard arcs: this is an FST; table-head prints it");
    scratch.write("bad", "a \n0 1 8 1,2,3\n1 2,3\n\n");
    let ran = scratch.sh("lattice-copy ark:bad ark:/dev/null").fails_with(255);
    ran.stderr_has("bad:3: expected line 2 of a compact lattice, got \"1 2,3\"").stderr_lacks("reads it");
}
