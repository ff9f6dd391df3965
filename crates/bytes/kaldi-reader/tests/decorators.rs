//! The contract of readers, on every decorator and on random stacks of them.

use std::rc::Rc;

use kaldi_reader::testing::Expected;
use kaldi_reader::{
    BoxReader, Buckets, Counter, Draws, Leftover, Reader, ReaderExt, Share, Step, file_reader, from_fn, interleave,
    open_files, passes,
};

type Numbers = BoxReader<usize, String>;
type Decorate = Rc<dyn Fn(Numbers) -> Numbers>;

/// The values that a stream must deliver.
#[derive(Clone, Debug)]
struct Stream {
    values: Vec<usize>,
    fails: bool,
}

impl Stream {
    fn map(self, work: impl Fn(Vec<usize>) -> Vec<usize>) -> Self {
        Self { values: work(self.values), fails: self.fails }
    }

    /// A reader that delivers it.
    fn reader(&self) -> Numbers {
        let (stream, mut next) = (self.clone(), 0);
        from_fn(move |step| {
            if step == Step::Restart {
                next = 0;
                return Ok(None);
            }
            next += 1;
            match stream.values.get(next - 1) {
                None if stream.fails => Err(format!("failed at {}", next - 1)),
                value => Ok(value.copied()),
            }
        })
        .boxed()
    }

    fn check(&self, name: &str, make: impl FnMut() -> Numbers) {
        let mut expected = Expected::values(self.values.iter().copied());
        if self.fails {
            expected = expected.then_error("failed at");
        }
        assert_eq!(expected.check(make), Ok(()), "{name}: {self:?}");
    }
}

/// A decorator, and its effect on a stream, computed in another way.
#[derive(Clone)]
struct Decorator {
    name: String,
    decorate: Decorate,
    expect: Rc<dyn Fn(Stream) -> Stream>,
}

fn decorator<R: Reader<Item = usize, Error = String> + Send + 'static>(
    name: impl Into<String>,
    decorate: impl Fn(Numbers) -> R + 'static,
    expect: impl Fn(Stream) -> Stream + 'static,
) -> Decorator {
    Decorator { name: name.into(), decorate: Rc::new(move |reader| decorate(reader).boxed()), expect: Rc::new(expect) }
}

/// The same values.
fn same(stream: Stream) -> Stream {
    stream
}

/// Sums of batches.
fn sums(batches: impl Reader<Item = Vec<usize>, Error = String>) -> impl Reader<Item = usize, Error = String> {
    batches.filter_map(|batch| Ok(Some(batch.iter().sum())))
}

/// Every decorator with parameters drawn at random.
fn decorators(draws: &mut Draws) -> Vec<Decorator> {
    let (number, other) = (1 + draws.index(7), draws.bits());
    let (bytes, threads) = ([0, 3, 100][draws.index(3)], 1 + draws.index(3));
    let share = Share::new(draws.below(2), 2, 0, 1).unwrap();
    let mut all = vec![
        decorator("prefetch", move |reader| reader.prefetch(bytes, |_| 1), same),
        decorator("double_buffer", |reader| reader.double_buffer(2), same),
        // Heavy enough for threads to be started.
        decorator(
            "par_map",
            move |reader| reader.par_map(move || threads, toil).in_flight(bytes << 21, |_| 1 << 21),
            same,
        ),
        decorator("threaded", |reader| reader.threaded(), same),
        decorator("peekable", |reader| peeking(reader.peekable()), same),
        decorator("counting", |reader| reader.counting(&Counter::default()), same),
        decorator(
            format!("take({number})"),
            move |reader| reader.take(number as u64),
            move |mut stream| {
                stream.fails &= stream.values.len() < number;
                stream.values.truncate(number);
                stream
            },
        ),
        decorator(
            format!("skip({number})"),
            move |reader| reader.skip(number as u64),
            move |stream| stream.map(|values| values.into_iter().skip(number).collect()),
        ),
        decorator(
            "filter_map",
            |reader| reader.filter_map(|value| Ok((value % 3 != 0).then_some(value + 1))),
            |stream| {
                stream.map(|values| values.into_iter().filter(|value| value % 3 != 0).map(|value| value + 1).collect())
            },
        ),
        decorator(
            "partition",
            move |reader| reader.partition(share),
            move |stream| {
                let of_share = move |values: Vec<usize>| {
                    let places = values.into_iter().enumerate();
                    places.filter(|(place, _)| share.contains(*place as u64)).map(|(_, value)| value).collect()
                };
                stream.map(of_share)
            },
        ),
        decorator(
            format!("repeat({number})"),
            move |reader| reader.repeat(number as u64),
            move |stream| if stream.fails { stream } else { stream.map(|values| values.repeat(number)) },
        ),
        decorator(
            format!("sort({number})"),
            move |reader| reader.sort(number, |value| value % 5),
            move |stream| {
                stream.map(|mut values| {
                    values.chunks_mut(number).for_each(|window| window.sort_by_key(|value| value % 5));
                    values
                })
            },
        ),
        decorator(
            format!("batch({number})"),
            move |reader| sums(reader.batch(number, Leftover::Keep)),
            move |stream| stream.map(|values| values.chunks(number).map(|batch| batch.iter().sum()).collect()),
        ),
    ];
    all.extend(shuffles(number, other));
    all
}

