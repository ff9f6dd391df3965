# What is in lattices: their depth, the phones of their best paths, the posteriors of these, and how near they are to the truth.
for job in 1 2; do
  awk -v job=$job 'NR % 2 == job - 1 {print $1}' text > list.$job
  lattice-copy --include=list.$job 'ark:gunzip -c real.gz |' 'ark:| gzip -c > lat.'$job.gz
  lats="ark:gunzip -c lat.$job.gz |"
  lattice-depth-per-frame "$lats" ark,t:depths.$job ark:- |
    lattice-best-path --acoustic-scale=0.1 ark:- ark:/dev/null ark,t:ali.$job
  ali-to-phones --write-lengths=true final.mdl ark:ali.$job ark,t:phones.$job
  lattice-to-post --acoustic-scale=0.1 "ark,s,cs:gunzip -c lat.$job.gz |" ark:- | post-to-pdf-post final.mdl ark,s,cs:- ark:- |
    get-post-on-ali ark,s,cs:- "ark,s,cs:ali-to-pdf final.mdl ark:ali.$job ark:- |" ark,t:weights.$job
  for beam in 2 6; do
    lattice-prune --acoustic-scale=0.08333 --beam=$beam "$lats" ark:pruned
    lattice-depth ark:pruned ark:/dev/null 2>&1 | grep -o 'Overall density.*'
    lattice-oracle --wildcard-symbols=4:22 ark:pruned ark:ref.txt ark:/dev/null 2>&1 | grep -o 'Overall %WER [^,]*'
  done > pruned.$job
done
cat depths.[12] phones.[12] pruned.[12] > stats
# Rounded, since sums of probabilities may differ in their last digits.
awk '{for (i = 3; i < NF; i++) $i = sprintf("%.3f", $i); print}' weights.[12] >> stats
