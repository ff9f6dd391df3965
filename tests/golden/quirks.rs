//! Where we do something else than Kaldi on purpose, and the tests that show what.

use crate::tools::audio::{compute_fbank_feats, compute_plp_feats, wav_copy, wav_reverberate, wav_to_duration};
use crate::tools::egs::{chain, nnet3_subset_egs};
use crate::tools::every_field;
use crate::tools::features::{copy_feats, select_feats};
use crate::tools::graphs::{arpa2fst, fstaddselfloops, fstcopy, fstrmsymbols};
use crate::tools::help;
use crate::tools::lattices::{costs, lattice_add_trans_probs, lattice_copy};
use crate::tools::models::mixtures::{selections, statistics};
use crate::tools::models::{ali_to_pdf, ali_to_phones, compute_gop, gmm_copy};
use crate::tools::posteriors::post_to_feats;
use crate::tools::tables::{copy_int_vector, copy_matrix, copy_vector};
use crate::tools::vectors::{vector_scale, vector_sum};

/// A function marked `#[test]`.
pub type Test = fn();

/// Every pattern of `quirks.json` that is about a tool we have, with the tests of what we do instead: functions, not
/// names, so that none can be lost.
pub const ASSERTED: &[(&str, &[Test])] = &[
    (
        "^(arpa2fst|fstaddselfloops|fstisstochastic|fstrmsymbols|fstcopy)/(h-)?quirk-",
        &[
            arpa2fst::lines_may_end_as_on_windows,
            arpa2fst::the_last_line_may_lack_its_end_and_have_blanks,
            arpa2fst::a_byte_order_mark_is_passed_over,
            arpa2fst::logarithms_are_numbers,
            arpa2fst::sentences_have_to_end,
            arpa2fst::words_have_numbers_of_their_own,
            arpa2fst::a_table_without_any_word_of_the_model_is_the_wrong_one,
            arpa2fst::a_pipe_that_fails_is_an_error,
            fstaddselfloops::an_arc_to_a_state_that_does_not_exist_is_an_error,
            fstaddselfloops::an_input_pipe_that_fails_is_an_error,
            fstcopy::text_has_numbers_and_symbol_tables_are_lost_with_a_warning,
            fstcopy::a_state_that_does_not_exist_is_an_error,
            fstcopy::an_archive_cut_inside_a_key_is_an_error,
            fstrmsymbols::nothing_is_left_of_a_graph_without_paths,
        ],
    ),
    (
        "copy-(matrix|vector|int-vector)/(h-)?io-truncated-in-key$",
        &[
            copy_int_vector::an_archive_cut_inside_a_key_is_an_error,
            copy_matrix::an_archive_cut_inside_a_key_is_an_error,
            copy_vector::an_archive_cut_inside_a_key_is_an_error,
        ],
    ),
    (
        "copy-int-vector/(h-)?io-text-no-final-newline$",
        &[copy_int_vector::a_text_archive_that_ends_inside_a_key_is_an_error],
    ),
    (
        "/(h-)?io-scp-(bad-line-later|blank-line)",
        &[copy_matrix::a_line_of_a_script_file_that_is_none_is_an_error_wherever_it_stands],
    ),
    (
        "copy-vector/io-(pipe-out-fails|pipe-out-scp-fails|file-output-pipe-fails)$",
        &[copy_vector::an_output_pipe_that_fails_is_an_error],
    ),
    (
        "copy-matrix/io-pipe-scp-fails$|vector-sum/io-ra-pipe-fails$",
        &[
            copy_matrix::a_script_file_from_a_pipe_that_fails_is_an_error,
            vector_sum::a_table_from_a_pipe_that_fails_is_an_error,
        ],
    ),
    (
        "read-numbers-lenient$|feats-text-number-(plus|point|minus-inf|minus-nan)$|/h-io-read-junk$",
        &[
            copy_feats::numbers_as_others_write_them_are_read,
            copy_matrix::numbers_as_others_write_them_are_read,
            copy_vector::numbers_as_others_write_them_are_read,
        ],
    ),
    (
        "/(h-)?quirk-",
        &[
            ali_to_pdf::a_number_that_is_no_transition_id_is_an_error,
            ali_to_phones::what_is_no_alignment_of_the_model_is_an_error,
            compute_gop::phones_are_scored_with_and_without_a_map,
            selections::gaussians_of_a_list_have_their_own_likelihoods_in_every_order,
            statistics::weights_of_posteriors_do_not_compound,
            gmm_copy::transitions_that_are_not_copied_may_be_there_or_not,
            lattice_add_trans_probs::costs_of_transitions_are_added_and_taken_off,
            lattice_copy::a_cost_that_is_no_number_is_an_error_with_its_place,
            lattice_copy::a_state_that_does_not_exist_is_an_error,
            lattice_copy::an_archive_cut_inside_a_key_is_an_error,
            lattice_copy::listed_lattices_are_left_out_in_both_forms,
        ],
    ),
    ("^lattice-push/(h-)?corners-where$", &[costs::states_may_be_in_any_order]),
    ("copy-matrix/io-fail-zero-by-three$", &[copy_matrix::a_matrix_of_columns_without_rows_is_empty]),
    (
        "copy-vector/io-(option|config)-after-arguments$",
        &[every_field::options_may_stand_after_arguments_in_all_tools, copy_vector::options_may_stand_after_arguments],
    ),
    ("copy-matrix/io-range-columns-only$", &[copy_matrix::a_range_may_leave_the_rows_out]),
    (
        "select-feats/(h-)?(two-digit-reverse.*|minus-one|word|suffix|fraction)$",
        &[
            select_feats::a_range_may_run_backwards_however_many_digits_it_has,
            select_feats::a_selection_that_is_no_list_of_numbers_and_ranges_is_an_error,
        ],
    ),
    ("^nnet3-chain-copy-egs/(h-)?damaged-cut-1$", &[chain::an_archive_cut_inside_a_key_is_an_error]),
    ("^nnet3-subset-egs/(h-)?damaged-writes-nothing$", &[nnet3_subset_egs::what_fails_leaves_no_output]),
    ("^post-to-feats/files$", &[post_to_feats::single_files_work]),
    (
        "compute-(fbank|plp)-feats/(h-)?vtln-map-per-speaker",
        &[compute_fbank_feats::speakers_have_warp_factors, compute_plp_feats::speakers_have_warp_factors],
    ),
    ("vector-scale/(h-)?sorted-option-refused", &[vector_scale::rspecifiers_may_have_options]),
    (
        "wav-copy/(h-)?header-(list-odd-padded|float|mulaw|8-bit|24-bit|32-bit|extensible-float|sox-24-bit|sox-float|sox-mulaw|sox-8-bit|cut-in-fmt|cut-after-riff|fmt-too-small)",
        &[
            wav_copy::chunks_of_odd_length_may_be_padded_or_not,
            wav_copy::other_encodings_become_16_bits,
            wav_copy::a_failure_empties_no_file_that_is_there,
        ],
    ),
    ("wav-to-duration/(h-)?ark-header-only-fails", &[wav_to_duration::archives_work_without_reading_them_whole]),
    ("wav-reverberate/(h-)?rir-other-rate", &[wav_reverberate::an_impulse_response_at_another_rate_is_an_error]),
    ("copy-(matrix|vector|int-vector|feats|post|gselect)/(h-)?io-help$", &[help::help_is_answered_on_standard_output]),
    (
        "copy-feats/(h-)?(feats-compress-empty|io-empty-matrices-compressed)$",
        &[copy_feats::an_empty_matrix_is_not_compressed],
    ),
    (
        "wav-copy/(h-)?(bad-input-leaves-empty-output|header-(extensible-short|flac-not-wav|byte-rate|block-align|no-channels|riff-misspelt|rf64|wave-misspelt|no-data-bytes|no-data-chunk|empty-file)|bits-12|aiff|text|lower-case-riff|w64)$",
        &[wav_copy::a_single_file_that_fails_leaves_no_output],
    ),
];
