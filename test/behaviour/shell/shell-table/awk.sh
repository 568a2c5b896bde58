#### columns and a sum
awk -F, 'NR > 1 { s += $4; n++ } END { printf "%d %.2f\n", s, s / n }' data/people.csv
#### group by a column
awk -F, 'NR > 1 { c[$3]++; t[$3] += $4 } END { for (k in c) print k, c[k], t[k] / c[k] }' data/people.csv | sort
#### BEGIN with separators of its own
awk 'BEGIN { FS = ","; OFS = "|" } { $2 = $2; print }' data/people.csv | head -2
#### a pattern range
awk '/\[server\]/,/^$/' data/config.ini
#### string functions
awk 'BEGIN { s = "Hello World"; print length(s), toupper(s), tolower(s), substr(s, 7), substr(s, 1, 5), index(s, "World") }'
#### split, join and loop
awk 'BEGIN { n = split("a:b:c", p, ":"); for (i = n; i > 0; i--) printf "%s%s", p[i], i > 1 ? "-" : "\n" }'
#### gsub counts and match sets RSTART
awk 'BEGIN { s = "foo bar foo"; n = gsub(/foo/, "<&>", s); print n, s; if (match("abc123def", /[0-9]+/)) print RSTART, RLENGTH }'
#### a function that calls itself
awk 'function fact(n) { return n <= 1 ? 1 : n * fact(n - 1) } BEGIN { print fact(5), fact(10) }'
#### fields from the end, and NF
awk '{ print NF, $NF, $(NF - 1) }' data/access.log | head -3
#### variables from the command line
awk -v min=4500 -v name="Paid" -F, 'NR > 1 && $4 > min { print name ": " $1 }' data/people.csv
#### printf formats
awk 'BEGIN { printf "[%5d] [%-5s] [%05.1f] [%x] [%c] [%e] [%%]\n", 42, "ab", 3.14159, 255, 65, 12345.678 }'
#### duplicates kept once, in order
awk '!seen[$0]++' data/words.txt
#### two files joined
awk -F, 'NR == FNR { city[$1] = $3; next } $1 in city { print $1, city[$1] }' data/people.csv <(printf 'Eve\nZoe\nBob\n')
#### output to files by key
awk -F, 'NR > 1 { print $1 > ($3 ".txt") }' data/people.csv; cat Paris.txt Rome.txt
#### getline from a file and from a command
awk 'BEGIN { while ((getline line < "data/numbers.txt") > 0) n++; "echo hi" | getline x; print n, x }'
#### records by blank lines
printf 'a\nb\n\nc\nd\n' | awk 'BEGIN { RS = ""; FS = "\n" } { print NR ": " $1 "," $2 }'
#### integer and string comparison
printf '10\n9\nabc\n' | awk '{ print ($1 > 5), ($1 > "5") }'
#### delete, in, and array length by a loop
awk 'BEGIN { a["x"]; a["y"] = 2; delete a["x"]; print ("x" in a), ("y" in a); for (k in a) n++; print n }'
#### exit code from END
awk 'END { exit NR > 3 ? 4 : 0 }' data/people.csv; echo "exit $?"
#### a syntax error
awk 'BEGIN { print ( }' ; echo "exit $?"
#### pipes to a command
awk -F, 'NR > 1 { print $2 | "sort -n" }' data/people.csv
#### arithmetic
awk 'BEGIN { print 7 % 3, -7 % 3, 2 ^ 10, 2 ** 3, int(-3.7), 1e6, 1000000 * 10, 0.1 + 0.2, 1 / 3, 100000 * 100000 }'
#### a sorted body below its header, and two pipes
awk -F, 'NR == 1 { print; fflush(); next } { print | "sort -t, -k4,4nr"; print $3 | "sort -u > cities" } END { close("sort -t, -k4,4nr") }' data/people.csv; cat cities
#### exit codes of commands
awk 'BEGIN { r = system("echo sys; exit 3"); print "code", r; print "err" | "cat 1>&2"; printf "é %d\n", 5 | "tr 5 6"; print close("tr 5 6"), close("none"); c = "cat notes/b.txt"; while ((c | getline l) > 0) n++; close(c); while ((c | getline l) > 0) n++; print n }'
#### output behind a command that it prints to
awk -F, 'NR == 1 { print; next } { print $3 | "sort -u" } END { print "end"; close("other") }' data/people.csv; awk 'BEGIN { print "b\na" | "sort"; print "x"; close("sort"); print "y"; print "c" | "cat"; system("echo s"); print "z" }'; echo 34 97 x | awk '{ printf "%c%c%c\n", $1, $2, $3 }'
