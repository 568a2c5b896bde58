#### operators and precedence
echo $((2 + 3 * 4)) $(((2 + 3) * 4)) $((2 ** 10)) $((17 / 5)) $((17 % 5)) $((-17 / 5)) $((-17 % 5))
#### bits
echo $((5 & 3)) $((5 | 3)) $((5 ^ 3)) $((~5)) $((1 << 10)) $((-16 >> 2))
#### comparison and the conditional
echo $((3 > 2)) $((3 == 4)) $((3 != 4 && 1)) $((0 || 0)) $((5 > 3 ? 10 : 20)) $((!5))
#### increments and assignments
i=5; echo $((i++)) $i $((++i)) $((i += 10)) $i $((i -= 3, i * 2))
#### bases
echo $((0x1F)) $((010)) $((2#1011)) $((16#ff)) $((36#z))
#### let and the exit code of (( ))
let a=3+4 'b = a * 2'; echo $a $b; ((0)); echo $?; ((5)); echo $?
#### division by zero
echo $((1 / 0)); echo "exit $?"
#### 64 bits wrap
echo $((9223372036854775807)) $((9223372036854775807 + 1)) $((1 << 63)) $((4611686018427387904 * 4))
#### large products stay exact
echo $((123456789 * 987654321)) $((999999999999 * 999999)) $((9007199254740993 + 0))
#### variables without a dollar, and names as values
a=3 b=a; echo $((a + b)) $((b * 2)) $((unset_one + 1))
#### an array element
arr=(10 20 30); i=1; echo $((arr[i] + arr[2])); ((arr[0]++)); echo "${arr[@]}"
#### expr
expr 3 + 4; expr 10 / 3; expr length hello; expr abc : 'a\(.*\)'; expr 1 '>' 2; echo "exit $?"
#### declare -i
declare -i n=3+4; n+=5; echo $n; n=abc; echo $n
#### bc with a scale
echo 'scale=3; 10/3; 2^20; sqrt(2)' | bc
#### a leading zero that is no octal
echo $((08 + 1)); echo "exit $?"; echo $((10#08 + 1))
#### printf with numbers
printf '%d %5.2f %05d %x %o %+d %e\n' 42 3.14159 42 255 8 5 12345.6789
#### RANDOM within bounds, and seq with fractions
x=$((RANDOM % 10)); ((x >= 0 && x < 10)) && echo ok; seq 0 0.25 1
#### a syntax error in an expression
echo $((1 + )); echo "exit $?"
#### numeric tests
[ 5 -gt 3 ] && echo a; [[ 5 -lt 10 ]] && echo b; [[ 5 < 10 ]] || echo c; [ 3 -eq 3.0 ]; echo "exit $?"
#### shifts in expressions of their own
x=1; ((x<<=3)); ((y = x << 2 | 1)); echo $x $y; for ((i=1, j=0; i < (1<<4); i<<=1, j++)); do printf '%d:%d ' $i $j; done; if (( (1<<3) == 8 )); then echo eq; fi; ((x >>= 1)); let "x <<= 2" y=1\<\<5; echo $x $y
#### shifts that are text
echo "((1<<2)) > a=b" '((1<<2))' # ((1<<2)) > a=b
cat <<A; ((z=1<<4)); echo $z
((1<<2)) > a=b '
A
cat <<-'B' | tr a-z A-Z
	((1<<2)) <<< k=v
	B
( (echo "sub $(cat <<< "> c=d")") )
#### quotes inside the commands of an expression
x=$'a\nb\nc  d'; (( $(wc -l <<< "$x") > 2 )) && echo many; echo $(( $(echo "$x" | grep -c 'c  d') + 1 )) $(( $(printf '%s' "a  b" | wc -c) ))
#### subscripts that are texts
declare -A c; for k in foo-bar a.txt "x y" foo-bar; do c[$k]=$((c[$k] + 1)); c["$k"]=$(( ${c["$k"]:-0} + 10 )); ((c[$k]++)); done; for k in foo-bar a.txt "x y"; do echo "$k ${c[$k]}"; done; echo $(( c["x y"] * 2 )) $(( ${c["x y"]} ))
#### sums inside subscripts
a=(5 3 9 1); n=${#a[@]}; for ((i=0;i<n;i++)); do for ((j=0;j<n-i-1;j++)); do if (( a[j] > a[j+1] )); then t=${a[$j]}; a[$j]=${a[$((j+1))]}; a[$((j+1))]=$t; fi; done; done; echo "${a[@]}" "${a[$(( (1+1) * 1 ))]}" $(( ${a[$((n-1))]} + 1 ))
#### octal numbers in variables
x=010; echo $((x)) $((x+1)) $(($x*2)) $((${x}+1)) $((-x)) $((x > 8 ? 1 : x)); ((z=x)); echo $z; ((x==8)) && echo eight; [[ $x -eq 8 ]] && echo eight; for ((k=x;k<10;k++)); do echo $k; done; h=09; echo $((10#$h+1)); declare -A m=([010]=1); echo $((m[$x] + x)); s=abcdefghijk; o=02; echo ${s:o:2}; f() { local x=7; echo $((x)); }; f; (x=011; echo $((x))); echo $((x))
#### a leading zero in a variable that is no octal
x=08; echo $((x+1)); echo "after $?"
#### numbers with a base in variables
a=(08 09 7); i=0; x=010; echo $((10#${a[i]} + 1)) $((10#$x)) $((10#${x})) $((10#${u:-09})) $((16#${x})) $((10#${x:1})); ((10#${a[i]} > 10#$x)) || echo less; ((y = 10#${a[0]} + 1)); echo $y; ((10#$x == 10)) && echo eq; ((y += 10#$x)); echo $y; let "z = 10#${a[1]} + 1"; echo $z; for ((k = 10#$x; k < 12; k++)); do echo $k; done; while ((10#$x < 12)); do x=0$((10#$x + 1)); echo $x; done; IFS=. read -ra p <<< 2.08.1; for n in "${p[@]}"; do ((10#$n > 5)) && echo "$n"; done; t=08:09; echo $((10#${t%%:*} * 60 + 10#${t##*:}))
#### a sign before a power
x=3; echo $((-2**2)) $((- 3 ** 2)) $((2 - 2**2)) $((-x**2)) $((-(2**2)))
#### increments of octal and hexadecimal variables
x=010; ((x++)); echo $x; x=0x1f; ((x += 1)); echo $x; x=010; echo $((x++)) $x; x=0x10; : $((--x)); echo $x; x=2#101; ((x *= 2)); echo $x; x=' 7 '; ((x++)); echo $x; x=-0x5; ((x -= 1)); echo $x
#### expressions that look like commands
x=9; ((x -= 1)); echo $x; ((x /= 2)); echo $x; ((x - 4)) || echo zero; while ((x --)); do echo "l$x"; done; found=0; if (( ! found )); then echo none; fi; y=6; (( (y - 1) * 2 == 10 )) && echo ten; case a in a) ((y -= 5)); echo $y ;; esac; eval '((y -= 1)); echo $y'; bash -c 'z=3; ((z -= 1)); echo $z'; echo 'w=5; ((w -= 1)); echo $w' > lib.sh; source ./lib.sh; bash lib.sh; ((echo a; echo b) | cat); echo "((x -= 1))"
#### parentheses at the start of an expression
x=1; echo $((((x)+2)*3)) $(( ((x>0)?4:5) )) "$((((1+2)*3)))" $((-((2))+3)); let '!0' && echo y; let '!(0*2)*(3)'; echo $?
#### the count of arguments in braces
set -- a bc; echo $((${#}*2)) $((${#@}+1)) $(( ${#*} )); ((${#} > 1)) && echo y; for ((i = 0; i < ${#}; i++)); do echo $i; done; x=$(echo $(($#*2))); echo $x
#### the elements of an array joined by an operator
a=(5 3 9); IFS=+; echo "$((${a[*]}))" $((2*${a[*]})); set -- 1 2 3; echo $(($*)) $((${#a[*]} + ${a[0]}))
#### assignments to elements with keys of several parts
declare -A m; i=1; j=2; ((m[$((i+1)),$j]=5)); ((m[$i,$j]++)); ((++m[$i,$j])); ((m[$i,$j]+=m[$i,$j])); ((m[a-b]=3)); k='x y'; ((m["$k,1"]++)); for ((n=0;n<2;n++)); do ((m[$n:$i]=n*10+i)); done; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort; echo $((m[$i,$j]+1)) $((m["$i,$j"]*2)) $((m[a-b])); a=(1 2 3); b=(0 1 2); ((a[b[i]]=7)); ((a[$i+1]++)); ((a[i-1]--)); echo ${a[@]} $((a[$i-1]=9)) ${a[0]}
#### expansions with operations
x=5.7; t=12:34:56; n=1,234; a=(7 88 9); set -- 3.5; echo $((1+${x%.*})) $((${n//,/}*2)) $((${t%%:*}*3600+10#${t##*:})) $((${1%.*}*${2:-2})) $((${#a[1]}+${a[-1]}+${a[0]:-4})) $((1+${y:-$((2*3))})) $((${t:3:2}-${y:-4})); ((s=${x%.*}+${t:0:2})); echo $s; (( ${x%.*} > 4 )) && echo more; while ((i++ < ${1%.*})); do echo $i; done; let "w=${x#*.}+1"; echo $w
#### arguments after a base
f() { echo $((2#$1)) $((16#$1)) $((10#$1 + 1)) $((2#${1})) $((0x$1)) $((0$1)); ((y = 2#$1)); echo $y; for ((i = 2#$1; i < 2#111; i++)); do echo $i; done; [[ 2#$1 -eq 5 ]] && echo five; }; f 101; set -- 08 7; echo $((10#$1 + 10#$2)) $(((10#$1 + 1) * $2)) $((1$2)); g() { printf '%d\n' $((16#$1)) "0x$1"; }; g 1F
#### commands that print parts of an expression
a=(1 2 3); echo $(( $(printf '%s+' "${a[@]}") 0 )) $((0$(printf '+%d' 4 5))) $(( $(echo 5) - $(echo 2) )) $(($(echo 1)$(echo 2))) $(( $(echo 010) + 1 )) $(( $(true) + 1 )); x=$(( $(echo 1 + 2) * 2 )); echo $x; n=$(( $(wc -l < data/words.txt) / 2 )); echo $n $(( $(seq 3 | paste -sd+) )) $(( ${#a[@]} + $(echo "${a[-1]}") ))
#### hexadecimal constants of 64 bits
echo $((0x7fffffffffffffff)) $((0x7fffffffffffffff - 1)) $((0xff+1)) $((0xF0 & 0x3c)) $((-0x10)) $((0xffffffffffffffff)); a5=3; fe=4; echo $((a5)) $((fe+1)) $((0xa))
#### variables with integers of 64 bits
x=9223372036854775807; echo $((x)) $((x - 1)) $((x + 1)); n=1700000000123456789; echo $((n / 1000000)) $((n % 1000000000)) $(((n - 1700000000000000000) / 1000)); h=5381; for c in 104 101 108 108 111 119 111; do h=$(((h * 33 + c) & 0xFFFFFFFF)); done; echo $h; seed=12345; for i in 1 2 3; do ((seed = seed * 6364136223846793005 + 1442695040888963407)); echo $seed; done; f=1; for ((i = 1; i <= 21; i++)); do f=$((f * i)); done; echo $f; m=4611686018427387904; echo $((m << 1)) $((m | 1)) $((m ^ 3)) $((~m)) $((m > 4611686018427387903 ? m : 0)) $((m == 4611686018427387905 || !m)); ((m > 4611686018427387903)) && echo more
#### assignments with operators are those of bash
x=9007199254740993; ((x += 2)); echo $x; ((x -= 1, x *= 3)); echo $x; let x+=2; echo $x; ((x <<= 1, x &= 255, x |= 256, x ^= 1)); echo $x; y=010; ((y += 1)); echo $y; e='1 + 2'; ((e *= 3)); echo $e; k=5; ((k /= 0)); echo "$? $k"; ((k %= 3)); echo $k; (set -u; ((nope += 1)); echo no); ((u += 5)); echo $u; f() { local l=1; ((l += 2)); echo $l; }; f; declare -n ref=k; ((ref += 2)); echo $k; a=(1); ((a[0] += 2)); echo ${a[0]}
#### a large value that is assigned inside an expression
x=4611686018427387904; ((y = x)) && echo $y; echo $(( (y = x) > 5 && y == x )) $(( (y = x) ? 2 : 3 )) $((y = x - 1)) $(( !(y = x) )); i=1; ((i += (y = x) > 0)); echo $i; ((z = y = x + 1)); echo $z; a=(1 2); echo ${a[(y = x) > 0]}
#### 64 bits wherever a number is evaluated
x=9223372036854775806; ((x++)); echo $x; ((x++)); echo $x; let x=9007199254740993; echo $x; ((++x)); echo $x; let 'x+=1'; echo $x; ((x--)); echo $((x--)) $x; a=(9007199254740993); echo $((a[0]+1)); ((a[0]++)); echo ${a[0]}; ((a[2]=a[0]+3)); echo ${a[2]}; declare -i n=9007199254740993; n=n+2; echo $n; n+=5; echo $n; n=2**62; echo $n; declare -A m; ((m[x]+=9007199254740993)); ((m[x]++)); echo ${m[x]}; h=0; for ((i=0;i<30;i++)); do ((h = h*31 + i)); done; let 'h = h*31+7'; echo $h; echo $((0xFFFFFFFFFFFFFFFF)) $((16#ffffffffffffffff)) $((1<<64)) $((1<<-1)) $((-1 & 0xFF)) $((7**30))
#### octal and based values that are changed
x=010; ((x++)); echo $x; x=0x1F; ((x+=1)); echo $x; z=2#101; ((z*=2)); echo $z; w=-010; echo $((w)); x=1+1; ((x++)); echo $x; set -- 5 010; echo $(($2*$1)) $((${2}%3)); a=b; b=5; ((a++)); echo $a; x=5; ((x/=0)); echo $? $x; echo ${#EPOCHSECONDS} $((EPOCHSECONDS > 1000000))
#### a variable that is read-only
readonly R=5; ((R++)); echo $R $?; ((R=9)); echo $R $?; let R+=1; echo $R $?; ((y=R--)); echo "[$y]"; if ((R--)); then echo yes; else echo no; fi; (echo $((R++))); echo $? $R
