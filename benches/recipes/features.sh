# MFCC, CMVN statistics, decisions on voice, filter banks with pitch. Given: data/train.
for data in fbank pitch; do
    cp -r data/train data/$data
done
steps/make_mfcc.sh --nj 4 --cmd utils/run.pl data/train exp/make_mfcc mfcc
steps/compute_cmvn_stats.sh data/train exp/make_mfcc mfcc
sid/compute_vad_decision.sh --nj 4 --cmd utils/run.pl data/train exp/make_vad vad
steps/make_fbank.sh --nj 4 --cmd utils/run.pl data/fbank exp/make_fbank fbank
steps/make_fbank_pitch.sh --nj 4 --cmd utils/run.pl data/pitch exp/make_pitch pitch
