# Waveforms as data preparation, segmentation and augmentation handle them: every utterance through commands.
mkdir -p data
for name in in a tone; do
    echo "rec-$name wav-copy $name.wav - |"
done > data/wav.scp
wav-to-duration --read-entire-file=true scp:data/wav.scp ark,t:data/reco2dur
[ "$(wc -l < data/reco2dur)" = 3 ]

# Two halves of every recording, the second up to its end.
awk '{printf "%s-1 %s 0 %.6f\n%s-2 %s %.6f -1\n", $1, $1, $2 / 2, $1, $1, $2 / 2}' data/reco2dur > data/segments
extract-segments --min-segment-length=0.01 scp:data/wav.scp data/segments ark:- |
    wav-copy ark:- ark,scp:data/segmented.ark,data/segmented.scp
[ "$(cut -d' ' -f1 data/segmented.scp)" = "$(cut -d' ' -f1 data/segments)" ]
wav-to-duration scp:data/segmented.scp ark,t:- |
    awk '{sum[substr($1, 1, length($1) - 2)] += $2} END {for (key in sum) print key, sum[key]}' | LC_ALL=C sort > sums
LC_ALL=C sort data/reco2dur | awk 'NR == FNR {sum[$1] = $2; next}
    {d = sum[$1] - $2; if (d * d > 1e-6) {print; exit 1}}' sums -
# Samples are those of the recording.
wav-copy 'wav-copy in.wav - |' - | tail -c +45 > whole.raw
wav-copy scp:data/segmented.scp ark:/dev/null
grep '^rec-in-' data/segmented.scp | while read -r key place; do
    wav-copy "$place" - < /dev/null | tail -c +45
done | cmp - whole.raw

# Augmentation: a copy of every segment in a room, with noise, as a script file of pipes.
awk '{print "rvb1-" $1, "wav-copy " $2 " - | wav-reverberate --shift-output=true --impulse-response=\"wav-copy rir.wav - |\" " \
    "--additive-signals=\"wav-copy na.wav - |\" --start-times=0 --snrs=15 - - |"}' data/segmented.scp > rvb.scp
grep '^rvb1-rec-in' rvb.scp > rvb_in.scp
wav-to-duration --read-entire-file=true scp:rvb_in.scp ark,t:rvb2dur
wav-to-duration scp:data/segmented.scp ark,t:- | grep '^rec-in' | sed 's/^/rvb1-/' | cmp - rvb2dur
wav-copy scp:rvb_in.scp ark,scp:rvb.ark,rvb_in.ark.scp
extract-segments --min-segment-length=0 scp:rvb_in.ark.scp \
    <(awk '{print $1 "-begin", $1, 0, 0.01}' rvb_in.ark.scp) ark:- | wav-to-duration ark:- ark,t:- |
    awk '$2 != 0.01 {exit 1} END {exit NR != 2}'

# A recording that cannot be had ends it; with p it is passed over.
echo 'rec-gone cat nowhere.wav |' >> data/wav.scp
if wav-copy scp:data/wav.scp ark:gone.ark 2> log; then exit 1; fi
grep -q 'data/wav.scp:4: rec-gone: ' log
[ ! -e gone.ark ]
wav-copy scp,p:data/wav.scp ark:- 2> /dev/null | wav-to-duration ark:- ark,t:- | LC_ALL=C sort |
    cmp - <(LC_ALL=C sort data/reco2dur)
