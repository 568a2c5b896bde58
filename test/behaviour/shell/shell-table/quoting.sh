#### single and double quotes
x=5; echo '$x' "$x" \$x "\$x" "'$x'" '"$x"'
#### word splitting
v="a  b   c"; echo $v; echo "$v"; set -- $v; echo $#; set -- "$v"; echo $#
#### IFS of one's own
IFS=:; p=a:b::c; set -- $p; echo $#; printf '<%s>' "$@"; echo
#### ANSI-C quotes
echo $'tab\there' $'nl\nhere' $'\x41\u00e9\101' $'it\'s'
#### backslashes in echo and printf
echo 'a\nb'; echo -e 'a\tb\\'; echo -n x; echo y; printf 'a\nb\n'; printf '%s\n' 'a\nb'; printf '%b\n' 'a\nb'
#### printf reuses its format
printf '%s=%s\n' a 1 b 2 c; printf '%-6s|%6s|\n' ab cd; printf '%q\n' "it's a b" '$x' ''
#### adjacent quotes join
echo 'it'"'"'s' a"b"c'd'\ e
#### empty arguments
f() { echo $#; }; e=; f $e; f "$e"; f ''; f "" '' $e
#### command substitution strips newlines and nests
x=$(printf 'a\n\n\n'); echo "[$x]"; echo "$(echo "$(echo "in ner")")"; echo `echo \`echo old\``
#### parameter expansion: defaults, lengths, pieces
f=/path/to/file.tar.gz; echo ${f##*/} ${f%/*} ${f%%.*} ${f#*.} ${#f} ${f:6:2} ${f: -2}; echo ${u:-d} ${u:=e} $u ${u:+alt}
#### replacement and case
s="hello world"; echo ${s/o/0} ${s//o/0} ${s/#hello/bye} ${s/%world/all} ${s^} ${s^^} ${s,,} "${s// /_}"
#### a newline inside quotes
echo "line one
line two"; echo 'a
b' | wc -l
#### a glob character from a variable
v='*'; echo "$v" | head -c 1; echo; echo "[$v]"; [[ "a*c" == "a$v"* ]] && echo lit; [[ abc == a$v ]] && echo pat
#### indirect and array quoting
a=("x y" z); printf '<%s>' "${a[@]}"; printf '<%s>' "${a[*]}"; printf '<%s>' ${a[@]}; n=a; echo; r='n'; echo "${!r}"
#### comments and a trailing backslash
echo a#b # comment
echo one \
two
#### a tilde
cd /; echo ~ | grep -c .; [ ~ = "$HOME" ] && echo home; echo "~" a~
#### regular expression match
[[ "v12.34" =~ ^v([0-9]+)\.([0-9]+)$ ]] && echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"; [[ a.c =~ a\.c ]] && [[ ! abc =~ "a.c" ]] && echo literal
#### eval and quotes in quotes
cmd='echo "a  b" $((1+1))'; eval "$cmd"; $cmd
#### an unterminated quote
echo "open
#### unicode
s='héllo wörld ☃'; echo ${#s} "${s:0:5}" "${s^^}"; printf '%s' "$s" | wc -c; printf '%s' "$s" | wc -m
#### @Q and @U transformations
s="it's"; echo ${s@Q} ${s@U}; declare -p s
#### arguments with a default
f() { for w in "${@:-x}"; do echo "<$w>"; done; for w in "${@-d e}"; do echo "[$w]"; done; }; f; f a "b c"; f ""; g() { local -a o=(-x "${@:-none}"); printf '[%s]' "${o[@]}" "p${@:-q}s" "${@:+has}"; echo; }; g; g "a b" c
#### a default that is a list or a command
d=(x "y z"); set --; printf '<%s>' "${@:-${d[@]}}" "${@:+g}"; set -- q "r s"; printf '<%s>' "${@:-${d[@]}}"; set -u; k() { echo "$#" "${@:-$(echo lazy)}"; }; k; k v; f() { grep -c a "${@:-README.md}"; }; f; f data/words.txt notes/a.txt; cat <<< "${@:-here}"; v="${@:-u}"; echo "$v"
#### elements joined by IFS where a word stays one
a=(1 2 3); IFS=-; x="${a[*]}"; y="<${a[*]}>"; echo "$x $y"; f() { local IFS=,; local r="${a[*]}" s=${a[*]}; echo "$r $s"; }; f; j=$(IFS=+; echo "${a[*]}"); echo "$j"; case "${a[*]}" in 1-*) echo case;; esac; [[ "${a[*]}" == "1-2-3" ]] && echo test; cat <<< "${a[*]}"; cat <<E
in ${a[*]}
E
export e="${a[*]}"; declare d="${a[*]}"; t[0]="${a[*]}"; u+="${a[*]}"; echo "$e $d ${t[0]} $u"; IFS=; n="${a[*]}"; echo "$n"; set -u; b=(); m="${b[*]}"; echo "[$m]"
#### operations on each element keep the words
a=(apple "bob c"); for x in "${a[@]^}" "${a[@]^^}" "pre${a[@]^}post"; do echo "<$x>"; done; b=("${a[@]^}"); echo "${#b[@]} ${b[1]}"; set -- "x y" z; for x in "${@^}" "${@@Q}" "${a[@]@Q}" "${a[@],,}"; do echo "<$x>"; done; echo "${#@} ${#*}"; y="${a[@]^^}"; echo "$y"
#### lists with defaults inside other text
a=(1 2); b=(); for w in "pre${a[@]:-q}post" "p${b[@]:-q r}s" "x${b[@]+none}y" "x${a[@]:+alt}y"; do echo "<$w>"; done; set -- x y; for w in "p${@:-q}s"; do echo "<$w>"; done
#### each element of a list that is one word
a=("x y.txt" b.txt c.md); x="${a[@]%.txt}"; echo "$x"; echo "<${a[*]/txt/T}>" "${a[*]^}" "pre ${a[@]#?} post"; cat <<< "${a[@]%.*}"; cat <<END
${a[@]#?} ${a[*]^^}
END
IFS=,; x="${a[*]%.txt}"; echo "$x"; unset IFS; set -- "${a[@]}"; y="${*%.txt}"; z="${@/txt/q}"; echo "$y|$z"; [[ "${a[*]%.txt}" == "x y b c.md" ]] && echo equal; case "${a[*]%.txt}" in "x y b c.md") echo case ;; esac; f() { local l="${@/#/-}"; echo "$l"; }; f p q; export E="${a[@]%.txt}"; bash -c 'echo "$E"'
#### sets of characters with quotes and variables
c=aeiou; x='hello "w" it'"'"'s	t'; echo "${x//[$c]/_}" "${x//[!$c]/}" "${x//["$c"]/-}" "${x//["'"]/}" "${x//[\"\']/}" "${x//[$'\t']/T}" "${x%%[ $'\t']*}" "${x##*[\"]}"; y=$'a\nb\r'; echo "${y//[$'\r\n']/.}"; s=' trim me '; s="${s#"${s%%[!$' \t']*}"}"; echo "[${s%"${s##*[!$' \t']}"}]"; f='my file (1).txt'; echo "${f//[ ()]/_}" "${f//[^a-zA-Z0-9._-]/_}"; a=(a.b c-d); echo "${a[@]//[.$'-']/_}"
#### quoted text next to an unquoted expansion is no pattern
x=; echo $x"*" $x'*.md' ${x}\* $(true)"?*" ""$x"[R]*"; y='*.md'; echo $x"$y" "$y"$x; x=READ; echo $x"*" $x*; for f in $x"*.md"; do echo "$f"; done; a=($x"*.md"); echo "${a[@]}"; printf '<%s>' $none"$none" $none"" $x"$y"
#### the value of an expansion with a quoted default is split
u='a b'; printf '<%s>' ${u-'s q'} x${u:-"s q"}y ${none-'s q'} ${none:-"*.md"} ${u:-s q}; for f in ${u:-"x y"}; do echo "$f"; done
#### lists in words keep their elements
a=(one 'two x' three); b=(); printf '<%s>' "pre${!a[@]}" "${a[@]:1}post" "${a[@]}${a[@]}" "${a[@]} $@"; echo; printf '<%s>' ${a[@]^} pre${a[@]%e} ${a[*]#o}post ${b[@]#x}"a b" "${b[@]}" "${b[@]:1}x"; echo; set -u; b=(1${!b[@]}); echo "${b[@]}"
#### arguments are expanded before the assignments of their command
x=5; x=1 echo "$x" ${x}y; f() { echo "$1 $x"; }; x=1 f $x; x=7 bash -c "echo $x \$x"; v='a,b'; IFS=, printf '<%s>' $v; A=1 B=$A env | grep '^[AB]=' | sort
#### quotes inside the quotes of substitutions
x="$(echo "a $(echo "b's")")"; echo "$x"; echo "$(echo "$(dirname "$(echo "it's/x")")")" "$(basename "it's (x)")"; x=$(echo "$(echo '"')" "(" ')'); echo "$x"; echo "$(echo '"a"' "$(echo '"b"' $'e"f' "g\"h" "#i")")"; set -- a b; x="$(echo "$#" $# $#x $(($#*2)))"; echo "$x"
#### comments in substitutions
x=$(
  # don't stop (here
  echo "a" # it's "ok"
  echo b
); echo "$x" # it's done
echo "$(echo c # )
echo d)"
#### values that begin with a blank, after text
p() { printf '<%s>' "$@"; echo; }
x=" b" a=(" c" "d "); p foo$x "foo"$x f\ g$x pre${x%b}post; p f${a[0]} f${a[@]} foo${u:- b} foo${x:+ q }z
for w in foo$x; do p $w; done; b=(foo$x z$x); p "${b[@]}"; x=" *.md"; p a$x ./$x
#### outputs that begin with a blank, after text
p() { printf '<%s>' "$@"; echo; }
p foo$(echo x >> log; echo " b c ") -o$(printf ' q\n r')z a`echo " b"`c; cat log; p a$(echo b) [$(echo R)]EADME.md out_$(echo 1).txt
false; p a$?b$#c$(exit 3)d$?; false; p $? a$(echo b); v=a$(echo " b"); echo "$v"; i=1; p f$((i++))_$i a$((i+1))$(echo " $i")
#### adjoining values with blanks
p() { printf '<%s>' "$@"; echo; }
x="a " y=" b" z=" " e=; p $x$y; p $x$e$y; p a${z}b; p $z$z; p $x$z$y $e$e; y=b; p $x$y; p $(echo "a ")$(echo b)
#### the matched text in a replacement
s='a<b>&c "q"'; s="${s//&/&amp;}"; s="${s//</&lt;}"; s=${s//\"/&quot;}; echo "$s"; t=x; echo "${t/x/\&}" "${t/x/"&"}" "${t/x/'&'}"; r='&y'; echo "${t/x/$r}" "${t/x/"$r"}"
a=(one two); echo "${a[@]/o/<&>}" ${a[@]/#/&-}; u=https://x/y?a=1; echo "${u//\?/&&}" "${u//"/"/[&]}" ${u/%1/&2} "${u/https/${t}&}" "${u//"$t"/<&>}"
tpl='Hi {{N}}'; n='A & B'; echo "${tpl//"{{N}}"/$n}" "${tpl//\{\{N\}\}/"$n"}" "${t/x/$nope|}"
#### an expansion in a pattern
u=abc k=b r=Z d=/a/b; echo "${u/${k}/x}" ${u//${k}/${r}} "${u/#${u:0:1}/Q}" "${u/%${u: -1}/}" "${d//\//${r}}" "${u//${k}}" "${u/${k}c/-}" "${d/${d%/*}/X}" "${u/${nope:-b}/[${r}]}" $(echo "${u/${k}/$(echo "${r}")}")
e=.c a=(x.c y.c); echo "${a[@]/%${e}/.o}" "${a[1]/${e}/}"; b='*'; echo "${u//${b}/all}"; f() { local from=$1 to=$2; echo "${3//${from}/${to}}"; }; f / :: a/b/c; f ' ' _ 'a b c'; eval 'echo "${k/${k}/e}"'
#### defaults next to other expansions with set -u
set -u; v=1; echo v$v-$(echo rc)${u:-1} $v${u-2} ${u:-a}${u:+b}c $(echo a)${u:-"b c"} $v${w:=k} $w
#### replacements without the matched text
shopt -u patsub_replacement; x=abc; r='&&'; echo "${x/b/<&>}" "${x//[ab]/<&>}" "${x/b/$r}"
#### a hash in a pattern begins no comment
while read -r l; do [[ $l =~ ^(#|//) ]] && continue; [[ $l =~ ^(x|#) ]] && echo q; [[ $l == @(#|y)* ]] && echo y; [[ $l =~ ^[[:space:]]*(#|;|$) ]] || echo "$l"; done <<< $'# x\n// y\n\na,c\nyz\nxx'; [ a == a ] # it's (a comment|#
[[ a == a ]] && echo ok;# it's
if [[ "#" =~ ^(#)$ ]]; then echo "${BASH_REMATCH[1]}"; fi # done (#
x=$(l='#z'; [[ $l =~ ^(#|$) ]] && echo in); echo $x; echo "a =~ (#" '== (#'; k=${l//[[:space:]]/}; [[ $k =~ (#|$) ]] && v="${l#"${l%%x*}"}"; echo "[$k$v]"
#### an offset before the start of the text
s=abc; n=-4; echo "[${s: -4}]" "[${s: -3}]" "[${s: -4:2}]" "[${s:$n}]" "[${s:n+1}]" "[${s:(-5)}]" "[${s:1:-1}]"; set -- hello; echo "[${1: -9}]" "[${1: -2}]"; e=; echo "[${e: -1}]" "[${zz: -1}]"; f() { local q=ab; echo "[${q: -3}]" ${q: -9}end; local -n r=s; echo "[${r: -2}${r: -9}]"; }; f; k=é; echo "[${k: -2}][${k: -1}]"; i=0; echo "${s:i++:1}$i"; for x in a bb ccc; do echo "${x: -2}"; done; a=(xyz b); echo "[${a: -1}]" "[${a[1]: -1}]"; (set -u; echo "${none: -1}"); echo "${s: -2}"
#### a quoted value in a pattern is text, whatever computes it
a=('x*y'); declare -A m=([k]='*'); x='a*.c'; p='a*'; for s in 'x*yz' xAyz aZ.c 'a*Z' aZb 'a*b'; do case $s in "${a[0]}"*) echo "1 $s" ;; esac; case $s in "${x%.c}"*) echo "2 $s" ;; esac; case $s in "$(echo 'a*')"*) echo "3 $s" ;; esac; case $s in a"${m[k]}"?) echo "4 $s" ;; esac; case $s in "${p:-q}"b) echo "5 $s" ;; esac; [[ $s == "$p"* ]] && echo "6 $s"; done; f='a*b*c'; echo "${f#"$p"}" "${f/"${m[k]}"/y}" "${f%"*c"}"
#### a quoted value in a regular expression is text
p='a.b+(c)'; [[ 'xa.b+(c)y' =~ x"$p"y ]] && echo 1; [[ axb+c =~ ^"${p%+*}" ]] || echo 2; [[ xaab =~ x'a.'b ]] || echo 3; [[ 'a|b' =~ ^"a|b"$ ]] && echo 4; [[ a =~ ^"a|b"$ ]] || echo 5; v=1; [[ v1.2 =~ ^"v$v".([0-9]) ]] && echo "${BASH_REMATCH[1]}"; a=(one.x two); [[ onezx =~ ^"${a[0]}"$ ]] || echo 6; for e in "${a[@]}"; do [[ " ${a[*]} " =~ ^" $e" ]] && echo "7 $e"; done; [[ 'x[1]' =~ x"["1"]" ]] && echo 8; [[ 'a "b"' =~ \"([^\"]*)\" ]] && echo "${BASH_REMATCH[1]}"
#### ~+ and ~- are directories
cd src; cd lib; echo ~+ ~- ~+/x ~-/y; ls ~+; cd ~-; pwd; x=~+/z; echo "$x" "~+" '~-' a~+; a=~-; echo "$a"; [ -d ~+/lib ] && echo there
#### regular expressions match several lines as one text
o=$'line one\nERROR: bad\nline 3'; [[ $o =~ one.*bad ]] && echo multi; [[ $o =~ ^ERROR ]] || echo start; [[ $o =~ bad$ ]] || echo end; [[ $o =~ (.*) ]] && echo ${#BASH_REMATCH[1]}; re='one.ERROR'; [[ $o =~ $re ]] && echo "${BASH_REMATCH[0]}"; shopt -s nocasematch; [[ $o =~ ONE.error ]] && echo case
#### offsets and lengths that are expansions
s=hello.world; x=2.5; n=; a=(x yy zzz); t=(a b c d); set -- 1 2; i=1; v=i; echo "${s:${x%.*}}|${s:${n:-3}:2}|${s:${#s}/2}|${s:$((i+1)):1}|${s:i+1:${n:-2}}|${s: -${#a[2]}}|${s:$1:$2}|${s:${a[0]+2}}|${s:${#a}}|${s:${#a[@]}:${#a[*]}}|${s:${x/.5/}:1}"; echo "${s:${!v}}|${s:0:${y:=4}}|$y|${s:0:${#a[2]}}|${a[${#a[@]}-1]}|${t[@]:${#a[1]}}|${t[@]:${i}:${#a[1]}}|${@:${#a[0]}}|${s:${n:-$i}}|${s:(${#s}-3)}"; [[ $s =~ ^[a-z]+ ]]; echo "${s:${#BASH_REMATCH[0]}}"; s=${s:${#BASH_REMATCH[0]}+1}; echo $s
