use super::build_tree::scratch;

#[test]
fn phones_that_sound_alike_are_a_question() {
    let scratch = scratch();
    let ran = scratch.sh("cluster-phones stats sets - | sort");
    ran.succeeds().stdout_is("1\n1 3\n2\n2 4\n3\n4\n").stderr_has("Wrote questions to -");
    let ran = scratch.sh("printf '1 3\\n4 2\\n' | cluster-phones stats - -");
    ran.succeeds().stdout_is("2 4\n1 3\n");
}

#[test]
fn phones_can_be_put_into_classes() {
    let scratch = scratch();
    let ran = scratch.sh("cluster-phones --mode=k-means --num-classes=2 stats sets - | sort");
    ran.succeeds()
        .stdout_is("1 3\n2 4\n")
        .stderr_has("ClusterKMeans: objf change from clustering [versus single set] is");
    for (options, message) in [
        ("--mode=k-means", "--mode=k-means needs --num-classes, got -1"),
        ("--mode=k-means --num-classes=5", "expected a number of classes from 2 to 4 (all phone sets), got 5"),
        ("--num-classes=2", "--num-classes needs --mode=k-means"),
        ("--pdf-class-list=a", "expected classes such as 0:1 for --pdf-class-list, got \"a\""),
        ("--central-position=5", "key 5 is missing in event -1:1 0:1 1:1 2:1"),
    ] {
        scratch.sh(&format!("cluster-phones {options} stats sets o")).fails_with(255).stderr_has(message);
    }
}

#[test]
fn an_unknown_mode_gives_no_clusters_and_a_warning() {
    let scratch = scratch();
    let ran = scratch.sh("cluster-phones --mode=x stats sets -");
    ran.succeeds().stdout_is("").stderr_has("--mode=x is neither questions nor k-means");
    // There is something to lose.
    scratch.write("old", "1 2\n");
    scratch.sh("cluster-phones --mode=x stats sets old").fails_with(1).stderr_has("old stays as it was");
    assert_eq!(scratch.read("old"), b"1 2\n");
}

#[test]
fn statistics_of_other_classes_do_not_count() {
    let scratch = scratch();
    scratch
        .sh("cluster-phones --pdf-class-list=0:1 stats sets - | sort")
        .succeeds()
        .stdout_is("1\n1 3\n2\n2 4\n3\n4\n");
    let ran = scratch.sh("cluster-phones --pdf-class-list=7 stats sets o");
    ran.fails_with(255).stderr_has("there are no statistics to build from");
}

#[test]
fn one_set_stays_what_it_is() {
    scratch().sh("echo 4 1 | cluster-phones stats - -").succeeds().stdout_is("1 4\n");
}

#[test]
fn wrong_sets_are_refused() {
    let scratch = scratch();
    for (sets, message) in [
        ("1 2\\n2\\n", "phone 2 is in phone sets twice"),
        ("1\\n\\n", "phone set 2 is empty"),
        ("1\\na\\n", "line 2: expected integers, got \"a\""),
        ("", "No phone sets in phone sets file"),
    ] {
        let ran = scratch.sh(&format!("printf '{sets}' | cluster-phones stats - o"));
        ran.fails_with(255).stderr_has(message);
    }
}
