pub mod ark_to_scp;
pub mod compare_int_vector;
pub mod concat_ark;
pub mod copy_int_vector;
pub mod copy_matrix;
pub mod copy_vector;
pub mod kaldi_tables;
pub mod matrix_dim;
