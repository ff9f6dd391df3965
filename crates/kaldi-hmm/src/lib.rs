//! Hidden Markov models of phones: topologies, transition models, decision trees, alignments of transition-ids.
