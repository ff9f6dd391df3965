pub mod arpa2fst;
pub mod fstaddselfloops;
pub mod fstcopy;
pub mod fstisstochastic;
pub mod fstrmsymbols;

use std::path::Path;

use crate::support::Scratch;

/// A folder with the files of the recorded cases of graphs.
pub fn golden() -> Scratch {
    let scratch = Scratch::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/langs");
    scratch.sh(&format!("cp '{}'/* . && chmod u+w *", data.display())).succeeds();
    scratch
}
