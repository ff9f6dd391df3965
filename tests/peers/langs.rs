//! Language directories through Kaldi's own scripts, with our tools and OpenFst's alone: `PEERS_KALDI` is the folder of a checkout
//! of Kaldi, and Debian's `libfst-tools` has the programs of OpenFst. Words and graphs are compared with those that Kaldi made.

use std::path::{Path, PathBuf};

use crate::support::Scratch;
use crate::support::shell::is_installed;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("the_scripts_of_language_directories_run_to_their_end", the_scripts_of_language_directories_run_to_their_end),
    ("a_language_directory_that_is_wrong_is_found", a_language_directory_that_is_wrong_is_found),
];

/// The recipe that has the scripts.
fn recipe() -> Result<PathBuf, String> {
    let root = std::env::var_os("PEERS_KALDI").ok_or("since PEERS_KALDI does not name a checkout of Kaldi")?;
    let wsj = PathBuf::from(root).join("egs/wsj/s5");
    let scripts = ["utils/prepare_lang.sh", "utils/format_lm.sh", "utils/validate_lang.pl"];
    if let Some(missing) = scripts.iter().map(|script| wsj.join(script)).find(|script| !script.is_file()) {
        return Err(format!("since there is no {}", missing.display()));
    }
    let programs = ["fstcompile", "fstarcsort", "fstcompose", "fstinfo", "fstprint"];
    match programs.into_iter().find(|program| !is_installed(program)) {
        Some(missing) => Err(format!("since there is no {missing} of OpenFst")),
        None => Ok(wsj),
    }
}

/// Why the trials cannot run here.
pub fn find() -> Result<(), String> {
    recipe().map(|_| ())
}

/// A recipe with a dictionary and the words of the recorded cases, and a `path.sh` for where there is no Kaldi.
fn recipe_with_dictionary() -> Scratch {
    let scratch = Scratch::new();
    let (wsj, tests) = (recipe().unwrap(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"));
    let link = |name: &str, from: PathBuf| std::os::unix::fs::symlink(from, scratch.path(name)).unwrap();
    link("utils", wsj.join("utils"));
    link("steps", wsj.join("steps"));
    link("golden", tests.join("golden"));
    scratch
        .sh(r#"kaldi-tables path.sh > path.sh; mkdir -p dict
        awk '$2 > 2 && $1 !~ /[<#]/ { print $1 }' golden/data/langs/words.txt > words
        (echo '<SIL> SIL'; echo '<unk> SPN'
         awk 'BEGIN { split("a b c d e f", phone) }
              { n = NR % 5 + 1; printf "%s", $1; for (i = 0; i < n; i++) printf " %s", phone[(NR * (i + 1)) % 6 + 1]; print "" }' words
         echo "$(head -n 1 words) a a") > dict/lexicon.txt
        printf 'SIL\nSPN\n' > dict/silence_phones.txt; printf '%s\n' a b c d e f > dict/nonsilence_phones.txt
        echo SIL > dict/optional_silence.txt; touch dict/extra_questions.txt"#)
        .succeeds();
    scratch
}

fn the_scripts_of_language_directories_run_to_their_end() {
    let scratch = recipe_with_dictionary();
    let ran = scratch.sh(r#". ./path.sh
        utils/prepare_lang.sh dict '<unk>' tmp lang
        utils/validate_lang.pl lang
        cmp lang/words.txt golden/data/langs/words.txt
        for model in bi tri; do
            utils/format_lm.sh lang golden/data/langs/$model.gz dict/lexicon.txt lang_$model
            utils/validate_lang.pl --skip-determinization-check lang_$model
            bash golden/data/langs/dump.sh < lang_$model/G.fst | cmp - golden/expected/langs/arpa2fst/recipe-format-lm-$model/stdout
        done"#);
    let ran = ran.succeeds().stdout_has("--> SUCCESS [validating lang directory lang_tri]");
    ran.stdout_has("Succeeded in formatting LM");
    // Loops of the disambiguation symbols of the grammar are all that the lexicon of composition has more.
    scratch
        .sh(r#". ./path.sh
        read phone < lang/phones/wdisambig_phones.int; read word < lang/phones/wdisambig_words.int
        fstprint lang/L_disambig.fst | awk -v p=$phone -v w=$word '!($1 == $2 && $3 == p && $4 == w)' | sort > without
        ! cmp -s without <(fstprint lang/L_disambig.fst | sort)
        utils/lang/make_lexicon_fst.py --sil-prob=0.5 --sil-phone=SIL --sil-disambig='#'$(cat tmp/lex_ndisambig) tmp/lexiconp_disambig.txt |
            fstcompile --isymbols=lang/phones.txt --osymbols=lang/words.txt --keep_isymbols=false --keep_osymbols=false |
            fstarcsort --sort_type=olabel | fstprint | sort | cmp - without"#)
        .succeeds();
}

fn a_language_directory_that_is_wrong_is_found() {
    let scratch = recipe_with_dictionary();
    let ran = scratch.sh(r"(. ./path.sh
        utils/prepare_lang.sh dict '<unk>' tmp lang
        fstarcsort --sort_type=ilabel lang/L_disambig.fst > x; mv x lang/L_disambig.fst) > log 2>&1
        . ./path.sh; utils/validate_lang.pl lang");
    ran.fails_with(1).stdout_has("L_disambig.fst is not olabel sorted");
}
