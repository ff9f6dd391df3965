use crate::support::{Scratch, tool};

const TREE: &str = "ContextDependency 3 1 ToPdf SE 0 [ 0 1 ]\n{ TE -1 2 ( CE 0 CE 1 ) \nCE 2 } \nEndContextDependency ";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("phones", "<eps> 0\nA 1\nB 2\n").write("tree", TREE);
    scratch
}

#[test]
fn two_arguments_are_needed() {
    for arguments in [&[][..], &["a"], &["a", "b", "c"]] {
        tool("draw-tree").args(arguments).assert().code(255).stdout("");
    }
    Scratch::new().sh("draw-tree").fails_with(255).stderr_has("Usage: draw-tree");
}

#[test]
fn questions_and_pdfs_are_nodes() {
    let ran = scratch().sh("draw-tree phones tree");
    ran.succeeds().stdout_is(
        "digraph EventMap {\n0[label=\"LContext = ?\", color=black, penwidth=1];\n\t0 -> 1 [label=\"<eps>, A\", penwidth=1, \
         penwidth=1, color=black];\n1[label=\"PdfClass = ?\", color=black, penwidth=1];\n\t1 -> 2 [label=0, color=black, \
         penwidth=1];\n2[shape=doublecircle, label=0,color=black, penwidth=1];\n\t1 -> 3 [label=1, color=black, \
         penwidth=1];\n3[shape=doublecircle, label=1,color=black, penwidth=1];\n\t0 -> 4[label=NO, color=black, \
         penwidth=1];\n4[shape=doublecircle, label=2,color=black, penwidth=1];\n}\n",
    );
}

#[test]
fn the_way_of_a_query_is_red() {
    let scratch = scratch();
    let ran = scratch.sh("draw-tree --query=1/A/B/B --use-tooltips=true phones tree | grep red");
    ran.succeeds().stdout_is(
        "0[label=\"LContext = ?\", color=red, penwidth=3];\n\t0 -> 1 [tooltip=\"<eps>, A\", label=YES, penwidth=3, \
         color=red];\n1[label=\"PdfClass = ?\", color=red, penwidth=3];\n\t1 -> 3 [label=1, color=red, \
         penwidth=3];\n3[shape=doublecircle, label=1,color=red, penwidth=3];\n",
    );
    for (query, message) in [
        ("1/A/B", "Invalid query size \"3\"! Expected \"4\""),
        ("x/A/B/B", "Bad query: invalid pdf-class (x)"),
        ("1/A/C/B", "Bad query: invalid symbol (C)"),
    ] {
        scratch.sh(&format!("draw-tree --query={query} phones tree")).fails_with(255).stdout_is("").stderr_has(message);
    }
}

#[test]
fn a_page_needs_no_tree() {
    let ran = Scratch::new().sh("draw-tree --gen-html");
    ran.succeeds().stdout_is(
        "<html>\n<head><title>Decision Tree</tree></head>\n<body><object data=\"tree.svg\" type=\"image/svg+xml\"/>\
         </body>\n</html>\n",
    );
}

#[test]
fn a_tree_that_cannot_be_drawn_leaves_no_part_of_a_picture() {
    let scratch = scratch();
    scratch.write("few", "<eps> 0\nB 2\n");
    let ran = scratch.sh("draw-tree few tree");
    ran.fails_with(255).stdout_is("").stderr_has("tree: phone 1 of the tree has no symbol");
    scratch.sh("draw-tree none tree").fails_with(255).stdout_is("").stderr_has("none");
}
