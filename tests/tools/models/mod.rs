pub mod acc_lda;
pub mod acc_tree_stats;
pub mod ali_to_pdf;
pub mod ali_to_phones;
pub mod am_info;
pub mod build_pfile_from_ali;
pub mod build_tree;
pub mod build_tree_two_level;
pub mod cluster_phones;
pub mod compile_questions;
pub mod compute_gop;
pub mod convert_ali;
pub mod copy_transition_model;
pub mod copy_tree;
pub mod draw_tree;
pub mod extractor;
pub mod gmm_boost_silence;
pub mod gmm_compute_likes;
pub mod gmm_copy;
pub mod gmm_est_fmllr;
pub mod gmm_info;
pub mod gmm_init_biphone;
pub mod gmm_init_model;
pub mod gmm_init_model_flat;
pub mod gmm_init_mono;
pub mod gmm_mixup;
pub mod gmm_transform_means;
pub mod hmm_info;
pub mod init_ubm;
pub mod ivector_extract;
pub mod ivector_extract_online;
pub mod ivector_extract_online2;
pub mod ivector_extractor_acc_stats;
pub mod ivector_extractor_copy;
pub mod ivector_extractor_est;
pub mod ivector_extractor_init;
pub mod ivector_extractor_sum_accs;
pub mod ivector_randomize;
pub mod messages;
pub mod mixtures;
pub mod post_to_pdf_post;
pub mod post_to_phone_post;
pub mod post_to_tacc;
pub mod samples;
pub mod show_alignments;
pub mod show_transitions;
pub mod sum_tree_stats;
pub mod training;
pub mod tree_info;
pub mod weight_silence_post;

use crate::support::Scratch;

/// Phone 1 has three states (transition-ids 1 to 6, pdfs 0 to 2), phone 2 has one (7 and 8, pdf 3).
pub const TRANSITIONS: &str = "\
<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n1 \n</ForPhones> \n\
<State> 0 <PdfClass> 0 <Transition> 0 0.75 <Transition> 1 0.25 </State> \n\
<State> 1 <PdfClass> 1 <Transition> 1 0.75 <Transition> 2 0.25 </State> \n\
<State> 2 <PdfClass> 2 <Transition> 2 0.75 <Transition> 3 0.25 </State> \n<State> 3 </State> \n</TopologyEntry> \n\
<TopologyEntry> \n<ForPhones> \n2 \n</ForPhones> \n<State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State> \n\
<State> 1 </State> \n</TopologyEntry> \n</Topology> \n<Triples> 4 \n1 0 0 \n1 1 1 \n1 2 2 \n2 0 3 \n</Triples> \n<LogProbs> \n \
[ 0 -0.25 -1.5 -0.25 -1.5 -0.25 -1.5 -0.75 -0.5 ]\n</LogProbs> \n</TransitionModel> \n";

/// The tree of the transitions.
pub const TREE: &str = "ContextDependency 1 0 ToPdf TE 0 3 ( NULL TE -1 3 ( CE 0 CE 1 CE 2 ) \nTE -1 1 ( CE 3 ) \n) \nEndContextDependency ";

/// One Gaussian in one dimension for each pdf.
pub fn gaussians() -> String {
    let gaussian = |mean: usize| {
        format!(
            "<DiagGMM> \n<GCONSTS>  [ 0 ]\n<WEIGHTS>  [ 1 ]\n<MEANS_INVVARS>  [\n  {mean} ]\n<INV_VARS>  [\n  1 ]\n</DiagGMM> \n"
        )
    };
    format!("<DIMENSION> 1 <NUMPDFS> 4 {}", (0..4).map(gaussian).collect::<String>())
}

/// A folder with a model, its tree, alignments of two utterances, and the names of phones.
pub fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("mdl", [TRANSITIONS, &gaussians()].concat())
        .write("tree", TREE)
        .write("ali", "a 1 2 4 5 6 7 8\nb 8 7 7 2 4 6 5\n")
        .write("phones", "<eps> 0\nAA 1\nSIL 2\n");
    scratch
}
