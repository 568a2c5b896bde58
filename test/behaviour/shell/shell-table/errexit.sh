#### has no effect in what is tested
set -e; f() { false; echo in; }; f || echo or; f && echo and; if f; then echo if; fi; ! f; while f; do break; done; echo end
#### has none in what that calls
set -e; g() { false; echo g; }; f() { g; echo f; }; f || true; (false; echo sub) || true; { false; echo group; } || true; echo end
#### has none in a substitution
set -e; x=$(false; echo on); echo "$x"; f() { local y=$(false); echo local; }; f; z=$(false); echo never
#### with inherit_errexit it has
shopt -s inherit_errexit; set -e; x=$(false; echo on); echo never
#### ends at the last command of a list
set -e; false || true; true && false; echo never
#### ends at a call whose list failed
set -e; [ 1 = 2 ] && echo x; echo on; f() { [ 1 = 2 ] && echo x; }; f; echo never
#### ends at a subshell whose list failed
set -e; { [ 1 = 2 ] && echo x; }; echo on; ([ 1 = 2 ] && echo x); echo never
#### a negated command ends nothing
set -e; ! true; echo one; ! false; echo two; if ! false; then echo three; fi
#### a loop whose last test failed ends nothing
set -e; for i in 1 2; do [ $i = 1 ] && echo one; done; echo end
#### a pipe ends by its last command, or by any with pipefail
set -e; false | true; echo on; set -o pipefail; false | true; echo never
#### a command in the background ends nothing
set -e; false & wait; echo on; wait $! || echo "code $?"
#### an assignment after a failure succeeds
set -e; false || code=$?; echo "$code"; f() { return 3; }; f || { a+=(x); b=1; }; echo "${a[@]} $b"; n=0; until [ $n -ge 2 ]; do n=$((n + 1)); done; if false; then :; else m[1]=y; fi; echo "$n ${m[1]}"
#### the exit code of an assignment
false; x=1; echo $?; false; a=(1 2); echo $?; false; a+=(3); echo $?; x=$(exit 3); echo $?; x=$(exit 3)$(true); echo $?; false; x=$(y=1); echo $?; y=1; false; x=${y:-$(exit 4)}; echo $?; false; x=$?; echo "$? $x"; f() { x=1; }; false; f; echo $?; false; (x=1); echo $?; set -x; false; x=1; echo $?
#### an unbound variable ends the shell wherever it is
set -u; f() { echo "$nope"; echo no; }; (f; echo no); echo $?; (f || echo no; echo no); echo $?; (if f; then :; fi; echo no); echo $?; ({ echo $nope; } || echo no); echo $?; (! f; echo no); echo $?; ([[ $nope == y ]] || echo no; echo no); echo $?; ((nope + 1)) & wait $!; echo $?; (g() { echo "$1"; }; g && echo no; echo no) || echo caught; (trap 'echo bye $?' EXIT; f || true; echo no); x=$(f; echo no); echo "[$x]"; bash -uc 'for i in $zz; do :; done || echo no; echo no' || echo "ended"
#### an invalid expression ends the shell
f() { echo $((1 / 0)); echo no; }; (f || echo no; echo no); echo $?; (f; echo no) || echo caught; ({ x=$((08)); } || echo no; echo no); echo $?
#### messages of unset parameters
(echo "${u:?msg here}") 2>&1 | sed 's/.*: u/u/'; (u=; echo "${u:?}") 2>&1 | sed 's/.*: u/u/'; (echo ${u?}) 2>&1 | sed 's/.*: u/u/'; f() { local d=${1:?usage: f DIR}; echo $d; }; f a; (f) 2>&1 | sed 's/.*: 1/1/'; (f || echo no; echo no); echo $?; x=1; echo "${x:?no}"
#### a loop that ends with break or continue succeeds
set -e; for i in 1 2 3; do [ $i = 2 ] && break; done; echo "for $i"; while read -r l; do [[ $l == fig ]] && break; done < data/words.txt; echo "while $l"; for ((i = 0; i < 2; i++)); do ((i == 1)) && continue; done; echo "c-style"; for i in 1; do for j in 1 2; do false || break 2; done; done; echo "levels $?"; set +e; for i in 1 2; do false; break; done; echo $?; until false; do false; break; done; echo $?; for i in 1; do break; false; done; false; echo $?
#### a loop over lines whose last test failed ends nothing
set -e; while read -r l; do [ "$l" = fig ] && echo y; done < data/words.txt; echo on; f() { while read -r l; do [ "$l" = fig ] && echo y; done < data/words.txt; }; f || echo tested; cat data/words.txt | while read -r l; do [ "$l" = fig ] && echo z; done; echo never
#### a failed command in a loop over lines ends the script
set -e; while read -r l; do echo "$l"; false; done < data/words.txt; echo never
