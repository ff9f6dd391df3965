use crate::support::{Scratch, shell};

#[test]
fn tools_are_found_before_the_rest_of_the_path() {
    let scratch = Scratch::new();
    let path = shell::tools_dir().join("copy-matrix");
    scratch.sh("command -v copy-matrix").succeeds().stdout_is(format!("{}\n", path.display()));
}

/// The steps of recipes, each a script in `recipes/` that checks its own results.
mod recipes;

/// Names that mean the same wherever they stand.
mod names;

/// Script files whose lines are commands.
mod script_commands;

/// `docs/speakers.md`: speaker recognition from sound to scores.
mod speakers;
