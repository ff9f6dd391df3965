//! What is measured of tools on models.

use crate::corpus::Corpus;
use crate::jobs::Job;

/// All jobs on models.
pub fn jobs() -> Vec<Job> {
    let mut jobs = mixture_jobs();
    jobs.extend(ivector_jobs());
    jobs.extend(alignment_jobs());
    jobs
}

/// 60 utterances of 8 seconds and 512 Gaussians in 60 dimensions. Kaldi takes 0.31, 0.13, 0.99 and 0.22 seconds, on one
/// thread.
fn mixture_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Ivectors, name, tool, arguments);
    vec![
        job(
            "the best 20 of 512 Gaussians (one thread)",
            "gmm-gselect",
            &["--num-threads=1", "--n=20", "diag.ubm", "ark:gauss.ark", "ark:/dev/null"],
        )
        .parts_of_kaldis(0.31, 0.5, 0.5),
        job(
            "the best 20 of 512 Gaussians (two threads)",
            "gmm-gselect",
            &["--num-threads=2", "--n=20", "diag.ubm", "ark:gauss.ark", "ark:/dev/null"],
        ),
        job(
            "posteriors of 512 Gaussians (one thread)",
            "gmm-global-get-post",
            &["--num-threads=1", "--n=20", "--min-post=0.025", "diag.ubm", "ark:gauss.ark", "ark:/dev/null"],
        )
        .parts_of_kaldis(0.13, 0.5, 0.5),
        job(
            "posteriors of 512 Gaussians (two threads)",
            "gmm-global-get-post",
            &["--num-threads=2", "--n=20", "--min-post=0.025", "diag.ubm", "ark:gauss.ark", "ark:/dev/null"],
        ),
        job(
            "statistics of 512 Gaussians (one thread)",
            "gmm-global-acc-stats",
            &["--num-threads=1", "diag.ubm", "ark:gauss.ark", "out"],
        )
        .parts_of_kaldis(0.99, 0.5, 0.5),
        job(
            "statistics of 512 Gaussians (two threads)",
            "gmm-global-acc-stats",
            &["--num-threads=2", "diag.ubm", "ark:gauss.ark", "out"],
        ),
        job(
            "posteriors of 20 selected Gaussians with full covariances (one thread)",
            "fgmm-global-gselect-to-post",
            &["--num-threads=1", "--min-post=0.025", "full.ubm", "ark:gauss.ark", "ark:gauss.lists", "ark:/dev/null"],
        )
        .parts_of_kaldis(0.22, 0.5, 0.5),
        job(
            "posteriors of 20 selected Gaussians with full covariances (two threads)",
            "fgmm-global-gselect-to-post",
            &["--num-threads=2", "--min-post=0.025", "full.ubm", "ark:gauss.ark", "ark:gauss.lists", "ark:/dev/null"],
        ),
    ]
}

/// i-vectors of 400 dimensions from these utterances. Kaldi takes 4.8 and 5.4 seconds, on one thread.
fn ivector_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Ivectors, name, tool, arguments);
    vec![
        job(
            "i-vectors (400 dimensions, one thread)",
            "ivector-extract",
            &["--num-threads=1", "ie", "ark:gauss.ark", "ark:gauss.post", "ark:/dev/null"],
        )
        .parts_of_kaldis(4.8, 0.7, 0.7),
        job(
            "statistics for i-vectors (400 dimensions, one thread)",
            "ivector-extractor-acc-stats",
            &["--num-threads=1", "ie", "ark:gauss.ark", "ark:gauss.post", "out"],
        )
        .parts_of_kaldis(5.4, 0.7, 0.7),
    ]
}

/// Alignments and posteriors of 12 million frames. Kaldi takes 0.55, 0.39 and 2.0 seconds.
fn alignment_jobs() -> Vec<Job> {
    let job = |name, tool, arguments| Job::new(Corpus::Models, name, tool, arguments);
    vec![
        job("alignments to phones (to /dev/null)", "ali-to-phones", &["final.mdl", "ark:ali.ark", "ark:/dev/null"])
            .parts_of_kaldis(0.55, 0.1, 0.1),
        job("alignments to pdfs (to /dev/null)", "ali-to-pdf", &["final.mdl", "ark:ali.ark", "ark:/dev/null"])
            .parts_of_kaldis(0.39, 0.1, 0.1),
        job(
            "posteriors without silence (to /dev/null)",
            "weight-silence-post",
            &["0.0", "1:2:3:4:5", "final.mdl", "ark:post.ark", "ark:/dev/null"],
        )
        .parts_of_kaldis(2.0, 0.1, 0.1),
        job("facts about a model", "am-info", &["final.mdl"]),
        job("facts about a model of 100 MB", "am-info", &["large.mdl"]),
    ]
}
