//! Nanoseconds per number of writing and reading rows of numbers; `cargo bench -p kaldi-value --bench number`.

#![allow(missing_docs, clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use kaldi_reader::Draws;
use kaldi_value::number::{
    parse_f32_row, parse_f64_row, parse_i32_row, write_f32, write_f32_row, write_f64_row, write_i32_row,
};

const COLUMNS: usize = 40;
const ROWS: usize = 2000;
const NUMBERS: usize = ROWS * COLUMNS;

fn main() {
    let mut draws = Draws::seeded(1);
    let normal: Vec<f32> = (0..NUMBERS).map(|_| (normal(&mut draws) * 3.0) as f32).collect();
    let wide: Vec<f64> = normal.iter().map(|&value| f64::from(value) * 1.000000123).collect();
    let bits: Vec<f32> = (0..NUMBERS).map(|_| f32::from_bits(draws.bits() as u32 & 0xbfff_ffff)).collect();
    let small: Vec<i32> = (0..NUMBERS).map(|_| (draws.bits() % 5000) as i32).collect();
    let large: Vec<i32> = (0..NUMBERS).map(|_| draws.bits() as i32).collect();

    let text = rows(&normal, write_f32_row);
    measure("write f32, normal times 3", &text, |out| each_row(&normal, out, write_f32_row));
    measure("write f32, one at a time", &text, |out| {
        for &value in &normal {
            write_f32(out, value);
            out.push(b' ');
        }
    });
    measure("write f64, normal times 3", &text, |out| each_row(&wide, out, write_f64_row));
    let any = rows(&bits, write_f32_row);
    measure("write f32, any exponent", &any, |out| each_row(&bits, out, write_f32_row));
    let integers = rows(&small, write_i32_row);
    measure("write i32, below 5000", &integers, |out| each_row(&small, out, write_i32_row));
    let many = rows(&large, write_i32_row);
    measure("write i32, any", &many, |out| each_row(&large, out, write_i32_row));

    let mut floats = Vec::new();
    measure("read f32, normal times 3", &text, |_| read(&text, &mut floats, |bytes, to| parse_f32_row(bytes, to).ok()));
    measure("read f32, any exponent", &any, |_| read(&any, &mut floats, |bytes, to| parse_f32_row(bytes, to).ok()));
    let mut doubles = Vec::new();
    measure("read f64, normal times 3", &text, |_| {
        read(&text, &mut doubles, |bytes, to| parse_f64_row(bytes, to).ok())
    });
    let mut ints = Vec::new();
    measure("read i32, below 5000", &integers, |_| {
        read(&integers, &mut ints, |bytes, to| parse_i32_row(bytes, to).ok())
    });
    measure("read i32, any", &many, |_| read(&many, &mut ints, |bytes, to| parse_i32_row(bytes, to).ok()));
}

/// Prints the best of 50 runs.
fn measure(name: &str, text: &[u8], mut run: impl FnMut(&mut Vec<u8>)) {
    let mut out = Vec::with_capacity(NUMBERS * 16);
    let mut best = f64::MAX;
    for _ in 0..50 {
        out.clear();
        let start = Instant::now();
        run(&mut out);
        best = best.min(start.elapsed().as_secs_f64());
        black_box(&out);
    }
    let length = text.len() as f64 / NUMBERS as f64;
    println!("{name:28} {:6.2} ns a number of {length:.1} bytes", best * 1e9 / NUMBERS as f64);
}

fn each_row<T>(values: &[T], out: &mut Vec<u8>, write: impl Fn(&mut Vec<u8>, &[T])) {
    for row in values.chunks(COLUMNS) {
        out.extend_from_slice(b"  ");
        write(out, row);
        out.push(b'\n');
    }
}

fn rows<T>(values: &[T], write: impl Fn(&mut Vec<u8>, &[T])) -> Vec<u8> {
    let mut out = Vec::new();
    each_row(values, &mut out, write);
    out
}

fn read<T>(text: &[u8], values: &mut Vec<T>, parse: impl Fn(&[u8], &mut Vec<T>) -> Option<usize>) {
    values.clear();
    let mut at = 0;
    while at < text.len() {
        at += parse(&text[at..], values).unwrap_or(text.len()) + 1;
    }
    assert_eq!(values.len(), NUMBERS);
}

fn normal(draws: &mut Draws) -> f64 {
    let radius = (-2.0 * (1.0 - draws.uniform()).ln()).sqrt();
    radius * (std::f64::consts::TAU * draws.uniform()).cos()
}
