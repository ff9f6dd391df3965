# What an x-vector system reads: sliding normalization, voiced frames only, compressed.
compute-vad --vad-energy-threshold=-100 scp:feats.scp ark,scp:vad.ark,vad.scp
apply-cmvn-sliding --norm-vars=false --center=true --cmn-window=300 scp:feats.scp ark:- |
    select-voiced-frames ark:- scp,s,cs:vad.scp ark:- |
    copy-feats --compress=true --write-num-frames=ark,t:utt2num_frames ark:- ark,scp:xvector.ark,xvector.scp
[ "$(wc -l < utt2num_frames)" = "$(wc -l < feats.scp)" ]
feat-to-len scp:xvector.scp ark,t:- | cmp - utt2num_frames
# With so low a threshold every frame is voiced.
feat-to-len scp:feats.scp ark,t:- | cmp - utt2num_frames
# Three frames of the middle of each, without decompressing the rest.
awk '{print $1, $2 "[5:7]"}' xvector.scp | feat-to-len scp:- ark,t:- | awk '$2 != 3 {exit 1}'
ark-to-scp xvector.ark again.scp && cmp xvector.scp again.scp
