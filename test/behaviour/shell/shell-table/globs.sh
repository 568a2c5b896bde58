#### star in a directory, sorted
echo data/*
#### question marks and classes
touch f1 f2 f10 fa; echo f? ; echo f[0-9]; echo f[!0-9]; echo f[[:digit:]]*
#### no match stays as it is
echo *.nothing; ls *.nothing
#### nullglob removes what does not match
shopt -s nullglob; set -- *.nothing; echo "$#"
#### failglob is an error
shopt -s failglob; echo *.nothing; echo after
#### hidden files need a dot or dotglob
echo notes/*; shopt -s dotglob; echo notes/*
#### globstar goes through directories
shopt -s globstar; printf '%s\n' src/**/*.js
#### extended globs
shopt -s extglob; touch a.c a.h a.o b.c; echo !(*.o|*.md) | tr ' ' '\n' | grep '^[ab]\.'; echo @(a|b).c; echo +([a-z]).?
#### a quoted star is a star
echo "data/*" 'src/*' \*
#### brace expansion before globs
echo {data,src}/*.{csv,js} {1..5} {a..e..2} {05..08} x{,y,z}
#### nested braces and prefixes
echo pre{a,b{1,2},c}post {3..1} {x,y}{1,2}
#### a glob in a variable expands unless quoted
p='data/*.csv'; echo $p; echo "$p"
#### case takes patterns
for f in a.js b.txt c.JS README; do case $f in *.js) echo "$f js";; *.[tT][xX][tT]) echo "$f text";; *.*) echo "$f other";; *) echo "$f none";; esac; done
#### only directories with a slash at the end
echo */
#### names with spaces stay one word
for f in src/*.txt; do echo "[$f]"; done
#### nocaseglob
shopt -s nocaseglob; echo readme*; echo DATA/*.CSV
#### globstar
shopt -s globstar; echo src/**; for d in **/; do echo "d $d"; done; echo **/lib **/*.txt; ls -d s*/lib/**; a=(src/**/*.js); echo "${#a[@]}"; echo nope/** "$HOME"/src/**/m*; shopt -s nullglob dotglob; echo x/**/y notes/**; cd src; echo ./**/*.js
#### two stars without globstar
echo src/** **/*.js; for d in **/; do echo "$d"; done
#### patterns without case, and without files
shopt -s nocaseglob; echo DATA/*.CSV data/*.CSV *.MD */ "*.md"; cd data; for f in W* *.none; do echo "$f"; done; x=w; echo $x*.TXT "W"*; set -f; echo *.TXT **; set +f; shopt -u nocaseglob; echo [A-Z]*.TXT
#### patterns of case that are quoted in part
for s in '[db]' '[db' 'a*b' ab 'a\b' '(z)' '?y' '-*x'; do case $s in \[*\]) echo set;; "["*) echo open;; *'*'b) echo star;; *\\*) echo bs;; '('*')') echo par;; "?"?) echo q;; -"$(echo '*')"*) echo cmd;; *) echo "$s";; esac; done; line=' k = [x] '; case $line in *=*\[*\]*) echo kv;; esac
x='a[1]'; for y in 'a[1]b' a1b 'a[1]'; do case $y in "$x"?*) echo longer;; "$x") echo equal;; *) echo no;; esac; done; f() { local -n r=$1; case $2 in "$r"*) echo ref;; --"$2"*|*"${2}!") echo arg;; *) echo none;; esac; }; f x 'a[1]q'; f x a1q; f x 'q?!'; set -- '*'; case ab in a"$1") echo bad;; a$1) echo glob;; esac; set -u; (case abc in "$nope"*) echo bad;; esac); case "$x" in "${x%]}"*) echo op;; esac
#### names that a pattern excludes
shopt -s extglob
ls -d !(data|src); for f in !(*.md); do echo $f; done | head -3; echo data/*.@(csv|ini); mv -v README.@(md) R; echo src/!(lib); rm -v !(R|data|src|bin|notes|empty|current); ls; ! (true) || echo neg2; x=abc; echo x !(R) | head -c 20; set -- !(data); echo $#; echo "!("*; echo data/!(*.csv|*.txt); ls -d data/!(words).txt; echo d!(x)a; echo !(zz*)nope; d=data; echo $d/!(*.*); mv notes/!(b*) empty; ls empty; cp -r !(empty) empty/ 2>/dev/null; ls empty; for f in data/!(a*|o*); do echo "$f"; done; echo !(*); echo \!\(x
