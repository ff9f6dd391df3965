#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kaldi_tables_fuzz::columns(bytes));
