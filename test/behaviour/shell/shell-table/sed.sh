#### substitute, globally and only the second
echo "a-b-c-d" | sed 's/-/+/'; echo "a-b-c-d" | sed 's/-/+/g'; echo "a-b-c-d" | sed 's/-/+/2'; echo "a-b-c-d" | sed 's/-/+/2g'
#### a range of lines
sed -n '2,4p' data/people.csv; sed -n '$p' data/people.csv
#### delete by pattern and by range of patterns
sed '/^#/d;/^$/d' data/config.ini; sed '/\[server\]/,/^$/d' data/config.ini
#### groups, in basic and extended syntax
echo "2026-03-01" | sed 's/\([0-9]*\)-\([0-9]*\)-\([0-9]*\)/\3.\2.\1/'; echo "john smith" | sed -E 's/(\w+) (\w+)/\2, \1/'
#### in place, with a backup
sed -i.bak 's/London/Leeds/' data/people.csv; grep -c Leeds data/people.csv; diff data/people.csv data/people.csv.bak | wc -l
#### insert, append and change
printf '1\n2\n3\n' | sed -e '2i before' -e '2a after' -e '3c changed'
#### upper case with GNU escapes
echo "hello big world" | sed -E 's/\b(.)/\u\1/g; s/world/\U&/i'
#### the hold space reverses a file
printf 'a\nb\nc\n' | sed -n '1!G;h;$p'
#### join continued lines
printf 'one \\\ntwo \\\nthree\nfour\n' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta'
#### translate characters and quit early
printf 'abc\ncab\nbca\n' | sed 'y/abc/xyz/;2q'
#### every second line from the first
seq 1 10 | sed -n '1~3p'; seq 1 6 | sed '0~2d'
#### an address with a negation, and a block
seq 1 5 | sed '2,4!d'; seq 1 5 | sed -n '/2/,/4/{s/$/!/;p}'
#### another separator and the whole match
echo "/usr/local/bin" | sed 's|/usr/local|/opt|; s#bin#<&>#'
#### w writes a file
sed -n '/Paris/w paris.txt' data/people.csv; cat paris.txt
#### print line numbers and unambiguous text
printf 'a\tb\n' | sed -n 'l'; sed -n '/Rome/=' data/people.csv
#### an unknown command is an error
echo x | sed 'k'; echo "exit $?"
#### the first match from line 0
printf 'x\nx\ny\n' | sed '0,/x/s//first/'
#### replace newlines by a comma
seq 1 5 | sed ':a;N;$!ba;s/\n/,/g'
#### -s and several files
sed -n '1p' data/words.txt data/numbers.txt; sed -s -n '1p' data/words.txt data/numbers.txt
#### Q gives an exit code
seq 1 5 | sed '3q5'; echo "exit $?"
#### characters as numbers
echo "it's" | sed 's/\x27/"/g'; echo a | sed 's/a/\x27&\x27/'; echo a | sed 's/a/\o47\d65\x41/'; echo ab | sed 'y/a/\x27/'; echo '"k": "v"' | sed -E 's/\x22([a-z]+)\x22/\x27\1\x27/g'; echo a | sed 's/a/\x26/'; printf 'a\001b\n' | sed 's/[^\x20-\x7e]/?/g'; echo 'a[b' | sed 's/[\x5b]/-/'
#### letters beyond ASCII
echo 'naïve café 日本 ÀB_1' | sed -E 's/[^[:alnum:]]/-/g; s/[[:upper:]]/u/g'; echo 'naïve café' | sed -E 's/\w+/<&>/g'; echo 'naïve' | grep -o '[[:alpha:]]*'; echo 'École' | grep -oE '^[[:upper:]]\w+'; echo 'é-1' | grep -oE '\W'; echo 'a]b' | sed 's/[]x]/Y/'
