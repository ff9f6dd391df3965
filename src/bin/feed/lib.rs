//! Feed: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    feed "Feed"
    batch_utts "batch-utts.rs" Own "joins utterances to batches by number, by frames with padding, or by similar lengths";
    feed_batches "feed-batches.rs" Own "feeds padded batches to a training: the whole chain from a list to arrays";
    feed_feats "feed-feats.rs" Own "writes the utterances of a training in its order, and which make a batch";
    filter_utts "filter-utts.rs" Own "keeps the utterances whose lengths and labels are within bounds";
    make_symbols "make-symbols.rs" Own "makes a symbol table of the characters, words or SentencePiece pieces of texts";
    pad_feats "pad-feats.rs" Own "pads features to one length, by batches or all";
    perturb_wav_speed "perturb-wav-speed.rs" Own "plays waveforms faster or slower";
    resample_wav "resample-wav.rs" Own "converts waveforms to another sample rate";
    spec_augment_feats "spec-augment-feats.rs" Own "masks, replaces and cuts off frames of features at random";
    table_shuffle "table-shuffle.rs" Own "shuffles a table of any type, or a list";
    table_sort "table-sort.rs" Own "sorts a table of any type, or a list";
    table_split "table-split.rs" Own "splits a table of any type, or a list, among ranks and workers, or into parts";
    tokenize_text "tokenize-text.rs" Own "converts text to the numbers of characters, words or SentencePiece pieces, and back";
}
