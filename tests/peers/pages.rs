//! The pages of `table-view` and `table-report` in Debian's chromium, which selenium drives. `axe-core` looks whether everybody
//! can use them.

use std::process::Command;

use crate::python::Python;
use crate::support::Scratch;

/// The trials by name.
pub const TRIALS: &[(&str, fn())] = &[
    ("a_report_reads_from_its_file_without_scripts_too", || run("report_pages", "reads_from_its_file")),
    ("a_report_sorts_and_filters", || run("report_pages", "sorts_and_filters")),
    ("a_report_has_one_scale_and_two_themes", || run("report_pages", "has_one_scale_and_two_themes")),
    ("a_report_fits_a_phone", || run("report_pages", "fits_a_phone")),
    ("a_report_shows_500_of_2000_findings", || run("report_pages", "shows_500_of_2000_findings")),
    ("view_shows_an_utterance", || run("view_pages", "shows_an_utterance")),
    ("view_searches_and_sorts", || run("view_pages", "searches_and_sorts")),
    ("view_seeks_by_click_and_keys", || run("view_pages", "seeks_by_click_and_keys")),
    ("view_links_and_goes_back", || run("view_pages", "links_and_goes_back")),
    ("view_is_walked_by_keyboard", || run("view_pages", "is_walked_by_keyboard")),
    ("view_is_accessible_in_light_and_dark", || run("view_pages", "is_accessible")),
    ("view_scrolls_a_million_lines", || run("view_pages", "scrolls_a_million_lines")),
    ("view_keeps_markup_as_text", || run("view_pages", "keeps_markup_as_text")),
    ("view_shows_an_hour_in_tiles", || run("view_pages", "shows_an_hour_in_tiles")),
    ("view_shows_differences", || run("view_pages", "shows_differences")),
    ("view_measures_everything", || run("view_pages", "measures_everything")),
    ("view_survives_bad_sound", || run("view_pages", "survives_bad_sound")),
    ("view_links_select_their_row", || run("view_states", "links_select_their_row")),
    ("view_says_that_it_loads", || run("view_states", "loading_is_said")),
    ("view_explains_searches", || run("view_states", "searches_explain_themselves")),
    ("view_lists_findings", || run("view_states", "findings_are_in_the_list")),
    ("view_lists_durations", || run("view_states", "durations_come_by_themselves")),
    ("view_has_one_scale", || run("view_scales", "scales_are_the_same_for_all")),
    ("view_has_axes", || run("view_scales", "axes_are_elements")),
    ("view_fits", || run("view_scales", "everything_fits")),
    ("pictures_of_the_guide_are_drawn", pictures_of_the_guide_are_drawn),
];

/// Why there is no browser to drive here; `Ok` if there is one.
pub fn find() -> Result<(), String> {
    Python::find()?;
    let programs = ["/usr/bin/chromium", "/usr/bin/chromedriver"];
    for program in programs {
        let answers = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
        if !answers {
            return Err(format!("since there is no {program} (packages chromium, chromium-driver)"));
        }
    }
    Ok(())
}

fn run(script: &str, arguments: &str) {
    Python::find().unwrap().run(&Scratch::new(), script, arguments);
}

/// Draws the pictures that the README and docs/looking.md show. `PEERS_PICTURES` is the folder in which they are kept.
fn pictures_of_the_guide_are_drawn() {
    let scratch = Scratch::new();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
    Python::find().unwrap().run(&scratch, "make_pictures", &format!("'{samples}'"));
    for name in ["table-view.png", "table-view-phone.png", "table-report.png", "table-report-card.png"] {
        let picture = scratch.read(name);
        assert!((20_000..400_000).contains(&picture.len()), "{name} has {} bytes", picture.len());
        if let Some(folder) = std::env::var_os("PEERS_PICTURES") {
            std::fs::write(std::path::PathBuf::from(folder).join(name), picture).unwrap();
        }
    }
}
