# MFCC of whole recordings, and of segments in jobs side by side: a config file, compression, numbers of frames.
printf '%s\n' '--use-energy=false   # as nearly all recipes have it' '--sample-frequency=16000' > mfcc.conf
features="compute-mfcc-feats --verbose=2 --config=mfcc.conf"
copy="copy-feats --compress=true"

# Whole recordings: a frame every 10 ms, as long as 25 ms are left.
$features scp,p:wav.scp ark:- |
    $copy --write-num-frames=ark,t:utt2num_frames ark:- ark,scp:raw.ark,raw.scp
wav-to-duration scp:wav.scp ark,t:reco2dur
awk 'NR == FNR {frames[$1] = $2; next} frames[$1] != int(($2 - 0.025) / 0.01 + 1e-6) + 1 {exit 1}' utt2num_frames reco2dur
[ "$(feat-to-dim scp:raw.scp -)" = 13 ]

# Segments, in one job.
extract-segments scp,p:wav.scp segments ark:- | $features ark:- ark:- |
    $copy --write-num-frames=ark,t:utt2num_frames.all ark:- ark,scp:all.ark,all.scp
[ "$(wc -l < all.scp)" = "$(wc -l < segments)" ]

# Segments, in four jobs side by side: the same, with Kaldi's default of dither as well.
jobs=""
for job in 1 2 3 4; do
    awk -v job=$job '(NR - 1) % 4 + 1 == job' segments > segments.$job
    (extract-segments scp,p:wav.scp segments.$job ark:- | $features ark:- ark:- |
        $copy --write-num-frames=ark,t:utt2num_frames.$job ark:- ark,scp:mfcc.$job.ark,mfcc.$job.scp) &
    jobs="$jobs $!"
done
for job in $jobs; do
    wait "$job"
done
sort mfcc.?.scp > mfcc.scp
copy-feats scp:mfcc.scp ark,t:- | cmp - <(copy-feats ark:all.ark ark,t:-)
sort utt2num_frames.? | cmp - utt2num_frames.all

# What comes next: statistics by speaker.
compute-cmvn-stats --spk2utt=ark:spk2utt scp:mfcc.scp ark,scp:cmvn.ark,cmvn.scp
apply-cmvn --utt2spk=ark:utt2spk scp:cmvn.scp scp:mfcc.scp ark:- | add-deltas ark:- ark:- | feat-to-len ark:- ark,t:- |
    cmp - utt2num_frames.all
