//! The contract of readers, on the readers of this crate and on readers with faults. One test, since it counts threads.
#![allow(clippy::unwrap_used)]

mod decorators;

use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Instant;

use kaldi_reader::testing::{Claim, Expected};
use kaldi_reader::{BoxReader, Reader, ReaderExt, Step, from_fn};

/// Weight of every number; large, so that `par_map` starts its threads after a few of them.
const WEIGHT: usize = 1 << 19;

fn mem_size(_: &usize) -> usize {
    WEIGHT
}

/// Takes long enough for the weight of a number to be worth a thread.
fn toil(number: usize) -> Result<usize, String> {
    let start = Instant::now();
    while start.elapsed().as_micros() < 400 {
        std::hint::spin_loop();
    }
    Ok(number)
}

/// Counts from 0, and ends or fails at `length`.
fn numbers(length: usize, fails: bool) -> BoxReader<usize, String> {
    let mut next = 0;
    from_fn(move |step| {
        if step == Step::Restart {
            next = 0;
            return Ok(None);
        }
        if next == length {
            return if fails { Err(format!("failed at {length}")) } else { Ok(None) };
        }
        next += 1;
        Ok(Some(next - 1))
    })
    .boxed()
}

fn keeps(name: &str, decorate: impl Fn(BoxReader<usize, String>) -> BoxReader<usize, String>) {
    for length in [0, 1, 2, 5, 30] {
        for fails in [false, true] {
            let mut expected = Expected::values(0..length);
            if fails {
                expected = expected.then_error(&format!("failed at {length}"));
            }
            let checked = expected.check(|| decorate(numbers(length, fails)));
            assert_eq!(checked, Ok(()), "{name}, {length} values, fails: {fails}");
        }
    }
}

type Decorator = Box<dyn Fn(BoxReader<usize, String>) -> BoxReader<usize, String>>;

/// A stack of decorators, drawn by a seed.
fn random_stack(mut seed: u64) -> (String, Vec<Decorator>) {
    let mut draw = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut names = Vec::new();
    let mut stack: Vec<Decorator> = Vec::new();
    for _ in 0..1 + draw(3) {
        let bytes = [1, WEIGHT, 6 * WEIGHT][draw(3) as usize];
        if draw(2) == 0 {
            names.push(format!("prefetch({bytes})"));
            stack.push(Box::new(move |reader| reader.prefetch(bytes, mem_size).boxed()));
        } else {
            let threads = 1 + draw(4) as usize;
            names.push(format!("par_map({threads}, {bytes})"));
            stack
                .push(Box::new(move |reader| reader.par_map(move || threads, toil).in_flight(bytes, mem_size).boxed()));
        }
    }
    (names.join(" of "), stack)
}

#[test]
fn readers_keep_the_contract_and_faults_are_found() {
    keeps("from_fn", |reader| reader);
    for bytes in [0, WEIGHT, 8 * WEIGHT] {
        keeps("prefetch", |reader| reader.prefetch(bytes, mem_size).boxed());
        for threads in [1, 2, 3] {
            keeps("par_map", |reader| reader.par_map(move || threads, toil).in_flight(bytes, mem_size).boxed());
        }
    }
    for seed in 0..8 {
        let (name, stack) = random_stack(seed);
        keeps(&name, |reader| stack.iter().fold(reader, |reader, decorate| decorate(reader)));
    }
    a_lost_value_is_found();
    an_error_twice_is_found();
    an_end_that_is_not_the_end_is_found();
    a_restart_that_goes_on_is_found();
    a_thread_left_behind_is_found();
    a_restart_may_be_refused();
    decorators::decorators_and_stacks_of_them_keep_the_contract();
}

/// A reader with a fault between it and sound numbers.
struct Faulty<F> {
    numbers: BoxReader<usize, String>,
    next: F,
    restarts: bool,
}

impl<F: FnMut(Result<Option<usize>, String>) -> Result<Option<usize>, String>> Reader for Faulty<F> {
    type Item = usize;
    type Error = String;

    fn next(&mut self) -> Result<Option<usize>, String> {
        let next = self.numbers.next();
        (self.next)(next)
    }

    fn restart(&mut self) -> Result<(), String> {
        if self.restarts { self.numbers.restart() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), String> {
        self.numbers.finish()
    }
}

fn claim<F>(expected: &Expected<usize>, fails: bool, restarts: bool, fault: impl Fn() -> F) -> Claim
where
    F: FnMut(Result<Option<usize>, String>) -> Result<Option<usize>, String>,
{
    let made = || Faulty { numbers: numbers(5, fails), next: fault(), restarts };
    expected.check(made).unwrap_err().claim
}

fn a_lost_value_is_found() {
    let loses = || |next| if next == Ok(Some(4)) { Ok(None) } else { next };
    assert_eq!(claim(&Expected::values(0..5), false, true, loses), Claim::Values);
}

fn an_error_twice_is_found() {
    let twice = || {
        let mut last = None;
        move |next: Result<Option<usize>, String>| match next {
            Err(error) => {
                last = Some(error.clone());
                Err(error)
            }
            Ok(None) => last.take().map_or(Ok(None), Err),
            value => value,
        }
    };
    let expected = Expected::values(0..5).then_error("failed at 5");
    assert_eq!(claim(&expected, true, true, twice), Claim::Error);
    // An end instead of the error is detected as well.
    let silent = || |next: Result<Option<usize>, String>| next.or(Ok(None));
    assert_eq!(claim(&expected, true, true, silent), Claim::Error);
}

fn an_end_that_is_not_the_end_is_found() {
    let goes_on = || {
        let mut ends = 0;
        move |next| {
            ends += usize::from(next == Ok(None));
            if next == Ok(None) && ends == 2 { Ok(Some(5)) } else { next }
        }
    };
    assert_eq!(claim(&Expected::values(0..5), false, true, goes_on), Claim::End);
}

fn a_restart_that_goes_on_is_found() {
    assert_eq!(claim(&Expected::values(0..5), false, false, || |next| next), Claim::Restart);
}

fn a_thread_left_behind_is_found() {
    // The thread that is left behind ends when the channel is closed.
    let (until, ended) = mpsc::channel::<()>();
    let (ended, threads) = (Arc::new(Mutex::new(ended)), Arc::new(Mutex::new(Vec::new())));
    let started = Arc::clone(&threads);
    let leave = move || {
        let ended = Arc::clone(&ended);
        started.lock().unwrap().push(thread::spawn(move || ended.lock().unwrap().recv().unwrap_or_default()));
        |next| next
    };
    assert_eq!(claim(&Expected::values(0..5), false, true, leave), Claim::Threads);
    drop(until);
    for thread in std::mem::take(&mut *threads.lock().unwrap()) {
        thread.join().unwrap();
    }
}

fn a_restart_may_be_refused() {
    struct Once(BoxReader<usize, String>, bool);
    impl Reader for Once {
        type Item = usize;
        type Error = String;

        fn next(&mut self) -> Result<Option<usize>, String> {
            self.1 = true;
            self.0.next()
        }

        fn restart(&mut self) -> Result<(), String> {
            if self.1 {
                self.0.finish()?;
                return Err("cannot be read once more".to_owned());
            }
            self.0.restart()
        }

        fn finish(&mut self) -> Result<(), String> {
            self.0.finish()
        }
    }
    let once = || Once(numbers(5, false), false);
    assert_eq!(Expected::values(0..5).read_once().check(once), Ok(()));
    assert_eq!(Expected::values(0..5).check(once).unwrap_err().claim, Claim::Restart);
}
