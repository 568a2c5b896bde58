#### dd
dd if=/dev/zero of=f bs=1024 count=10 status=none; stat -c %s f; dd if=data/words.txt bs=1 skip=2 count=4 2>/dev/null; echo; printf abcdef > g; printf XY | dd of=g bs=1 seek=2 conv=notrunc 2>/dev/null; cat g; echo; printf XY | dd of=g bs=1 seek=2 2>/dev/null; cat g; echo; dd if=g of=h 2>&1 | head -2; dd if=nofile 2>/dev/null; echo $?; dd foo=1 2>/dev/null; echo $?; echo abc | dd conv=ucase status=none; dd if=/dev/urandom bs=16 count=1 2>/dev/null | wc -c; dd if=/dev/zero of=z bs=1M count=2 2>/dev/null; stat -c %s z; dd if=data/words.txt bs=10 count=1 2>&1 >/dev/null | head -2; dd if=/dev/zero bs=3 count=2 status=noxfer 2>/dev/null | xxd -p
#### install
install -m 644 README.md x; stat -c %a x; install README.md y; stat -c %a y; install -d -m 700 d1/d2 d3; stat -c %a d1/d2 d3; install -D -m 600 README.md p/q/r.txt; stat -c %a p/q/r.txt; install -t d3 -m 644 README.md blank.txt; ls d3; install README.md blank.txt d3; stat -c %a d3/blank.txt; install nofile x; echo $?; install README.md blank.txt x; echo $?; install -v -m 755 README.md d3/s; install README.md; echo $?; install -m 755 -D bin/run.sh out/bin/run; out/bin/run ok
#### nice, nohup, setsid and stdbuf
nice echo a; nice -n 10 echo b; nice -5 echo c; nice; nohup echo d 2>/dev/null; setsid -w echo e; stdbuf -oL echo f; stdbuf -o0 -i0 cat <<< g; nice false; echo $?; nohup nosuch 2>/dev/null; echo $?; echo x | nohup cat 2>/dev/null; nice -n 5 sh -c 'exit 4'; echo $?; f() { echo fn; }; nice f 2>/dev/null; echo $?; nohup sh -c 'echo bg' > log 2>&1 & wait; grep bg log
#### numfmt
numfmt --to=iec 1024 1536 1048576 1073741824 999 0; numfmt --to=si 1000 1500 999999 1234567; numfmt --to=iec-i 2048; numfmt --to=iec-i --suffix=B 2048; numfmt --from=iec 1K 2M 1.5G; numfmt --from=si 1K 2M; numfmt --from=auto 1Ki 1K; echo 123456 | numfmt --to=iec; printf 'a 1024\nb 2048\n' | numfmt --field=2 --to=iec; numfmt --padding=8 --to=iec 4096; numfmt x; echo $?; numfmt 1K; echo $?; numfmt --to=iec 10240 102400 1023 1025; numfmt --round=down --to=iec 1100; numfmt --round=nearest --to=si 1449 1450; numfmt -d, --field=2 --to=si <<< 'x,5000,y'; numfmt --header --field=1 --to=si <<< $'N\n5000'; numfmt --to=iec -- -2048; numfmt 5; du -b data/words.txt | cut -f1 | numfmt --to=iec
#### factor
factor 12 97 360 1 2 1000000007; echo 8 9 | factor; factor x; echo $?; factor 0 2>/dev/null; factor 600851475143
#### getopt
parse() { local o; o=$(getopt -o hvo:: -l help,verbose,output::,file: -n prog -- "$@") || return 1; eval set -- "$o"; for a; do printf '<%s>' "$a"; done; echo; }; parse -v a -f 2>&1; parse -h -v --file "a b" rest; parse --file=x -ofoo -o y -- -z "it's"; parse --verb; parse --nope; echo $?; parse --file; echo $?; parse -x; echo $?; getopt -o ab: -- -b1 -a x y; getopt ab: -a -b 2 x; getopt -o +a -- x -a; getopt -T; echo $?; getopt -o a -l alpha -- --alpha=1; echo $?; getopt -q -o a -- -z; echo $?; getopt -u -o a: -- -a 'x y'; getopt --options v --longoptions long,longer -- --long; getopt; echo $?
#### getopt in a script
set -- -v --name "J D" file1 --count=3 file2; OPTS=$(getopt -o vn:c: --long verbose,name:,count: -- "$@"); eval set -- "$OPTS"; while true; do case "$1" in -v|--verbose) v=1; shift;; -n|--name) n=$2; shift 2;; -c|--count) c=$2; shift 2;; --) shift; break;; esac; done; echo "$v $n $c $*"
#### envsubst
export A=1 B="two words"; C=3; echo 'a=$A b=${B} c=$C d=$D e=\$A $$ ${A}x $A_x ${A:-z} é' | envsubst; echo '$A $B' | envsubst '$A'; envsubst '$A ${B}' <<< '$A $B $C'; envsubst -v '$A ${B}'; D=inline envsubst <<< '$D'
#### groups, tty, arch and sync
groups > /dev/null && echo g; tty; echo $?; tty -s; echo $?; arch | grep -c .; sync; echo $?; sync nofile; echo $?
#### xargs by lines, and up to a word
printf 'a b c\n\nd e\n' | xargs -L 1 echo x; printf 'a b\nc\nd\n' | xargs -L2; printf '1 2 3\n' | xargs -E 3 echo; printf 'a\n' | xargs --replace=Z echo Z; printf 'a b\n' | xargs --replace echo '<{}>'; printf '' | xargs -r -L1 echo none; printf 'a b\nc\n' | xargs -d '\n' -L1 echo y
#### directories and names of paths
d=/workspace/src/lib; while [ "$d" != / ]; do echo "$d"; d=$(dirname "$d"); done; dirname / // a a//b// "/a b/c" .; basename / ; basename /a//; basename .txt .txt; basename -s .txt "a b.txt" é.txt; basename -z a | od -c | head -1; basename a b c 2>/dev/null; echo $?
#### cksum and tsort
cksum data/words.txt; printf 'abc' | cksum; cksum blank.txt nope; echo $?; printf 'main lib\nmain util\nlib util\nx x\n' | tsort; printf 'a b b a\n' | tsort 2>/dev/null; echo $?; echo a | tsort 2>/dev/null; echo $?
#### an empty name is the name of nothing
unset none; rm -rf "$none"; ls README.md; for t in d e f r w x s; do [ "-$t" "$none" ] && echo "$t"; done; [[ -d $none ]] && echo yes; ls "$none" 2>/dev/null; echo $?; find "" -delete 2>/dev/null; echo $?; grep -r shop "" 2>/dev/null; echo $?; touch "" 2>/dev/null; echo $?; cp README.md "" 2>/dev/null; echo $?; readlink -f ""; echo $?; cd "" && pwd; ls
#### a redirection to an empty name fails
unset none; echo x > "$none" || echo "no $?"; { echo y; } >> ""; echo "after $?"; if : > ""; then echo yes; else echo no; fi; ls
#### dates in ISO 8601, abbreviated
date -Id -d 2024-05-05; date -u -Ih -d @0; date -Im -u -d @0; date --iso-8601=s -u -d @0; date -Iq 2> /dev/null; echo $?
#### tar -z requires gzip
tar -cf a.tar data; tar -tzf a.tar; echo $?; tar -xzf a.tar; echo $?; tar -tf a.tar | wc -l; tar -czf a.tgz data; tar -tf a.tgz | wc -l; rm a.tar a.tgz
#### options of checks alone
sha256sum --status data/words.txt; echo $?; md5sum --quiet data/words.txt; echo $?; md5sum README.md > s; md5sum --quiet -c s; echo $?; md5sum -c --status s; echo $?
#### bc of several lines
printf '4+5\n7\n' | bc; printf '4;5\n6 ; 7\n\n  8*2\n' | bc; seq 1 7 | xargs -n3 | sed 's/ /+/g' | bc; printf 'x = 3\n# note\nx ^ 2 /* two\nlines */ + 1\nscale=2; 10/4\n.5+1\n' | bc; bc <<< $'2^70\n"a"\n1+\\\n2'
#### modes that refer to other modes
touch p; chmod 600 p; chmod u+X,g=u p; stat -c %a p; chmod g=u,o=g p; stat -c %a p; chmod 755 p; chmod go=u-w p; stat -c %a p; chmod =r p; chmod +w p; stat -c %a p; chmod -v 600 p; chmod -c 600 p; chmod -c 644 p; chmod -f 644 nofile; echo $?; chmod --reference=bin/run.sh p; stat -c %a p; chmod -rwx p; stat -c %A p; chmod u=rwx,g=rx,o=r p; stat -c %a p; chmod zz p; echo $?; chmod -- -w p; stat -c %a p; chmod u-w+x p; stat -c %a p; ln -s ../README.md notes/l; chmod -R 700 notes; stat -c '%a %n' notes/a.txt README.md; chmod u+x nofile p; echo $?
#### copies with the times of their originals
touch -d '2020-01-02 03:04:05' a; cp -p a b; stat -c %y b; cp --preserve=timestamps a c; stat -c %y c; mkdir t k; touch -d '2020-01-02' t/x; ln -s x t/l; touch -d '2019-01-01' t; cp -rp t u; stat -c '%y %n' u u/x; cp -a t/. k; stat -c '%y %n' k k/x; readlink k/l; cp -a t a empty; stat -c %y empty/a empty/t/x; cp -rT t k; ls k; cp --preserve=mode a m; [ m -nt a ] && echo newer; ln -s a la; cp -p la lc; stat -c %y lc; touch a lc k/x k t/x t u/x u b c; touch empty/t/x empty/t empty/a
#### devices are copied
mkdir t; cd t; echo abc > y; chmod 600 y; cp /dev/null y; stat -c '%s %a' y; echo z > z; mkdir d; cp /dev/null z d; ls d; echo p | cp /dev/stdin z; cat z; cp /dev/null no/x; echo "exit $?"
