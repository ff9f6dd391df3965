//! Transforms: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    transforms "Transforms"
    apply_transform "apply-transform.rs" Own "applies one or several transforms to matrices or vectors";
    compose_transforms "compose-transforms.rs" Kaldi "composes two transforms to one";
    est_lda "est-lda.rs" Kaldi "estimates LDA from statistics of classes";
    est_mllt "est-mllt.rs" Kaldi "estimates MLLT (STC) from statistics of Gaussians";
    est_pca "est-pca.rs" Kaldi "estimates PCA from features or vectors";
    extend_transform_dim "extend-transform-dim.rs" Kaldi "extends transforms to dimensions that they leave alone";
    get_full_lda_mat "get-full-lda-mat.rs" Kaldi "completes an LDA+MLLT transform with the rows that LDA has rejected";
    sum_lda_accs "sum-lda-accs.rs" Kaldi "sums statistics for LDA";
    sum_mllt_accs "sum-mllt-accs.rs" Kaldi "sums statistics for MLLT";
    transform_feats "transform-feats.rs" Kaldi "applies linear or affine transforms, global or by speaker";
    transform_vec "transform-vec.rs" Kaldi "applies a linear or affine transform to vectors";
}
