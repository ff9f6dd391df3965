use crate::support::Scratch;
use crate::tools::graphs::golden;

/// A small model of two orders, and its words.
fn small() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("words", "<eps> 0\na 1\nb 2\n#0 3\n<s> 4\n</s> 5\n");
    scratch.write(
        "m.arpa",
        "\\data\\\nngram 1=4\nngram 2=2\n\n\\1-grams:\n-99 <s> -0.5\n-0.5 a -0.25\n-0.5 b\n-0.5 </s>\n\n\\2-grams:\n\
         -0.25 <s> a\n-0.25 a </s>\n\\end\\\n",
    );
    scratch
}

const LANG: &str = "arpa2fst --disambig-symbol='#0' --read-symbol-table=words";

/// The graph as text, if it is one.
fn text(command: &str) -> String {
    format!("(printf 'G '; {command}) | fstcopy ark:- ark,t:-")
}

#[test]
fn the_example_makes_a_graph() {
    let expected = "G \n1\t2\t1\t1\t0.575646\n1\t0\t3\t0\t1.15129\n0\t2\t1\t1\t1.15129\n0\t0\t2\t2\t1.15129\n0\t1.15129\n\
                    2\t0\t3\t0\t0.575646\n2\t0.575646\n\n";
    let ran = small().sh(&text(&format!("gzip < m.arpa | gunzip -c | {LANG} - -")));
    ran.succeeds().stdout_is(expected).stderr_has("Reduced num-states from 4 to 3");
}

#[test]
pub fn lines_may_end_as_on_windows() {
    let scratch = small();
    let unix = scratch.sh(&text(&format!("{LANG} m.arpa"))).succeeds();
    scratch.sh("sed 's/$/\\r/' m.arpa > r.arpa; head -c -1 r.arpa > cut.arpa").succeeds();
    for file in ["r.arpa", "cut.arpa"] {
        scratch.sh(&text(&format!("{LANG} {file}"))).succeeds().stdout_is(unix.stdout());
    }
}

#[test]
pub fn the_last_line_may_lack_its_end_and_have_blanks() {
    let scratch = small();
    scratch.sh("head -n -1 m.arpa > o.arpa; printf '\\\\end\\\\ ' >> o.arpa").succeeds();
    scratch.sh(&format!("{LANG} o.arpa G && cmp G <({LANG} m.arpa)")).succeeds();
    // What is cut is no last line.
    scratch
        .sh(&format!("head -n -1 m.arpa | head -c -1 | {LANG} - G"))
        .fails_with(255)
        .stderr_has("a line that is cut");
}

#[test]
pub fn a_byte_order_mark_is_passed_over() {
    let scratch = small();
    scratch.sh(&format!("(printf '\\357\\273\\277'; cat m.arpa) | {LANG} - G && cmp G <({LANG} m.arpa)")).succeeds();
}

#[test]
pub fn logarithms_are_numbers() {
    let scratch = small();
    for (number, is_fine) in [("nan", false), ("inf", false), ("1e99", false), ("-inf", true)] {
        scratch.sh(&format!("sed 's/^-0.5 b/{number} b/' m.arpa > n.arpa")).succeeds();
        let ran = scratch.sh(&format!("{LANG} n.arpa G"));
        if is_fine {
            ran.succeeds();
        } else {
            ran.fails_with(255).stderr_has("n.arpa:8: expected the logarithm of a probability");
        }
    }
    scratch
        .sh(&format!("sed 's/a -0.25/a nan/' m.arpa | {LANG} - G"))
        .fails_with(255)
        .stderr_has(":7: expected the logarithm");
}

#[test]
pub fn sentences_have_to_end() {
    let scratch = small();
    scratch.sh("grep -v '</s>$' m.arpa | sed 's/1=4/1=3/;s/2=2/2=1/' > n.arpa").succeeds();
    for options in ["", "--disambig-symbol='#0'"] {
        let ran = scratch.sh(&format!("arpa2fst {options} n.arpa G"));
        ran.fails_with(255).stderr_has("no n-gram ends with the end of a sentence, </s>");
    }
    assert!(!scratch.list().contains(&"G".to_owned()));
    scratch.sh("sed 's/^-0.5 <\\/s>/-inf <\\/s>/;s/^-0.25 a/-inf a/' m.arpa > i.arpa").succeeds();
    scratch.sh(&format!("{LANG} i.arpa G")).fails_with(255).stderr_has("no sentence is possible");
}

