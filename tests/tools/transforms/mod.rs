pub mod apply_transform;
pub mod compose_transforms;
pub mod est_lda;
pub mod est_mllt;
pub mod est_pca;
pub mod extend_transform_dim;
pub mod get_full_lda_mat;
pub mod sum_lda_accs;
pub mod sum_mllt_accs;
pub mod transform_feats;
pub mod transform_vec;

use crate::support::Scratch;

/// Statistics of two classes of four vectors each: one around (2, 0), the other around (-2, 0), with variances of 0.5 and 2
/// around them.
fn lda_stats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(
        "1.acc",
        "<LDAACCS> <VECSIZE> 2 <NUMCLASSES> 2 <ZERO_ACCS>  [ 4 4 ]\n<FIRST_ACCS>  [\n  8 0\n  -8 0 ]\n<SECOND_ACCS>  [\n4\n\
         0 16 ]\n</LDAACCS> \n",
    );
    scratch
}

/// Statistics of 400 frames, to which the transform diag(2, 0.5) fits best.
fn mllt_stats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.macc", "<MlltAccs> \n400 2 <G> \n[\n100 \n0 50 ]\n[\n7 \n0 1600 ]\n</MlltAccs> \n");
    scratch
}
