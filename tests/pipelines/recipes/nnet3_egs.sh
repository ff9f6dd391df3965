# Examples for networks on frames as the script steps/nnet3/get_egs.sh of Kaldi makes them: features and alignments of some jobs become
# examples, which are spread over archives at random, and shuffled there. Others, of utterances that are held out and of some that are
# not, show how training goes.

exec 2> log
mkdir data egs
left=2 right=1 principal=8 archives=3

# Utterances of six speakers, in two jobs. The first column is the frame, the others are for normalization.
seq 0 47 | awk '{ print "s" $1 % 6 "-" sprintf("%02d", $1), 40 + $1 * 37 % 60 }' | sort > utt2num_frames
awk '{ split($1, part, "-"); print $1, part[1] }' utt2num_frames > data/utt2spk
awk '{ of[$2] = of[$2] " " $1 } END { for (speaker in of) print speaker of[speaker] }' data/utt2spk | sort > data/spk2utt
awk '{ print $1 " ["; for (t = 0; t < $2; t++) print t, NR, t % 7 - 3.5; print "]" }' utt2num_frames |
    copy-feats ark:- ark,scp:data/feats.ark,data/feats.scp
compute-cmvn-stats --spk2utt=ark:data/spk2utt scp:data/feats.scp ark,scp:data/cmvn.ark,data/cmvn.scp
for job in 1 2; do
    awk -v job=$job 'NR % 2 == job - 1' data/utt2spk > data/utt2spk.$job
    join data/utt2spk.$job data/feats.scp | cut -d' ' -f1,3- > data/feats.$job.scp
done

# A model of three phones with a state each, where frame t is in state t / 5 % 3; transitions have odd numbers within a state.
cat > topo <<'END'
<Topology> <TopologyEntry> <ForPhones> 1 2 3 </ForPhones>
<State> 0 <PdfClass> 0 <Transition> 0 0.5 <Transition> 1 0.5 </State> <State> 1 </State>
</TopologyEntry> </Topology>
END
gmm-init-mono topo 3 final.mdl tree
awk '{ printf "%s", $1; for (t = 0; t < $2; t++) printf " %d", 2 * (int(t / 5) % 3) + 1 + (t % 5 == 4); print "" }' utt2num_frames |
    copy-int-vector ark,t:- ark,scp:ali.ark,ali.scp
num_pdfs=$(tree-info tree | awk '/num-pdfs/ { print $2 }')
[ "$num_pdfs" = 3 ]

awk 'NR % 8 == 0 { print $1 }' utt2num_frames > valid_list
awk 'NR % 8 == 4 { print $1 }' utt2num_frames > subset_list
within() { awk 'NR == FNR { named[$1]; next } $1 in named' "$1" "$2"; }
without() { awk 'NR == FNR { named[$1]; next } !($1 in named)' "$1" "$2"; }

# Examples of a list of features (a script file) in an archive.
examples() {
    nnet3-get-egs --num-pdfs="$num_pdfs" --left-context=$left --right-context=$right --num-frames=$principal,5 \
        "ark,s,cs:apply-cmvn --norm-vars=false --utt2spk=ark:data/utt2spk scp:data/cmvn.scp scp:$1 ark:- |" \
        "ark,s,cs:ali-to-pdf final.mdl scp:ali.scp ark:- | ali-to-post ark:- ark:- |" "$2"
}
for set in valid subset; do
    within ${set}_list data/feats.scp > $set.scp
    examples $set.scp ark:egs/$set.all
    nnet3-subset-egs --n=6 ark:egs/$set.all ark:egs/$set.combine
    nnet3-subset-egs --n=10 ark:egs/$set.all ark,scp:egs/$set.egs,egs/$set.scp
    [ "$(wc -l < egs/$set.scp)" = 10 ]
done
cat egs/valid.combine egs/subset.combine | nnet3-copy-egs ark:- ark,scp:egs/combine.egs,egs/combine.scp
[ "$(wc -l < egs/combine.scp)" = 12 ]

jobs=""
for job in 1 2; do
    without valid_list data/feats.$job.scp > train.$job.scp
    outputs=""
    for archive in $(seq $archives); do
        outputs="$outputs ark:egs/orig.$job.$archive.ark"
    done
    examples train.$job.scp ark:- | nnet3-copy-egs --random=true --srand=$job ark:- $outputs &
    jobs="$jobs $!"
done
for job in $jobs; do
    wait "$job"
done
for archive in $(seq $archives); do
    nnet3-shuffle-egs --srand=$archive "ark:cat egs/orig.1.$archive.ark egs/orig.2.$archive.ark |" \
        ark,scp:egs/egs.$archive.ark,egs/egs.$archive.scp
    [ "$(wc -l < egs/egs.$archive.scp)" -gt 50 ]
done

# Every example is in one archive, those that are held out in none.
cat egs/egs.?.scp | cut -d' ' -f1 | sort > keys
sort -u keys | cmp - keys
within valid_list <(sed 's/-[0-9]*$//' keys) > held
[ ! -s held ]
cat egs/orig.?.?.ark | table-keys --type=nnet3-example ark:- | sort | cmp - keys

# What is in an example. Its rows are the frames from some before the first labelled one on, or the first or last frame of the utterance
# where there are none; the mean of the speaker was taken away, and compression rounds. Labels are those of the alignment; chunks
# that overlap share their weight.
awk 'NR == FNR { split($1, part, "-"); sum[part[1]] += $2 * ($2 - 1) / 2; count[part[1]] += $2; len[$1] = $2; next }
     { split($1, part, "-"); print $1, len[part[1] "-" part[2]], sum[part[1]] / count[part[1]] }' utt2num_frames keys > expected
cat egs/egs.?.scp | nnet3-copy-egs scp:- ark,t:- | sed 's/> \(s[0-9]-\)/>\n\1/g' | awk -v left=$left -v right=$right '
    NR == FNR { len[$1] = $2; mean[$1] = $3; next }
    /<Nnet3Eg>/ { key = $1; split(key, part, "-"); row = 0; examples++ }
    NF >= 3 && $1 ~ /^[-0-9.e]+$/ {
        t = part[3] - left + row++
        t = t < 0 ? 0 : t > len[key] - 1 ? len[key] - 1 : t
        off = $1 + mean[key] - t
        wrong += off > 0.5 || off < -0.5
    }
    /rows=[58] / {
        labels = 0
        for (i = 1; i <= NF; i++) if ($i == "[") { wrong += $(i + 1) != int((part[3] + labels) / 5) % 3 || ($(i + 2) != 1 && $(i + 2) != 0.5); labels++ }
        wrong += row != left + labels + right || (labels != 5 && labels != 8)
        whole += labels == 8
    }
    END { exit !(examples == length(len) && !wrong && whole > examples / 2) }' expected -
