# From alignments, gzipped, to posteriors and weights.
gunzip -c ali.gz | copy-int-vector ark:- ark,t:ali.txt
ali-to-post "ark:gunzip -c ali.gz |" ark,scp:post.ark,post.scp
post-to-weights ark:post.ark ark,t:weights.txt
# A weight of one for every frame of every alignment.
awk '{print $1, NF - 1}' ali.txt > frames
copy-vector ark:weights.txt ark,t:- | awk '{n = 0; for (i = 3; i < NF; i++) n += $i; print $1, n}' | cmp - frames
scale-post scp:post.scp "ark:awk '{print \$1, 0.5}' frames |" ark:half.ark
sum-post ark:half.ark ark:half.ark ark:whole.ark
copy-post ark:whole.ark ark,t:- | cmp - <(copy-post ark:post.ark ark,t:-)
weight-post ark:post.ark ark:weights.txt ark:- | post-to-weights ark:- ark,t:- | cmp - weights.txt
copy-int-vector ark:ali.txt ark:- | compare-int-vector ark:- ark:ali.txt
