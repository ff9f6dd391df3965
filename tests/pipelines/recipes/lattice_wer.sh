# Word and character errors of lattices at all settings: best paths, and words of least expected error.
symbols() { awk -v f=2 -f int2sym.awk words.txt -; }
characters() { sed -E 's/^[^ ]*/&\n/' | awk 'NR % 2 {printf "%s", $0; next} {gsub(" ", ""); gsub(".", " &"); print}'; }
characters < text > text.chars
for mbr in false true; do
  for penalty in 0.0 0.5 1.0; do
    for scale in $(seq 7 17); do
      lattice-scale --inv-acoustic-scale=$scale 'ark:gunzip -c real.gz |' ark:- |
        lattice-add-penalty --word-ins-penalty=$penalty ark:- ark:- |
        if $mbr; then
          lattice-prune --beam=6 ark:- ark:- | lattice-mbr-decode --word-symbol-table=words.txt ark:- ark,t:-
        else
          lattice-best-path --word-symbol-table=words.txt ark:- ark,t:-
        fi 2> log | symbols > $mbr.$scale.$penalty
      for unit in "" .chars; do
        [ -z "$unit" ] || characters < $mbr.$scale.$penalty > $mbr.$scale.$penalty$unit
        compute-wer --text --mode=present ark:text$unit ark,p:- < $mbr.$scale.$penalty$unit > rate$unit 2> log
      done
      echo "$mbr $scale $penalty $(cksum < $mbr.$scale.$penalty) $(grep WER rate) $(grep WER rate.chars)"
    done
  done
done > errors
