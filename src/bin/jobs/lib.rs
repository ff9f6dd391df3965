//! Jobs: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    jobs "Jobs"
    table_jobs "table-jobs.rs" Own "runs a command over pieces of its input, here or on a cluster";
}
