#### defaults of unset variables under set -u
set -u; echo "${x:-}"; [ -z "${y:-}" ] && echo empty; echo "${x-}" "${x+set}" "${x:-d}"; declare -A m; echo "${m[k]:-}" "${m[k]+x}"
#### an unset variable under set -u still ends the script
set -u; echo "${x:-}"; (echo "$x"; echo no) 2>/dev/null; echo "rc $?"
#### defaults that are lists keep their words
a=(1 "2 3"); set -- p "q r"; for i in "${x:-${a[@]}}" "${a[@]:-none}"; do echo "<$i>"; done; b=(); for i in "${b[@]:-none}"; do echo "<$i>"; done
#### a script that is called by its path
printf '#!/usr/bin/env bash\necho "$0 $# $1"; shift; for a; do echo "<$a>"; done; echo "[${FOO:-}]"; exit 7\n' > s.sh; chmod +x s.sh; FOO=1; ./s.sh a "b c" d; echo "$?"; export FOO; src/../s.sh x
#### more than nine arguments of a script
printf 'echo "$# ${10} ${11}"\n' > s.sh; chmod +x s.sh; ./s.sh 1 2 3 4 5 6 7 8 9 "t e n" eleven
#### the input of a script
printf '#!/bin/sh\nread x; echo "got $x"; cat\n' > r.sh; chmod +x r.sh; printf '1\n2\n3\n' | ./r.sh; ./r.sh <<< in; ./r.sh < notes/b.txt
#### arrays, traps and defaults in a script of its own
printf '#!/bin/bash\nset -u\ndeclare -A m=([a]=1 ["b c"]=2)\necho "${m["b c"]}"\necho "${1:-}"\n' > s.sh; chmod +x s.sh; ./s.sh; echo "${m[a]:-not here}"
#### scripts for other programs
printf '#!/usr/bin/awk -f\n{ print $1 }\n' > p.awk; printf '#!/usr/bin/env -S sed -f\ns/note/NOTE/\n' > q.sed; chmod +x p.awk q.sed; ./p.awk notes/b.txt; ./q.sed notes/b.txt
#### a script for a program that is not there
printf '#!/usr/bin/env no-such-program\nprint(1)\n' > p.x; chmod +x p.x; ./p.x; echo "$?"
#### what source and eval read
printf 'set -u\ndeclare -A c=(["a b"]="1 2")\nopt() { for o; do echo "<$o>"; done; echo "${UNSET:-}"; }\n' > lib.sh; . ./lib.sh; opt "x y" z; echo "${c["a b"]}"; eval 'for x in "${Y:-}"; do echo "[$x]"; done'; eval "declare -A q=([k]='v w')"; echo "${q[k]}"
#### lists that may be empty under set -u
set -u; a=("a b" c); b=(); set -- "p q" r; printf '<%s>' ${a[@]+"${a[@]}"} "${a[@]+"${a[@]}"}" ${1+"$@"} ${@+"$@"} "${a[@]+set}"; echo; for f in ${b[@]+"${b[@]}"}; do echo "no $f"; done; c=(${a[@]+"${a[@]}"} ${b[@]+"${b[@]}"}); echo ${#c[@]}; set --; for f in ${1+"$@"}; do echo "no $f"; done; x="${a[@]+"${a[@]}"}"; echo "$x"
#### programs by their path
/bin/echo hi; /usr/bin/env echo x; /bin/sh -c 'echo "$0 $1"' a b; /usr/bin/test 1 = 1 && echo t; $(which sort) -r notes/b.txt; xargs /bin/echo < notes/a.txt; find notes -name a.txt -exec /bin/cat {} \; ; rm() { echo no; }; /bin/rm notes/a.txt; /usr/bin/nope; echo $?
#### a command from the output of another
$(echo echo a b) c; `echo echo` "d  e"; $(false); echo $?; $(true); echo $?; false; $(echo); echo $?; set -e; $(true); echo on; $(exit 3); echo never
#### the lines of a script with a first line of its own
printf '#!/bin/bash\necho $LINENO\nf() {\n  echo $LINENO\n}\nf\ntrap "echo E\$LINENO" ERR\nfalse\necho "$LINENO ${BASH_SOURCE[0]}"\n' > s; bash s; chmod +x s; ./s; . ./s; printf '#!/bin/sh\n# it'"'"'s a "comment\nset -e\necho a\n\nfalse\necho no\n' > t; sh t; echo $?; printf '#!/bin/bash' > u; chmod +x u; ./u; echo $?; bash u
#### the name of a script that PATH finds
printf '#!/bin/sh\necho "${0##*/} ${0%%/*} $1"\n' > s; chmod +x s; ./s a; PATH=$PWD:$PATH; s b; ./s c
