//! Vectors: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    vectors "Vectors"
    agglomerative_cluster "agglomerative-cluster.rs" Kaldi "clusters the segments of recordings by speaker";
    analyze_counts "analyze-counts.rs" Kaldi "counts the labels of alignments";
    append_vector_to_feats "append-vector-to-feats.rs" Kaldi "appends a vector to every row of features";
    ivector_adapt_plda "ivector-adapt-plda.rs" Kaldi "adapts a PLDA model to another domain";
    ivector_compute_dot_products "ivector-compute-dot-products.rs" Kaldi "scores pairs of speaker vectors by their inner products";
    ivector_compute_lda "ivector-compute-lda.rs" Kaldi "computes an LDA transform of speaker vectors";
    ivector_compute_plda "ivector-compute-plda.rs" Kaldi "estimates a PLDA model";
    ivector_copy_plda "ivector-copy-plda.rs" Kaldi "copies a PLDA model; smooths it";
    ivector_mean "ivector-mean.rs" Kaldi "averages speaker vectors, by speaker or all";
    ivector_normalize_length "ivector-normalize-length.rs" Kaldi "scales speaker vectors to the same length";
    ivector_plda_scoring "ivector-plda-scoring.rs" Kaldi "scores trials with a PLDA model";
    ivector_plda_scoring_dense "ivector-plda-scoring-dense.rs" Kaldi "scores all pairs of segments of recordings with a PLDA model";
    ivector_subtract_global_mean "ivector-subtract-global-mean.rs" Kaldi "subtracts a mean from speaker vectors";
    ivector_transform "ivector-transform.rs" Kaldi "transforms speaker vectors";
    logistic_regression_copy "logistic-regression-copy.rs" Kaldi "copies a logistic regression; scales its priors";
    logistic_regression_eval "logistic-regression-eval.rs" Kaldi "classifies vectors with a logistic regression";
    logistic_regression_train "logistic-regression-train.rs" Kaldi "trains a logistic regression";
    matrix_max "matrix-max.rs" Kaldi "takes the largest elements of several matrices";
    matrix_sum "matrix-sum.rs" Kaldi "sums or averages matrices, by key or all of a table";
    matrix_sum_rows "matrix-sum-rows.rs" Kaldi "sums the rows of each matrix";
    multiply_vectors "multiply-vectors.rs" Kaldi "multiplies vectors element by element";
    paste_vectors "paste-vectors.rs" Kaldi "appends vectors of several tables to each other";
    sum_matrices "sum-matrices.rs" Kaldi "sums matrices in files";
    vector_scale "vector-scale.rs" Kaldi "multiplies vectors by a number";
    vector_sum "vector-sum.rs" Kaldi "sums or averages vectors, by key or all of a table";
}
