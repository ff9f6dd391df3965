# Pitch beside MFCC: recordings that are missing, and all four columns of pitch, compressed; the same in one tool.
nj=2
printf '%s\n' 'p2 cat p2.wav |' 'p3 p3.wav' 't2 t2.wav' > wav.scp
awk -v nj=$nj '{print > ("wav." (NR - 1) % nj + 1 ".scp")}' wav.scp
# A recording that is not there is left out by both.
echo 'x9 none.wav' >> wav.2.scp
for n in $(seq $nj); do
    mfcc="ark:compute-mfcc-feats --verbose=2 --config=mfcc8k.conf scp,p:wav.$n.scp ark:- |"
    pitch="ark,s,cs:compute-kaldi-pitch-feats --verbose=2 --config=pitch.conf scp,p:wav.$n.scp ark:- |
        process-kaldi-pitch-feats --add-raw-log-pitch=true ark:- ark:- |"
    paste-feats --length-tolerance=2 "$mfcc" "$pitch" ark:- |
        copy-feats --compress=true --write-num-frames=ark,t:utt2num_frames.$n \
            ark:- ark,scp:raw_mfcc_pitch.$n.ark,raw_mfcc_pitch.$n.scp 2> log.$n &
done
wait
cat raw_mfcc_pitch.?.scp | LC_ALL=C sort > feats.scp
cat utt2num_frames.? | LC_ALL=C sort > utt2num_frames
[ "$(cut -d ' ' -f 1 feats.scp | tr '\n' ' ')" = 'p2 p3 t2 ' ]
# 13 coefficients; voicing, normalized pitch, its derivative, log pitch.
[ "$(feat-to-dim scp:feats.scp -)" = 17 ]
feat-to-len scp:feats.scp ark,t:- | sed 's/ *$//' | cmp - <(sed 's/ *$//' utt2num_frames)
# The MFCC are those of the one tool, and the pitch lies where it was looked for; compression takes a little of both.
compute-mfcc-feats --config=mfcc8k.conf scp:wav.scp ark:- | feat-to-len ark:- ark,t:- > mfcc.len
awk 'NR == FNR {len[$1] = $2; next} {if (len[$1] - $2 < 0 || len[$1] - $2 > 2) exit 1}' mfcc.len utt2num_frames
select-feats 16 scp:feats.scp ark,t:- | tr -d '][' | awk '$1 ~ /^[0-9.]+$/ {n++; if ($1 < 3.9 || $1 > 6.01) exit 1} END {exit n < 100}'
# The same in one tool, without noise.
select-feats 13-14,16 scp:feats.scp ark:three.ark
compute-and-process-kaldi-pitch-feats --config=pitch.conf --add-delta-pitch=false --add-raw-log-pitch=true scp:wav.scp ark:- |
    compare-feats --threshold=0.99 ark:- ark:three.ark
