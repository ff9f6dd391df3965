//! Tables: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    tables "Tables"
    ark_to_scp "ark-to-scp.rs" Own "makes the script file of archives that have none, by their headers";
    compare_int_vector "compare-int-vector.rs" Kaldi "compares integer vectors and counts differences";
    concat_ark "concat-ark.rs" Own "joins or merges archives of any type, and lists where everything is";
    copy_int_vector "copy-int-vector.rs" Kaldi "copies integer vectors (alignments)";
    copy_matrix "copy-matrix.rs" Kaldi "copies matrices; scales them, applies functions";
    copy_vector "copy-vector.rs" Kaldi "copies vectors; scales, cuts or pads them";
    #[cfg(feature = "stores")]
    kaldi_store "kaldi-store.rs" Own "lists, shows, copies and removes objects in stores and on the web";
    matrix_dim "matrix-dim.rs" Kaldi "prints the sizes of matrices";
}
