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
