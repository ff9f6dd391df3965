# Words with times: of best paths, of words of least expected error with confidences, and of alignments of training data.
symbols() { awk -v f=5 -v only=1 -f int2sym.awk words.txt -; }
align() {
  case $1 in
    boundary) lattice-align-words word_boundary.int final.mdl ark:- ark:- ;;
    lexicon) lattice-align-words-lexicon align_lexicon.int final.mdl ark:- ark:- ;;
  esac
}
one_path() { if [ $1 = lexicon ]; then lattice-1best ark:- ark:-; else cat; fi; }
for way in boundary lexicon; do
  for scale in 5 12 20; do
    for silence in false true; do
      echo "best path, $way, $scale, silence $silence"
      lattice-1best --lm-scale=$scale --word-ins-penalty=0.5 'ark:gunzip -c real.gz |' ark:- | align $way | one_path $way |
        nbest-to-ctm --frame-shift=0.03 --print-silence=$silence ark:- - | symbols
    done
    echo "confidences, $way, $scale"
    lattice-prune --inv-acoustic-scale=$scale --beam=5 'ark:gunzip -c real.gz |' ark:- | align $way |
      lattice-to-ctm-conf --frame-shift=0.03 --decode-mbr=true --inv-acoustic-scale=$scale ark:- - | symbols
  done
  echo "training, $way"
  linear-to-nbest ark:ali.ark ark:best.tra '' '' ark:- | align $way | one_path $way |
    nbest-to-ctm --frame-shift=0.01 --print-silence=false ark:- - | symbols
done 2> log > ctm
