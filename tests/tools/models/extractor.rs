//! A small i-vector extractor, with features and posteriors.

use crate::support::Scratch;

/// Two Gaussians in two dimensions, i-vectors of two dimensions.
pub const EXTRACTOR: &str = "<IvectorExtractor> <w>  [ ]\n<w_vec>  [ 0.5 0.5 ]\n<M> 2  [\n  1 0.5 \n  0 0.25 ]\n [\n  -1 0.5 \n  \
                             0.5 0 ]\n<SigmaInv> [\n1 \n0 2 ]\n[\n2 \n0.5 1 ]\n<IvectorOffset> 10 </IvectorExtractor> ";

/// The same, with weights that depend on the i-vector.
pub const WITH_WEIGHTS: &str = "<IvectorExtractor> <w>  [\n  0.1 0.2 \n  -0.1 0.1 ]\n<w_vec>  [ ]\n<M> 2  [\n  1 0.5 \n  0 0.25 \
                                ]\n [\n  -1 0.5 \n  0.5 0 ]\n<SigmaInv> [\n1 \n0 2 ]\n[\n2 \n0.5 1 ]\n<IvectorOffset> 10 \
                                </IvectorExtractor> ";

/// The extractors `ie` and `w.ie`, `feats` of three utterances and posteriors `post`.
pub fn folder() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("ie", EXTRACTOR)
        .write("w.ie", WITH_WEIGHTS)
        .write("feats", "a  [\n  9 1\n  -8 6\n  11 0.5 ]\nb  [\n  8 -1\n  -9 4 ]\nc  [\n  1 1 ]\n")
        .write("post", "a [ 0 1 ] [ 1 0.75 0 0.25 ] [ 0 1 ]\nb [ 0 1 ] [ 1 1 ]\nc [ ]\n");
    scratch
}