/// Decorators whose order depends on their input and a seed: the expectation is a first reading.
fn shuffles(number: usize, seed: u64) -> Vec<Decorator> {
    let decorate: Vec<(&str, Decorate)> = vec![
        ("shuffle_window", Rc::new(move |reader| reader.shuffle_window(number, seed).boxed())),
        ("shuffle_stream", Rc::new(move |reader| reader.shuffle_stream(number, seed).boxed())),
        ("initial", Rc::new(move |reader| reader.shuffle_stream(number + 3, seed).initial(2).boxed())),
        ("max_bytes", Rc::new(move |reader| reader.shuffle_window(9, seed).max_bytes(number, |_| 1).boxed())),
        ("batch_by_frames", Rc::new(move |reader| sums(reader.batch_by_frames(9 * number, |value| *value)).boxed())),
        (
            "batch_by_length",
            Rc::new(move |reader| {
                let buckets = Buckets::new(vec![5, 10], vec![number, 2, 3]).unwrap();
                sums(reader.batch_by_length(buckets, 6, Leftover::Keep, |value| *value)).boxed()
            }),
        ),
    ];
    let named = decorate.into_iter().map(|(name, decorate)| {
        let again = Rc::clone(&decorate);
        let expect = move |stream: Stream| {
            let sound = Stream { fails: false, ..stream.clone() };
            let values = again(sound.reader()).read_all().unwrap();
            Stream { values, ..stream }
        };
        Decorator { name: format!("{name}({number})"), decorate, expect: Rc::new(expect) }
    });
    named.collect()
}

/// Looks at every value before it takes it.
fn peeking(mut reader: kaldi_reader::Peekable<Numbers>) -> Numbers {
    from_fn(move |step| match step {
        Step::Restart => reader.restart().map(|()| None),
        Step::Next => {
            let seen = reader.peek().and_then(|next| next.ok().copied());
            let next = reader.next()?;
            assert_eq!(seen, next);
            Ok(next)
        }
    })
    .boxed()
}

/// Takes some time.
fn toil(value: usize) -> Result<usize, String> {
    std::thread::sleep(std::time::Duration::from_micros(800));
    Ok(value)
}

fn streams() -> Vec<Stream> {
    let lengths = [0, 1, 2, 7, 23];
    lengths
        .iter()
        .flat_map(|&length| [false, true].map(|fails| Stream { values: (0..length).collect(), fails }))
        .collect()
}

pub fn decorators_and_stacks_of_them_keep_the_contract() {
    let mut draws = Draws::seeded(11);
    for _ in 0..2 {
        for Decorator { name, decorate, expect } in decorators(&mut draws) {
            for stream in streams() {
                expect(stream.clone()).check(&name, || decorate(stream.reader()));
            }
        }
    }
    for _ in 0..60 {
        let depth = 2 + draws.index(4);
        let mut stack = Vec::new();
        for _ in 0..depth {
            let mut all = decorators(&mut draws);
            stack.push(all.swap_remove(draws.index(all.len())));
        }
        let name: Vec<&str> = stack.iter().map(|decorator| decorator.name.as_str()).collect();
        let stream = Stream { values: (0..draws.index(30)).collect(), fails: draws.index(2) == 0 };
        let expected = stack.iter().fold(stream.clone(), |stream, decorator| (decorator.expect)(stream));
        let make = || stack.iter().fold(stream.reader(), |reader, decorator| (decorator.decorate)(reader));
        expected.check(&name.join(", then "), make);
    }
    files_keep_the_contract();
    several_readers_keep_the_contract();
}

fn files_keep_the_contract() {
    let stream = |values: &[usize], fails| Stream { values: values.to_vec(), fails };
    for fails in [false, true] {
        let files = [stream(&[1, 2, 3], false), stream(&[], false), stream(&[4], fails), stream(&[5, 6], false)];
        let open = {
            let files = files.clone();
            move |&file: &usize| Ok(files[file].reader())
        };
        let expected = stream(if fails { &[1, 2, 3, 4] } else { &[1, 2, 3, 4, 5, 6] }, fails);
        expected.check("open_files", || open_files(0..4, open.clone()).boxed());
        for bytes in [0, 2, 100] {
            for num_files in [1, 2, 9] {
                let name = format!("ahead({num_files}, {bytes})");
                expected.check(&name, || open_files(0..4, open.clone()).ahead(num_files, bytes, |_| 1).boxed());
                let name = format!("unordered({num_files}, {bytes})");
                // Which values come before an error is random, except for those of its file.
                let names = if fails { 2..3 } else { 0..4 };
                let expected = if fails { stream(&[4], true) } else { expected.clone() };
                expected.check(&name, || {
                    let files = open_files(names.clone(), open.clone()).unordered(num_files, bytes, |_| 1);
                    files.sort(usize::MAX, |value| *value).boxed()
                });
            }
        }
        files[2].check("file_reader", || {
            let file = files[2].clone();
            file_reader("name", move |_| Ok(file.reader())).boxed()
        });
    }
    let unreadable = |file: &usize| {
        if *file == 1 {
            Err("failed at open".to_owned())
        } else {
            Ok(Stream { values: vec![7], fails: false }.reader())
        }
    };
    let expected = stream(&[7], true);
    expected.check("open_files", || open_files(0..3, unreadable).boxed());
    expected.check("ahead", || open_files(0..3, unreadable).ahead(3, 9, |_| 1).boxed());
}

fn several_readers_keep_the_contract() {
    for fails in [false, true] {
        let first = Stream { values: vec![1, 2, 3], fails };
        let second = Stream { values: vec![11, 12], fails: false };
        Stream { values: vec![1, 11, 2, 12, 3], fails }
            .check("interleave", || interleave(vec![(first.reader(), 1.0), (second.reader(), 1.0)]).unwrap().boxed());
        let values = if fails { vec![1, 2, 3] } else { vec![1, 2, 3, 1, 2, 3] };
        Stream { values, fails }.check("passes", || {
            let first = first.clone();
            passes(2, move |_| Ok(first.reader())).boxed()
        });
    }
}
