use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

#[test]
fn each_frame_gets_its_index_with_a_weight_of_one() {
    let scratch = Scratch::new();
    scratch.write("ali.txt", "a 3 -1 3\nb\nc 2147483647\n").sh("gzip -c ali.txt > ali.1.gz").succeeds();
    let ran = scratch.sh("ali-to-post 'ark:gunzip -c ali.1.gz |' ark,t:-");
    let posteriors = "a [ 3 1 ] [ -1 1 ] [ 3 1 ] \nb \nc [ 2147483647 1 ] \n";
    ran.succeeds().stdout_is(posteriors).stderr_has("Converted 3 alignments.");
    let binary = binary_archive(&[("x", Sample::Posterior(vec![vec![(7, 1.0)]]))]);
    scratch.sh("echo x 7 | ali-to-post ark:- ark:-").succeeds().stdout_is(binary);
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("ali-to-post ark:/dev/null ark:-");
    ran.fails_with(1).stdout_is("").stderr_has("Converted 0 alignments.");
}
