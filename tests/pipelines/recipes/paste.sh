# Two streams of features side by side, one a little shorter, the other sorted alike.
LC_ALL=C sort feats.scp > sorted.scp
subsample-feats --n=1 scp:sorted.scp ark:- | copy-feats ark:- ark,scp:second.ark,second.scp
feat-to-len scp:second.scp ark,t:- | awk '{print $1, $2 - 3}' > ends
paste -d ' ' second.scp <(cut -d ' ' -f 2 ends) | awk '{print $1, $2 "[0:" $3 "]"}' > shorter.scp
paste-feats --length-tolerance=2 scp:sorted.scp "ark,s,cs:copy-feats scp:shorter.scp ark:- |" ark:pasted.ark
dim=$(feat-to-dim scp:feats.scp -)
[ "$(feat-to-dim ark:pasted.ark -)" = $((2 * dim)) ]
[ "$(feat-to-len ark:pasted.ark ark,t:- | wc -l)" = "$(wc -l < feats.scp)" ]
feat-to-len ark:pasted.ark ark,t:- | cut -d ' ' -f 2 | cmp - <(feat-to-len scp:shorter.scp ark,t:- | cut -d ' ' -f 2)
select-feats $dim-$((2 * dim - 1)) ark:pasted.ark ark:- | compare-feats --threshold=0.9999 scp:shorter.scp ark:-
# Without the tolerance nothing fits, and nothing is written.
! paste-feats --length-tolerance=0 scp:sorted.scp ark,s,cs:"copy-feats scp:shorter.scp ark:- |" ark:strict.ark
