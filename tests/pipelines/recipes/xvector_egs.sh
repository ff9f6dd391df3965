# Examples for x-vectors as the script sid/nnet3/xvector/get_egs.sh of Kaldi makes them: chunks of utterances with their speaker as
# the label, in archives of one chunk length each. Some utterances are held out, two jobs run side by side, archives are shuffled.

exec 2> log
mkdir temp egs

# Utterances of six speakers. Columns are the frame, the number of the utterance and that of the speaker.
seq 0 35 | awk '{ print "s" $1 % 6 "-" sprintf("%02d", $1), 30 + $1 * 17 % 40, $1, $1 % 6 }' | sort > utts
awk '{ print $1, $2 }' utts > utt2num_frames
awk '{ print $1, $4 }' utts > utt2int
awk '{ print $1 " ["; for (t = 0; t < $2; t++) print t, $3, $4; print "]" }' utts | copy-feats --compress=false ark:- ark,scp:feats.ark,feats.scp

awk 'NR % 6 == 0 { print $1 }' utts > valid_list
awk 'NR == FNR { held[$1]; next } !($1 in held)' valid_list utt2num_frames > utt2num_frames.train
awk 'NR == FNR { held[$1]; next } $1 in held' valid_list utt2num_frames > utt2num_frames.valid

# Ranges: utterance, the number of the output within the job, the archive, the start, the length, the speaker. Each archive has chunks
# of its own length, and archive a belongs to job (a - 1) % 2 + 1.
ranges() {
    awk -v archives="$2" -v jobs="$3" -v prefix="$4" '
        NR == FNR { speaker[$1] = $2; next }
        { utt[n++] = $1; len[$1] = $2 }
        END {
            for (a = 1; a <= archives; a++) {
                size = 10 + 4 * a
                job = (a - 1) % jobs + 1
                outputs[job] = outputs[job] " egs/" prefix "egs_temp." a ".ark"
                for (i = 0; i < n; i++)
                    print utt[i], int((a - 1) / jobs), a, (a * 7 + i * 5) % (len[utt[i]] - size), size, speaker[utt[i]] > ("temp/" prefix "ranges." job)
            }
            for (job = 1; job <= jobs; job++) print outputs[job] > ("temp/" prefix "outputs." job)
        }' utt2int "$1"
}
ranges utt2num_frames.train 4 2 ""
ranges utt2num_frames.valid 1 1 valid_

num_pdfs=$(cut -d' ' -f2 utt2int | sort -u | wc -l)
jobs=""
for set in "1" "2" "valid_1"; do
    case $set in
        valid_*) prefix=valid_ job=1 ;;
        *) prefix="" job=$set ;;
    esac
    outputs=$(sed 's/\(egs[^ ]*\)/ark:\1/g' temp/${prefix}outputs.$job)
    nnet3-xvector-get-egs --compress=true --num-pdfs="$num_pdfs" temp/${prefix}ranges.$job \
        "scp,s,cs:awk 'NR == FNR { used[\$1]; next } \$1 in used' temp/${prefix}ranges.$job feats.scp |" $outputs &
    jobs="$jobs $!"
done
for job in $jobs; do
    wait "$job"
done
for archive in 1 2 3 4; do
    nnet3-shuffle-egs --srand=$archive ark:egs/egs_temp.$archive.ark ark,scp:egs/egs.$archive.ark,egs/egs.$archive.scp
done
nnet3-shuffle-egs --srand=1 ark:egs/valid_egs_temp.1.ark ark,scp:egs/valid.1.ark,egs/valid.1.scp

# Each archive has a chunk of each utterance, in another order than before, and no utterance that is held out.
for archive in 1 2 3 4; do
    [ "$(wc -l < egs/egs.$archive.scp)" = "$(wc -l < utt2num_frames.train)" ]
    table-keys egs/egs_temp.$archive.ark | sort > temp/keys
    table-keys egs/egs.$archive.ark | sort | cmp - temp/keys
    ! cmp -s egs/egs.$archive.ark egs/egs_temp.$archive.ark || exit 1
done
table-keys egs/valid.1.ark | cut -d- -f1,2 | sort | cmp - <(sort valid_list)

# What is in an example: its rows are the frames from the start on, its label is the speaker. Compression rounds.
for archive in 1 2 3 4; do
    nnet3-copy-egs scp:egs/egs.$archive.scp ark,t:- | sed 's/> \(s[0-9]-\)/>\n\1/g' | awk -v size=$((10 + 4 * archive)) '
        function near(a, b) { return (a > b ? a - b : b - a) < 0.5 }
        /<Nnet3Eg>/ { split($1, key, "-"); row = 0; wrong += key[4] != size; examples++ }
        NF >= 3 && $1 ~ /^[-0-9.e]+$/ { wrong += !near($1, key[3] + row) || !near($3, substr(key[1], 2)); row++ }
        /rows=1/ { for (i = 1; $i != "["; i++); wrong += row != size || $(i + 1) != substr(key[1], 2) || $(i + 2) != 1; labels++ }
        END { exit !(examples == 30 && labels == 30 && !wrong) }'
done

# Minibatches for training.
nnet3-merge-egs --minibatch-size=8,14,16 scp:egs/egs.1.scp ark:- | table-keys --type=nnet3-example ark:- |
    cmp - <(printf 'merged-0-16\nmerged-1-14\n')
