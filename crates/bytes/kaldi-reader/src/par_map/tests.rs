//! Tests of the parallel map beyond the contract of readers.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::{Reader, ReaderExt, Step, from_fn, par_map};

/// Weight of every number; large, so that `par_map` starts its threads after a few of them.
const WEIGHT: usize = 1 << 19;

fn mem_size(_: &usize) -> usize {
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
fn numbers(length: usize) -> impl Reader<Item = usize, Error = String> + Send {
    let mut next = 0;
    from_fn(move |step| {
        next = if step == Step::Restart { 0 } else { next + 1 };
        Ok((next <= length).then(|| next.wrapping_sub(1)))
    })
}

#[test]
fn an_eager_map_works_on_its_first_values_side_by_side() {
    for restarts in [false, true] {
        // Each of the two waits for the other.
        let meeting = Arc::new(std::sync::Barrier::new(2));
        let work = move |number: usize| {
            meeting.wait();
            Ok::<_, String>(number)
        };
        let mut reader = par_map(numbers(2), || 2, work).in_flight(8 * WEIGHT, |_| 1).eager();
        if restarts {
            reader.restart().unwrap();
            assert_eq!(reader.next(), Ok(Some(0)));
            assert_eq!(reader.next(), Ok(Some(1)));
            reader.restart().unwrap();
        }
        assert_eq!(reader.iter().collect::<Result<Vec<_>, _>>(), Ok(vec![0, 1]));
    }
}

#[test]
fn an_error_of_the_work_is_delivered_in_order() {
    for threads in [1, 4] {
        let mut reader = par_map(
            numbers(40),
            move || threads,
            |n| {
                if n >= 20 { Err(format!("cannot map {n}")) } else { toil(n) }
            },
        )
        .in_flight(8 * WEIGHT, mem_size);
        assert_eq!(reader.iter().map_while(Result::ok).count(), 20);
        reader.restart().unwrap();
        assert_eq!(reader.iter().nth(20), Some(Err("cannot map 20".to_owned())));
        assert_eq!(reader.next(), Ok(None));
    }
}

/// Values that are worked on by 32 threads.
#[derive(Default)]
struct AtWork {
    now: usize,
    /// So many were started so far.
    started: usize,
    /// How often 30 of the threads had work at the same time.
    gatherings: usize,
}

/// Works on 600 values of this many bytes on 32 threads. A value is worked on until 30 threads have work, every tenth
/// until they have had it twice, or until 40 later ones were started; that fails after a minute. Returns how often they had.
fn gatherings(bytes: usize) -> usize {
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    BYTES.store(bytes, Ordering::SeqCst);
    let shared = Arc::new((Mutex::new(AtWork::default()), Condvar::new()));
    let at_work = Arc::clone(&shared);
    let work = move |number: usize| {
        let (at_work, changed) = &*at_work;
        let mut seen = at_work.lock().unwrap();
        seen.now += 1;
        seen.started += 1;
        // The values before the threads start, and the last ones, are worked on alone.
        if number < 100 {
            drop(seen);
            std::thread::sleep(Duration::from_millis(5));
            seen = at_work.lock().unwrap();
        }
        let until = seen.gatherings + if number.is_multiple_of(10) { 2 } else { 1 };
        if seen.now >= 30 {
            seen.gatherings += 1;
        }
        changed.notify_all();
        let waits = |seen: &mut AtWork| number >= 100 && seen.gatherings < until && seen.started < 500.min(number + 40);
        let (mut seen, waited) = changed.wait_timeout_while(seen, Duration::from_secs(60), waits).unwrap();
        seen.now -= 1;
        if waited.timed_out() { Err("some threads have no work".to_owned()) } else { Ok(number) }
    };
    let rows: Vec<_> =
        par_map(numbers(600), || 32, work).in_flight(2 << 20, |_| BYTES.load(Ordering::SeqCst)).iter().collect();
    assert_eq!(rows, (0..600).map(Ok).collect::<Vec<_>>());
    shared.0.lock().unwrap().gatherings
}

#[test]
fn many_threads_are_kept_busy_whatever_values_weigh() {
    // A batch of a table, and a waveform of some minutes: 8 and 1 of them are 2 MB.
    for bytes in [1 << 18, 1 << 21, 8 << 20] {
        let gatherings = gatherings(bytes);
        assert!(gatherings >= 10, "{bytes} bytes: {gatherings} times");
    }
}

/// The largest number of values in flight, on four threads.
fn most_in_flight(max_bytes: usize, mem_size: fn(&usize) -> usize, with_caller: bool) -> usize {
    let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, peak) = (Arc::clone(&alive), Arc::clone(&most));
    let mut left = 200;
    let source = from_fn(move |_| {
        left -= 1;
        let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
        peak.fetch_max(now, Ordering::SeqCst);
        Ok::<_, String>((left > 0).then_some(left))
    });
    let mapped = par_map(source, move || 4, toil).in_flight(max_bytes, mem_size);
    for item in if with_caller { mapped.with_caller() } else { mapped }.iter() {
        item.unwrap();
        alive.fetch_sub(1, Ordering::SeqCst);
    }
    most.load(Ordering::SeqCst)
}

