#### the three most frequent words
tr -s '[:space:]' '\n' < data/words.txt | sort | uniq -c | sort -k1,1nr -k2 | head -3
#### status codes of a log, counted
cut -d'"' -f3 data/access.log | awk '{print $1}' | sort | uniq -c | sort -rn
#### the exit code of a pipe is that of its last command
false | true; echo "$?"; true | false; echo "$?"
#### pipefail takes the last failure
set -o pipefail; (exit 3) | (exit 4) | true; echo "$?"; true | true; echo "$?"
#### PIPESTATUS has every exit code
(exit 2) | (exit 0) | (exit 7); echo "${PIPESTATUS[@]}"
#### a while loop at the end of a pipe has its own variables
n=0; cat data/numbers.txt | while read -r x; do n=$((n + 1)); done; echo "n=$n"
#### tee writes a file and passes on
printf '%s\n' one two three | tee copy.txt | wc -l; cat copy.txt
#### stderr goes through a pipe with |&
ls missing-file |& grep -c 'missing-file'
#### xargs with a placeholder and one with several per line
printf '%s\n' a b c d e | xargs -n2 echo row; printf '%s\n' x y | xargs -I{} echo '<{}>'
#### NUL-separated names survive spaces
find src -name '*.txt' -print0 | xargs -0 -n1 basename
#### a group feeds a pipe
{ echo b; echo a; echo c; } | sort | paste -sd,
#### head ends a long producer
seq 1 100000 | head -n 3; echo "done $?"
#### a negated pipe
! grep -q zebra data/words.txt && echo "no zebra"
#### process substitution compares two streams
diff <(sort data/words.txt | uniq) <(printf '%s\n' apple banana cherry date) ; echo "exit $?"
#### read fields from a here string through a pipe
echo "alpha:beta:gamma" | { IFS=: read -r a b c; echo "$c $b $a"; }
#### a pipe without a command after it
echo a |
#### a list without a command after it
echo a &&
#### a list without a command in another shell
bash -c 'echo a |'; echo $?; bash -c 'f() { }'; echo $?; bash -c 'echo c || # nothing'; echo $?
#### operators at the end of a line
echo a |
tr a b
true &&

echo c ||
# why
echo d
#### compound commands that read a pipe
echo 1 | if read x; then echo "got $x"; fi; echo abc | if grep -q b; then echo found; else echo no; fi; printf 'a\nb\n' | for i in 1 2; do read l; echo "$i$l"; done; echo q | case x in x) cat;; esac; seq 3 | for ((i=0;i<2;i++)); do read n; echo "n$n"; done; printf '1\n2\n' | if true; then cat; fi | wc -l; echo in | if cat > f; then cat f; fi; f() { if read -r l; then echo "f:$l"; fi; }; echo z | f; echo y | { if read v; then echo "$v"; fi; }; echo s | (case a in a) read w; echo "$w";; esac); seq 2 | if read a; then while read b; do echo "$a-$b"; done; fi; echo k | until read m; do :; done; if read p; then echo "p$p"; fi <<< here; for i in 1; do read o; echo "$o"; done < notes/a.txt; case a in a) read r; echo "$r";; esac <<< case
#### commands of a pipeline change nothing in the shell
cd data | cat; pwd; f() { cd src; set -f; ls; }; f | tail -1; pwd; echo *.md; shopt -s nullglob | cat; echo *.none; set -e | cat; false; echo here; shopt -s lastpipe; echo data | { read d; cd "$d"; }; pwd
#### the last command of a pipeline changes nothing either
true | cd data; pwd; echo x | { read y; cd data; set -f; }; echo *.md
#### an unbound variable in a pipeline ends only its command
set -u; echo "$none" | cat; echo here; { echo a; echo "$none"; } | cat; echo a | while read -r l; do echo "$l $none"; done; echo $((1/0)) | cat; if echo "$none" | grep -q x; then echo y; else echo n; fi; set -e; echo "$none" | cat; echo end
#### a program that is not read to its end fails
seq 100000 | head -1; echo "${PIPESTATUS[@]} $?"; seq 3 | head -1; echo "${PIPESTATUS[@]}"; yes | head -2; echo "${PIPESTATUS[@]}"; set -o pipefail; seq 100000 | head -1; echo $?; seq 100000 | sed 2q | wc -l; echo "$? ${PIPESTATUS[@]}"; ! seq 100000 | grep -m1 5; echo $?; seq 100000 | tail -1; echo $?; x=$(seq 100000 | head -1) || echo "x $? $x"; if yes abc | head -1; then echo y; else echo n; fi; seq 20000 > f; head -1 f; cat f | head -1; echo "${PIPESTATUS[*]}"; seq 100000 | cat /dev/stdin | wc -l
set -eo pipefail; trap 'echo "ERR $?"' ERR; seq 3 | head -1; seq 100000 | head -1 || echo or; seq 100000 | head -1; echo never
#### a pipe after the input of the shell was redirected
exec < data/words.txt; read a; echo hi | cat; echo ho | tr a-z A-Z; read b; echo "$a $b"; printf '3\n1\n' | sort; read c; echo "$c"; seq 2 | { read x; echo "x=$x"; cat; }; read d; echo "$d"; f() { cat; }; echo fn | f; seq 3 | while read n; do echo "n=$n"; done; read e; echo "$e"; head -1; wc -l <<< "one"; (read g; echo "sub $g"); echo x | (cat; cat); echo y | if read q; then echo "q=$q"; fi; read h; echo "$h"
#### the input of the shell is redirected inside a group
cat README.md | bash -c 'exec < data/words.txt; read a; echo $a; cat | head -2'; cat notes/b.txt | { read x; echo $x; exec < data/words.txt; read y; echo $y; }; exec 0< notes/b.txt; while read l; do echo "[$l]"; done; read z; echo "$? $z"; exec < data/words.txt; while read l; do [ "$l" = date ] && break; done; read n; echo "next $n"; cat | wc -l
