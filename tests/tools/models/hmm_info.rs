use super::am_info::is_summarized_by;

#[test]
fn a_model_is_summarized() {
    is_summarized_by("hmm-info");
}
