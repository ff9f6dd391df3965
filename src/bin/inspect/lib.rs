//! Inspect: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    inspect "Inspect"
    table_check "table-check.rs" Own "finds everything that is wrong with archives, script files and data directories";
    table_diff "table-diff.rs" Own "shows the differences between two tables";
    table_export "table-export.rs" Own "writes a table as a file of NumPy, safetensors, Parquet, CSV or JSON lines";
    table_get "table-get.rs" Own "prints entries by their keys";
    table_head "table-head.rs" Own "prints the first entries";
    table_import "table-import.rs" Own "makes a table of a file of NumPy, safetensors, Parquet, Arrow, CSV or JSON lines";
    table_info "table-info.rs" Own "shows what is in archives, script files and data directories";
    table_keys "table-keys.rs" Own "lists keys, places and sizes";
    #[cfg(feature = "view")]
    table_report "table-report.rs" Own "writes a page about a corpus: distributions, and the utterances that stand out";
    table_sample "table-sample.rs" Own "takes a random sample";
    table_stats "table-stats.rs" Own "computes mean, deviation, quantiles, NaN and lengths of a table, by column, key or speaker";
    #[cfg(feature = "view")]
    table_view "table-view.rs" Own "shows utterances in a browser: list, sound, spectrogram, features, alignments";
}
