# Means of speakers, centring, length normalization, cosine scores and the equal error rate.
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
