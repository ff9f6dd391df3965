use crate::tools::lattices::{golden, text_of};

#[test]
fn words_have_their_phones() {
    let scratch = golden();
    let aligned = "linear-to-nbest ark:ali.ark ark:best.tra '' '' ark:- | lattice-align-words word_boundary.int final.mdl ark:- ark:-";
    let prons = text_of(&scratch, &format!("{aligned} | nbest-to-prons final.mdl ark:- - | head -n 2"));
    let fields: Vec<Vec<&str>> = prons.lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!((fields[0][1], fields[0][2]), ("0", fields[1][1]), "{prons}");
    let lengths = format!("{aligned} | nbest-to-prons --print-lengths-per-phone=true final.mdl ark:- - | head -n 1");
    let lengths = text_of(&scratch, &lengths);
    let sum: usize = lengths.split(' ').nth(2).unwrap().split(',').map(|length| length.parse::<usize>().unwrap()).sum();
    assert_eq!(sum.to_string(), fields[0][2], "{lengths}");
    let ran = scratch.sh("nbest-to-prons final.mdl ark:soft.ark -");
    ran.fails_with(1).stdout_is("").stderr_has("Printed prons for 0 linear lattices; 5 had errors.");
}
