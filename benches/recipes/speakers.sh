# A mixture with diagonal and one with full covariances, an extractor, i-vectors, PLDA. Given: what features.sh made.
sid/train_diag_ubm.sh --nj 4 --num-threads 2 --cmd utils/run.pl data/train 64 exp/diag_ubm
sid/train_full_ubm.sh --nj 4 --cmd utils/run.pl data/train exp/diag_ubm exp/full_ubm
sid/train_ivector_extractor.sh --nj 2 --num-processes 2 --num-threads 1 --num-iters 5 --ivector-dim 40 --cmd utils/run.pl \
    exp/full_ubm/final.ubm data/train exp/extractor
sid/extract_ivectors.sh --nj 4 --cmd utils/run.pl exp/extractor data/train exp/ivectors
ivector-compute-plda ark:data/train/spk2utt 'ark:ivector-normalize-length scp:exp/ivectors/ivector.scp ark:- |' exp/plda 2> exp/plda.log
ivector-plda-scoring --num-utts=ark:exp/ivectors/num_utts.ark exp/plda \
    'ark:ivector-subtract-global-mean scp:exp/ivectors/spk_ivector.scp ark:- | ivector-normalize-length ark:- ark:- |' \
    'ark:ivector-subtract-global-mean scp:exp/ivectors/ivector.scp ark:- | ivector-normalize-length ark:- ark:- |' \
    trials exp/scores 2> exp/scores.log
