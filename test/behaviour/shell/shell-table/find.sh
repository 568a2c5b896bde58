#### by name and type
find . -type f -name '*.js' | sort
#### case-insensitive, with a directory pruned
find . -path ./src/lib -prune -o -iname '*.JS' -print | sort
#### or, not and parentheses
find data \( -name '*.csv' -o -name '*.json' \) ! -name 'o*' | sort
#### depth limits
find . -mindepth 1 -maxdepth 1 -type d | sort
#### empty files and directories
find . -empty | sort
#### by size
find data -type f -size +200c | sort; find . -size 0 -type f | sort
#### exec once per file and once for all
find src -name '*.js' -exec basename {} .js \; | sort; find data -name '*.txt' -exec cat {} + | wc -l
#### printf directives
find notes -type f -printf '%f %s %h\n' | sort
#### newer than another file
touch -d '2020-01-01' old; touch -d '2021-01-01' mid; touch -d '2022-01-01' new; find . -maxdepth 1 -newer mid -name 'n*' -type f
#### symbolic links
find . -type l -printf '%p -> %l\n'
#### delete what matches
touch x.tmp data/y.tmp; find . -name '*.tmp' -delete; find . -name '*.tmp' | wc -l
#### executable files by mode
find . -type f -perm 755; find . -type f -perm /u+x | wc -l
#### regular expressions over the whole path
find . -regex '.*/[a-z]+\.txt' | sort; find . -regextype posix-extended -regex '.*\.(csv|ini)' | sort
#### a missing starting point
find nowhere -type f; echo "exit $?"
#### a path test with a star crosses directories
find . -path '*lib*.js' | sort
#### counting by extension
find . -type f -name '*.*' | sed 's/.*\.//' | sort | uniq -c
#### exec of a shell with the name as argument
find src -type f -name '*.js' -exec sh -c 'echo "$(wc -l < "$1") $1"' _ {} \; | sort
#### quit after the first
find data -type f -name '*.csv' -print -quit
#### times as text
touch -d '2020-01-01' old.txt; touch -d '2030-01-01' new.txt; find . -maxdepth 1 -type f -newermt '2029-01-01'; find . -maxdepth 1 -type f ! -newermt '2021-01-01'; find . -maxdepth 1 -name '*.txt' -newermt '2019-12-31' ! -newermt '2020-01-02'
#### directives of -printf
touch -d '2026-03-01 10:20:30' README.md; find README.md -printf '%TY %Tm-%Td %TH:%TM %T@ %T+ %t|%Tb %Tj %TT|%M %k %b %y\n'; find src -type f -printf '%14f|%-5s|%5m|\n' | sort; find . -type l -printf '%M %l %y %Y\n'; find README.md -printf 'a\tb\\c\101%%\n'
#### -ls, links and names of links
touch -d '2020-03-01 10:20:30' README.md; find README.md -ls | awk '{print $3, $4, $7, $8, $9, $10, $11}'; find README.md -links 1; find src -nouser; find . -lname '*words*'; find . -maxdepth 1 -xdev -name src; find . -user no-such-user
#### -xtype, -quit, -execdir and a link as the start
ln -s data d; ln -s nowhere dang; find . -maxdepth 1 -xtype l; find . -maxdepth 1 -xtype f | sort; find . -maxdepth 1 -type l -xtype d; find notes -quit; find notes -name a.txt -print -quit; find src -type f -execdir echo {} \; | sort; find src -name '*.js' -execdir pwd \; | sort; find . -newer nofile; echo $?; find d -type f | wc -l; find d/ -type f | sort | head -2; find . -maxdepth x; echo $?
