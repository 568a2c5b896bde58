#### words of an array keep their quotes
f() { local a=("$@"); echo "${#a[@]}: ${a[0]}"; }; f "x y" z
declare -a b=("$@" "p q"); echo "${#b[@]}: ${b[0]}"
#### an associative array keeps its values and keys
declare -A m=([x]=1 ["two words"]="a b" [c]='d e'); echo "${m[x]} ${m[two words]} ${m[c]} ${#m[@]}"
#### commands fill an array
f() { local found=($(printf 'a b')); echo "${#found[@]} ${found[1]}"; }; f
declare -a more=("$(echo c d)" $((1 + 2)) `echo q`); echo "${#more[@]} ${more[0]} ${more[1]} ${more[2]}"
#### an array over several lines
declare -A port=(
  [http]=80   # a comment
  # another "quoted" one
  [https]="443 tls"
)
for name in "${!port[@]}"; do echo "$name ${port[$name]}"; done | sort
#### an associative array is local
f() { local -A m; m[x]=1; m[y]=2; echo "${m[x]} ${#m[@]}"; }; f; echo "[${m[x]}]"
g() { local -A n=([k]="v w"); echo "${n[k]}"; }; g; echo "[${n[k]}]"
#### a global one from a function
f() { declare -gA G=([a]="b c"); }; f; echo "${G[a]}"
#### an array that is read-only
readonly -a R=(1 "2 3"); echo "${#R[@]} ${R[1]}"; declare -r -a S=("a b"); echo "${S[0]}"
#### options of local
f() { local -i n=3+4; local -r r=5; local -u u=abc; local -l l=ABC; echo "$n $r $u $l"; }; f
#### counting words
declare -A n; for w in a b a c a; do n[$w]=$(( ${n[$w]:-0} + 1 )); done; for w in a b c; do echo "$w ${n[$w]}"; done
#### elements in a sum
a=(1 2 3); i=2; echo $(( ${a[$i]} * ${a[i-1]} )) $(( ${#a[@]} - 1 ))
#### comparisons without blanks
i=3; until ((i<=0)); do ((i--)); done; echo $i; ((i>=0)) && echo at least; ((x=6,x&=3)); echo $x; ((x|=8)); echo $x
#### negated sets in patterns
for x in baz Baz 7; do case $x in [!a-z]*) echo "$x other";; *) echo "$x letter";; esac; done
[[ b == [!ac] ]] && echo one; [[ abc == *[!a-z]* ]] || echo none
#### a here-string joins by IFS
a=(3 1 2); IFS=$'\n' sorted=($(sort <<< "${a[*]}")); echo "${sorted[0]} ${#sorted[@]}"
#### references to arrays
f() { local -n r=$1; r+=(x "y z"); r[0]=new; unset 'r[1]'; r[5]=five; }; a=(old two); f a; echo "${a[@]}" "${!a[@]}"; push() { local -n _q=$1; shift; _q+=("$@"); }; q=(); push q 1 "2 3"; echo "${#q[@]} ${q[1]}"; g() { declare -n m=$1; m[k]=v; m+=([j]=w); echo "${#m[@]}"; }; declare -A h; g h; echo "${h[k]} ${h[j]}"
#### references that are read
size() { local -n _x=$1; echo "${#_x[@]}" "${_x[@]:1}" "${!_x[@]}"; for e in "${_x[@]}"; do echo "e:$e"; done; for i in "${!_x[@]}"; do _x[$i]="${_x[$i]}!"; done; ((${#_x[@]} == 2)) && [[ ${_x[0]} == 1! && -v _x[1] ]] && echo ok; }; q=(1 "2 3"); size q; echo "${q[@]}"
#### references to what a command sets
f() { local -n o=$1; mapfile -t o < notes/b.txt; }; f z; echo "${z[1]}"; g() { local -n r=$1; read -ra r <<< "x y z"; }; g b; echo "${b[2]}"; h() { local -n r=$1; IFS=, read -r r <<< "l,m"; printf -v r '%s!' "$r"; }; h c; echo "$c"; swap() { local -n p1=$1 p2=$2; local t=$p1; p1=$p2; p2=$t; }; A=1 B=2; swap A B; echo $A $B; for n in u v; do declare -n d=$n; d=("$n" 2); done; echo "${u[@]} ${v[@]} ${!d}"
#### read-only locals end with their function
f() { local -r x=$1; echo $x; }; f 1; f 2; x=out; echo $x; g() { local -r y=1; y=2; echo never; }; (g); echo $?; h() { declare -r z=$1; echo $z; k; }; k() { local -r z=in; echo $z; }; h a; h b; r() { local -ir n=$1; ((n > 0)) && { echo $n; r $((n - 1)); }; }; r 2; n() { local -r a=(x y) b="q r"; echo "${a[1]} $b"; }; n; n; m() { readonly G=1; }; m; (G=2) || echo kept; l() { local v=1; readonly v; echo $v; }; l; l; set -e; main() { local -r dir=$(pwd); step "$dir"; }; step() { local dir=$1/x; echo "$dir"; }; main; main
#### keys that are expanded, quoted or contain blanks
k=a; declare -A m=(["$k"]=1 ["$k/x"]=2 [${k}b]=4 ['q']=5 [w]=6 ["x y"]=7 [b c]=8 [$(echo z)]="9 1"); for i in "${!m[@]}"; do echo "$i=${m[$i]}"; done | sort
m+=([$HOME]=3 [a]+=4 [p q]="r  s"); echo "${m[$HOME]} ${m[a]} ${#m[@]}"; f() { local -A l=(["$1"]=1 [x y]="$2"); echo "${l[$1]}${l[x y]}"; }; f "p q" r
i=2; n=([$i+5]=w [i]=y ["$i"]+=z [0]=v); declare -p n; declare -a b=([3]="x y" [$i]=k); declare -p b; readonly -A R=(["$HOME/x"]=2); echo "${R[$HOME/x]}"
#### arguments as keys
declare -A m=([a]=1 [b]=2); get() { echo "${m[$1]}" "${m["$1"]:-none}" "${m[${1}]}"; }; get a; get q; put() { m[$1]=$2; m["$1,$2"]=$#; }; put c 3; echo "${m[c]}" "${m[c,3]}" ${#m[@]}; has() { [[ -v m[$1] ]] && [ -n "${m[$1]+x}" ]; }; has a && echo yes; has zz || echo no
a=(x y z); f() { echo "${a[$1]}" "${a[$1+1]}" "${a[$#]}" "${a[$(($1+1))]}" "${a[-$2]}" "${#a[$1]}" "${m[c,$#]-d}"; }; f 0 1
#### commands and arithmetic in keys
declare -A g; for i in 0 1 2; do for j in 0 1 2; do g[$i,$j]=$((i*3+j)); done; done; i=1 j=1; echo "${g[$i,$((j+1))]} ${g[$((i-1)),$j]} ${g[$((i+1)),$((j-1))]}" $(( ${g[$i,$((j+1))]} + ${g[$((i-1)),$j]} )); n() { local r=$1 c=$2; echo "${g[$((r+1)),$c]:-x}${g[$((r-1)),$c]:-x}"; }; n 0 1; [ "${g[$((i)),0]}" = 3 ] && echo eq
declare -A t=([7]=x [a.b]=y); i=7; echo "1${t[$(echo $i)]}" 2${t[`echo $i`]} "${t["$(echo a.b)"]:-no}" "${#t[$(echo $i)]}" "${t[$(echo q)]-none}"; a=(p q r); n=1; echo "${a[$(echo $n)]}" ${a[$(($n+1))]} "${a[$(echo $n)+1]}"; f() { echo "${t[$(basename "$1")]}" "${a[$(expr $2 + 1)]}"; }; f /x/a.b 0
#### keys that contain a dollar sign or are one of @ and *
declare -A c; while read -r w; do c[$w]=$(( ${c[$w]:-0} + 1 )); ((c[$w]++)); done <<< $'$HOME\n*\n@\n$HOME'; for k in "${!c[@]}"; do echo "$k ${c[$k]} ${#c[$k]}"; done | sort; get() { echo "${c[$1]}-${c["$1"]}-${c[${1}]}-${c[x$1]-none}"; }; get '$HOME'; get '@'; get '*'; echo "${c['*']}" "${c['@']}" "${c['$HOME']}"; k="it's"; c[$k]=5; echo "${c[$k]}"; f() { local -n r=k; echo "${c[$r]}"; }; f; (set -u; echo "${c[$nope]}") 2>/dev/null || echo unbound
#### operations in keys
declare -A c; for f in a.txt b.md c.txt "d e.md"; do c[${f##*.}]=$(( ${c[${f##*.}]:-0} + 1 )); ((c[${f%%.*}]++)); done; for x in "${!c[@]}"; do echo "$x=${c[$x]}"; done | sort; k=md.x; b=(md txt); i=1; echo "${c[${k%.x}]}" ${c[${b[i]}]} "${c[${b[$i]}]:-no}" "${c["${k%.*}"]}" "${#c[${k%.*}]}" "${c[${nope:-a}]+set}" "${c[${k%.x}]/2/two}" "${c[${k^^}]-none}"
t='2:x'; a[${t%%:*}]=1; a[${#t}]+=7; false; a[${x:-4}]=$?; k=5:6 a[${k%%:*}]=z a[${k##*:}]+=w; q=(7 8); a[${q[-1]}+1]=v; echo "${!a[@]} ${a[@]} ${a[${t%%:*}]}"; f() { local -a w; w[${1%.*}]=$1; echo "${!w[@]} ${w[${1%.*}]}"; }; f 3.5; (a[${t%%:*}]=q; echo "${a[2]}"); echo "${a[2]}"
declare -A m=([a b]=1 [c]=2 [d e f]="x y"); for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort; f() { local -A l=([x y]=1 ["z"]=2); echo "${l[x y]}${l[z]}${#l[@]}"; }; f
#### keys and values in turn
declare -A n=(x 1 y "2 3" "k k" $HOME); echo "${n[x]} ${n[y]} ${n[k k]}" ${#n[@]}; v="p q"; declare -A o=("$v" 1 z); echo "${o[p q]} [${o[z]}]"; declare -A p=([a]=1 [b]=2); p=(c 3); echo "${p[c]} ${#p[@]}"; a=(x 1); echo ${#a[@]}; f() { local -A l=(a 1 b 2); echo ${l[b]}; }; f
#### a reference that is removed
declare -n ref=arr; ref[5]=five; echo "${!ref} ${arr[5]}"; unset -n ref; echo "${arr[5]} [${ref}]"; ref=2; echo $ref ${arr[5]}; f() { local -n q=$1; q=1; unset -n q; local q=7; echo $q; }; f zz; echo $zz
#### declare -p of an associative array
declare -A m=(["b c"]="2 \$2"); declare -p m; declare -A n=([a/b.c]=$'x\ny'); declare -p n; declare -A q=([k]='a"b$c d\'); declare -p q; declare -A e=(); declare -p e; eval "$(declare -p q | sed 's/ q=/ r=/')"; echo "${r[k]}"; declare -A t=(["it's"]=1); declare -p t; declare -pA | grep ' t='
#### read-only variables of other shells
printf 'readonly D=1\necho $D\n' > s; bash s; bash s; chmod +x s; ./s; ./s; D=2; echo $D; (readonly Q=1); Q=2; echo $Q; x=$(readonly W=1; echo $W); W=3; echo $W; bash -c 'readonly E=1'; E=4; echo $E; readonly P=5; bash -c 'P=6; echo $P'; (P=7; echo no); x=$(P=8; echo no); echo "[$x]"; f() { local -r L=1; }; f; f; L=2; echo $L; declare -r M=1; g() { echo $(M=2; echo no); }; g; echo end
#### arrays of integers
declare -i arr; arr[0]=1+2; arr[1]="arr[0]*2"; echo "${arr[@]}"; arr+=(4+4); echo "${arr[@]}"; arr[0]+=5; echo ${arr[0]}; declare -i z; z=(1+1 "2*3"); echo "${z[@]}"; z[5]=x; echo "${z[5]}"; i=2; z[i]=i+3; echo "${z[2]}"; z[-1]+=1; echo "${z[@]}"; f() { local -i loc; loc[0]=7*6; loc+=(1+1); echo "${loc[@]}"; }; f; declare -i n=5; n+=3; echo $n; a=(1+1); a[1]=2+2; echo "${a[@]}"; declare -i t; for k in 1 2 3; do t[k]=k*k; done; echo "${t[*]}"
#### transformations of values
x="it's"; y=$'a\tb\e[0m\x01'; for v in "$x" "$y" "" 'a\b$c' é; do echo "${v@Q}"; printf '%q\n' "$v"; done; declare -i i=3; declare -rx r=2; a=1; echo "${i@A} | ${r@A} | ${a@A} | ${x@A} | ${y@A} | ${nope@A}"; eval "z=${x@Q}"; echo "$z"; f() { local -i l=2; echo "${l@A}"; }; f; set -- "a b" "c'd"; echo "${@@Q}"; b=(1 "2 3"); echo "${b[@]@Q}"; declare -p x y
#### locals that are integers
f() { local -i n=2; n+=3; local n+=4; echo $n; local x=3+4; echo $x; local n=2*n; echo $n; g; }; g() { local n=1+1; echo $n; }; f; declare -i k; k=3+4; h() { local k=1+2; echo $k; }; h; echo $k
#### subscripts with a leading zero
a=(0 1 2 3 4 5 6 7 8 9 10); echo "${a[010]} ${a[-1]}"; a[010]=x; echo "${a[@]}"; (echo "${a[08]}"; echo no); echo $?; (echo "${a[1/0]}"; echo no); echo $?; i=2; echo ${a[i]} ${a[i+1]} ${a[ 3 ]}; [[ x =~ [ ]]; echo $?
