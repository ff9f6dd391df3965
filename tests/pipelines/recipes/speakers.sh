# Means of speakers, centring, length normalization, cosine and PLDA scores, and the equal error rate.
ivector-mean scp:iv.scp mean.vec
ivector-subtract-global-mean mean.vec scp:iv.scp ark:- | ivector-normalize-length ark:- ark,scp:norm.ark,norm.scp
ivector-mean ark:norm.ark - | copy-vector --binary=false - - | awk '{for (i = 2; i < NF; i++) if ($i > 0.5 || $i < -0.5) exit 1}'
ivector-mean ark:spk2utt scp:norm.scp ark,scp:spk.ark,spk.scp ark,t:num_utts
[ "$(wc -l < num_utts)" = "$(wc -l < spk2utt)" ]
awk '{for (i = 2; i <= NF; i++) print $1, $i}' spk2utt > utt2spk.list
# Every utterance against its own speaker and another one.
awk 'NR == FNR {spk[++n] = $1; next} {s = substr($2, 1, 5); print s, $2, "target";
     for (i = 1; i <= n; i++) if (spk[i] != s) {print spk[i], $2, "nontarget"; break}}' spk2utt utt2spk.list > trials.all
cut -d ' ' -f 1,2 trials.all > trials
ivector-compute-dot-products trials "ark:ivector-normalize-length scp:spk.scp ark:- |" scp:norm.scp scores
[ "$(wc -l < scores)" = "$(wc -l < trials)" ]
paste -d ' ' scores trials.all | awk '{print $3, $6}' > scored
eer=$(compute-eer scored)
# The means hold the very utterances: most trials must come out right.
awk -v eer="$eer" 'BEGIN {exit !(eer >= 0 && eer < 25)}'

# Probabilistic LDA: half of the speakers train it, behind an LDA transform; the others are verified with it.
awk 'NR % 2' spk2utt > train.spk2utt
awk 'NR % 2 == 0' spk2utt > test.spk2utt
for set in train test; do
  awk '{for (i = 2; i <= NF; i++) print $i, $1}' $set.spk2utt > $set.utt2spk
  awk 'NR == FNR {wanted[$1]; next} $1 in wanted' $set.utt2spk iv.scp > $set.scp
done
ivector-mean scp:train.scp train.mean
ivector-compute-lda --dim=3 --total-covariance-factor=0.1 \
  "ark:ivector-subtract-global-mean train.mean scp:train.scp ark:- |" ark:train.utt2spk lda.mat
prepared() {
  echo "ark:ivector-subtract-global-mean train.mean scp:$1.scp ark:- | transform-vec lda.mat ark:- ark:- |" \
    "ivector-normalize-length ark:- ark:- |"
}
ivector-compute-plda ark:train.spk2utt "$(prepared train)" plda
ivector-adapt-plda --within-covar-scale=0.7 --between-covar-scale=0.3 plda "$(prepared test)" plda.adapted
ivector-mean ark:test.spk2utt "$(prepared test)" ark:test.spk.ark ark,t:test.num_utts
awk 'NR == FNR {spk[$1]; next} {for (s in spk) print s, $1, (s == $2) ? "target" : "nontarget"}' \
  test.spk2utt test.utt2spk | sort > trials.all
cut -d ' ' -f 1,2 trials.all > trials
for model in plda plda.adapted; do
  ivector-plda-scoring --normalize-length=true --num-utts=ark:test.num_utts \
    "ivector-copy-plda --smoothing=0.1 $model - |" ark:test.spk.ark "$(prepared test)" trials scores
  [ "$(wc -l < scores)" = "$(wc -l < trials)" ]
  eer=$(paste -d ' ' scores trials.all | awk '{print $3, $6}' | compute-eer -)
  awk -v eer="$eer" 'BEGIN {exit !(eer >= 0 && eer < 30)}'
done
