pub mod copies;
pub mod estimates;
pub mod posteriors;
pub mod selections;
pub mod statistics;
pub mod training;

use crate::support::Scratch;

/// Two Gaussians in one dimension: means of 0 and 4, variances of 1, equal weights.
const DIAG: &str = "<DiagGMM> \n<GCONSTS>  [ -1.612086 -9.612085 ]\n<WEIGHTS>  [ 0.5 0.5 ]\n<MEANS_INVVARS>  [\n  0 \n  4 \
                    ]\n<INV_VARS>  [\n  1 \n  1 ]\n</DiagGMM> \n";

/// The same with full covariances.
const FULL: &str = "<FullGMM> \n<GCONSTS>  [ -1.612086 -9.612085 ]\n<WEIGHTS>  [ 0.5 0.5 ]\n<MEANS_INVCOVARS>  [\n  0 \n  4 \
                    ]\n<INV_COVARS> [\n1 ]\n[\n1 ]\n</FullGMM> \n";

/// Both mixtures, features of two utterances near the first, the second and the first Gaussian, and lists of Gaussians.
fn mixtures() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("diag", DIAG).write("full", FULL);
    scratch.write("feats", "a  [\n  0 \n  4 ]\nb  [\n  1 ]\n");
    scratch.write("lists", "a 1 0 ; 0 ; \nb 0 1 ; \n");
    scratch
}

/// Cuts numbers after four digits.
const CUT: &str = "sed -E 's/([.][0-9]{4})[0-9]+/\\1/g'";
