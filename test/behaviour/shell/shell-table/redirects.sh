#### out, append and in
echo one > f; echo two >> f; cat < f
#### stderr to a file
ls no-such 2> err.txt; echo "$?"; test -s err.txt && echo "has text"; rm err.txt
#### both to one file, in order
{ echo out; echo err >&2; echo out2; } > both.txt 2>&1; cat both.txt
#### the order of 2>&1 matters
{ echo out; echo err >&2; } 2>&1 > only-out.txt | sed 's/^/piped: /'; cat only-out.txt
#### &> and &>>
{ echo a; echo b >&2; } &> all; { echo c; echo d >&2; } &>> all; cat all
#### a file descriptor of one's own
exec 3> log.txt; echo first >&3; echo second >&3; exec 3>&-; cat log.txt
#### reading a file by descriptor, line by line
exec 4< data/words.txt; read -r a <&4; read -r b <&4; exec 4<&-; echo "$a+$b"
#### swap stdout and stderr
{ echo to-out; echo to-err >&2; } 3>&1 1>&2 2>&3 | tr a-z A-Z
#### noclobber protects a file
set -o noclobber; echo a > f; echo b > f; echo "exit $?"; echo c >| f; cat f
#### a redirection alone makes an empty file
> made; : > made2; wc -c made made2
#### a redirection into a missing directory
echo x > no/such/dir/f; echo "exit $?"
#### a redirection from a missing file
cat < nowhere; echo "exit $?"
#### stderr is thrown away
ls no-such 2> /dev/null || echo "failed quietly"
#### the loop's output goes to one file
for i in 1 2 3; do echo "line $i"; done > loop.txt; while read -r l; do echo "got $l"; done < loop.txt
#### reading and writing the same file empties it
cp data/words.txt w; sort w > w; wc -c < w
#### here string
tr a-z A-Z <<< "loud $((1 + 1))"
#### writing to a directory
echo x > data; echo "exit $?"
#### here-strings and files that look like assignments
cat <<< a=b; cat <<<"x=y"; base64 -d <<< b25lCg==; echo "$(base64 -d <<< b25lCg==)"; IFS== read -r k v <<< key=val; echo $k-$v; echo x > a=b; cat a=b; cat < a=b; cat <<<arr[0]=5; bash -c 'cat <<< q=1'; printf 'cat <<< "$1" <<< k=v\n' > s.sh; bash s.sh
#### a command that changes the directory writes where it began
(cd notes && ls) > s1; cat s1; { cd notes; ls; } > s2; cd ..; cat s2; f() { cd notes; ls; }; f > s3; cd ..; cat s3; for d in notes; do cd $d; ls; done > s4; cd ..; cat s4; if cd notes; then pwd; fi > s5; cd ..; cat s5; find . -name 's[0-9]' | sort
#### the same with other targets
out=list.txt; (cd notes && ls) > "$out"; out=$PWD/abs.txt; (cd src; pwd) > "$out"; cat list.txt abs.txt; (cd notes; ls nofile) 2> err.txt; wc -l < err.txt; (cd notes; pwd) &> both; (cd src; pwd) >> both; cat both; (cd notes; echo "$(pwd)" > in); cat notes/in; exec 3> fd3; cd notes; echo three >&3; cd ..; cat fd3; (cd notes; cat <<A > ../up
hi
A
) > h; cat up h; (cd notes; cat) < data/words.txt > w; wc -l w
#### an error that is redirected next to text beyond ASCII
printf 'h\xc3\xa9\n' > f; cat f nofile 2>/dev/null; tail -q f nofile 2>/dev/null | wc -c; grep -h . f nofile 2>err | wc -c; cat f nofile > all 2>&1; head -1 all; tail -q f nofile > o 2>/dev/null; wc -c < o; printf '\xff\xfe' > g; cat g nofile 2>/dev/null | wc -c; x=$(cat f nofile 2>/dev/null); echo "$x"; echo end
#### an empty input inside an outer input is empty
printf 'a\nb\n' | while read -r l; do echo "$l"; cat < /dev/null; x=$(wc -c < blank.txt); echo "$x"; bash -c cat < blank.txt; done; f() { cat < /dev/null; cat; }; echo abc | f; echo abc | { read -r x < blank.txt; echo "$? [$x]"; mapfile -t z < /dev/null; echo "${#z[@]}"; cat < blank.txt | wc -c; cat; }; { sort < /dev/null; tr a b <<< ""; cat; } <<< hi
#### both outputs of a command in the order of printing
f() { echo a; echo b >&2; echo c; }; f > x 2>&1; cat x; f &> y; f &>> y; { f; echo d >&2; } >> y 2>&1; cat y; (f; exit 3) > z 2>&1; echo $?; cat z; if f; then echo t; fi > r 2>&1; cat r; f >/dev/null 2>&1; f 2>&1 1>/dev/null | tr a-z A-Z; x=$(f 2>&1); echo $x; g() { echo g >&3; echo h; }; g 3>&1 > p 2>&1; cat p; (echo 1; echo 2 >&2) 2>&1 > q | cat; cat q; rm x y z r p q
f() { echo a; echo b >&2; echo c; }; f |& cat; f 2>&1 | cat; for i in 1 2; do echo $i; echo e$i >&2; done |& sed 's/^/> /'; (echo 1; echo 2 >&2; echo 3) |& cat; if true; then echo o; echo e >&2; echo p; fi 2>&1 | cat; echo 'echo 1; echo 2 >&2; echo 3' > t.sh; bash t.sh 2>&1 | cat; bash t.sh > log 2>&1; cat log; y=$(sh ./t.sh 2>&1); echo $y; { printf '\xfe'; echo é >&2; } > b 2>&1; od -An -tx1 b; rm t.sh log b
#### the trace of a script is printed before what its commands print
printf '%s\n' 'set -x' 'echo one' 'x=2; [ $x = 2 ] && echo two' 'f() { echo in; }; f' > t.sh; bash t.sh > log 2>&1; cat log; bash t.sh 2>&1 | head -4; out=$(bash t.sh 2>&1); echo "$out" | tail -3; bash -x -c 'echo a; echo b' |& cat; rm t.sh log
#### what a command reads of the input of its loop or group is read
for x in a b; do cat; echo "[$x]"; done <<< once; { cat; cat; } <<< two; (cat; cat) <<< three; f() { cat; cat; }; f <<< four; echo five | f; while read -r l; do echo "l=$l"; sort; done < data/words.txt; if cat; then cat; fi <<< six; case x in x) cat; cat ;; esac <<< seven; i=0; until ((i++ == 2)); do wc -l; done <<< eight; { y=$(cat); echo "<$y>"; cat; } <<< nine; { cat | tr a-z A-Z; cat; } <<< ten; { cat /dev/stdin; cat; } <<< eleven
{ (read -r a; echo "$a"; exit 2); cat; } <<< $'1\n2'; (read -r a; cat; exit 3; cat) <<< $'1\n2'; echo $?; { bash -c 'bash -c "read -r a; echo \$a"; read -r b; echo b$b'; cat; } <<< $'1\n2\n3'; { bash -c 'bash -c "cat" <<< z'; timeout 5 cat; cat; } <<< $'1\n2'; { (echo q; { read -r b; } <<< $'x\ny'); cat; } <<< $'1\n2'; { head -n 1; sort -r; } < data/words.txt
#### commands that read files only leave the input of their loop
while read -r n; do jq -n "$n"; paste README.md README.md | tail -1; xargs -a blank.txt echo; timeout 5 echo "$n"; bash -c 'echo sub'; env A=1 true; (echo "$n"); find . -name blank.txt -exec cat {} +; sed -n 1p README.md; wc -l < README.md; done <<< $'1\n2'
#### head, sed and grep go back in a file, but not in a pipe
for n in 1 2 3; do case $n in 1) c=(head -1) ;; 2) c=(sed 1q) ;; 3) c=(grep -m1 a) ;; esac; { "${c[@]}"; head -2 | tail -1; sort | head -1; } < data/words.txt; cat data/words.txt | { "${c[@]}"; cat; }; { "${c[@]}"; cat; } <<< $'a\nb'; { "${c[@]}"; cat; } < <(printf 'a\nb\n'); done; f() { head -1; cat; }; f < data/words.txt | wc -l; printf '1\n2\n' | f; seq 3 | bash -c 'head -1; cat'; bash -c 'head -1; head -1' < data/words.txt
seq 5 | { head -c 2; cat; }; seq 5 | { head -c 2; head -c 2; dd bs=2 count=1 2> /dev/null; cat; }; exec 3< data/words.txt; head -1 <&3; sed 1q <&3; grep -m1 e <&3; head -c 3 <&3; cat <&3; { head -n -2 > /dev/null; cat; } < data/words.txt; seq 5000 | { head -1 > /dev/null; head -2; }; exec < data/words.txt; head -1; read -r x; echo "$x"
