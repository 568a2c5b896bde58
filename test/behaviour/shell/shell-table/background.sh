#### wait gives the exit code
(exit 4) & wait $!; echo $?; sleep 0 & wait $!; echo $?; wait; echo $?
#### of each command by its id
pids=(); for i in 1 2 3; do (exit $i) & pids+=($!); done; for pid in "${pids[@]}"; do wait "$pid" || echo "failed $?"; done
#### of a function
f() { echo bg; return 2; }; f & wait $!; echo $?
#### the exit code of the start is 0
false & echo $?; wait $! || echo bad
#### an id that is none
wait 99999; echo $?
#### the source of a script
echo 'echo "${BASH_SOURCE[0]} ${BASH_SOURCE}"' > s.sh; bash s.sh; source ./s.sh; . data/../s.sh; echo "[${BASH_SOURCE[0]}]"
#### a script that runs when it is called
echo 'main() { echo main; }; if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main; fi' > s.sh; chmod +x s.sh; bash s.sh; ./s.sh; source ./s.sh; echo end
#### the directory of a script
mkdir d; echo 'echo "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"' > d/s.sh; bash d/s.sh; cd d; source s.sh; cd ..; . d/s.sh
#### the functions of a sourced file
echo 'f() { echo "${BASH_SOURCE[0]}"; }' > lib.sh; source ./lib.sh; f; echo "${BASH_VERSINFO[0]}"
#### a shell of its own
exit 3 & wait $!; echo "rc $?"; x=1; { x=2; cd data; } & wait; echo "$x"; pwd; f() { y=5; exit 2; }; f & wait $!; echo "$? [$y]"; n=0; for i in 1 2; do n=$((n + 1)) & done; wait; echo $n; a=(1 2); unset a & wait; echo ${#a[@]}; (exit 4) & wait $!; echo $?
#### set -e inside
set -e; f() { false; echo no; }; f & wait $! || echo "failed $?"; (false; echo no) & wait $! || echo "failed $?"; echo end
#### timeout keeps what was printed
timeout 0.3 bash -c 'echo a; (echo b); { echo c; sleep 2; }; echo no'; echo $?; timeout 0.3 sh -c 'for i in 1 2; do echo $i; sleep 2; done' > f; cat f; x=$(timeout 0.3 sh -c 'f() { echo "in é"; sleep 2; }; f'); echo "$x $?"; timeout 0.3 bash -c 'echo p | (cat; sleep 2; echo no); echo no'; timeout 0.3 bash -c 'bash -c "echo inner; sleep 2"; echo no'
#### the exit codes of timeout
timeout --preserve-status 0.1 sleep 2; echo $?; timeout -k 1 0.1 sleep 2; echo $?; timeout -sKILL 0.1 sleep 2; echo $?; timeout x ls; echo $?; timeout 5; echo $?; timeout -s FOO 1 ls; echo $?; timeout 5 bash -c 'exit 9'; echo $?; timeout 0 echo all; timeout --signal=INT 0.1m echo b; { timeout 5 head -n 1; cat; } <<< $'1\n2'
