# Speaker recognition as Kaldi's recipe egs/sre08/v1 does it, in its order and with its options: features and decisions on
# frames, a mixture with diagonal and one with full covariances, mixtures and extractors of i-vectors for each gender, the gender
# of unknown speakers, and scores of trials by cosine, LDA and PLDA. Two jobs run side by side.
#
# Given: wav.scp, utt2spk and spk2gender. Recordings 0 to 3 of a speaker are for training and enrolment, 4 and 5 for tests.

export LC_ALL=C OMP_NUM_THREADS=1
exec 2> log
mkdir exp

# Data directories: all of train, and train and test of each gender; each in two parts.
lists() {
    mkdir -p "data/$1"
    join "$2" wav.scp > "data/$1/wav.scp"
    join "$2" utt2spk > "data/$1/utt2spk"
    awk '{ of[$2] = of[$2] " " $1 } END { for (speaker in of) print speaker of[speaker] }' "data/$1/utt2spk" |
        sort > "data/$1/spk2utt"
}
grep -E '^s[0-9]+-[0-3] ' utt2spk | cut -d' ' -f1 > trained
grep -E '^s[0-9]+-[45] ' utt2spk | cut -d' ' -f1 > tested
lists train trained
for gender in m f; do
    for part in trained tested; do
        awk -v gender=$gender 'NR == FNR { of[$1] = $2; next } of[substr($1, 1, 3)] == gender' spk2gender $part > list
        lists "${part}_$gender" list
    done
done

# Runs a command with 1 and with 2 in the place of JOB.
twice() {
    eval "${1//JOB/1}" & local first=$!
    eval "${1//JOB/2}"
    wait $first
}

printf '%s\n' --sample-frequency=8000 --frame-length=25 --low-freq=20 --high-freq=3700 --num-ceps=20 > mfcc.conf
printf '%s\n' --vad-energy-threshold=5.5 --vad-energy-mean-scale=0.5 > vad.conf
for data in train trained_m trained_f tested_m tested_f; do
    cd data/$data
    awk '{ print > "wav." (NR % 2 + 1) ".scp" }' wav.scp
    twice 'compute-mfcc-feats --config=../../mfcc.conf "scp:sed s,\ ,\ ../../, wav.JOB.scp |" ark:- |
           copy-feats --compress=true ark:- ark,scp:feats.JOB.ark,feats.JOB.scp'
    twice 'compute-vad --config=../../vad.conf scp:feats.JOB.scp ark,scp:vad.JOB.ark,vad.JOB.scp'
    cat feats.[12].scp | sed "s, , data/$data/," > feats.scp
    cat vad.[12].scp | sed "s, , data/$data/," > vad.scp
    for job in 1 2; do
        awk '{ print $1 }' feats.$job.scp > keys
        join keys <(sort feats.scp) > feats.job.$job
        join keys <(sort vad.scp) > vad.job.$job
    done
    cd ../..
done

# The features that all models see.
feats() {
    local data=data/$1 vad
    [ "$2" = all ] && { vad=$data/vad.scp; set -- "$1" "$data/feats.scp"; } || { vad=$data/vad.job.$2; set -- "$1" "$data/feats.job.$2"; }
    echo "ark,s,cs:sort $2 | add-deltas --delta-window=3 --delta-order=2 scp:- ark:- |
          apply-cmvn-sliding --norm-vars=false --center=true --cmn-window=300 ark:- ark:- |
          select-voiced-frames ark:- 'scp,s,cs:sort $vad |' ark:- |"
}

gmm-global-init-from-feats --num-threads=2 --num-frames=500000 --min-gaussian-weight=0.0001 --num-gauss=8 --num-gauss-init=4 \
    --num-iters=4 "$(feats train all)" exp/0.dubm
twice 'gmm-gselect --n=5 exp/0.dubm "$(feats train JOB)" "ark:| gzip -c > exp/gselect.JOB.gz"'
for pass in 0 1; do
    twice "gmm-global-acc-stats '--gselect=ark,s,cs:gunzip -c exp/gselect.JOB.gz |' exp/$pass.dubm \"\$(feats train JOB)\" exp/$pass.JOB.acc"
    gmm-global-est --remove-low-count-gaussians=false --min-gaussian-weight=0.0001 exp/$pass.dubm \
        "gmm-global-sum-accs - exp/$pass.*.acc |" exp/$((pass + 1)).dubm
done

# One pass of a full mixture on a data directory: from, data, to.
full_pass() {
    twice "gmm-gselect --n=5 'fgmm-global-to-gmm $1 - |' \"\$(feats $2 JOB)\" ark:- |
           fgmm-global-acc-stats --gselect=ark,s,cs:- $1 \"\$(feats $2 JOB)\" $3.JOB.acc"
    fgmm-global-est --remove-low-count-gaussians=false --min-gaussian-weight=0.0001 --verbose=2 "$1" \
        "fgmm-global-sum-accs - $3.*.acc |" "$3"
}
gmm-global-to-fgmm exp/2.dubm exp/0.ubm
full_pass exp/0.ubm train exp/1.ubm
full_pass exp/1.ubm train exp/final.ubm
for gender in m f; do
    full_pass exp/final.ubm trained_$gender exp/$gender.ubm
done

