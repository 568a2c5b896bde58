#### for over words
for x in a "b c" d; do echo "<$x>"; done
#### for in the style of C
for ((i = 0, j = 10; i < j; i += 3, j--)); do echo "$i $j"; done
#### while with a counter
i=3; while [ $i -gt 0 ]; do echo $i; i=$((i - 1)); done
#### until
n=1; until (( n > 100 )); do n=$((n * 3)); done; echo $n
#### break and continue by levels
for i in 1 2 3; do for j in a b c; do [ $j = b ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done
#### reading lines without losing backslashes or blanks
printf '  a\\b  \nlast' | while IFS= read -r l || [ -n "$l" ]; do echo "[$l]"; done
#### over the arguments
set -- one "two three" four; for a; do echo "$a"; done; while [ $# -gt 0 ]; do echo "$# $1"; shift; done
#### over an array and its keys
a=(x y z); a[7]=w; for i in "${!a[@]}"; do echo "$i=${a[$i]}"; done; echo "${#a[@]}"
#### over an associative array
declare -A m=([one]=1 [two]=2 [three]=3); for k in $(printf '%s\n' "${!m[@]}" | sort); do echo "$k:${m[$k]}"; done
#### select from files and rename them
for f in data/*.txt; do cp "$f" "$(basename "${f%.txt}").bak"; done; ls *.bak
#### a loop with a redirection and variables that stay
n=0; while read -r x; do n=$((n + x)); done < <(printf '1\n2\n3\n'); echo $n
#### the exit code of a loop
for x in 1 2; do false; done; echo $?; while false; do :; done; echo $?
#### seq with a step and a width
for i in $(seq -w 8 2 12); do echo -n "$i "; done; echo; seq -s, 5 -1 1
#### mapfile
mapfile -t lines < data/words.txt; echo "${#lines[@]} ${lines[0]} ${lines[-1]}"
#### an inner loop over a string's characters
s=abc; for ((i = 0; i < ${#s}; i++)); do printf '%s.' "${s:i:1}"; done; echo
#### nested with a function and local
f() { local i; for i in 1 2; do echo "f$i"; done; }; for i in a b; do f; echo $i; done
#### while true with break
while true; do ((++c >= 4)) && break; done; echo "c=$c"
#### numbers with a base in for (( ))
x=09; for ((i=10#$x;i<10#$x+2;i++)); do echo $i; done; for ((i=0;i<=10#$x;i+=10#03)); do echo $i; done
m=08; for ((i=10#$m; i<=10#${m}+1; i++)); do for ((j=0; j<10#$m; j+=4)); do [ $j = 4 ] && continue; echo $i$j; done; done; f() { local n=$1; for ((k=0;k<10#$n;k++)); do echo $k; done; }; f 02
#### braces in several loops
for k in 1 2 3; do for i in {1..1000}; do :; done; done; echo $k$i; set -- {1..12000}; echo $# ${12000}
#### an array that grows by elements
a=(); for i in {1..2000}; do a+=("$i"); done; echo "${#a[@]} ${a[-1]}"; unset 'a[-1]' 'a[3]'; a+=(x y); k=("${!a[@]}"); echo "${#a[@]} ${k[*]: -3}"; a[9000]=z; a+=(last); k=("${!a[@]}"); echo "${k[*]: -2}"; a=(n); a+=(m); b=("${a[@]}"); b+=(o); (b+=(p); b[7]=q; b+=(r); echo "${!b[@]}"); b+=(s); echo "${!b[@]} ${a[*]}"; c=text; c+=(d); echo "${c[@]}"
#### parts of many lines
i=0; while IFS= read -r l; do l="${l#"${l%%[![:space:]]*}"}"; l="${l%"${l##*[![:space:]]}"}"; l=${l//o/0}; ((i++)); done < <(for n in {1..40}; do printf '   %0120d words of a line that is long enough   \n' {1..8}; done); echo "$i [$l]"
#### expansions in for (( ))
a=(x yy zzz); x=2.5; n=; for ((j=0;j<${#a[2]};j++)); do echo -n $j; done; echo; for ((i=${x%.*}; i<${n:-4}; i++)); do echo -n $i; done; echo; for ((i=0;i<${#a[@]};i++)); do echo -n "${a[i]:${i}:1}"; done; echo; f() { for ((i=${1:-1};i<=${2:-3};i+=${3:-1})); do echo -n "$i "; done; echo; }; f; f 2 6 2; declare -A h=([k]=3); for ((i=0;i<${h[k]};i++)); do echo -n h; done; echo
