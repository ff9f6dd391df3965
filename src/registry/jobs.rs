//! The tools in `src/bin/jobs`.

task! {
    jobs "Jobs" {
        table_jobs "table-jobs" "../bin/jobs/table-jobs.rs" Own
            "runs a command over pieces of its input, here or on a cluster";
    }
}
