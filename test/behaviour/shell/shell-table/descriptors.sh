#### a copy of stdout inside a substitution
exec 3>&1; y=$(echo v; echo shown >&3); echo "[$y]"; sel=$(echo chosen 2>&1 1>&3); echo "[$sel]"
#### a copy that a function opens
f() { exec 4>&1; x=$(echo inner; echo visible >&4); echo "x=$x"; exec 4>&-; }; f; echo end
#### a copy inside a pipeline
exec 3>&1; { echo a; echo b >&3; } | sed 's/^/p /'; echo z | { read v; echo "$v" >&3; echo w; } | tr a-z A-Z
#### a copy inside redirected groups, loops and functions
exec 3>&1; { echo x >&3; echo y; } > f; cat f; for i in 1 2; do echo $i; echo "s$i" >&3; done > g; cat g; (echo sub >&3; echo t) > h; cat h; k() { echo k >&3; echo kk; }; k > l; cat l
#### a copy of stderr
exec 4>&2; x=$({ echo e >&4; echo o; } 2>&1); echo "[$x]"; { echo e2 >&4; } 2>/dev/null; echo done
#### the exit code of a stage by descriptors
exec 4>&1; st=$({ { (exit 3); echo $? >&3; } | cat >&4; } 3>&1); echo "st=$st"
#### nested substitutions
exec 3>&1; a=$(b=$(echo deep >&3; echo bb); echo "b=$b" >&3; echo aa); echo "$a"
#### stdout is restored from its copy
exec 3>&1 >log; echo in; echo direct >&3; x=$(echo y >&3; echo z); echo "$x"; exec >&3 3>&-; echo back; cat log
#### a shell that ends after writing to a copy
exec 3>&1; f() { echo msg >&3; exit 4; }; x=$(f); echo "$? [$x]"; { echo q >&3; exit 5; } > f
#### a function that prints to stderr and returns a result
exec 3>&1; log() { echo "[log] $*" >&3; }; get() { log "getting $1"; echo "value-$1"; }; v=$(get a); w=$(get b | tr a-z A-Z); echo "$v $w"; echo $(( $(log x; echo 4) + 1 ))
#### all output through a command
exec > >(tee log.txt) 2>&1; echo hi; ls nofile; echo there
#### its exit code and its EXIT handler
trap 'echo bye' EXIT; exec > >(tee -a log.txt) 2>&1; main() { echo main; return 2; }; main
#### a script that ends early
set -e; exec > >(sed 's/^/| /'); echo a; false; echo b
#### errors through a command, and a function that redirects
exec 2> >(sed 's/^/ERR /' > errors); log() { exec 3>&1 > >(tr a-z A-Z); echo in; }; log; echo out; echo kept >&3; ls nofile; (exec > >(sed 's/^/sub /'); echo x)
#### substitutions and pipelines after exec > file
exec 3>&1 >log; x=$(echo z); echo "x=$x"; echo a | tr a-z A-Z; { echo g; echo h; } | sort -r; for i in 1 2; do echo "l$i"; done; (echo sub); { echo f1; } > f; cat <(echo ps); f() { echo fn; }; f; y=$(f; echo k | tr k q); echo "$y"; f > g; exec >&3; cat log f g
#### errors after exec 2> file
exec 2>err; ls nofile; { ls nofile2; echo o; } | cat; x=$(ls nofile3; echo v); echo "$x"; { ls nofile4; } 2>other; f() { echo fe >&2; }; f; f 2>/dev/null; (f); if true; then f; fi > h; cat err other h | sed 's/.*nofile/nofile/'
#### one output into the other
exec 3>&1 >&2; echo hidden; x=$(echo v); echo "$x" >&3; { echo q; } 2>/dev/null; echo w | cat; echo shown | cat >&3; { echo z; } > f; cat f >&3
#### errors into stdout, and values without them
exec 2>&1; { ls nofile; echo o; } | sed 's/^/p /'; x=$(ls nofile; echo v); echo "[$x]"; { echo e >&2; } > f; cat f; f() { echo fe >&2; }; f | cat; f > /dev/null; y=$(f); echo "[$y]"
#### a log of a script that fails
exec >log 2>&1; set -e; f() { echo a; false; }; x=$(echo hi); echo $x; f
