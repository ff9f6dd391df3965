use crate::support::Scratch;

/// Phones 1, 2 and 4 of one state, with a class of its own for the self-loop.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(
        "topo",
        "<Topology> \n<TopologyEntry> \n<ForPhones> \n1 2 4 \n</ForPhones> \n<State> 0 <ForwardPdfClass> 0 <SelfLoopPdfClass> 1 \
         <Transition> 0 0.5 <Transition> 1 0.5 </State> \n<State> 1 </State> \n</TopologyEntry> \n</Topology> \n",
    );
    scratch
}

#[test]
fn each_pair_of_phones_has_its_pdfs() {
    let scratch = scratch();
    let ran = scratch.sh("gmm-init-biphone topo 3 m t && tree-info t && am-info m | head -n 2");
    ran.succeeds()
        .stdout_is("num-pdfs 24\ncontext-width 2\ncentral-position 1\nnumber of phones 3\nnumber of pdfs 24\n")
        .stderr_has("Num PDFs: 24");
    let ran = scratch.sh("gmm-init-biphone --ci-phones=4 --binary=false topo 3 m - | tr -d '\\n'");
    let by_left = |a: i32| {
        let pdfs = |pdf: i32| format!("TE -1 2 ( CE {pdf} CE {} ) ", pdf + 1);
        format!("TE 0 5 ( {}{}{}NULL {}) ", pdfs(a), pdfs(a + 2), pdfs(a + 4), pdfs(a))
    };
    ran.succeeds().stdout_is(format!(
        "ContextDependency 2 1 ToPdf TE 1 5 ( NULL {}{}NULL TE -1 2 ( CE 0 CE 1 ) ) EndContextDependency ",
        by_left(2),
        by_left(8)
    ));
    scratch.sh("tail -n 5 m | head -n 1").succeeds().stdout_is("<MEANS_INVVARS>  [\n");
}

#[test]
fn phones_share_pdfs() {
    let scratch = scratch();
    scratch.write("sets", "2 1\n4\n").write("counts", "1 30\n1 1 200\n0 3 5\n");
    let ran = scratch.sh("gmm-init-biphone --shared-phones=sets topo 3 m t; tree-info t | head -n 1");
    ran.succeeds().stdout_is("num-pdfs 12\n");
    let ran = scratch.sh("gmm-init-biphone --phone-counts=counts topo 3 m t; tree-info t | head -n 1");
    // Of each phone the start, of phone 1 the pair and the rest, and all others.
    ran.succeeds().stdout_is("num-pdfs 12\n").stderr_has("Loaded mono/bi phone counts.");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = scratch();
    scratch.write("twice", "1 2\n2 4\n").write("odd", "1 7 1\n");
    for (arguments, message) in [
        ("topo 0 m t", "expected a dimension from 1 to 10000, got 0"),
        ("topo x m t", "expected a dimension from 1 to 10000, got x"),
        ("--ci-phones=1:1 topo 3 m t", "Invalid --ci-phones option: 1:1"),
        ("--ci-phones=1:2:4 topo 3 m t", "expected sets of phones, got an empty one"),
        ("--shared-phones=twice topo 3 m t", "phone 2 comes twice"),
        ("--phone-counts=odd topo 3 m t", "odd: line 1: expected phones up to 3 and a count, got \"1 7 1\""),
    ] {
        scratch.sh(&format!("gmm-init-biphone {arguments}")).fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["odd", "topo", "twice"]);
}
