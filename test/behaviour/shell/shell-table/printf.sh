#### halves are rounded to even digits
for x in 0.05 0.15 0.25 0.35 0.45 0.75 0.85 2.5 1.005 2.675 1.115; do printf '%.1f %.2f %.0f\n' $x $x $x; done
#### halves in awk
for x in 0.15 0.25 0.45 0.85 2.5 1.125 2.675; do awk -v x=$x 'BEGIN { printf "%.1f %.2f %.0f %.1e %.3g\n", x, x, x, x, x }'; done
#### exponents
printf '%.3e %g %g %g %G\n' 12345 0.00001234 1e10 123456789 1e-10; printf '%.0e %e %.10g %#g\n' 25000 0 3.14159265358979 1; printf '%g\n' 100000 1000000 0.0001 0.00001
#### widths, signs and zeros
printf '%10.3f|%-10.2f|%+.1f|% f|%010.2f|\n' 1.5 2.5 3.25 4 -5.125; printf '%5.1f|%-8.1f|%05.1f|\n' inf nan -inf; printf '%*.*f\n' 8 2 3.14159
#### more arguments than conversions, and fewer
printf '%s: %.1f%%\n' a 12.25 b 33.35; printf '%.2f %s\n' 1 a 2; printf '%d %.1f\n' 3; printf '%f\n'; printf -- '%.0f\n' 1.5 2.5 -0.5
#### into a variable
printf -v v '%.1f' 0.25; echo "$v"; printf -v a[1] '%g' 1e6; echo "${a[1]}"
#### an argument that is no number
printf '%.2f|%s\n' 1x a; echo $?; printf '%.1f\n' abc; echo $?; printf '%.2f\n' .5 5. +3; echo $?
#### floats next to bytes
printf '\xff%.1f\n' 2.25 | od -An -tx1
#### quoted words
printf '%q\n' "a b" "it's" 'x$y' '' $'a\nb' '~x' 'a~' '#x' 'a#' 'é' 'a=~b' '*' 'a=b' 'a,b' '{a}' '[x]' 'a^b' '%d' $'t\tb' $'e\e[0m' $'é\n\'\\' $'\001x'; printf '[%-6q|%6q]\n' 'a b' é; x='日本 é'; eval "y=$(printf %q "$x")"; [ "$x" = "$y" ] && echo same
#### negative and long integers
printf '%x %X %o\n' -1 -255 -1; printf '%d\n' 9223372036854775807; printf '%u\n' -1; printf '%d %d\n' 9007199254740993 -9223372036854775808; printf '%5d|%-22d|%022d|\n' 3 9007199254740993 -9007199254740993; printf '%016x %#x\n' 255 9007199254740993; printf '%s %d\n' a 12345678901234567; printf '%+d % d\n' 12345678901234567 12345678901234567; printf '%d %i %x\n' -5 -07 0xdeadbeefcafe12
#### widths of texts count bytes
printf '%5c|%-3c|%5b|%-5b|%.2b|\n' a b 'a' b abc; printf '%5s|%-5s|%3.2s|\n' é é éé; printf '%-10s|%s\n' naïve 1 日本 2; printf '%-8s %5s\n' "café" "€" plain x; printf -v x '%-6s|' é; echo "$x"; printf '%.4s|%5s\n' éé ab
#### codes of characters
x=" "; printf '%d %x|%4d|%d %d\n' "'$x" '" ' "'a" "'" "'é"
#### widths of texts with escapes
printf '%10b|\n' 'a\tb'; printf '%-10b|%s\n' 'x\n' y; printf '%5b|%-4b|%6b\n' '\101' 'a\\b' é
#### integers with a base as floating point numbers
printf '%5.1f|%g|%e|%.2f %f\n' 0x1f "'A" -0x10 '"é' 010; printf '%.1f %s\n' 0xzz x; echo $?
#### quotes in formats and colours in arguments
printf '{\"a\": %d}\n' 1; printf '%s %b %s\n' '\e' '\e' '\"' | cat -v; printf -v x '%b' '\e[1m'; echo "$x" | cat -v; printf -- '\"%s\"\n' '\"'; printf '\\"\\e\n'; RED='\e[0;31m'; NC='\e[0m'; printf "${RED}err${NC} %s\n" x | cat -v; printf "%b%s%b\n" "$RED" 'a\e' "$NC" | cat -v; printf "it\'s %b\n" '\"\\e'; printf '%5b|%.1f\n' '\e' 2 | cat -v; printf -v y -- '\"%s' --; echo "$y"; printf '100%% \"%b\"\n' '\e' -- | cat -v
#### %c without a character is a NUL
printf '%c' '' | od -An -c; printf '[%c]' '' | wc -c; printf '%c|' '' a | od -An -c; printf '%c' | wc -c; printf '%s=%c\n' k v n | od -An -c; printf '%c%c\n' a b
#### a format that ends inside a conversion
printf '%'; echo "[$?]"; printf 'a%% %s%' x; echo "[$?]"; printf '100%%%%'; echo "[$?]"; printf '%d %-5' 7 8; echo "[$?]"; printf -v v 'b%'; echo "[$v]"; printf '%.2f%' 1.005; echo
