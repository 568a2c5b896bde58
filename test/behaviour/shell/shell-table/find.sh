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
