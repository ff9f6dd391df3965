//! Lattices: the list of these tools. Each is a file of its own.

mod align;
mod usable;
mod word_lines;

kaldi_cli::tools! {
    lattices "Lattices"
    lattice_1best "lattice-1best.rs" Kaldi "finds the best path of lattices, as lattices";
    lattice_add_penalty "lattice-add-penalty.rs" Kaldi "adds a cost to every word of lattices";
    lattice_add_trans_probs "lattice-add-trans-probs.rs" Kaldi "adds transition probabilities to lattices";
    lattice_align_phones "lattice-align-phones.rs" Kaldi "aligns the arcs of lattices with phones";
    lattice_align_words "lattice-align-words.rs" Kaldi "aligns the arcs of lattices with words, by positions of phones";
    lattice_align_words_lexicon "lattice-align-words-lexicon.rs" Kaldi "aligns the arcs of lattices with words, by a lexicon";
    lattice_arc_post "lattice-arc-post.rs" Kaldi "prints posterior probabilities of the arcs of lattices";
    lattice_best_path "lattice-best-path.rs" Kaldi "finds the words and alignments of the best paths of lattices";
    lattice_boost_ali "lattice-boost-ali.rs" Kaldi "makes wrong phones of lattices more probable";
    lattice_combine "lattice-combine.rs" Kaldi "combines the lattices of several systems";
    lattice_copy "lattice-copy.rs" Kaldi "copies lattices, all or some, in compact or plain form";
    lattice_depth "lattice-depth.rs" Kaldi "computes the average depth of lattices";
    lattice_depth_per_frame "lattice-depth-per-frame.rs" Kaldi "counts the arcs of lattices across each frame";
    lattice_equivalent "lattice-equivalent.rs" Kaldi "compares the paths of lattices";
    lattice_interp "lattice-interp.rs" Kaldi "interpolates the scores of two systems in lattices";
    lattice_limit_depth "lattice-limit-depth.rs" Kaldi "limits the number of arcs across each frame of lattices";
    lattice_mbr_decode "lattice-mbr-decode.rs" Kaldi "finds the words of least expected error in lattices";
    lattice_oracle "lattice-oracle.rs" Kaldi "finds the paths of lattices that are nearest to references";
    lattice_project "lattice-project.rs" Kaldi "leaves only words or only transition-ids on lattices";
    lattice_prune "lattice-prune.rs" Kaldi "prunes lattices by a beam";
    lattice_push "lattice-push.rs" Kaldi "pushes costs and transition-ids of lattices to the front";
    lattice_reverse "lattice-reverse.rs" Kaldi "reverses lattices";
    lattice_rmali "lattice-rmali.rs" Kaldi "removes the transition-ids from lattices";
    lattice_scale "lattice-scale.rs" Kaldi "scales the costs of lattices";
    lattice_score "lattice-score.rs" Own "finds the words and error rates of lattices at many settings";
    lattice_to_ctm_conf "lattice-to-ctm-conf.rs" Kaldi "writes words with times and confidences of lattices";
    lattice_to_fst "lattice-to-fst.rs" Kaldi "turns lattices into graphs with one cost";
    lattice_to_nbest "lattice-to-nbest.rs" Kaldi "finds the best paths of lattices";
    lattice_to_phone_lattice "lattice-to-phone-lattice.rs" Kaldi "turns lattices of words into lattices of phones";
    lattice_to_post "lattice-to-post.rs" Kaldi "computes posteriors of lattices";
    lattice_union "lattice-union.rs" Kaldi "joins the lattices of two tables";
    linear_to_nbest "linear-to-nbest.rs" Kaldi "makes lattices of alignments and words";
    nbest_to_ctm "nbest-to-ctm.rs" Kaldi "writes words with times of lattices of one path";
    nbest_to_lattice "nbest-to-lattice.rs" Kaldi "joins the best paths of an utterance";
    nbest_to_linear "nbest-to-linear.rs" Kaldi "takes alignments, words and costs off lattices of one path";
    nbest_to_prons "nbest-to-prons.rs" Kaldi "prints the pronunciations of words of lattices of one path";
}
