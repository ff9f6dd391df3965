//! The tools in `src/bin/tables`.

task! {
    tables "Tables" {
        ark_to_scp "ark-to-scp" "../bin/tables/ark-to-scp.rs" Own
            "makes the script file of archives that have none, by their headers";
        compare_int_vector "compare-int-vector" "../bin/tables/compare-int-vector.rs" Kaldi
            "compares integer vectors and counts differences";
        concat_ark "concat-ark" "../bin/tables/concat-ark.rs" Own
            "joins or merges archives of any type, and lists where everything is";
        copy_int_vector "copy-int-vector" "../bin/tables/copy-int-vector.rs" Kaldi
            "copies integer vectors (alignments)";
        copy_matrix "copy-matrix" "../bin/tables/copy-matrix.rs" Kaldi
            "copies matrices; scales them, applies functions";
        copy_vector "copy-vector" "../bin/tables/copy-vector.rs" Kaldi
            "copies vectors; scales, cuts or pads them";
        #[cfg(feature = "stores")]
        kaldi_store "kaldi-store" "../bin/tables/kaldi-store.rs" Own
            "lists, shows, copies and removes objects in stores and on the web";
        matrix_dim "matrix-dim" "../bin/tables/matrix-dim.rs" Kaldi
            "prints the sizes of matrices";
    }
}
