//! A test for structs of libraries.

use std::fmt::Debug;

use crate::{Options, Values};

/// Checks that the defaults of a struct are the same with and without a command line: if no option is given, and if each is given the
/// default that the usage text shows.
///
/// # Panics
/// If they differ.
#[track_caller]
pub fn keeps_its_defaults<O: Options + Default + Debug>() {
    for mut values in [Values::default(), Values::of_defaults(O::TABLE)] {
        match O::take(&mut values) {
            Ok(options) => assert_eq!(format!("{options:?}"), format!("{:?}", O::default())),
            Err(error) => panic!("{error}"),
        }
    }
}