#[test]
fn values_in_flight_are_bounded_by_bytes() {
    // The bound, and the one value that the consumer holds; four values for each thread if the bound is less and these
    // values are not large.
    for (max_bytes, mem_size, most) in
        [(20 * WEIGHT, mem_size as fn(&usize) -> usize, 21), (WEIGHT, mem_size, 17), (WEIGHT, |_| 32 << 20, 3)]
    {
        for with_caller in [false, true] {
            let in_flight = most_in_flight(max_bytes, mem_size, with_caller);
            assert!(in_flight <= most, "{in_flight} values were in flight, and not {most}");
        }
    }
}

#[test]
#[should_panic(expected = "a bug in the work")]
fn a_panic_on_a_thread_reaches_the_consumer() {
    let mut mapped = par_map(
        numbers(40),
        move || 2,
        |n| {
            assert!(n < 20, "a bug in the work");
            toil(n)
        },
    )
    .in_flight(8 * WEIGHT, mem_size);
    let _ = mapped.iter().count();
}

#[test]
fn short_streams_stay_on_the_callers_thread() {
    let caller = std::thread::current().id();
    let light: fn(&usize) -> usize = |_| 1;
    let mut mapped = par_map(numbers(1000), move || 4, |_| Ok(std::thread::current().id())).in_flight(1 << 20, light);
    assert!(mapped.iter().map(Result::unwrap).all(|thread| thread == caller));
}

#[test]
fn work_that_is_next_to_nothing_stays_on_the_callers_thread() {
    let caller = std::thread::current().id();
    // So heavy that the machine may do something else for some seconds in between.
    let heavy: fn(&usize) -> usize = |_| 1 << 36;
    let mut mapped = par_map(numbers(40), move || 4, |_| Ok(std::thread::current().id())).in_flight(1 << 50, heavy);
    assert!(mapped.iter().map(Result::unwrap).all(|thread| thread == caller));
}

#[test]
fn work_that_pays_is_shared() {
    let caller = std::thread::current().id();
    let mut mapped = par_map(numbers(40), move || 2, |n| toil(n).map(|_| std::thread::current().id()))
        .in_flight(8 * WEIGHT, mem_size);
    assert!(mapped.iter().map(Result::unwrap).any(|thread| thread != caller));
}

#[test]
fn the_callers_thread_is_one_of_them() {
    let caller = std::thread::current().id();
    for threads in [2, 3] {
        let work = |n| toil(n).map(|_| std::thread::current().id());
        let mut mapped = par_map(numbers(400), move || threads, work).in_flight(8 * WEIGHT, mem_size).with_caller();
        let workers: HashSet<_> = mapped.iter().map(Result::unwrap).skip(20).collect();
        assert!(workers.contains(&caller) && workers.len() <= threads, "{workers:?}");
    }
}

#[test]
fn work_that_would_wait_for_reading_stays_on_the_callers_thread() {
    let caller = std::thread::current().id();
    let threads = |with_caller| {
        let mut slow = numbers(12);
        let slow = from_fn(move |step| match step {
            Step::Next => {
                std::thread::sleep(Duration::from_millis(20));
                slow.next()
            }
            _ => Ok(None),
        });
        let mapped =
            par_map(slow, || 2, |n| toil(n).map(|_| std::thread::current().id())).in_flight(8 * WEIGHT, mem_size);
        let mut mapped = if with_caller { mapped.with_caller() } else { mapped };
        mapped.iter().map(Result::unwrap).collect::<HashSet<_>>()
    };
    // The machine may do something else while a number is worked on, which is then as long as reading.
    assert!((0..20).any(|_| threads(true) == HashSet::from([caller])));
    // A reader that may wait has to be asked all the time.
    assert_ne!(threads(false), HashSet::from([caller]));
}

#[test]
fn the_callers_thread_keeps_the_order() {
    for threads in [1, 2, 4] {
        let work = |n| if n == 300 { Err("cannot map 300".to_owned()) } else { toil(n) };
        let mut mapped = par_map(numbers(400), move || threads, work).in_flight(8 * WEIGHT, mem_size).with_caller();
        assert!(mapped.iter().take(100).eq((0..100).map(Ok)));
        mapped.restart().unwrap();
        let rows: Vec<_> = mapped.iter().collect();
        assert!(rows[..300].iter().cloned().eq((0..300).map(Ok)));
        assert_eq!(rows[300..], [Err("cannot map 300".to_owned())]);
    }
}

#[test]
#[should_panic(expected = "a bug in the work")]
fn a_panic_on_the_callers_thread_ends_the_others() {
    let caller = std::thread::current().id();
    let work = move |n| {
        assert!(n < 20 || std::thread::current().id() != caller, "a bug in the work");
        toil(n)
    };
    let _ = par_map(numbers(1000), move || 2, work).in_flight(8 * WEIGHT, mem_size).with_caller().iter().count();
}
