# Word error rates, and the alignment of each utterance.
LC_ALL=C sort ref.txt > ref && LC_ALL=C sort hyp.txt > hyp
compute-wer --text --mode=present ark:ref ark,p:hyp > wer
grep -q '^%WER ' wer && grep -q '^%SER ' wer
align-text --special-symbol="'***'" ark:ref ark:hyp ark,t:aligned
[ "$(wc -l < aligned)" -le "$(wc -l < ref)" ]
# The errors that the alignments show are those that are counted.
errors=$(awk '{for (i = 2; i <= NF; i += 3) if ($i != $(i + 1)) n++} END {print n + 0}' aligned)
counted=$(sed -n 's/.*\[ \([0-9]*\) \/.*/\1/p' wer | head -n 1)
[ "$errors" = "$counted" ]
# The words of a reference are in its alignment.
sed 's/ ; / ;; /g' aligned | awk '{key = $1; $1 = ""; n = split($0, pairs, " ;; "); line = key;
    for (i = 1; i <= n; i++) {split(pairs[i], w, " "); if (w[1] != "'"'***'"'") line = line " " w[1]} print line}' |
    cmp - <(awk 'NR == FNR {got[$1]; next} $1 in got' aligned ref | sed 's/ *$//')
