use crate::support::sample::{Sample, binary_archive, ints, matrix, matrix_f64, vector};
use crate::support::{Scratch, tool};

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
fn two_arguments_are_needed() {
    for arguments in [&[][..], &["ark:-"], &["a", "b", "c"]] {
        tool("table-export").args(arguments).assert().code(1).stdout("");
    }
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
    assert!(!scratch.list().iter().any(|name| name.contains("spool")), "{:?}", scratch.list());
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
        ("twice.ark o.npz", "Duplicate"),
        ("twice.ark o.safetensors", "x: this key comes twice"),
        ("twice.ark o.csv", "x: this key comes twice"),
        ("mixed.ark o.parquet", "a: expected matrix of Float32 as before, got matrix of Float64"),
        ("bytes.ark o.safetensors", "expected a key in UTF-8"),
        ("bytes.ark o.npz", "expected a key in UTF-8"),
        ("bytes.ark o.parquet", "expected a key in UTF-8"),
        ("bytes.ark o.jsonl", "expected a key in UTF-8"),
        ("m.ark o.xyz", "expected --format=, since the name o.xyz does not tell the format"),
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
