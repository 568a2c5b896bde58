#### make, read and follow
ln -s data/words.txt w; readlink w; head -1 w; test -L w && test -f w && echo both
#### a link to a directory
ln -s src/lib d; ls d; cat d/math.js | head -1
#### relative to the link's place
ln -s ../data/words.txt notes/w; head -1 notes/w; readlink -f notes/w
#### dangling
ln -s nowhere dead; test -e dead; echo "$?"; test -L dead; echo "$?"; cat dead
#### writing through a link
ln -s target.txt t; echo via > t; cat target.txt; test -L t && echo "still a link"
#### rm removes the link, not the target
ln -s data/words.txt w; rm w; test -f data/words.txt && echo kept
#### -f and -n replace
ln -s data d; ln -sfn src d; readlink d; ln -s x d; echo "exit $?"
#### cp follows, cp -P and cp -a do not
ln -s data/words.txt w; cp w c1; cp -P w c2; cp -a w c3; test -L c1; echo "$?"; readlink c2 c3
#### cp -r keeps links inside
mkdir t; ln -s ../README.md t/r; cp -r t t2; readlink t2/r
#### a loop of links
ln -s b a; ln -s a b; cat a; echo "exit $?"; test -e a; echo "$?"
#### mv moves the link itself
ln -s README.md r; mv r notes/; readlink notes/r; test -e notes/r; echo "$?"
#### cd through a link, logical and physical
ln -s src/lib l; cd l; basename "$PWD"; pwd -P | sed 's|.*/src|src|'; cd ..; basename "$(pwd)" | wc -l; ls -d src
#### hard links have the same content
ln data/words.txt h; cmp h data/words.txt && echo same; test h -ef data/words.txt && echo one
#### ls -l shows the arrow
ln -s README.md r; ls -l r | sed 's/.* r ->/r ->/'; ls -F r; stat -c '%N %F' r
#### rm -r of a link to a directory with files
ln -s data d; rm -r d; ls data | wc -l
#### find follows with -L
ln -s ../data src/d; find src -name '*.csv'; find -L src -name '*.csv'
#### realpath and dirname
ln -s src/lib l; realpath l/math.js | sed 's|.*/src|src|'; realpath --relative-to=data src/main.js; dirname "$(readlink l)"
#### rm removes a link and not its target
ln -s data d; rm d; echo $?; ln -s data d; rm -r d; ln -s data d; rm -rf d; ln -s data d; rm d/; echo $?; ls data | wc -l; rm -v d README.md; ln -s nowhere x; rm x; ls x; mkdir t; ln -s ../data t/l; rm -rf t; ls data | wc -l; rm notes; echo $?; rm -d empty; echo $?; rm -- -x; rm nofile blank.txt; echo $?; ls blank.txt; rm -f nofile; echo $?; rm -rf src/lib/ src/*.js; ls src; mkdir -p p/q; touch p/q/f; rm -rv p; unlink current; ls data/words.txt; rm .; echo $?
#### readlink and realpath in their forms
ln -s data d; ln -s d e; readlink -f e/words.txt; readlink e; readlink -e nofile; echo $?; readlink -m a/b/../c; readlink -m d/x/y; readlink -f nofile; readlink -f nodir/x; echo $?; readlink README.md; echo $?; readlink -n current; echo; readlink current d; readlink -z d | tr '\0' '+'; readlink -v README.md; realpath e/words.txt; realpath -s e; realpath --relative-to=notes e/words.txt; realpath --relative-base=data e/words.txt README.md; realpath -q nodir/x; echo $?; ln -s nowhere w; readlink -f w; cd "$(dirname "$(readlink -f e/words.txt)")" && pwd
#### cp -L copies the file that a link refers to
ln -s README.md l; cp -L l real; cp -H l r2; cp --dereference l r3; cp -Lp l r4; test -L real || echo plain; ls r*; cp -P l l2; readlink l2
#### a link that exists already
ln -s README.md notes/a.txt 2>/dev/null; echo $?; mkdir d; ln -s x d/README.md; ln -s README.md d 2>/dev/null; echo $?; ln -s README.md d 2>&1; ln -sf ../README.md d; readlink d/README.md; ln -s none dead; ln -sfn data dead; readlink dead; ln -s none dead2; ln --symbolic --force src dead2; readlink dead2; ln -sf data/words.txt current; readlink current
