# Splicing, LDA and a transform for each speaker, in one rspecifier.
awk '{print $1, substr($1, 1, 5)}' feats.scp > utt2spk
dim=$(feat-to-dim scp:feats.scp -)
wide=$((dim * 3))
# A matrix that keeps the middle frame, and speakers' transforms that double and add one.
awk -v d=$dim -v w=$wide 'BEGIN {print "["; for (i = 0; i < d; i++) {
    for (j = 0; j < w; j++) printf "%d ", j == d + i; print ""} print "]"}' > lda.mat
for spk in $(cut -d ' ' -f 2 utt2spk | LC_ALL=C sort -u); do
    awk -v spk=$spk -v d=$dim 'BEGIN {printf "%s [\n", spk; for (i = 0; i < d; i++) {
        for (j = 0; j < d; j++) printf "%d ", 2 * (i == j); print "1"} print "]"}'
done > trans.txt
feats="ark,s,cs:splice-feats --left-context=1 --right-context=1 scp:feats.scp ark:- | transform-feats lda.mat ark:- ark:- | transform-feats --utt2spk=ark:utt2spk ark:trans.txt ark:- ark:- |"
copy-feats "$feats" ark,t:out.txt
copy-matrix --scale=2 scp:feats.scp ark,t:- | awk '/\[/ {print; next}
    {for (i = 1; i <= NF; i++) if ($i != "]") $i = $i + 1; print}' > wanted.txt
copy-feats ark:wanted.txt ark:- | compare-feats --threshold=0.999 ark:out.txt ark:-
[ "$(feat-to-dim "$feats" -)" = "$dim" ]
[ "$(feat-to-len "$feats" ark,t:- | wc -l)" = "$(wc -l < feats.scp)" ]
# Transforms composed before they are applied do the same.
compose-transforms ark:trans.txt lda.mat ark:both.ark
splice-feats --left-context=1 --right-context=1 scp:feats.scp ark:- |
    transform-feats --utt2spk=ark:utt2spk ark:both.ark ark:- ark:- |
    compare-feats --threshold=0.999 ark:out.txt ark:-
