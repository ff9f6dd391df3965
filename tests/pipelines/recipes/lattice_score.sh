# One reading of the lattices gives what the loop of lattice_wer.sh gives.
. "$(dirname "$0")/lattice_wer.sh"
for mbr in false true; do
  lattice-score --decode-mbr=$mbr --word-symbol-table=words.txt --text=ark:text --write-text=score.$mbr.%LMWT.%WIP \
    --write-wer=rates.%LMWT.%WIP 'ark:gunzip -c real.gz |' > words.$mbr
  lattice-score --inv-acwt=7:17 --penalty=0:0.5:1 --decode-mbr=$mbr --word-symbol-table=words.txt --text=ark:text \
    --unit=char --num-threads=2 'ark:gunzip -c real.gz |' > chars.$mbr
  for penalty in 0.0 0.5 1.0; do
    for scale in $(seq 7 17); do
      sed 's/ $//' score.$mbr.$scale.$penalty | cmp $mbr.$scale.$penalty -
      compute-wer --text --mode=present ark:text ark,p:$mbr.$scale.$penalty | cmp - rates.$scale.$penalty
    done
  done
  awk -v mbr=$mbr '$1 == mbr {$0 = $0 ";"; sub(/^.*%WER/, "%CER"); sub(";", ""); print}' errors > chars.expected
  grep -v best chars.$mbr | sed 's/ [^ ]* [^ ]*$//' | cmp - chars.expected
  # The best is the first one with the fewest errors.
  awk -v mbr=$mbr '$1 == mbr {print $9, $2, $3}' errors | sort -s -n -k1,1 | head -n 1 > fewest
  sed -n 's/^best:.*\[ \([0-9]*\) .*\] /\1 /p' words.$mbr | cmp - fewest
done
