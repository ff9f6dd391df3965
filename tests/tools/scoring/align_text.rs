use crate::support::Scratch;

fn scratch(text1: &str, text2: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.txt", text1).write("2.txt", text2);
    scratch
}

#[test]
fn words_are_paired() {
    let scratch = scratch("utt1 a b c d e\nutt2 d e\n", "utt1 a c d f e\nutt2 f e\n");
    let alignment = "utt1 a a ; b <eps> ; c c ; d d ; <eps> f ; e e \nutt2 d f ; e e \n";
    for wspecifier in ["ark,t:-", "ark:-"] {
        let ran = scratch.sh(&format!("align-text ark:1.txt ark:2.txt {wspecifier}"));
        ran.succeeds().stdout_is(alignment).stderr_has("Done 2 sentences, failed for 0");
    }
}

#[test]
fn a_pair_is_preferred_and_then_a_word_of_the_first_sentence() {
    let scratch = scratch("1 x y z\n2 a b\n3 a a b\n4 a b\n", "1 x z w\n2 b a\n3 b a a\n4 c\n");
    let ran = scratch.sh("align-text ark:1.txt ark:2.txt ark,t:-");
    ran.succeeds().stdout_is("1 x x ; y z ; z w \n2 a b ; b a \n3 a b ; a a ; b a \n4 a <eps> ; b c \n");
}

#[test]
fn symbol_and_separator_may_be_others() {
    let scratch = scratch("a x é ;\nb\nc\n", "a é | ;\nb\nc z\n");
    let ran = scratch.sh("align-text --special-symbol='***' --separator='|' ark:1.txt ark:2.txt ark,t:-");
    ran.succeeds().stdout_is("a x é | é | | ; ; \nb \nc *** z \n");
}

#[test]
fn a_sentence_that_is_missing_is_skipped_and_named() {
    let scratch = scratch("a x\nb y\n", "b y\n");
    scratch
        .sh("align-text ark:1.txt ark:2.txt ark,t:-")
        .succeeds()
        .stdout_is("b y y \n")
        .stderr_has("Key a is in ark:1.txt, but not in ark:2.txt")
        .stderr_has("Done 1 sentences, failed for 1");
    scratch.sh("align-text ark:1.txt ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
    scratch.sh("align-text ark:/dev/null ark:1.txt ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn the_special_symbol_must_not_be_a_word() {
    let fails = |options: &str, text1: &str, text2: &str, message: &str| {
        let scratch = scratch(text1, text2);
        scratch.sh(&format!("align-text {options} ark:1.txt ark:2.txt ark:o")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["1.txt", "2.txt"]);
    };
    fails("", "a b <eps>\n", "a b\n", "In text1, the utterance a contains the special symbol '<eps>'");
    fails("--special-symbol=x", "a b\n", "a x\n", "In text2, the utterance a contains the special symbol 'x'");
}

#[test]
fn what_is_no_text_is_an_error() {
    let ran = scratch("a \u{1}b c\n", "a c\n").sh("align-text ark:1.txt ark:2.txt ark,t:-");
    ran.fails_with(255).stdout_is("").stderr_has("In text1, the utterance a contains unprintable characters");
}

#[test]
fn symbol_and_separator_must_be_words() {
    let scratch = scratch("a b c\n", "a c\n");
    for option in ["--separator='; ;'", "--separator=", "--special-symbol='x y'"] {
        let ran = scratch.sh(&format!("align-text {option} ark:1.txt ark:2.txt ark,t:-"));
        ran.fails_with(255).stdout_is("").stderr_has("a: expected a token").stderr_has("have to be printable words");
    }
}

/// A table of all pairs of words would take 36 MB at least.
#[test]
fn long_sentences_need_little_memory() {
    let sentence = |step: usize| (0..6000).map(|at| format!(" {}", at / step % 7)).collect::<String>();
    let scratch = scratch(&format!("a{}\n", sentence(3)), &format!("a{}\n", sentence(4)));
    scratch
        .sh("ulimit -v $((33000 + PROGRAM_KB)); align-text --num-threads=1 ark:1.txt ark:2.txt ark,t:- | wc -l")
        .succeeds()
        .stdout_is("1\n");
}
