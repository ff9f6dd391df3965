//! Shards: the list of these tools. Each is a file of its own. What several of them share is in modules.

mod existing_folder;
mod skip;

kaldi_cli::tools! {
    shards "Shards"
    check_shards "check-shards.rs" Own "finds everything that is wrong with shards";
    copy_shards "copy-shards.rs" Own "merges, splits, selects and shuffles shards without decoding sound";
    export_data_dir "export-data-dir.rs" Own "writes a data directory as a manifest of NeMo, WeNet or lhotse, or as CSV";
    extract_shards "extract-shards.rs" Own "makes a data directory or tables of shards";
    index_shards "index-shards.rs" Own "writes the indices of lhotse or DALI beside shards";
    list_shards "list-shards.rs" Own "lists the samples of shards and where they are";
    make_data_dir "make-data-dir.rs" Own "makes a data directory of a folder of sound, or of a manifest of another program";
    make_raw_list "make-raw-list.rs" Own "makes a raw list of a data directory, with the bytes of WeNet's";
    make_shar "make-shar.rs" Own "makes a Shar folder of lhotse of a data directory";
    make_shard_list "make-shard-list.rs" Own "makes shards of a data directory, with the bytes of WeNet's";
    shards_to_scp "shards-to-scp.rs" Own "makes script files by which all tools, and Kaldi's, read sound in shards";
}
