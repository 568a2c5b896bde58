#### arguments and the return code
f() { echo "$# $1 ${2:-none}"; return 3; }; f a; echo $?; f a b; f "x y"
#### local variables
x=outer; f() { local x=inner; echo $x; g; }; g() { echo "g sees $x"; }; f; echo $x
#### recursion
fib() { if (( $1 < 2 )); then echo $1; else echo $(( $(fib $(($1 - 1))) + $(fib $(($1 - 2))) )); fi; }; fib 10
#### output captured
up() { tr a-z A-Z; }; v=$(echo quiet | up); echo "$v"
#### the function keyword and a body in a subshell
function g { echo "in g"; }; h() (cd data; pwd | sed 's|.*/||'; x=5); g; h; echo "x=$x"; basename "$PWD" | wc -l
#### "$@" and "$*"
f() { printf '[%s]' "$@"; echo; IFS=,; echo "$*"; }; f a "b c" d
#### shift and getopts
f() { while getopts ':ab:' o; do case $o in a) echo A;; b) echo "B=$OPTARG";; :) echo "needs $OPTARG";; \?) echo "bad $OPTARG";; esac; done; shift $((OPTIND - 1)); echo "rest $*"; }; f -a -b val x y; OPTIND=1; f -z -b
#### a name reference
f() { local -n ref=$1; ref="set by f"; }; f out; echo "$out"
#### unset a function
f() { echo hi; }; f; unset -f f; f; echo "exit $?"
#### a function shadows a command, and command goes past it
echo() { builtin echo "mine: $*"; }; echo a; command echo b
#### a trap on exit
f() { trap 'echo bye' EXIT; echo hello; }; f; echo after
#### errexit inside and in conditions
f() { false; echo "went on"; }; if f; then echo yes; fi; set -e; f; echo "not reached"
#### declare -f and type
f() { :; }; type -t f; type -t echo; type -t if; type -t ls; type -t nothing; echo "exit $?"
#### a function in a pipe
double() { while read -r n; do echo $((n * 2)); done; }; seq 1 3 | double | paste -sd+
#### return outside and an unknown command
no_such_command_here; echo "exit $?"
#### defaults and required parameters
f() { local a=${1:?need one}; echo "$a"; }; f ok; (f) ; echo "exit $?"
#### FUNCNAME and $0 arguments in bash -c
f() { echo "${FUNCNAME[0]}"; }; f; bash -c 'echo "$0 $1 $#"' name arg
#### export -f to a child
f() { echo "child sees $1"; }; export -f f; bash -c 'f it'
#### a command in an array
cmd=(printf '<%s>' "a b"); "${cmd[@]}" "c d"; echo; none=(); "${none[@]}"; echo $?
#### arguments as a command
run() { echo "+ $*"; "$@"; }; show() { echo "$# of $1"; }; run echo "x  y"; run show "p q" r; s="show 1 2"; $s
#### what programs start has the exported variables
export A=1; B=no; env C=2 sh -c 'echo "$A $B $C"'; unset TMPDIR; bash -c 'echo "[${TMPDIR-gone}]"'; env -u A sh -c 'echo "[${A-gone}]"'; A=5 sh -c 'echo $A'; timeout 5 sh -c 'echo $A'; echo x | xargs -I{} sh -c 'echo {} $A; sh -c "echo inner \$A"'; find README.md -exec sh -c 'echo $A' \;; env -i sh -c 'echo "[$HOME][$A]"'; env -u HOME bash -c 'echo "${HOME-unset}"'; printenv A; printf 'echo "script $A $B"\n' > s.sh; bash s.sh; export -n A; bash s.sh
#### names of callers
log() { echo "[${FUNCNAME[1]}] $1"; }; f() { log hi; }; f; die() { echo "${FUNCNAME[1]:-main}: $*"; }; k() { die bad; }; k; g() { echo "${FUNCNAME[*]} ${#FUNCNAME[@]} ${FUNCNAME[1]:-x} ${FUNCNAME[2]-none} ${FUNCNAME[1]:+y}"; }; g; h() { g; }; h; set -u; k; v() { echo "${FUNCNAME[5]:-far}"; }; v
#### getopts with a local OPTIND
parse() { local OPTIND opt v= o=; while getopts ":vo:h" opt "$@"; do case $opt in v) v=1;; o) o=$OPTARG;; h) echo help; return;; :) echo "need -$OPTARG"; return 1;; \?) echo "bad -$OPTARG"; return 2;; esac; done; shift $((OPTIND-1)); echo "v=$v o=$o rest=$*"; }; parse a -v; parse; parse -v -o file a b; parse -vofile x; parse -o; echo $?; parse -z; echo $?; parse -v -- -o x; parse -h; parse -vv -o "a b" c; g() { local OPTIND=1; while getopts a x; do echo "a $OPTIND"; done; echo $OPTIND; }; g -a -a b; g; while getopts b y -b; do echo "$y"; done; echo $OPTIND
#### the text of a function defines it again
f() { echo "f $1"; }; function h { echo h; }; x=$(declare -f f); unset -f f; eval "$x"; f 1; eval "copy_$(declare -f h)"; copy_h; bash -c "$(declare -f f); f 2"; declare -f nope; echo $?; declare -f f h | grep -c '()'; [ -n "$(type f | tail -n +2)" ] && type f | head -1; g() { local n=3; ((n -= 1)); echo $n; }; . <(typeset -f g | sed 's/3/9/'); g
#### return in a subshell ends only that
p() { local r; r=$(echo out; return 6); echo "$? $r"; }; p; echo "p $?"; f() { seq 3 | while read -r i; do [ "$i" = 2 ] && return 5; echo "i$i"; done; echo "after $?"; return 1; }; f; echo "f $?"; g() { x=$(false || return 3) || echo "g $?"; }; g; n() { for i in 1 2; do [ $i = 2 ] && return 9; done; }; n; echo $?; o() { echo x | grep -q x && return 8; echo no; }; o; echo $?; set -e; r() { y=$(return 1) || echo caught; seq 2 | while read -r i; do return 0; done; echo on; }; r; s() { seq 2 | while read -r i; do return 1; done; echo never; }; s
#### arguments of a redirected function are expanded like others
f() { printf '<%s>' "$@"; }; a=(x1 x2); f "${a[@]^}" p${a[@]#x} */ > out; cat out; f "${a[@]:-d}" 2>&1
#### options and functions of a substitution are its own
x=$(set -euf -o pipefail; shopt -s nullglob; f() { :; }; echo *.none; false; echo no); echo "[$x] $?"; false; echo *.none "$nope"; case $- in *[euf]*) echo "$-";; esac; f 2> /dev/null || echo none; cat <(set -e; echo p; false; echo q); set -e; y=$(set +e; false; echo kept); echo "$y"; false | true; echo end
#### LINENO in a substitution
bash -c $'\necho $(echo $LINENO)\nf() {\n  echo "in $(echo $LINENO)"\n}\nf\necho `echo $LINENO` "$(echo "$(echo $LINENO)")"'; echo $(echo $LINENO)
#### return outside of a function
return 3; echo $?; (return 4); echo $?; echo 'return 5; echo no' > r.sh; bash r.sh; echo $?; . ./r.sh; echo $?
#### attributes of locals and of other shells
f() { local -i x; x=1+1; echo $x; }; f; x=1+1; echo $x; g() { local -l lo=ABC; }; g; lo=ABC; echo $lo; h() { local -u up=abc; echo $up; }; h; up=abc; echo $up; k() { declare -i q=2; }; k; q=3+3; echo $q; (declare -i w=1); w=1+1; echo $w; z=$(declare -i y=1+1; echo $y); y=1+1; echo $z $y; declare +i n; n=1+1; echo $n; declare -i m=1; declare +i m; m=1+1; echo $m; bash -c 'declare -i e=1+1; echo $e'; e=1+1; echo $e
#### a trace of the callers
trace() { local i; for ((i=1;i<${#FUNCNAME[@]};i++)); do echo "at ${FUNCNAME[$i]} line ${BASH_LINENO[$((i-1))]} ${BASH_LINENO[i]}"; done; }
a() { trace; }
b() {
  a; }
b; n=0; while [[ -n "${FUNCNAME[$n]:-}" ]]; do n=$((n+1)); done; echo $n; c() { local i=0; echo "${FUNCNAME[i]} ${FUNCNAME[i+1]} ${FUNCNAME[$((i+1))]:-none} [${FUNCNAME[9+i]}] ${FUNCNAME[9+i]-none}"; }; d() { c; }; d; [ "${FUNCNAME[n]}" = "" ] && echo none
