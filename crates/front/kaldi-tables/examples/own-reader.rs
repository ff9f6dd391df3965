//! Squares of a reader of one's own, on two threads: `cargo run -p kaldi-tables --example own-reader`.

use kaldi_tables::reader::{Reader, ReaderExt};
use kaldi_tables::table::{Error, write_file};
use kaldi_tables::value::Format;

/// Delivers 1, 2, 3.
struct Count(i32);

impl Reader for Count {
    type Item = i32;
    type Error = Error;
    fn next(&mut self) -> Result<Option<i32>, Error> {
        self.0 += 1;
        Ok(Some(self.0).filter(|number| *number <= 3))
    }
    fn restart(&mut self) -> Result<(), Error> {
        self.0 = 0;
        Ok(())
    }
    fn finish(&mut self) -> Result<(), Error> {
        self.0 = 3;
        Ok(())
    }
}

fn main() -> Result<(), Error> {
    let mut squares = Count(0).par_map(|| 2, |number| Ok(number * number)).in_flight(1 << 20, |_| size_of::<i32>());
    let squares: Vec<i32> = squares.iter().collect::<Result<_, _>>()?;
    write_file("-", &squares, Format::Text)
}
