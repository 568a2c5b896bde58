#### xxd
printf 'hello world, this is xxd\n' | xxd; printf abc | xxd -p; xxd -l 8 -s 2 README.md; xxd -c 8 -g 1 <<< 'hello there'; xxd -u -p <<< hi; xxd -b <<< hi; xxd -g0 -c 5 notes/a.txt; xxd -d -l 20 README.md; head -c 64 /dev/zero | xxd -a; xxd -s -5 README.md; xxd -o 16 -l 4 README.md; xxd -e <<< abcdefgh
#### xxd as C
xxd -i <<< hi; xxd -i blank.txt; xxd -i notes/a.txt; xxd -C -i notes/a.txt
#### xxd -r
echo '48656c6c 6f0a' | xxd -r -p; printf hello | xxd | xxd -r; echo; xxd README.md out.hex; head -1 out.hex; xxd -r out.hex out.bin; cmp README.md out.bin && echo same; xxd no-file; echo "$?"
#### hexdump in its forms
printf 'hello world, this is hd\n' | hexdump -C; printf hello | hexdump; hexdump -s 2 -n 6 -C README.md; printf ab | hd; printf abcd | hexdump -x; head -c 64 /dev/zero | hexdump -C; hexdump -c notes/a.txt; hexdump -b notes/a.txt; hexdump -d notes/a.txt; hexdump -o notes/a.txt; hexdump -C blank.txt
#### hexdump in a format
printf abc | hexdump -e '1/1 "%02x"'; echo; printf abc | hexdump -v -e '/1 "%02X "'; echo; hexdump -e '16/1 "%02x " "\n"' README.md; printf abcdefgh | hexdump -e '1/4 "%08x\n"'; printf abcd | hexdump -v -e '4/1 "%_p" "\n"'
#### sums of SHA
echo -n hello | sha512sum; echo -n hello | sha384sum; sha224sum README.md notes/a.txt; sha256sum --tag notes/a.txt; sha256sum -b notes/a.txt; sha1sum < notes/a.txt; sha256sum no-file; echo "$?"
#### checks of sums
md5sum README.md notes/a.txt > sums; md5sum -c sums; echo x >> README.md; md5sum -c sums; echo "$?"; md5sum --status -c sums; echo "$?"; md5sum -c --quiet sums; echo bad | sha1sum -c; echo "$?"; (cd notes; sha512sum *) > s5; cd notes; sha512sum --check ../s5; rm b.txt; sha512sum -c ../s5; echo "$?"; sha512sum -c --ignore-missing ../s5
#### shuf
shuf -i 1-5 | sort; seq 10 | shuf -n 3 | wc -l; shuf -e a b c | sort; shuf -n1 -e only; shuf -i 1-3 -r -n 7 | wc -l; shuf -i 1-10 -n 1 -o /tmp/o.txt; wc -l < /tmp/o.txt; shuf -n 0 README.md; shuf -i 1-1000000 -n 2 | wc -l; shuf data/words.txt | sort | diff - <(sort data/words.txt) && echo all; shuf -i 5-1; echo "$?"; shuf no-file; echo "$?"
#### seq
seq -f '%.2f' 1 3; seq -f 'file%03g.txt' 8 10; seq -w 0.5 0.25 1.5; seq -w 8 11; seq -w -5 5 5; seq -w 1 100 201; seq 1 0; seq -3 -1; seq -s ' ' 3; seq --separator=: 3; seq -f '%g%%' 2; seq 10 -5 -10; seq 0 0.1 0.3; seq -f %e 1 2; seq -f '%5.1f|' 1 2; seq 1 0 5; echo "$?"; seq -f x 2; echo "$?"; seq x; echo "$?"
#### du of files
du -b notes/a.txt; du -h README.md; du -c notes/a.txt notes/b.txt; du -ab --exclude='*.md' notes | sort -k2 | grep -v 'notes$'; du -d 1 -k . | sort -k2 | cut -f2; du -sh data src | cut -f2; du --max-depth=0 src | cut -f2; du no-file; echo "$?"
#### tr works on bytes
printf '\x00\x01\xff\x80abc' | tr -d '\0' | xxd -p; printf '\xff\xfe' | tr '\377' x | xxd -p; printf 'caf\xe9\r\n' | tr -d '\r' | xxd -p; echo "héllo" | tr -cd '[:print:]'; echo; echo "日本 x" | tr ' ' _; head -c 500000 /dev/zero | tr '\0' '\377' | md5sum
#### tr in its forms
echo aabbccdd | tr -ds a bc; echo hello | tr -t abcdefgh xyz; echo abc | tr -c 'a\n' x; echo 'foo   bar' | tr -cs 'a-z\n' -; echo abc | tr a-c '[x*]'; echo abc | tr a-c '[x*2]y'; echo 'x\y' | tr '\\' /; echo '[a]' | tr -d '[]'; echo a-z | tr -d 'a\-z'; echo aXb | tr '[:upper:]' _; tr A-Za-z N-ZA-Mn-za-m <<< Hello; echo abc | tr a; echo $?; echo abc | tr z-a x; echo $?; echo abc | tr -d a b; echo $?; echo abc | tr '[:foo:]' x; echo $?
#### echo -e writes bytes
echo -e '\xc3\xa9 \xe2\x9c\x93'; echo -e "\xe2\x9c\x94 done" | xxd -p; echo -ne '\xff\x00' | xxd -p; x=$(echo -e '\xe2\x9c\x93'); echo "$x ${#x}"; echo -e '\303\251 \0303\0251'; echo -E '\xff'; echo '\xff'; echo -e 'é \x41'
#### head reads devices as far as it is asked
head -c 1000000 /dev/zero | wc -c; head -c 100000 /dev/urandom | wc -c; head -c 1M /dev/zero > /tmp/f; stat -c %s /tmp/f; rm /tmp/f
#### base64 and base32
base64 -d <<< '!!!'; echo $?; echo aGVsbG8= | base64 -d; echo; echo aGVsbG8 | base64 -d; echo $?; echo 'aGVs bG8=' | base64 -di; echo; printf 'hello world this is a long line that wraps around at seventy six chars okay' | base64; printf abc | base64 -w0; echo; base64 --decode <<< YWJj; echo; base64 -w 10 <<< 'hello world'; base64 notes/a.txt; base64 nofile; echo $?; printf '\xff\x00' | base64; echo '/wA=' | base64 -d | xxd -p; printf 'aGVs\nbG8=\n' | base64 -d; echo; base64 -d <<< 'aGVsbG8=='; echo $?; for t in '' f fo foo foob fooba foobar; do printf '%s' "$t" | base32; done; echo MZXW6YTB | base32 -d; echo; head -c 100000 /dev/zero | base64 -w0 | base64 -d | wc -c
#### binary data through groups, functions, loops and shells
printf '\xff\xfe' > f; { cat f; } | wc -c; { cat f; cat f; } > g; wc -c < g; (cat f) 2>/dev/null | wc -c; for i in 1 2; do cat f; done | wc -c; if true; then cat f; fi > g; wc -c < g; h() { cat f; }; h | xxd -p; h > g; h >> g; xxd -p g; { echo é; cat f; } | xxd -p; eval 'cat f' | wc -c; bash -c 'cat f; cat f' | wc -c; xargs cat <<< f | wc -c; find f -exec cat {} \; | wc -c; timeout 1 cat f | wc -c; env cat f | wc -c; nice cat f | wc -c
#### binary data in variables and archives
x=$(printf '\xff\xfeA'); printf %s "$x" | xxd -p; echo "${#x}"; echo "$x" > f; xxd -p f; cat <<< "$x" | xxd -p; z() { gzip -c; }; seq 1000 | z > z.gz; gunzip -c z.gz | tail -1; { head -c 20 z.gz; tail -c +21 z.gz; } > w.gz; cmp z.gz w.gz && echo same; (cat z.gz) | gunzip | wc -l; tar czf - data | { cat > t.tgz; }; tar tzf t.tgz | wc -l; rm -f z.gz w.gz t.tgz
#### what read and mapfile assign is text
read -r q <<< "é"; echo "${q}É → ${#q} ${q^^}"; while IFS=, read -ra c; do echo "✓ ${c[1]} ${#c[0]}"; done <<< $'né,日本\nü,ñ'; mapfile -t m < <(printf 'ä\nключ\n'); printf '→ %s\n' "${m[@]}"; echo "é ü" | { read -r a b; echo "$b$a …"; }; f() { local l; read -r l; echo "$l→"; }; f <<< "日本"; declare -A k; while IFS== read -r n v; do k[$n]=$v; done <<< $'ключ=знач\né=ü'; for n in "${!k[@]}"; do echo "$n→${k[$n]}"; done | sort; read -r <<< "ö"; echo "$REPLY…"
mkdir ü; echo 1 > ü/é.txt; echo 2 > "ü/a b.txt"; find ü -name '*.txt' -print0 | sort -z | while IFS= read -r -d '' f; do echo "→ $f $(cat "$f")"; [ -f "$f" ] && cp "$f" "$f.bak"; done; find ü -type f | sort | while read -r f; do b=${f##*/}; echo "${#b} ${b^^}"; mv "$f" "$f.x"; done; mapfile -t fs < <(find ü -type f | sort); printf '✓ %s\n' "${fs[@]}"; rm "${fs[0]}"; ls ü; while read -r w; do echo "naïve $w" >> out.txt; done <<< "café"; cat out.txt
#### seq rounds as printf does
seq -f %.0f 0.5 1 2.5; printf '%.0f\n' 0.5 1.5 2.5; seq -f '%06.2f' -2 0; seq -f '%G' 1000000 1 1000001
