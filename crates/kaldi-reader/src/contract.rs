//! The contract of the crate's documentation, run on every reader and on stacks of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Reader, from_fn, par_map, prefetch};

/// Weight of every number; large, so that `par_map` leaves its warm-up after a few of them.
const WEIGHT: usize = 1 << 19;

fn weigh(_: &usize) -> usize {
    WEIGHT
}

/// Takes long enough for the weight of a number to be worth a thread.
fn toil(number: usize) -> Result<usize, String> {
    let start = std::time::Instant::now();
    while start.elapsed().as_micros() < 400 {
        std::hint::spin_loop();
    }
    Ok(number)
}

/// Counts from 0, and ends or fails at `length`.
fn numbers(length: usize, fails: bool) -> impl Reader<Value = usize, Error = String> + Send {
    let mut next = 0;
    from_fn(move |restart| {
        if restart {
            next = 0;
            return Ok(None);
        }
        if next == length {
            return if fails { Err(format!("failed at {length}")) } else { Ok(None) };
        }
        next += 1;
        Ok(Some(next - 1))
    })
}

fn check<R: Reader<Value = usize, Error = String>>(name: &str, make: impl Fn(usize, bool) -> R) {
    for length in [0, 1, 2, 3, 5, 40] {
        let expected: Vec<usize> = (0..length).collect();
        let mut reader = make(length, false);
        for round in 0..3 {
            let got: Result<Vec<usize>, String> = reader.by_ref().collect();
            assert_eq!(got, Ok(expected.clone()), "{name}, {length} values, round {round}");
            assert_eq!(reader.next(), None, "{name}: an end stays an end");
            assert_eq!(reader.next(), None, "{name}: an end stays an end");
            reader.restart().unwrap();
        }
        let mut reader = make(length, true);
        for _ in 0..2 {
            let got: Vec<usize> = reader.by_ref().map_while(Result::ok).collect();
            assert_eq!(got, expected, "{name}: everything before an error is delivered");
            assert_eq!(reader.next(), None, "{name}: an error ends the stream");
            reader.restart().unwrap();
            let error = reader.by_ref().nth(length);
            assert_eq!(error, Some(Err(format!("failed at {length}"))), "{name}: an error is delivered in order");
            assert_eq!(reader.next(), None, "{name}: an error is delivered once");
            reader.restart().unwrap();
        }
        let mut reader = make(length, false);
        for stop in [0, 1, 4] {
            assert_eq!(reader.by_ref().take(stop).count(), stop.min(length), "{name}");
            reader.restart().unwrap();
        }
        drop(reader.next());
    }
}

#[test]
fn a_plain_reader_keeps_the_contract() {
    check("from_fn", numbers);
}

#[test]
fn prefetch_keeps_the_contract() {
    for max_bytes in [0, WEIGHT, 8 * WEIGHT] {
        check("prefetch", |length, fails| prefetch(numbers(length, fails), max_bytes, weigh));
    }
}

#[test]
fn par_map_keeps_the_contract() {
    for threads in [1, 2, 3, 8] {
        for max_bytes in [1, WEIGHT, 8 * WEIGHT] {
            check("par_map", |length, fails| par_map(numbers(length, fails), move || threads, max_bytes, weigh, toil));
        }
    }
}

#[test]
fn stacks_of_decorators_keep_the_contract() {
    check("prefetch of par_map of prefetch", |length, fails| {
        let ahead = prefetch(numbers(length, fails), 2 * WEIGHT, weigh);
        prefetch(par_map(ahead, move || 3, 4 * WEIGHT, weigh, toil), WEIGHT, weigh)
    });
    check("par_map of par_map", |length, fails| {
        let inner = par_map(numbers(length, fails), move || 2, 4 * WEIGHT, weigh, |n| toil(n + 1));
        par_map(inner, move || 2, 4 * WEIGHT, weigh, |n| toil(n - 1))
    });
}

#[test]
fn an_error_of_the_work_is_delivered_in_order() {
    for threads in [1, 4] {
        let mut reader = par_map(
            numbers(40, false),
            move || threads,
            8 * WEIGHT,
            weigh,
            |n| {
                if n >= 20 { Err(format!("cannot map {n}")) } else { toil(n) }
            },
        );
        assert_eq!(reader.by_ref().map_while(Result::ok).count(), 20);
        reader.restart().unwrap();
        assert_eq!(reader.by_ref().nth(20), Some(Err("cannot map 20".to_owned())));
        assert_eq!(reader.next(), None);
    }
}

#[test]
fn values_in_flight_are_bounded_by_bytes() {
    let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, peak) = (Arc::clone(&alive), Arc::clone(&most));
    let mut left = 200;
    let source = from_fn(move |_| {
        left -= 1;
        let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
        peak.fetch_max(now, Ordering::SeqCst);
        Ok::<_, String>((left > 0).then_some(left))
    });
    for item in par_map(source, move || 4, 6 * WEIGHT, weigh, toil) {
        item.unwrap();
        alive.fetch_sub(1, Ordering::SeqCst);
    }
    // The bound, and the one value that the consumer holds.
    assert!(most.load(Ordering::SeqCst) <= 7, "{most:?} values were in flight");
}

#[test]
#[should_panic(expected = "a bug in the work")]
fn a_panic_on_a_thread_reaches_the_consumer() {
    let mapped = par_map(
        numbers(40, false),
        move || 2,
        8 * WEIGHT,
        weigh,
        |n| {
            assert!(n < 20, "a bug in the work");
            toil(n)
        },
    );
    let _ = mapped.count();
}

#[test]
fn short_streams_stay_on_the_callers_thread() {
    let caller = std::thread::current().id();
    let light: fn(&usize) -> usize = |_| 1;
    let mapped = par_map(numbers(1000, false), move || 4, 1 << 20, light, |_| Ok(std::thread::current().id()));
    assert!(mapped.map(Result::unwrap).all(|thread| thread == caller));
}

#[test]
fn work_that_is_next_to_nothing_stays_on_the_callers_thread() {
    let caller = std::thread::current().id();
    let heavy: fn(&usize) -> usize = |_| 1 << 30;
    let mapped = par_map(numbers(40, false), move || 4, 1 << 40, heavy, |_| Ok(std::thread::current().id()));
    assert!(mapped.map(Result::unwrap).all(|thread| thread == caller));
}

#[test]
fn work_that_pays_is_shared() {
    let caller = std::thread::current().id();
    let mapped =
        par_map(numbers(40, false), move || 2, 8 * WEIGHT, weigh, |n| toil(n).map(|_| std::thread::current().id()));
    assert!(mapped.map(Result::unwrap).any(|thread| thread != caller));
}
