# MFCC with pitch, as recipes make them: a job for each part of a table, compressed, with durations and numbers of frames.
printf -- '--use-energy=false\n--sample-frequency=16000\n' > mfcc.conf
printf -- '--sample-frequency=16000\n' > pitch.conf
for n in 1 2 3 4 5; do echo "u$n cat u1.wav |"; echo "v$n u2.wav"; done | LC_ALL=C sort > wav.scp
awk '{print $1, substr($1, 1, 1)}' wav.scp > utt2spk
printf 'u 0.95\nv 1.1\n' > spk2warp
for job in 1 2 3; do
  awk -v job=$job 'NR % 3 == job % 3' wav.scp > wav.$job.scp
  mfcc="ark:compute-mfcc-feats --verbose=2 --config=mfcc.conf --vtln-map=ark:spk2warp --utt2spk=ark:utt2spk \
    --write-utt2dur=ark,t:utt2dur.$job scp,p:wav.$job.scp ark:- |"
  pitch="ark,s,cs:compute-kaldi-pitch-feats --verbose=2 --config=pitch.conf scp,p:wav.$job.scp ark:- | \
    process-kaldi-pitch-feats ark:- ark:- |"
  paste-feats --length-tolerance=2 "$mfcc" "$pitch" ark:- |
    copy-feats --compress=true --write-num-frames=ark,t:utt2num_frames.$job ark:- \
      ark,scp:raw_mfcc_pitch.$job.ark,raw_mfcc_pitch.$job.scp &
done
wait
cat raw_mfcc_pitch.?.scp | LC_ALL=C sort > feats.scp
[ "$(cut -d ' ' -f 1 feats.scp)" = "$(cut -d ' ' -f 1 wav.scp)" ]
[ "$(feat-to-dim scp:feats.scp -)" = 16 ]
[ "$(cat utt2dur.? | wc -l)" = 10 ]
# A frame every 10 ms, but for the ends.
join <(cat utt2dur.? | LC_ALL=C sort) <(cat utt2num_frames.? | LC_ALL=C sort) |
  awk '{ if ($3 < 100 * $2 - 4 || $3 > 100 * $2) exit 1 }'
# In one job everything is the same, dither included.
compute-mfcc-feats --config=mfcc.conf --vtln-map=ark:spk2warp --utt2spk=ark:utt2spk scp:wav.scp ark:all.ark
for job in 1 2 3; do
  compute-mfcc-feats --config=mfcc.conf --vtln-map=ark:spk2warp --utt2spk=ark:utt2spk scp:wav.$job.scp ark,t:-
done | awk '/\[/ {key = $1} {print key, NR, $0}' | LC_ALL=C sort -s -k 1,1 | cut -d ' ' -f 3- > parts.txt
copy-feats ark:all.ark ark,t:- | cmp - parts.txt
