//! What is measured of training examples.

use crate::corpus::Corpus;
use crate::job::Job;

/// Examples of 8 labelled frames with 4 frames before and after them, in 40 dimensions: how they are made, and what is done
/// with 75,000 of them, which are compressed. Each job is done on one thread, where Kaldi is to take so many times as long, and
/// on two.
pub fn jobs() -> Vec<Job> {
    let jobs: [(&str, &str, &'static [&'static str], f64); 5] = [
        (
            "training examples of 1000 utterances, compressed",
            "nnet3-get-egs",
            &[
                "--num-pdfs=3000",
                "--num-frames=8",
                "--left-context=4",
                "--right-context=4",
                "ark:egs.feats",
                "ark:egs.post",
                "ark:/dev/null",
            ],
            3.0,
        ),
        ("copying training examples", "nnet3-copy-egs", &["ark:egs.ark", "ark:/dev/null"], 8.0),
        ("shuffling training examples", "nnet3-shuffle-egs", &["--srand=1", "ark:egs.ark", "ark:/dev/null"], 5.0),
        (
            "shuffling training examples in a buffer of 5000",
            "nnet3-shuffle-egs",
            &["--buffer-size=5000", "ark:egs.ark", "ark:/dev/null"],
            3.0,
        ),
        (
            "merging training examples to minibatches of 128",
            "nnet3-merge-egs",
            &["--minibatch-size=128", "ark:egs.ark", "ark:/dev/null"],
            4.0,
        ),
    ];
    let on_one_and_two = |(name, tool, arguments, times)| {
        let job = || Job::new(Corpus::Examples, name, tool, arguments);
        [job().on_one_thread().faster(times), job().on_two_threads()]
    };
    jobs.into_iter().flat_map(on_one_and_two).collect()
}
