use crate::tools::lattices::{golden, text_of};

#[test]
fn each_arc_is_a_phone() {
    let scratch = golden();
    scratch.sh("lattice-best-path --acoustic-scale=0.1 ark:few.ark ark:/dev/null ark:ali").succeeds();
    let expected = text_of(&scratch, "ali-to-phones final.mdl ark:ali ark,t:-");
    let phones = "lattice-align-phones --replace-output-symbols=true final.mdl ark:few.ark ark:- | lattice-best-path \
        --acoustic-scale=0.1 ark:- ark,t:-";
    assert_eq!(text_of(&scratch, phones), expected);
    let ran = scratch.sh("lattice-align-phones final.mdl ark:few.ark ark:/dev/null");
    ran.succeeds().stderr_has("Successfully aligned 3 lattices; 0 had errors.");
    let ran = scratch.sh("lattice-align-phones final.mdl ark:corner-cycle.txt ark:/dev/null");
    ran.fails_with(1).stderr_has("cycle: the lattice has a cycle, producing no output");
}
