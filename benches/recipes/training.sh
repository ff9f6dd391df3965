# Triphones on deltas, LDA with MLLT, and speaker-adapted training, on alignments that are at hand. Given: what features.sh made,
# data/lang and the folder exp/mono of alignments.
gmm-init-mono data/lang/topo 39 exp/mono/final.mdl exp/mono/tree 2> exp/mono/log
steps/train_deltas.sh --realign-iters "" --num-iters 20 --max-iter-inc 15 --cmd utils/run.pl 200 1500 data/train data/lang exp/mono exp/tri1
steps/train_lda_mllt.sh --realign-iters "" --num-iters 20 --max-iter-inc 15 --cmd utils/run.pl 200 1500 data/train data/lang exp/tri1 exp/tri2
steps/train_sat.sh --realign-iters "" --num-iters 20 --max-iter-inc 15 --cmd utils/run.pl 200 1500 data/train data/lang exp/tri2 exp/tri3
