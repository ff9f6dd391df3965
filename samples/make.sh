#!/usr/bin/env bash
# Makes the samples anew; they are always the same. Needs awk, and copy-matrix on the path.
set -euo pipefail
cd "$(dirname "$0")/.."

utts='anna-01 28
anna-02 33
ben-01 30'

awk '{
    print $1 "  ["
    for (frame = 0; frame < $2; frame++) {
        for (dim = 0; dim < 13; dim++)
            # Eighths: what transforms make of them is exact, and the same on every machine.
            printf " %g", int(160 * cos(0.1 * NR * (dim + 1) + 0.2 * frame) / (dim + 1)) / 8 - (dim == 0 ? 30 : 0)
        print ""
    }
    print "]"
}' <<< "$utts" | copy-matrix --print-args=false ark:- ark,scp:samples/feats.ark,samples/feats.scp

awk '{
    printf "%s ", $1
    for (frame = 0; frame < $2; frame++)
        printf "%d ", NR + int(frame / 4)
    print ""
}' <<< "$utts" > samples/ali.txt

awk '{ split($1, part, "-"); print $1, part[1] }' <<< "$utts" > samples/utt2spk

printf 'anna\nben\n' | awk '{
    print $1 "  ["
    for (row = 0; row < 13; row++) {
        for (col = 0; col < 13; col++)
            printf " %g", row == col ? 1 + NR / 4 : (row == col + 1 ? 0.25 : 0)
        printf " %g\n", NR - 1.5
    }
    print "]"
}' > samples/fmllr.txt

awk 'BEGIN {
    print " ["
    for (row = 0; row < 4; row++) {
        for (col = 0; col < 13; col++)
            printf " %g", ((row + 1) * (col + 2)) % 7 / 4 - 0.75
        print ""
    }
    print "]"
}' > samples/lda.mat
