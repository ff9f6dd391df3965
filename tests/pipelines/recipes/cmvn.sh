# Mean and variance normalization per speaker and over all, in jobs side by side.
nj=3
awk -v nj=$nj '{print > ("split." (NR - 1) % nj + 1 ".scp")}' feats.scp
for n in $(seq $nj); do
    copy-feats --compress=true --write-num-frames=ark,t:utt2num_frames.$n \
        scp:split.$n.scp ark,scp:raw.$n.ark,raw.$n.scp &
done
wait
cat raw.?.scp | LC_ALL=C sort > raw.scp
[ "$(wc -l < raw.scp)" = "$(wc -l < feats.scp)" ]
# The speakers of the utterances that there are.
awk '{print $1, substr($1, 1, 5)}' raw.scp > utt2spk
awk '{utts[$2] = utts[$2] " " $1} END {for (spk in utts) print spk utts[spk]}' utt2spk | LC_ALL=C sort > spk2utt
compute-cmvn-stats --spk2utt=ark:spk2utt scp:raw.scp ark,scp:cmvn.ark,cmvn.scp
compute-cmvn-stats --spk2utt=ark:spk2utt scp:raw.scp ark:- | matrix-sum ark:- global.cmvn
compute-cmvn-stats scp:raw.scp all.cmvn
copy-matrix --binary=false global.cmvn - | tr ' ' '\n' | head -n 20 > a
copy-matrix --binary=false all.cmvn - | tr ' ' '\n' | head -n 20 > b
awk 'NR == FNR {a[NR] = $1; next} {d = a[FNR] - $1; if (d * d > 1e-4 * ($1 * $1 + 1)) exit 1}' a b
apply-cmvn --norm-vars=true --utt2spk=ark:utt2spk scp:cmvn.scp scp:raw.scp ark:norm.ark
# What is normalized has the mean 0 and the variance 1 for every speaker.
compute-cmvn-stats --spk2utt=ark:spk2utt ark:norm.ark ark,t:- | awk '
    /\[/ {row = 0; next}
    {row++; if (row == 1) {for (i = 1; i < NF; i++) sum[i] = $i; n = $NF}
     else {for (i = 1; i < n; i++) if ($i != "]" && i <= NF - 2) {
         m = sum[i] / n; v = $i / n - m * m; if (m * m > 1e-6 || (v - 1) * (v - 1) > 1e-3) exit 1}}}'
apply-cmvn all.cmvn scp:raw.scp ark:- | compute-cmvn-stats ark:- - | copy-matrix --binary=false - - |
    awk 'NR == 2 {n = $NF; for (i = 1; i < NF; i++) if ($i / n > 1e-3 || $i / n < -1e-3) exit 1}'
