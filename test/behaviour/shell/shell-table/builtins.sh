#### umask
umask; umask 077; touch f; stat -c %a f; mkdir d; stat -c %a d; umask -S; umask 022; touch g; stat -c %a g; umask -p; umask 8; echo $?; umask 000; echo x > h; stat -c %a h; umask abc; echo $?; umask u=rwx,g=rx,o=; umask; umask go-rx; umask; umask a+r; umask -S; umask 0007; echo y >> i; stat -c %a i; echo z > f; stat -c %a f; umask -S 022
#### umask of a subshell
(umask 077; echo x > f); stat -c %a f; echo y > g; stat -c %a g; set -e; umask 022; f() { umask 077; }; f; umask
#### ulimit
ulimit -c 0; echo $?; ulimit -s unlimited; echo $?; ulimit -c; ulimit -n 512 && echo ok
#### kill of what is no process
kill -0 $$; echo $?; kill -9 99999; echo $?; kill -FOO 1; echo $?; kill; echo $?; kill %1; echo $?; kill -s TERM 99999; echo $?; kill -0 99999 2>/dev/null || echo none
#### kill -l
kill -l TERM; kill -l 9; kill -l 143; kill -l sigint
#### signals to the shell itself
trap 'echo got TERM; exit 9' TERM; trap 'echo usr1' USR1; kill -USR1 $$; echo after; trap '' INT; kill -INT $$; echo on; kill -TERM $$; echo never
#### functions named like builtins
kill() { echo "mine $*"; }; kill 5; wait() { echo w; }; wait; umask() { echo u; }; umask 077
#### a script that cleans up
server() { echo listening > log; }; server & SERVER_PID=$!; cleanup() { kill "$SERVER_PID" 2>/dev/null || true; rm -f log; echo cleaned; }; trap cleanup EXIT; wait "$SERVER_PID"; cat log
#### unset after a function with a local variable of that name
x=5; h() { local x=6; }; h; unset x; echo "[${x-unset}]"; IFS=:; j() { local IFS=,; echo "$*"; }; j a b; unset IFS; set -- p q; echo "$*"; k() { local y=2; unset y; echo "[${y-unset}]"; }; y=1; k; echo $y; m() { local x=6; g; echo "$x"; }; g() { unset x; echo "g[${x-unset}]"; }; x=1; m; echo $x; unset x; echo "[${x-unset}]"; r() { local n=$1; [ $n -gt 0 ] && r $((n-1)); unset n; echo "${n-u}"; }; n=9; r 2; echo $n; unset n; echo "${n-u}"
#### the time in variables
s=$EPOCHSECONDS; echo $((EPOCHSECONDS - s < 5)) ${#s}; [[ $EPOCHREALTIME =~ ^[0-9]{10}\.[0-9]{6}$ ]] && echo real
#### cd to the directory in OLDPWD
cd data; OLDPWD=/tmp; cd -; cd -; OLDPWD=nope; cd - 2>/dev/null; echo $?; pwd
#### combined options of mapfile
mapfile -td '' f < <(find notes -type f -print0 | sort -z); echo "${f[@]##*/}"; mapfile -tn1 g < data/words.txt; echo ${g[@]}; readarray -ts8 g < data/words.txt; echo ${g[@]}; mapfile -t -n 2 g < data/words.txt; echo ${g[@]}; cd src; cd lib; echo ~- ~-/"y z"; x=~-/y; echo $x
#### mapfile leaves the other lines
{ mapfile -t -n 2 a; mapfile -t -s 1 -n 1 b; read c; cat; } < data/words.txt; echo "${a[*]} / ${b[*]} / $c"; seq 5 | { mapfile -t -n 2 a; read x; echo "${a[*]} $x"; cat; }; while mapfile -t -n 4 rows && ((${#rows[@]})); do echo "${rows[*]}"; done < data/words.txt; printf 'a;b;c' | { mapfile -d ';' -n 1 x; mapfile -t -d ';' y; echo "${x[0]} ${#y[@]} ${y[1]}"; }
#### read counts characters
echo héllo | { read -n1 a; read -n1 b; read -N 1 c; read d; echo "$a|$b|$c|$d"; }; while read -rn1 c; do echo "[$c]"; done <<< "aéb"; { read -n 3 a; read -N 2 b; read c; echo "$a|$b|$c"; } <<< "çaéèàrest of"; read -N 10 z <<< ab; echo "$? ${z%?}"; read -d, -n5 q <<< "ab,cd"; echo $q
#### hash
hash sed && echo ok; hash nosuch 2>/dev/null || echo none; hash ls cat; echo $?; if hash jq 2>/dev/null; then echo jq; fi
#### tests for programs
[ -x "$(command -v ls)" ] && echo a; [[ -f /usr/bin/jq ]] && echo b; test -e /bin/sed && echo c; [ -d /usr/bin/ls ] || echo d; [ -x /usr/bin/nosuch ] || echo e; [ -x /opt/ls ] || echo f; [ ! -x "$(command -v jq)" ] && echo bad; [ -x "$(which awk)" ] && [ -x /bin/sh ] && echo g; [ -x /bin/bash -a -f /usr/bin/head ] && echo i; test -x /usr/bin/env && echo j; for c in grep nosuch; do if [ -x "/usr/bin/$c" ]; then echo "$c yes"; else echo "$c no"; fi; done; for p in /opt/bin/sed /usr/bin/sed; do [[ -x $p ]] && { echo $p; break; }; done
#### getopts leaves OPTARG unset
set -- -a -b x -c rest; while getopts "ab:c" o; do echo "$o [${OPTARG-unset}] $OPTIND"; done; echo "${OPTARG-unset}"; OPTIND=1; set -- -b '' -a; while getopts "ab:" o; do echo "$o [${OPTARG-unset}]"; done; OPTIND=1; set -- -x -b; while getopts ":ab:" o; do echo "$o [${OPTARG-unset}]"; done; f() { local OPTIND OPTARG o; while getopts "vn:" o; do echo "$o ${OPTARG:-none}"; done; }; set -u; f -v -n 3
#### read refuses an unknown option
read -z x <<< a; echo $?; read -rz x <<< a; echo $?; read -ersn2 x <<< ijk; echo $x; read -rsp 'p ' x <<< g; echo $x; read -t0.5 x <<< l; echo $x; read -rd '' x <<< h; echo $x; read -- x <<< f; echo $x
#### options that a builtin lacks
cd -Z; echo $?; pwd -Z; echo $?; export -Z; echo $?; unset -Z x; echo $?; unset -vx y; echo $?; mkdir d; cd -P d; pwd -P; cd -L ..; pwd -L; cd -- d; cd - >/dev/null; export -p | grep -c HOME; export -n HOME; unset -v HOME; unset -f f; export -- z=1; echo $z; cd -PL d; cd -
#### options that do not exist
pwd --bogus; echo $?; cd --bogus; echo $?; type -q ls; echo $?; mapfile -q m < data/words.txt; echo $?; jobs -q; echo $?; readonly -q; echo $?; command -q ls; echo $?; printf -q; echo $?; printf '-%s\n' x; echo $?; wait -q; echo $?; ulimit -Z; echo $?; read --bogus x <<< y; echo $?; printf -- '-%s\n' x; printf -v y %s z; mapfile -tn 1 m < data/words.txt; type -t cd; command -v cd; read -rn 2 x <<< abc; pwd -P > out; echo "$y $x ${#m[@]} $(wc -l < out)"; printf -
