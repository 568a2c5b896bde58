#### variables expand
name=World; cat <<END
Hello $name, $((2 * 3)) and $(echo sub)
END
#### a quoted delimiter keeps the text
name=World; cat <<'END'
Hello $name, $((2 * 3)) and `echo sub` \n
END
#### tabs are stripped
cat <<-END
	one
		two
	END
#### into a file
cat > conf.yml <<YML
key: "value"
list:
  - a
YML
cat conf.yml
#### two documents on one line
cat <<A - <<B
first
A
second
B
#### in a pipe and in a loop
while IFS='=' read -r k v; do echo "$k is $v"; done <<KV
a=1
b=two words
KV
#### escapes in an unquoted document
x=1; cat <<END
\$x is $x, a backslash \\, a tick \`, a quote "
END
#### in a function with arguments
f() { cat <<END
args: $# first: $1
END
}; f "a b" c
#### piped on
cat <<END | sort -r | head -1
b
c
a
END
#### a heredoc inside a command substitution
v=$(cat <<END
inner
lines
END
); echo "[$v]"
#### append to a file by sudo-like tee
tee -a notes/a.txt > /dev/null <<'END'
more
END
cat notes/a.txt
#### an empty document
cat <<END
END
echo "exit $?"
#### a script for another shell
bash <<'END'
x=3; echo "inner $x $((x * x))"
END
#### here string with spaces kept
cat <<< "  a   b  "
#### a document with a delimiter that needs care
cat <<"E O F"
 $HOME stays
E O F
#### arithmetic and default values inside
unset u; cat <<END
${u:-default} ${#HOME} ${u+set}
END
#### braces in a here-string are text
cat <<< {a,b}; cat <<< x{1..3}y; while read -r l; do echo "$l"; done <<< {1..3}; cat <<< "{a,b}"; cat <<<{a,"b c"} | cat; x=5; cat <<< {$x,b}
#### quotes in the defaults of a here-document
v=5; cat <<E
${u:-'x y'} ${u:-"x y"} "${u:-'z'}" ${HOME:+'set'} '${v:-'no'}' ${v} ${u:=now()} ${w:-$(echo 'in')}
E
cat <<'E'
${u:-'x y'}
E
cat <<< "${q:-'q'}"
#### here-strings in substitutions of several lines
x=$(
  cat <<< a | tr a b
  while IFS=, read -r p q; do echo "$q$p"; done <<< '1,2'
  read -r y 3<<<"x y" <&3; echo "$y"
  cat <<END
$(cat <<<in)
END
  cat <<< {a,b}; cat <<< k=v
)
echo "$x"; f() { local v=$(
  sed 's/x/y/' <<< "xx"
); echo "$v"; }; f; declare -f f | grep -c '<<< "xx"'
#### the input by its name
cat /dev/stdin <<< s; echo q | cat /dev/stdin | cat; echo f | { cat "${1:-/dev/stdin}"; }; wc -c /dev/stdin <<< x; . /dev/stdin <<< z=9; echo $z; printf 'a\nb\n' | while read -r x; do echo "<$x>"; done < /dev/stdin; cat /dev/stdin < /dev/null; cat /dev/fd/0 <<< é; echo k | cat "$(echo v | cat /dev/stdin > /dev/null; echo /dev/stdin)"
