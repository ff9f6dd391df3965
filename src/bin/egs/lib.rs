//! Training examples: the list of these tools. Each is a file of its own.

mod copy_egs;

kaldi_cli::tools! {
    egs "Training examples"
    nnet3_chain_copy_egs "nnet3-chain-copy-egs.rs" Kaldi "copies training examples of chain models";
    nnet3_chain_shuffle_egs "nnet3-chain-shuffle-egs.rs" Kaldi "shuffles training examples of chain models";
    nnet3_chain_subset_egs "nnet3-chain-subset-egs.rs" Kaldi "keeps a random subset of training examples of chain models";
    nnet3_copy_egs "nnet3-copy-egs.rs" Kaldi "copies training examples of nnet3, cuts, weights and renames them";
    nnet3_get_egs "nnet3-get-egs.rs" Kaldi "cuts utterances into training examples with posteriors";
    nnet3_get_egs_dense_targets "nnet3-get-egs-dense-targets.rs" Kaldi "cuts utterances into training examples with matrices as targets";
    nnet3_get_egs_simple "nnet3-get-egs-simple.rs" Kaldi "makes training examples of whole matrices";
    nnet3_merge_egs "nnet3-merge-egs.rs" Kaldi "merges training examples to minibatches";
    nnet3_shuffle_egs "nnet3-shuffle-egs.rs" Kaldi "shuffles training examples of nnet3";
    nnet3_subset_egs "nnet3-subset-egs.rs" Kaldi "keeps a random subset of training examples of nnet3";
    nnet3_xvector_get_egs "nnet3-xvector-get-egs.rs" Kaldi "cuts training examples of x-vectors out of features";
}
