//! The claims on the parallel map beyond the contract of readers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Reader, ReaderExt, Step, from_fn, par_map};

/// Weight of every number; large, so that `par_map` starts its threads after a few of them.
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

/// Counts from 0 to `length`.
fn numbers(length: usize) -> impl Reader<Value = usize, Error = String> + Send {
    let mut next = 0;
    from_fn(move |step| {
        next = if step == Step::Restart { 0 } else { next + 1 };
        Ok((next <= length).then(|| next.wrapping_sub(1)))
    })
}

#[test]
fn an_error_of_the_work_is_delivered_in_order() {
    for threads in [1, 4] {
        let mut reader = par_map(
            numbers(40),
            move || threads,
            8 * WEIGHT,
            weigh,
            |n| {
                if n >= 20 { Err(format!("cannot map {n}")) } else { toil(n) }
            },
        );
        assert_eq!(reader.iter().map_while(Result::ok).count(), 20);
        reader.restart().unwrap();
        assert_eq!(reader.iter().nth(20), Some(Err("cannot map 20".to_owned())));
        assert_eq!(reader.next(), Ok(None));
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
    for item in par_map(source, move || 4, 6 * WEIGHT, weigh, toil).iter() {
        item.unwrap();
        alive.fetch_sub(1, Ordering::SeqCst);
    }
    // The bound, and the one value that the consumer holds.
    assert!(most.load(Ordering::SeqCst) <= 7, "{most:?} values were in flight");
}

#[test]
#[should_panic(expected = "a bug in the work")]
fn a_panic_on_a_thread_reaches_the_consumer() {
    let mut mapped = par_map(
        numbers(40),
        move || 2,
        8 * WEIGHT,
        weigh,
        |n| {
            assert!(n < 20, "a bug in the work");
            toil(n)
        },
    );
    let _ = mapped.iter().count();
}

#[test]
fn short_streams_stay_on_the_callers_thread() {
    let caller = std::thread::current().id();
    let light: fn(&usize) -> usize = |_| 1;
    let mut mapped = par_map(numbers(1000), move || 4, 1 << 20, light, |_| Ok(std::thread::current().id()));
    assert!(mapped.iter().map(Result::unwrap).all(|thread| thread == caller));
}

#[test]
fn work_that_is_next_to_nothing_stays_on_the_callers_thread() {
    let caller = std::thread::current().id();
    let heavy: fn(&usize) -> usize = |_| 1 << 30;
    let mut mapped = par_map(numbers(40), move || 4, 1 << 40, heavy, |_| Ok(std::thread::current().id()));
    assert!(mapped.iter().map(Result::unwrap).all(|thread| thread == caller));
}

#[test]
fn work_that_pays_is_shared() {
    let caller = std::thread::current().id();
    let mut mapped =
        par_map(numbers(40), move || 2, 8 * WEIGHT, weigh, |n| toil(n).map(|_| std::thread::current().id()));
    assert!(mapped.iter().map(Result::unwrap).any(|thread| thread != caller));
}