# The gender of the tests, by the likelihoods of the mixtures.
fgmm-global-to-gmm exp/final.ubm exp/final.dubm
for data in tested_m tested_f; do
    for model in m f; do
        gmm-gselect --n=5 exp/final.dubm "$(feats $data all)" ark:- |
            fgmm-gselect --gselect=ark,s,cs:- --n=3 exp/final.ubm "$(feats $data all)" ark:- |
            fgmm-global-get-frame-likes --average=true --gselect=ark,s,cs:- exp/$model.ubm "$(feats $data all)" \
                ark,t:exp/$data.$model
    done
    paste exp/$data.m exp/$data.f | awk -v is=${data#tested_} '{ print ($2 > $4 ? "m" : "f") == is }'
done > right
awk '{ right += $1 } END { print NR, right; exit !(NR > 20 && right > 0.7 * NR) }' right

# An extractor and i-vectors for each gender.
for gender in m f; do
    ie=exp/ie_$gender
    mkdir $ie
    fgmm-global-to-gmm exp/$gender.ubm $ie/dubm
    ivector-extractor-init --ivector-dim=6 --use-weights=false exp/$gender.ubm $ie/0.ie
    posteriors() {
        echo "gmm-gselect --n=5 $ie/dubm \"\$(feats $1 $2)\" ark:- |
              fgmm-global-gselect-to-post --min-post=0.025 exp/$gender.ubm \"\$(feats $1 $2)\" ark,s,cs:- ark:- |
              scale-post ark:- 1.0"
    }
    twice "$(posteriors trained_$gender JOB) 'ark:| gzip -c > $ie/post.JOB.gz'"
    for pass in 0 1; do
        twice "ivector-extractor-acc-stats --num-threads=1 --num-samples-for-weights=3 $ie/$pass.ie \"\$(feats trained_$gender JOB)\" \
               'ark,s,cs:gunzip -c $ie/post.JOB.gz |' $ie/acc.JOB"
        ivector-extractor-sum-accs --parallel=true $ie/acc.1 $ie/acc.2 $ie/acc
        ivector-extractor-est --num-threads=2 $ie/$pass.ie $ie/acc $ie/$((pass + 1)).ie
    done
    for data in trained_$gender tested_$gender; do
        dir=exp/$data
        mkdir $dir
        eval "$(posteriors $data all) ark:-" | ivector-extract --verbose=2 --num-threads=1 $ie/2.ie "$(feats $data all)" \
            ark,s,cs:- ark,scp,t:$dir/ivector.ark,$dir/ivector.scp
        ivector-normalize-length scp:$dir/ivector.scp ark:- |
            ivector-mean ark:data/$data/spk2utt ark:- ark:- ark,t:$dir/num_utts.ark |
            ivector-normalize-length ark:- ark,scp:$dir/spk_ivector.ark,$dir/spk_ivector.scp
    done
done

# The trials of each gender, and their scores in three ways.
for gender in m f; do
    old=exp/trained_$gender new=exp/tested_$gender
    awk 'NR == FNR { speakers[$1]; next } { for (speaker in speakers) print speaker, $1, (speaker == $2 ? "target" : "nontarget") }' \
        data/trained_$gender/spk2utt data/tested_$gender/utt2spk | sort > trials_$gender
    score() {
        awk '{ print $3 }' "exp/$1_$gender" | paste - trials_$gender | awk '{ print $1, $4 }' | compute-eer - 2>> log
    }
    awk '{ print $1, $2 }' trials_$gender | ivector-compute-dot-products - scp:$old/spk_ivector.scp \
        "ark:ivector-normalize-length scp:$new/ivector.scp ark:- |" exp/cosine_$gender
    ivector-compute-lda --dim=4 --total-covariance-factor=0.1 "ark:ivector-normalize-length scp:$old/ivector.scp ark:- |" \
        ark:data/trained_$gender/utt2spk $old/transform.mat
    awk '{ print $1, $2 }' trials_$gender | ivector-compute-dot-products - \
        "ark:ivector-transform $old/transform.mat scp:$old/spk_ivector.scp ark:- | ivector-normalize-length ark:- ark:- |" \
        "ark:ivector-normalize-length scp:$new/ivector.scp ark:- | ivector-transform $old/transform.mat ark:- ark:- |
         ivector-normalize-length ark:- ark:- |" exp/lda_$gender
    ivector-compute-plda ark:data/trained_$gender/spk2utt "ark:ivector-normalize-length scp:$old/ivector.scp ark:- |" $old/plda
    ivector-plda-scoring --simple-length-normalization=true --num-utts=ark:$old/num_utts.ark \
        "ivector-copy-plda --smoothing=0.0 $old/plda - |" \
        "ark:ivector-subtract-global-mean scp:$old/spk_ivector.scp ark:- |" \
        "ark:ivector-normalize-length scp:$new/ivector.scp ark:- | ivector-subtract-global-mean ark:- ark:- |" \
        "awk '{ print \$1, \$2 }' trials_$gender |" exp/plda_$gender
    for way in cosine lda plda; do
        echo "$way $gender $(score $way)"
    done
done > eer

# Guesses give 50.
awk '{ sum += $3 } END { exit !(NR == 6 && sum / NR < 40) }' eer
