#!/usr/bin/env bash
# Trains a model from alignments with one of Kaldi's scripts, in one call and without graphs.
#
#   examples/train_from_alignments.sh steps/train_deltas.sh 2000 10000 data/train data/lang exp/mono_ali exp/tri1
#
# The script is steps/train_deltas.sh, train_lda_mllt.sh or train_sat.sh of the recipe, with its own options and arguments. It is called
# where the recipe is. The alignments (ali.*.gz, final.mdl, tree, num_jobs, phones.txt) are converted to the new tree, and every pass of
# the training uses them: nothing is aligned anew, so no graph is needed, and none is compiled.
set -euo pipefail

if [ $# -lt 7 ] || ! [ -f "$1" ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 1
fi
script=$1
shift
dir=${!#}

# The scripts compile graphs of the transcripts before the first pass. This stands for it, behind all other programs.
mkdir -p "$dir/log"
programs=$(cd "$dir" && pwd)/without-graphs
mkdir -p "$programs"
trap 'rm -rf "$programs"' EXIT
printf '#!/bin/sh\ncat > /dev/null\n' > "$programs/compile-train-graphs"
chmod +x "$programs/compile-train-graphs"
export PATH=$PATH:$programs

"$script" --realign-iters "" "$@"
rm -f "$dir"/fsts.*.gz
