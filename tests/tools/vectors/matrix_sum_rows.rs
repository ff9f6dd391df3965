use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

#[test]
fn rows_are_summed_to_a_vector_each() {
    let scratch = Scratch::new();
    scratch.write("m.ark", "a [\n 1 2\n 3 4 ]\nb [ ]\nc [ 5 6 7 ]\n");
    let ran = scratch.sh("matrix-sum-rows ark:m.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 4 6 ]\nb  [ ]\nc  [ 5 6 7 ]\n")
        .stderr_has("Summed rows 3 matrices, 3 rows in total.");
    let ran = scratch.sh("head -n 3 m.ark | matrix-sum-rows ark:- ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("a", Sample::Vector(vec![4.0, 6.0]))]));
}

#[test]
fn sums_are_in_double_precision() {
    let ran = Scratch::new().sh("printf 'a [\\n 16777216 1e30\\n 1 1\\n 1 -1e30 ]\\n' | matrix-sum-rows ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [ 1.677722e+07 0 ]\n");
    let ran = Scratch::new().sh(
        "printf 'a [\\n 16777216\\n 1\\n 1 ]\\n' | matrix-sum-rows ark:- ark:- | vector-scale --scale=0.5 ark:- ark:o; \
         printf 'a [ 8388609 ]\\n' | vector-scale ark:- ark:- | cmp - o",
    );
    ran.succeeds();
}

#[test]
fn an_empty_table_is_a_failure() {
    let ran = Scratch::new().sh("matrix-sum-rows ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Summed rows 0 matrices, 0 rows in total.");
}
