#### cut by fields, characters and complement
cut -d, -f1,3 data/people.csv | head -3; cut -c2-4 data/words.txt | head -2; echo a:b:c | cut -d: -f2 --complement; echo a:b:c | cut -d: -f2- --output-delimiter=/
#### tr: sets, squeeze, delete, complement
echo "Hello  World" | tr 'a-z' 'A-Z'; echo "a  b" | tr -s ' '; echo "a1b2" | tr -d '[:digit:]'; echo "a1 b2" | tr -cd 'a-z\n'
#### grep: count, numbers, only, invert, context
grep -c Paris data/people.csv; grep -n 'London' data/people.csv; grep -o '[0-9]\+' data/people.csv | head -2; grep -v -e a -e e data/words.txt; grep -A1 -B1 Carla data/people.csv
#### grep: extended, perl classes, words, files
grep -E '^(A|B).*[0-9]{4}$' data/people.csv; grep -w apple data/words.txt | wc -l; grep -rl import src | sort; grep -L import src/*.js; grep -i BANANA data/words.txt
#### grep: exit codes
grep -q nothing data/words.txt; echo $?; grep x nowhere; echo $?; grep -s x nowhere; echo $?
#### head and tail
head -n 2 data/words.txt; tail -n 2 data/words.txt; tail -n +8 data/words.txt; head -c 5 data/words.txt; echo; head -n -8 data/words.txt
#### several files have headers
head -n 1 data/words.txt data/numbers.txt
#### wc
wc data/words.txt; wc -l data/*.txt; wc -w < README.md; printf 'no newline' | wc -l
#### uniq: counts, duplicates, singles
sort data/words.txt | uniq -c; sort data/words.txt | uniq -d; sort data/words.txt | uniq -u; sort -f data/words.txt | uniq -ic
#### paste and join
paste -d: <(seq 1 3) <(printf 'a\nb\nc\n'); seq 1 6 | paste - - -; join -t, <(printf '1,a\n2,b\n') <(printf '1,x\n3,y\n'); join -a1 <(printf '1 a\n2 b\n') <(printf '1 x\n')
#### comm
comm <(printf 'a\nb\nc\n') <(printf 'b\nc\nd\n'); comm -12 <(printf 'a\nb\n') <(printf 'b\nc\n')
#### fold, fmt-like wrapping and nl
echo "the quick brown fox jumps" | fold -w 10; echo "the quick brown fox jumps" | fold -sw 10; printf 'a\n\nb\n' | nl; printf 'a\n\nb\n' | nl -ba -w2 -s': '
#### tac, rev and cat -n
tac data/words.txt | head -2; echo abc | rev; printf 'a\n\nb\n' | cat -n; printf 'a\tb\n' | cat -A; printf 'a\n\nb\n' | cat -b; printf 'a\n\n\n\nb\n' | cat -s
#### diff in three forms
printf 'a\nb\nc\n' > x; printf 'a\nB\nc\nd\n' > y; diff x y; echo "exit $?"; diff -u x y | tail -n +3; diff -q x y; diff x x && echo same
#### split and its files
seq 1 5 | split -l 2 - part_; ls part_*; cat part_ab; printf 'abcdef' | split -b 4 - b_; cat b_aa
#### checksums
md5sum data/words.txt | cut -c1-32; sha1sum < blank.txt; sha256sum data/words.txt > s; sha256sum -c s
#### od and hexadecimal
printf 'AB\n' | od -c; printf 'AB\n' | od -An -tx1; printf 'hi' | base64; echo aGk= | base64 -d; echo
#### expand, column and printf tables
printf 'a\tb\n' | expand -t 4; printf 'a       b\n' | unexpand -a; printf 'name qty\napple 10\nfig 2\n' | column -t
#### date in a fixed time, basename and dirname
date -u -d '2026-03-01 12:30:00' '+%Y-%m-%d %H:%M %j %A'; date -u -d @0 +%FT%TZ; basename a/b/c.txt .txt; dirname a/b/c.txt
#### numbered sequences, yes, tee, xargs
yes ok | head -2; seq 3 | xargs; seq 1 4 | xargs -n 2; echo "a b" | xargs -I{} echo "[{}]"; echo | xargs -r echo never
#### cmp and file tests
cmp data/words.txt data/words.txt; echo $?; printf a > p; printf b > q; cmp p q; echo $?; cmp -s p q; echo $?
#### truncate, touch, mkdir -p, cp -r, mv, rm
mkdir -p x/y/z; touch x/y/f; cp -r x w; mv w/y w/renamed; rm -r x; find w | sort; rmdir w/renamed; echo $?; truncate -s 3 data/words.txt; cat data/words.txt; echo
#### chmod, stat and test
chmod 640 README.md; stat -c '%a %s %n' README.md; chmod u+x,go= README.md; stat -c %A README.md; test -x README.md && echo x; ls -l README.md | cut -c1-10
#### ls in its forms
ls; ls -a notes; ls -1 data; ls -d */; ls -R src; ls -p | head -3
#### tar there and back
tar cf t.tar data notes; tar tf t.tar | sort; mkdir o; tar xf t.tar -C o data/words.txt; ls o/data; tar czf t.tgz src; tar tzf t.tgz | wc -l; rm t.tar t.tgz
#### env, which, printenv
A=1 printenv A; env -i B=2 env; which sh | grep -c sh; command -v cat | grep -c cat; command -v nothing-here; echo $?
#### numfmt-like, factor-like and time
time true 2> /dev/null; sleep 0; true; echo $?
#### ls in other styles and orders
touch -d '2020-03-01 10:20:30' README.md; ls -l --time-style=+%Y README.md | awk '{print $6, NF}'; ls -l --time-style=long-iso README.md | awk '{print $6, $7}'; ls --full-time README.md | awk '{print $6, $7, $8}'; ls -l --time-style='+%F %T' README.md | awk '{print $6, $7}'; ls -X src notes/*.txt; ls -Q src; touch v1.10 v1.9 x~; ls -v v*; ls -B; ls --sort=size data; ls --time-style=bad -l
#### tar --exclude
tar czf /tmp/a.tgz --exclude='*.csv' --exclude=numbers.txt data; tar tzf /tmp/a.tgz | sort; tar -czf /tmp/b.tgz --exclude=./lib -C src . ; tar tf /tmp/b.tgz | sort; tar cf /tmp/c.tar --exclude 'src/lib/*.js' --exclude=.hidden src notes; tar tf /tmp/c.tar | sort; tar tf /tmp/a.tgz --exclude='*.json' | sort
#### head and tail count bytes from both ends
printf 'abcdef\n' > f; tail -c +3 f; tail -c 3 f; tail -c -3 f; tail -c+3 f; head -c 1K README.md | wc -c; head -c -3 f; echo; head -c 2b README.md | wc -c; tail -c 1k README.md | wc -c; head -5c README.md; echo
#### head and tail count lines from both ends
seq 10 > f; tail -n -2 f; tail -2 f; tail +9 f; head -n-8 f; head --lines=-9 f; tail --lines 1 f; tail -n +0 f | wc -l; tail -n +20 f; printf 'a\nb' | tail -n 1; echo; printf 'a\0b\0c\0' | head -z -n 2 | tr '\0' '\n'; printf 'a\0b\0c\0' | tail -z -n 1 | tr '\0' '\n'
#### head and tail of several files
tail -vn1 notes/a.txt; head -c 3 data/words.txt notes/a.txt; cat notes/a.txt | head -n 1 - notes/b.txt; head -n -1 data/words.txt notes/b.txt | tail -2; head -n x notes/a.txt; echo $?; tail -n 1 nofile notes/a.txt; echo $?
#### diff of empty files and without context
printf 'a\nb\nc\n' > x; printf 'a\nc\n' > y; diff -U0 x y | tail -n +3; diff -U0 y x | tail -n +3; diff -u /dev/null x | tail -n +3; diff -u x /dev/null | tail -n +3; mkdir p q; echo n > q/f; diff -Nru p q | grep @@; diff -U0 x y > d; patch x d; cmp x y && echo same; rm d
#### tar -tv
chmod 600 notes/b.txt; touch -d '2026-03-01 12:30:45' notes/b.txt; tar cf a.tar current bin notes/b.txt data/orders.json; tar tvf a.tar | awk '{ print $1, $3, $6, $7, $8 }'; tar -tvf a.tar notes/b.txt | sed 's/root/user/g'; tar xvf a.tar -C empty bin; tar tf a.tar bin/run.sh; rm a.tar
#### join in its forms
printf 'a 1\nb 2\nc 3\n' > l; printf 'A x\nb y\nd z\n' > r; join l r; join -i l r; join -j 1 l r; join -a1 -e - -o auto l r; join -v 2 l r; join -a 1 -a 2 l r; join -a1 -a2 -e0 -o 0,1.2,2.2 l r; join -t, -1 3 -2 1 <(tail -n +2 data/people.csv | sort -t, -k3,3) <(printf 'Paris,FR\nRome,IT\n'); join -o 1.1 -o 2.2 l r; join -v1 l r; printf 'a 1\na 2\n' > x; printf 'a 3\na 4\n' > y; join x y; join l nofile; echo $?; join l; echo $?; join -o 3.1 l r; echo $?; echo 'b 9' | join l -; join -1 2 -2 2 <(printf 'k v\n') <(printf 'j v\n'); join -t: <(printf 'a:1::x\n') <(printf 'a:2\n'); join -t $'\t' <(printf 'a\t1 2\n') <(printf 'a\t3\n')
#### join with headers and unsorted files
printf 'id n\n2 b\n' > l; printf 'id v\n2 c\n' > r; join --header l r; join -1 1 -2 1 -o 1.2,2.2 l r; printf 'b 1\na 2\n' > u; join u l; echo $?; join --check-order u l; echo $?; join --nocheck-order u l; echo $?; printf 'a 2\nb 1\n' > s; join u s; echo $?; join s u; echo $?; join s s
#### comm in its forms
printf 'b\na\n' > u; printf 'a\nb\n' > s; comm u s; echo $?; comm --nocheck-order u s; echo $?; comm --total s s; comm -12 --total s u 2>/dev/null; comm --output-delimiter=, s s; comm -3 s s; echo $?; comm <(seq 3) <(seq 2 5); comm -23 <(seq 3) <(seq 2 5); comm -13 <(seq 3) <(seq 2 5); comm -12 <(seq 3) <(seq 2 5); comm --check-order u s; echo $?; comm s; echo $?; comm s nofile; echo $?; comm - s < u 2>/dev/null | head -1; comm blank.txt s
#### uniq by groups
printf 'a\na\nb\nc\nc\n' | uniq --group; echo --; printf 'a\na\nb\n' | uniq --group=both; printf 'a\na\nb\n' | uniq --group=prepend; printf 'a\nb\n' | uniq --group=append; printf 'a\na\nb\nb\n' | uniq --all-repeated=separate; printf 'a\na\nb\nb\n' | uniq -D; printf 'a\na\nb\nb\n' | uniq --all-repeated=prepend; printf 'a\na\nb\n' | uniq --all-repeated; uniq --group=x < blank.txt; echo $?; uniq --group < blank.txt
#### mktemp --tmpdir
f=$(mktemp --tmpdir); [[ $f == /tmp/tmp.?????????? ]] && echo ok; g=$(mktemp --tmpdir foo.XXXX); [[ $g == /tmp/foo.???? ]] && echo ok; h=$(mktemp --tmpdir=. x.XXX); [[ $h == ./x.??? ]] && echo ok; d=$(mktemp -d -t foo.XXXXX); [[ -d $d ]] && echo dir; mktemp foo; echo $?; mktemp -p notes XXXX | wc -c; rm x.*; rm notes/????
#### sort by names of orders
sort --parallel=4 -S 50M <<< $'b\na'; sort --sort=numeric <<< $'10\n9'; sort --sort=version -r <<< $'v1.9\nv1.10'; sort -T /tmp <<< $'y\nx'; sort --buffer-size=1M --temporary-directory=/tmp <<< z
#### dates of another zone
date -u -d 'TZ="America/New_York" 2024-01-15 12:00' +%H:%M; date -u -d 'TZ="Asia/Tokyo" 2024-07-01 09:00:00' '+%F %T'; TZ=Europe/Berlin date -d 'TZ="America/New_York" 2024-07-01 12:00' '+%F %T %z'; date -u -d 'TZ="UTC" 2024-01-01' +%s; date -u -d 'TZ="Asia/Tokyo" nonsense' 2>/dev/null; echo $?
#### unified diff that ignores blanks, case or carriage returns
printf 'a  b\nsame\nx\nend\n' > p; printf 'a b\nsame\ny\nend\n' > q; diff -uw p q | tail -n +3; diff -ub p q | tail -n +3; diff -u -i <(printf 'A\nb\nc\n') <(printf 'a\nB\nd\n') | tail -n +3; diff -U0 -w p q | tail -n +3; diff -u --strip-trailing-cr <(printf 'a\r\nx\r\n') <(printf 'a\ny\n') | tail -n +3; diff --strip-trailing-cr <(printf 'a\r\n') <(printf 'a\n') && echo same
#### cut prints fields in their order in the line
cut -d' ' -f3,1 <<< 'a b c d'; cut -c5-,1-2 <<< abcdef; cut -d, -f2-3,1,2 --output-delimiter=: <<< a,b,c,d; cut -d, -f0 <<< a,b; echo $?; cut -d, -f3-1 <<< a,b; cut -d,, -f1 <<< a,b; echo $?
#### nl with a separator and blank lines
nl -s: -w3 README.md; nl -s') ' README.md
#### patterns of diff -x and ls -I
diff -r -x '*.txt' notes data; ls -I '*.md' --ignore=data; ls --hide='[a-d]*'; ls -A --hide='[a-d]*'
#### cmp skips bytes, and stat pads
printf abc > f; printf xbc > g; cmp -i 1 f g; echo $?; cmp -i 1:0 f g; echo $?; stat -c '%5s|%-5s|%05s|%%|%n' README.md; echo a:b | xargs -d: -n1 echo
#### a backslash before another letter means the letter
echo a1d | grep -oE '\d+'; echo a1 | grep '\d'; echo $?; printf 'a\tb\n' | grep 'a\tb'; echo $?; printf 'a\tb1\n' | grep -P 'a\tb\d'; echo '\d' | grep '\\d'; echo 'ad' | sed 's/\d/X/'; echo 'a b' | grep -E '^\S\s\w$'
#### cut prints lines without the delimiter whole
printf 'a=b\nnone\n=x\n\n' | cut -d= -f2; cut -d = -f 2- data/config.ini; cut -f2 notes/a.txt; cut -d: --fields=1,3 README.md | tail -2; printf 'a\tb\nx' | cut -f2; cut -d, -f2 -s data/config.ini | wc -l; x=$(cut -d- -f2 <<< abc); echo "$x"; cut -d, -f9 data/people.csv | wc -l; cut -d, -f1 nope; echo $?
#### the longest line is a maximum
wc -L data/*.txt README.md; wc -lL data/*.txt; wc -L README.md
#### options that declare and other commands have
f=data/words.txt; grep -A1 fig $f | tail -n 1; grep -B 1 -A 1 -n fig "$f"; for w in date; do grep -A2 "$w" "$f" | wc -l; done; xargs -a "$f" -n 5 echo; declare -A m=([a]=1); n=dyn; declare "$n=5" "${n}_x=6"; echo "$dyn $dyn_x ${m[a]}"
#### parts of lines
cut -c2-3 --complement <<< abcdef; cut --complement -d, -f2 <<< a,b,c; cut --complement -c1 <<< $'ab\ncd'; cut -c1,3 --output-delimiter=: <<< abcd; cut -b1-2,4 --output-delimiter=- <<< abcde; cut -z -d, -f1 <<< a,b | tr '\0' '\n'; cut -n -b1 <<< ab; cut -d '' -f1 <<< abc; printf 'a:b:c\nno\n:x\n' | cut -d: -f2; printf 'a:b' | cut -d: -f1; cut -f2 -s <<< $'a\tb\nnone'; cut -d: -f3,1,1-2 <<< a:b:c:d; cut -f5 -d, <<< a,b; cut; echo $?; cut -d, -f1 nofile README.md | head -1; cut -d ' ' -f 1 data/access.log - < notes/a.txt | tail -1; printf '\n\n' | cut -c1 | wc -l; printf '\xff\xfe\n' | cut -b2 | xxd -p
#### tr works on bytes
tr é e <<< 'café résumé'; echo 'naïve' | tr -d 'ï'; echo 'é' | tr 'é' 'x'; echo abc | tr b 'é'; tr -s é <<< 'éé'; tr -d '\303' <<< 'é' | od -An -tx1
#### uniq writes to standard output for -
sort data/words.txt | uniq - -; uniq data/words.txt - | head -2; uniq -c data/words.txt out; cat out
#### diff of trees with directories on one side
cp -r src new; mkdir -p new/deep/er old; echo x > new/deep/er/f; rm -r new/lib; mv src old/src; diff -rqN old/src new; diff -rN old/src new | grep -c .; diff -ruN old/src new | grep '^---.*1970' | cut -f1; diff -rq old/src new; (cd old/src; diff -ruN . ../../new > ../../p; patch -sp1 < ../../p; find . | sort); diff -r old/src new; rm p
#### tr ends its options at the first set
echo 'a+b/c' | tr '+/' '-_'; echo a-b | tr - _; echo 'a b' | tr ' ' -; echo 'x-_y' | tr -- '-_' '+/'; echo aab | tr -s a -d; echo -n 'hi?>' | base64 | tr '+/' '-_' | tr -d '='; echo 'a.b' | tr . -s
#### grep with colours
printf 'foo bar foo\nbaz foo\nno\né foo é\n' > f; grep --color=always foo f; grep --color=auto foo f; grep --color foo f; grep --colour=never -n foo f; grep -n --color=always -H foo f; grep --color=always -o foo f; grep --color=always -c foo f f; grep --color=always -l foo f; grep --color=always -A1 bar f f; grep --color=always -v foo f; grep --color=always -C1 -n no f; grep -rn --color=always no f; grep --color=always -b foo f
#### flags do not take an argument
grep --count=5 a README.md; echo $?; sort --unique=1 README.md; echo $?; ls --all=1; echo $?; wc --lines=2 README.md; echo $?; mkdir --parents=x q; echo $?; rm --force=1 README.md; echo $?; ls -d --color=auto notes
