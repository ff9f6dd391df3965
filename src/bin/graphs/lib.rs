//! Graphs: the list of these tools. Each is a file of its own.

mod files;

kaldi_cli::tools! {
    graphs "Graphs"
    arpa2fst "arpa2fst.rs" Kaldi "makes the graph of a language model in ARPA format";
    fstaddselfloops "fstaddselfloops.rs" Kaldi "adds self-loops of disambiguation symbols to a graph";
    fstcopy "fstcopy.rs" Kaldi "copies graphs";
    fstisstochastic "fstisstochastic.rs" Kaldi "checks that what leaves each state of a graph sums to one";
    fstrmsymbols "fstrmsymbols.rs" Kaldi "removes labels from a graph, or arcs that have them";
}
