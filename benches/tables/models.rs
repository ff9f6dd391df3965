//! What is measured of tools on models.

use crate::corpus::Corpus;
use crate::job::Job;

/// All jobs on models.
pub fn jobs() -> Vec<Job> {
    let mut jobs = mixture_jobs();
    jobs.extend(ivector_jobs());
    jobs.extend(alignment_jobs());
    jobs.extend(speaker_jobs());
    jobs.extend(transform_jobs());
    jobs
}

/// A job on a mixture or an extractor: on one thread, where Kaldi is to take so many times as long, and on two.
fn on_one_and_two(name: &'static str, tool: &'static str, arguments: &'static [&'static str], times: f64) -> [Job; 2] {
    let job = || Job::new(Corpus::Ivectors, name, tool, arguments);
    [job().on_one_thread().faster(times), job().on_two_threads()]
}

/// 60 utterances of 8 seconds and 512 Gaussians in 60 dimensions.
fn mixture_jobs() -> Vec<Job> {
    let jobs = [
        on_one_and_two(
            "the best 20 of 512 Gaussians",
            "gmm-gselect",
            &["--n=20", "diag.ubm", "ark:gauss.ark", "ark:/dev/null"],
            2.0,
        ),
        on_one_and_two(
            "posteriors of 512 Gaussians",
            "gmm-global-get-post",
            &["--n=20", "--min-post=0.025", "diag.ubm", "ark:gauss.ark", "ark:/dev/null"],
            2.0,
        ),
        on_one_and_two(
            "statistics of 512 Gaussians",
            "gmm-global-acc-stats",
            &["diag.ubm", "ark:gauss.ark", "out"],
            2.0,
        ),
        on_one_and_two(
            "posteriors of 20 selected Gaussians with full covariances",
            "fgmm-global-gselect-to-post",
            &["--min-post=0.025", "full.ubm", "ark:gauss.ark", "ark:gauss.lists", "ark:/dev/null"],
            2.0,
        ),
    ];
    jobs.into_iter().flatten().collect()
}

/// i-vectors of 400 dimensions from these utterances.
fn ivector_jobs() -> Vec<Job> {
    let jobs = [
        on_one_and_two(
            "i-vectors of 400 dimensions",
            "ivector-extract",
            &["ie", "ark:gauss.ark", "ark:gauss.post", "ark:/dev/null"],
            1.4,
        ),
        on_one_and_two(
            "statistics for i-vectors of 400 dimensions",
            "ivector-extractor-acc-stats",
            &["ie", "ark:gauss.ark", "ark:gauss.post", "out"],
            1.4,
        ),
    ];
    jobs.into_iter().flatten().collect()
}

/// Alignments and posteriors of 12 million frames.
fn alignment_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Models, name, tool, arguments);
    vec![
        job("alignments to phones (to /dev/null)", "ali-to-phones", &["final.mdl", "ark:ali.ark", "ark:/dev/null"])
            .faster(10.0),
        job("alignments to pdfs (to /dev/null)", "ali-to-pdf", &["final.mdl", "ark:ali.ark", "ark:/dev/null"])
            .faster(10.0),
        job(
            "posteriors without silence (to /dev/null)",
            "weight-silence-post",
            &["0.0", "1:2:3:4:5", "final.mdl", "ark:post.ark", "ark:/dev/null"],
        )
        .faster(10.0),
        job("facts about a model", "am-info", &["final.mdl"]),
        job("facts about a model of 100 MB", "am-info", &["large.mdl"]),
    ]
}

/// 8000 vectors of 200 dimensions of 200 speakers, and 400,000 trials.
fn speaker_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Speakers, name, tool, arguments).on_one_thread();
    vec![
        job(
            "PLDA scores of 400,000 trials",
            "ivector-plda-scoring",
            &["--normalize-length=true", "plda", "ark:speakers.ark", "ark:speech.ark", "trials", "out"],
        ),
        job("a PLDA model of 8000 vectors", "ivector-compute-plda", &["ark:spk2utt", "ark:speech.ark", "out"]),
        job(
            "LDA of 8000 vectors to 150 dimensions",
            "ivector-compute-lda",
            &["--dim=150", "ark:speech.ark", "ark:utt2spk", "out"],
        ),
        job(
            "subtracting the mean of 8000 vectors",
            "ivector-subtract-global-mean",
            &["ark:speech.ark", "ark:/dev/null"],
        ),
        job("normalizing 8000 vectors", "ivector-normalize-length", &["ark:speech.ark", "ark:/dev/null"]),
        job(
            "transforming 8000 vectors to 150 dimensions",
            "ivector-transform",
            &["speech.mat", "ark:speech.ark", "ark:/dev/null"],
        ),
        job(
            "dot products of 400,000 trials",
            "ivector-compute-dot-products",
            &["trials", "ark:speakers.ark", "ark:speech.ark", "out"],
        ),
    ]
}

/// Frames of 440 columns, and one of 3000 pdfs for each.
fn transform_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Spliced, name, tool, arguments).on_one_thread();
    vec![
        job("statistics for LDA of 440 columns", "acc-lda", &["lda.mdl", "ark:few.ark", "ark:few.post", "out"]),
        job("LDA from 440 to 40 columns", "est-lda", &["--dim=40", "out", "lda.acc"]),
        job("PCA of 440 columns", "est-pca", &["--dim=40", "ark:few.ark", "out"]),
    ]
}
