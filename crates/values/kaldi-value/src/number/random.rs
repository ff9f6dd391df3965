//! Random bits for tests, whose seed is shown where a test fails.

use kaldi_reader::Draws;

/// Takes the seed from the variable `SEED`, or else from the clock, and prints it.
#[allow(clippy::print_stdout)]
pub fn draws() -> Draws {
    let given = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let clock = || std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos() as u64);
    let seed = given.unwrap_or_else(clock);
    println!("SEED={seed}");
    Draws::seeded(seed)
}
