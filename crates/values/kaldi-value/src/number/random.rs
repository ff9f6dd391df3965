//! Random bits for tests, whose seed is shown where a test fails.

/// A generator of random bits (splitmix64).
pub struct Random(u64);

impl Random {
    /// Takes the seed from the variable `SEED`, or else from the clock, and prints it.
    #[allow(clippy::print_stdout)]
    pub fn seeded() -> Self {
        let given = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
        let clock = || std::time::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_nanos() as u64);
        let seed = given.unwrap_or_else(clock);
        println!("SEED={seed}");
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
