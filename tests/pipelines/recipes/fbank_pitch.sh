# Filter banks and pitch in one matrix, and what they look like.
printf '%s\n' '--num-mel-bins=40' '--dither=0' > fbank.conf
compute-fbank-feats --config=fbank.conf scp:wav.scp ark,scp:fbank.ark,fbank.scp
compute-kaldi-pitch-feats --sample-frequency=16000 scp:wav.scp ark:- | process-kaldi-pitch-feats ark:- ark,scp:pitch.ark,pitch.scp
paste-feats --length-tolerance=2 scp:fbank.scp scp:pitch.scp ark:- |
    copy-feats --compress=true --write-num-frames=ark,t:utt2num_frames ark:- ark,scp:both.ark,both.scp
[ "$(feat-to-dim scp:both.scp -)" = 43 ]
feat-to-len scp:fbank.scp ark,t:- | cmp - utt2num_frames

feats-to-png --wav=scp:wav.scp --max-utts=1 scp:fbank.scp pictures 2> log
grep -q 'Drew 1 utterances, 0 were empty' log
# The waveform fits its features.
if grep -q WARNING log; then exit 1; fi
[ "$(ls pictures)" = anna.png ]
