//! Examples as arrays in files of other programs, and back.

use super::{chain, small};
use crate::support::Scratch;

/// An example whose inputs and outputs are of all kinds, in text: names that come twice, indexes of several sequences, labels
/// that are empty or 0, a matrix without rows.
const MANY: &str = "a.b <Nnet3Eg> <NumIo> 6 <NetIo> input <I1V> 2 <I1> 0 -1 0 <I1> 3 2000000000 -5  [\n  1 0.1 \n  -2.5 3e-20 ]\n</NetIo> \
    <NetIo> ivector <I1V> 1 <I1> 0 0 0  [\n  0.5 ]\n</NetIo> <NetIo> input <I1V> 1 <I1> 0 7 0  [\n  7 ]\n</NetIo> \
    <NetIo> output <I1V> 3 <I1> 0 0 0 <I1> 0 1 0 <I1> 1 0 0 rows=3 dim=9 [ 2 1 ] dim=9 [ ] dim=9 [ 0 0 8 0.25 ] \n</NetIo> \
    <NetIo> output-0 <I1V> 0  [ ]\n</NetIo> <NetIo> input <I1V> 1 <I1> 0 0 0 rows=1 dim=2 [ 1 3 ] \n</NetIo> </Nnet3Eg> ";

/// `many.egs`, binary.
fn many(scratch: &Scratch) {
    let text = MANY.replace("NetIo>", "NnetIo>");
    scratch.write("many", text.clone() + &text.replace("a.b <", "c <"));
    scratch.sh("nnet3-copy-egs ark:many ark:many.egs").succeeds();
}

#[test]
fn examples_lead_back_to_the_same_archive() {
    let scratch = Scratch::new();
    small(&scratch);
    many(&scratch);
    for table in ["small", "many"] {
        for format in ["npz", "safetensors", "parquet", "jsonl"] {
            scratch
                .sh(&format!(
                    "table-export {table}.egs o.{format} && table-import --type=nnet3-example o.{format} ark:- | cmp - {table}.egs"
                ))
                .succeeds();
        }
        scratch.sh(&format!("table-import o.parquet ark:- | cmp - {table}.egs")).succeeds();
    }
    // Text, too; it says what the numbers are.
    scratch.sh("table-import --type=nnet3-example o.npz ark,t:- | cmp - many").succeeds();
}

#[test]
fn examples_of_chain_models_lead_back_to_the_same_archive() {
    let scratch = chain::scratch();
    // Two sequences with an acceptor each, which starts in its second state; and pdfs.
    let all = String::from_utf8(scratch.read("egs")).unwrap()
        + "f <Nnet3ChainEg> <NumInputs> 1 \n<NnetIo> output <I1V> 1 <I1> 0 0 0 rows=1 dim=4 [ 3 1 ] \n</NnetIo> \n<NumOutputs> 2 \n\
           <NnetChainSup> output <I1V> 4 <I1> 0 0 0 <I1> 1 0 0 <I1> 0 3 0 <I1> 1 3 0 <Supervision> <Weight> 0.1 <NumSequences> 2 \
           <FramesPerSeq> 2 <LabelDim> 3 <End2End> T <Fsts> \n1\t0\t2\t2\n0\t1.5\n\n\n0\t1\t1\t1\n1\n\n</Fsts> <AlignmentPdfs> \
           [ 1 2 0 1 ]\n</Supervision> <DW2>  [ ]\n</NnetChainSup> \n\
           <NnetChainSup> output-xent <I1V> 2 <I1> 0 0 0 <I1> 0 1 0 <Supervision> <Weight> 1 <NumSequences> 1 <FramesPerSeq> 2 \
           <LabelDim> 3 <End2End> F \n0\t1\t2\t2\n1\t0.25\n\n</Supervision> <DW2>  [ 0 1 ]\n</NnetChainSup> \n</Nnet3ChainEg> ";
    scratch.write("all", all);
    scratch.sh("nnet3-chain-copy-egs ark:all ark:b.egs").succeeds();
    for format in ["npz", "safetensors", "parquet", "jsonl"] {
        scratch
            .sh(&format!(
                "table-export b.egs o.{format} && table-import --type=nnet3-chain-example o.{format} ark:- | cmp - b.egs"
            ))
            .succeeds();
    }
    scratch.sh("table-import o.parquet ark:- | cmp - b.egs").succeeds();
    let ran = scratch.sh("table-import --type=nnet3-example o.npz ark:o").fails_with(255);
    ran.stderr_has("a: output: expected a matrix for a nnet3-example, got an output of a chain model");
    scratch
        .sh("table-export b.egs o.safetensors; head -c 8000 o.safetensors")
        .succeeds()
        .stdout_has("\"f.output#2.indexes\"");
}

/// Compressed numbers are written in full, so they come back as a full matrix.
#[test]
fn compressed_matrices_become_full_ones() {
    let scratch = Scratch::new();
    small(&scratch);
    let script = "nnet3-get-egs --num-pdfs=7 --num-frames=4 ark:feats ark:post ark:c.egs
        nnet3-copy-egs ark:c.egs ark,t:full; table-export c.egs o.npz; table-import --type=nnet3-example o.npz ark,t:- | cmp - full";
    scratch.sh(script).succeeds();
}

