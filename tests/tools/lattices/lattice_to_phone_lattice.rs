use crate::tools::lattices::{golden, text_of};

#[test]
fn phones_stand_for_words_or_for_transition_ids() {
    let scratch = golden();
    let phones = "ali-to-phones final.mdl ark:ali ark,t:-";
    scratch.sh("lattice-best-path --acoustic-scale=0.1 ark:few.ark ark:/dev/null ark:ali").succeeds();
    let expected = text_of(&scratch, phones);
    let best = "lattice-best-path --acoustic-scale=0.1 ark:- ark,t:-";
    assert_eq!(text_of(&scratch, &format!("lattice-to-phone-lattice final.mdl ark:few.ark ark:- | {best}")), expected);
    let strings = "lattice-to-phone-lattice --replace-words=false final.mdl ark:few.ark ark:- | lattice-best-path \
        --acoustic-scale=0.1 ark:- ark:/dev/null ark,t:-";
    assert_eq!(text_of(&scratch, strings), expected);
}
