#### plain and reversed
sort data/words.txt; sort -r data/words.txt | head -2
#### numbers
sort -n data/numbers.txt; sort data/numbers.txt | head -3
#### unique, and case folded
sort -u data/words.txt; sort -fu data/words.txt
#### by a key with a separator
sort -t, -k2,2n -k1,1r data/people.csv
#### by the last column, reversed, without the header
tail -n +2 data/people.csv | sort -t, -k4,4nr | cut -d, -f1,4
#### human sizes and versions
printf '1K\n2M\n512\n1G\n' | sort -h; printf 'v1.10\nv1.2\nv1.9.1\n' | sort -V
#### check the order
sort -c data/words.txt; echo "exit $?"; sort data/words.txt | sort -c && echo sorted
#### stable by a key
printf 'b 1\na 1\nc 0\na 0\n' | sort -s -k2,2
#### merge sorted files
printf '1\n4\n' > a; printf '2\n3\n' > b; sort -m a b
#### into its own input
cp data/words.txt w; sort -o w w; head -2 w
#### part of a field
printf 'xx30\nxx4\nxx200\n' | sort -k1.3n; printf 'a-3\nb-1\nc-2\n' | sort -t- -k2
#### months and general numbers
printf 'Mar\nJan\nDec\nFeb\n' | sort -M; printf '1e3\n2.5\n-1e-2\n' | sort -g
#### leading blanks and dictionary order
printf '  b\n a\nc\n' | sort -b; printf 'a-b\nab\na_c\n' | sort -d
#### NUL-separated
printf 'b\0a\0c\0' | sort -z | tr '\0' ','; echo
#### random order keeps the lines
sort -R data/words.txt | sort | cmp - <(sort data/words.txt) && echo same
#### a missing file
sort nowhere; echo "exit $?"
#### unique by a key keeps the first
printf 'a 2\na 1\nb 3\n' | sort -u -k1,1
#### versions of files
printf 'a-1.2.tar\na-1.10.tar\na-1.2-rc1.tar\na.tar.gz\na\nv1.0.0\nv1.0.0-beta\nv1.0.10\nv1.0.9\nfile9.txt\nfile9\n1.0\n1.0~rc1\n' | sort -V
#### -g sorts all numbers of C
printf '0x10\n9\n0xA\n1e2\n-3\nabc\ninf\n-inf\nnan\n+4\n .5\n-1.5e-2\n0xzz\n' | sort -g; printf '5\n0x4\n-0x1f\n' | sort -rg; printf 'b 0x2\na 10\nc 0x1\n' | sort -k2,2g