#[test]
fn names_of_arrays_are_those_of_inputs_and_outputs() {
    let scratch = Scratch::new();
    many(&scratch);
    let names = r#"grep -ao '"a[.][^"]*"' o.safetensors | tr -d '"' | paste -sd' '"#;
    scratch.sh(&format!("table-export many.egs o.safetensors; {names}")).succeeds().stdout_is(
        "a.b.input a.b.input.indexes a.b.ivector a.b.ivector.indexes a.b.input#2 a.b.input#2.indexes a.b.output.indexes \
         a.b.output.lengths a.b.output.index a.b.output.weight a.b.output.dim a.b.output-0 a.b.output-0.indexes \
         a.b.input#3.indexes a.b.input#3.lengths a.b.input#3.index a.b.input#3.weight a.b.input#3.dim\n",
    );
    scratch.sh("table-export many.egs o.jsonl; head -n 1 o.jsonl").succeeds().stdout_has(
        "{\"key\": \"a.b\", \"value\": {\"io\": [{\"name\": \"input\", \"indexes\": [[0, -1, 0], [3, 2000000000, -5]], \"matrix\": \
         [[1.0, 0.1], [-2.5, 3e-20]]}, ",
    );
    scratch.sh("head -n 1 o.jsonl").succeeds().stdout_has("\"dim\": 9, \"sparse\": [[2, 1.0], [], [0, 0.0, 8, 0.25]]");
    let ran = scratch.sh("table-export many.egs o.parquet; table-info o.parquet").succeeds();
    ran.stdout_has("columns      9")
        .stdout_has("indexes      list of int32 12")
        .stdout_has("values       list of float32 12");
}

#[test]
fn what_has_no_place_is_refused_with_advice() {
    let scratch = Scratch::new();
    small(&scratch);
    many(&scratch);
    for format in ["csv", "tsv"] {
        let ran = scratch.sh(&format!("table-export small.egs o.{format}")).fails_with(255);
        ran.stderr_has("a nnet3-example has no rows for csv and tsv: npz, safetensors, parquet and jsonl have a place");
        assert!(!scratch.path(&format!("o.{format}")).exists());
    }
    let ran = scratch.sh("table-export small.egs o.npy").fails_with(255);
    ran.stderr_has("is several arrays, for which a .npy has no place: npz, safetensors, parquet and jsonl have");
    scratch.sh("table-export --dtype=float16 small.egs o.npz").fails_with(255).stderr_has("expected no --dtype");
    scratch
        .sh("sed 's/ivector/dim/' many > odd; table-export odd o.npz")
        .fails_with(255)
        .stderr_has("a.b: names of arrays have no place for an input or output of the name \"dim\"");
    scratch.sh("sed 's/ivector/i.v/' many > odd; table-export odd o.npz").fails_with(255).stderr_has("\"i.v\"");
    scratch.sh("table-export odd o.parquet && table-import o.parquet ark,t:- | cmp - odd").succeeds();
    scratch
        .sh("cat many.egs many.egs | table-sort ark:- ark:twice; table-export twice o.parquet")
        .fails_with(255)
        .stderr_has("a.b: this key comes twice in succession, which rows of one key do not show");
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let scratch = Scratch::new();
    let object = |io: &str| format!("{{\"key\": \"k\", \"value\": {{\"io\": [{io}]}}}}\n");
    for (io, expected) in [
        ("", "expected at least one input, got none"),
        ("{\"name\": \"i\", \"indexes\": [[0,0,0]]}", "i: expected either a matrix or sparse rows"),
        ("{\"name\": \"i j\", \"indexes\": [], \"matrix\": []}", "expected a name without spaces, got \"i j\""),
        ("{\"name\": \"i\", \"indexes\": [[0,0,0]], \"matrix\": []}", "i: expected 1 rows, one for each index, got 0"),
        ("{\"name\": \"i\", \"indexes\": [[0,0]], \"matrix\": [[1]]}", "expected {\"io\""),
        (
            "{\"name\": \"i\", \"indexes\": [[0,0,0],[0,1,0]], \"matrix\": [[1],[1,2]]}",
            "expected rows of 1 numbers, got 2",
        ),
        ("{\"name\": \"o\", \"indexes\": [[0,0,0]], \"sparse\": [[1,1]]}", "expected the dim of sparse rows, got none"),
        (
            "{\"name\": \"o\", \"indexes\": [[0,0,0]], \"dim\": 2, \"sparse\": [[2,1]]}",
            "expected an index below 2, got 2",
        ),
        (
            "{\"name\": \"o\", \"indexes\": [[0,0,0]], \"dim\": 2, \"sparse\": [[1]]}",
            "expected pairs of an index and a value",
        ),
    ] {
        scratch.write("x.jsonl", object(io));
        let ran = scratch.sh("table-import --type=nnet3-example x.jsonl ark:o").fails_with(255);
        ran.stderr_has("x.jsonl:1: ").stderr_has(expected);
        assert!(!scratch.path("o").exists());
    }
    // Arrays of other programs: three matrices without indexes, and one that lacks its last row.
    scratch.write("m", "k.i [ 1 2 ]\n").write("ok", "k.i [ 1 2 ]\nk.i.indexes [ 0 0 0 ]\n");
    scratch.sh("table-export --type=matrix m m.npz; table-import --type=nnet3-example m.npz ark:o").fails_with(255).stderr_has(
        "k.i: expected arrays named <key>.<name> and <key>.<name>.indexes for a nnet3-example, got no indexes for this one",
    );
    scratch
        .sh("table-export --type=matrix ok ok.npz; table-import --type=nnet3-example ok.npz ark,t:-")
        .succeeds()
        .stdout_is("k <Nnet3Eg> <NumIo> 1 <NnetIo> i <I1V> 1 <I1> 0 0 0  [\n  1 2 ]\n</NnetIo> </Nnet3Eg> ");
    scratch.write("odd", "k.i [ 1 2\n 3 4 ]\nk.i.indexes [ 0 0 0 ]\n");
    scratch
        .sh("table-export --type=matrix odd m.npz; table-import --type=nnet3-example m.npz ark:o")
        .fails_with(255)
        .stderr_has("k: i: expected 1 rows, one for each index, got 2");
}
