//! Tokens: the list of these tools. Each is a file of its own. `codes` is what two of them share.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod codes;

kaldi_cli::tools! {
    tokens "Tokens"
    convert_codes "convert-codes.rs" Own "converts codes of several codebooks between their patterns; joins them with text";
    indexed_blend "indexed-blend.rs" Own "makes the indices of a blend of token datasets";
    indexed_build_samples "indexed-build-samples.rs" Own "makes the document, sample and shuffle index of a training";
    indexed_check "indexed-check.rs" Own "finds what is wrong with token datasets, and repairs their indices";
    indexed_get "indexed-get.rs" Own "prints single sequences of a token dataset";
    indexed_info "indexed-info.rs" Own "shows what is in token datasets";
    indexed_merge "indexed-merge.rs" Own "joins token datasets; converts types";
    indexed_samples_to_int_vector "indexed-samples-to-int-vector.rs" Own "writes the samples of a training in their order";
    indexed_split "indexed-split.rs" Own "cuts token datasets into parts, and joins numbered .bin files";
    indexed_to_int_vector "indexed-to-int-vector.rs" Own "writes sequences or documents of a token dataset as integer vectors";
    int_vector_to_indexed "int-vector-to-indexed.rs" Own "writes integer vectors as a token dataset";
}