#[test]
pub fn words_have_numbers_of_their_own() {
    let scratch = small();
    scratch.sh("sed 's/^b 2/b 1/' words > twice; sed 's/^b 2/b 4294967297/' words > large").succeeds();
    let ran = scratch.sh("arpa2fst --read-symbol-table=twice m.arpa G");
    ran.fails_with(255).stderr_has("twice:3: expected a number for each word, got 1 for \"a\" and \"b\"");
    let ran = scratch.sh("arpa2fst --read-symbol-table=large m.arpa G");
    ran.fails_with(255).stderr_has("large:3: expected a number from 0 to 2147483647, got \"4294967297\"");
    scratch.sh("echo 'a 9' >> words").succeeds();
    let ran = scratch.sh(&format!("{LANG} m.arpa G"));
    ran.succeeds().stderr_has("words:7: the word \"a\" comes again, and its first number counts");
}

#[test]
pub fn a_table_without_any_word_of_the_model_is_the_wrong_one() {
    let scratch = small();
    scratch.write("words", "<eps> 0\nx 1\n#0 2\n");
    let ran = scratch.sh(&format!("{LANG} m.arpa G"));
    ran.fails_with(255).stderr_has("no word of the model is in the symbol table words: is this the right table?");
}

#[test]
pub fn a_pipe_that_fails_is_an_error() {
    let scratch = small();
    scratch.write("G", "old");
    for command in [
        &format!("{LANG} 'cat m.arpa; exit 3 |' G"),
        "arpa2fst --read-symbol-table='cat words; exit 3 |' m.arpa G",
        &format!("{LANG} m.arpa '| cat > /dev/null; exit 3'"),
    ] {
        scratch.sh(command).fails_with(255).stderr_has("exit status 3");
    }
    assert_eq!(scratch.read("G"), b"old");
}

#[test]
fn what_is_lost_or_doubtful_is_said() {
    let scratch = small();
    scratch.write("words", "<eps> 0\na 1\n#0 3\n<s> 4\n</s> 5\nnever 6\n");
    let ran = scratch.sh(&format!("sed 's/1=4/1=6/' m.arpa | {LANG} --max-arpa-warnings=0 - G"));
    let ran = ran
        .succeeds()
        .stderr_has("left out 1 of 4 1-grams: 1 have a word that is not in the symbol table; unknown words: \"b\" (1)");
    let ran = ran.stderr_has("expected 6 n-grams of order 1 as announced, got 4");
    ran.stderr_has("Of 1 parse warnings, 0 were reported")
        .stderr_has("1 words of the symbol table are not in the model");
    let ran = scratch.sh("sed 's/^-0.5 a/0.5 a/;s/^-0.5 b/-0.5 a/' m.arpa | arpa2fst - G");
    let ran = ran.succeeds().stderr_has("standard input:7: the logarithm of a probability is over 0");
    ran.stderr_has("standard input:8: the n-gram comes again");
}

#[test]
fn the_line_of_the_first_repeated_ngram_is_named_in_any_order_of_lines() {
    let scratch = golden();
    // The n-grams of the highest order are shuffled, and one comes again at the end.
    scratch
        .sh("awk '/^ngram 3/ { sub(/=.*/, \"=99999\") } /^.end/ { print again; print; exit } $2 == \"<s>\" && NF == 4 { again = $0 } { print }' \
             shuffled.arpa > again.arpa; grep -n '^.end' again.arpa | cut -d: -f1 > line")
        .succeeds();
    let line: usize = String::from_utf8(scratch.read("line")).unwrap().trim().parse().unwrap();
    let ran = scratch.sh("arpa2fst again.arpa G");
    ran.succeeds().stderr_has(&format!("again.arpa:{}: the n-gram comes again", line - 1));
}

#[test]
fn a_compressed_model_is_an_error_that_says_what_to_write() {
    let scratch = small();
    let ran = scratch.sh(&format!("gzip m.arpa; {LANG} m.arpa.gz G"));
    ran.fails_with(255).stderr_has("got a compressed file; write 'gunzip -c FILE |'");
    assert!(!scratch.list().contains(&"G".to_owned()));
}

#[test]
fn words_that_cannot_be_words_are_refused() {
    let scratch = small();
    for (options, message) in [
        (
            "--disambig-symbol='#9' --read-symbol-table=words",
            "the disambiguation symbol #9 is not in the symbol table words",
        ),
        ("--disambig-symbol='</s>'", "cannot be the epsilon or the disambiguation symbol"),
        ("--eos-symbol='<eps>'", "cannot be the epsilon"),
        ("--bos-symbol=", "got an empty one"),
        ("--bos-symbol=a --eos-symbol=a", "expected two words"),
        ("--bos-symbol=BEGIN", "no 1-gram is the begin of a sentence, BEGIN"),
    ] {
        scratch.sh(&format!("arpa2fst {options} m.arpa G")).fails_with(255).stderr_has(message);
    }
}

#[test]
fn counts_of_the_header_take_no_memory() {
    let scratch = small();
    let ran = scratch.sh("ulimit -v 400000; sed 's/1=4/1=2000000000/;s/2=2/1000000000=5/' m.arpa | arpa2fst - G");
    ran.fails_with(255).stderr_has("expected 0 n-grams of order 2 as announced, got 2");
}
