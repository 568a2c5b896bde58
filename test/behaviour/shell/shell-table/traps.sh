#### each shell has an end of its own
(trap 'echo sub' EXIT; echo in); trap 'echo bye' EXIT; echo done; x=$(trap 'echo in-sub' EXIT; echo hi); echo "[$x]"; f() ( trap 'echo fexit' EXIT; echo f; exit 2 ); f; echo $?
#### a script's end comes before what is behind it
printf 'trap "echo cleaned; rm -f tmp1" EXIT\ntouch tmp1\nls tmp1\n' > s.sh; bash s.sh; ls tmp1; echo after; chmod +x s.sh; ./s.sh; ls tmp1; echo end
#### scripts that start scripts
printf 'trap "echo A" EXIT\nexit 3\n' > a.sh; printf 'trap "echo B" EXIT\nbash a.sh; echo "rc $?"\n' > b.sh; bash b.sh; echo "rc $?"
#### an end that is left in other ways
set -e; t=$(mktemp -d); trap 'rm -rf "$t"; echo "gone $?"; ls "$t" || true' EXIT; echo x > "$t/f"; cat "$t/f"; f() { x=6; false; }; f; echo no
#### an end with a code of its own
trap 'exit 7' EXIT; exit 1
#### variables, functions and directory of the end
say() { echo "say $1 $x $?"; pwd; }; trap 'say end' EXIT; x=5; cd src; f() { x=6; exit 2; }; f
#### failures
trap 'echo "rc=$?"' ERR; f() { false; true; }; f; g() { return 3; }; g; (exit 4); false | true; true | false; [ 1 = 2 ]; x=$(false); if false; then :; fi; false || true; ! true; true && false; { false; }; for i in 1 2; do false; done; echo end; trap - ERR; false; echo quiet
#### the line of a failure, and the command
handle() { echo "line $1: $BASH_COMMAND"; exit 1; }; trap 'handle $LINENO' ERR; echo start
false
echo not reached
#### failures under set -e
set -Eeuo pipefail; trap 'echo "failed $?"' ERR; trap 'echo "end $?"' EXIT; f() { grep -q zzz README.md; echo no; }; f; echo no
#### failures in functions and shells with set -E
set -o errtrace; trap 'echo "E:$?"' ERR; f() { false; echo in; }; f; bash -c 'false; echo child'; (false; echo sub); echo $(false; echo cs)
#### what a function prints before it ends its shell
die() { echo "die: $*" >&2; exit 4; }; out=$(die sub 2>&1); echo "[$out] $?"; out=$(die y 2>&1 | tr a-z A-Z); echo "[$out]"; (die z 2> e.txt); cat e.txt; f() { echo o; exit 3; }; out=$(f > log; echo no); cat log; echo "[$out]"; die outer > out.txt
#### the line of a failure
trap 'echo "line $LINENO"' ERR
x=$(false)

(exit 3)
true | false
if true; then
  false
fi
f() {
  echo hi
  return 3
}
f
[[ a == b ]]
