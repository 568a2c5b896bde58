import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { cpuTime } from "../../support/values/cpu-time.ts"

const readOnly = (command: string) => bashTool.readOnly({ command })
const edits = (command: string) => bashTool.edits({ command })
const paths = (command: string) => bashTool.paths({ command }, "/workspace")

describe("the effects of a script", () => {
  it.each([
    "ls",
    "ls -la src | grep x | wc -l",
    "cat a.txt && head -5 b.txt; echo done",
    "find . -name '*.ts' -type f",
    "grep -rn 'a b' . 2>/dev/null",
    "cat a 2>&1 | sort -u | uniq -c",
    "cd src && ls",
    "(cd src; pwd)",
    "sleep 1; true; seq 1 3",
    "git status",
    "cat <<'EOF'\nx $(y)\nEOF",
    "ls *.ts",
    "echo a > /dev/null",
    "cat < a.txt",
    "echo $(ls) `pwd`",
    "cat <(sort a)",
    "jq .name package.json",
    "sed -n 1p f",
    "sed -n '1,20p' f g",
    "sed -n '1p;3,4p' < f",
    "sed --quiet 1p f",
    "cat f | sed s/a/b/",
    "cat f | sed -E 's/(a)/\\1/g'",
    "if true; then ls; fi",
    "if [ -f a ]; then cat a; elif ! ls b; then pwd; else echo none; fi | head -1",
    "while false; do ls; done; until true; do pwd; done",
    "[[ -f a && ! ( b == c || 3 -gt 2 ) ]] && cat a",
    "[[ a =~ b ]]",
    'echo $((2 * (3 + 4) % 5)) "$((1 > 0 ? 1 : -2))"',
    "grep -n x *.txt",
    "wc -l *.ts *.js",
    "type -a ls",
    "X=5; ls",
    'X="a b"\nY=$(pwd)\nls && pwd',
    "if true; then X=5; fi; ls",
    "for i in a.txt *.md $(ls); do ls; pwd; done | head -1",
    "for i in 1; do for j in 2; do X=5; ls; done; done",
    "LANG=C sort a.txt | TZ=UTC date",
    "builtin echo x",
  ])("only reads: %s", (command) => {
    expect(readOnly(command)).toBe(true)
    expect(edits(command)).toBe(false)
  })

  it.each([
    "",
    "# nothing",
    "echo x > f",
    "echo x >> f",
    "cat a >| b",
    "ls &> out",
    "echo $(rm a)",
    "echo `rm a`",
    'echo "$(rm a)"',
    "cat <(rm a)",
    "cat <<EOF\n$(rm a)\nEOF",
    "find . -delete",
    "find . -exec rm {} ;",
    "find $x",
    "sort -o out in",
    "sort -uo out in",
    "shuf -o out in",
    "shuf -no out in",
    "xxd in out",
    "xxd -c 8 in out",
    "xxd -r -o -c in out",
    "find . -newer in",
    "sort --output=out in",
    "uniq in out",
    "tree -o out",
    "date -s now",
    "xargs rm",
    "tee f",
    "sed -i s/a/b/ f",
    "awk '{print > \"f\"}' a",
    "ls & rm a",
    "f() { rm a; }; f",
    "for i in a; do rm $i; done",
    "PATH=. ls",
    "x=1",
    "$cmd a",
    "r\\m a",
    "bash -c ls",
    "eval ls",
    "env ls",
    "git push",
    "git diff --output=f",
    "if rm x; then ls; fi",
    "if true; then ls; elif true; then rm x; fi",
    "if true; then ls; else rm x; fi",
    "if true; then ls; fi > out",
    "while true; do rm x; done",
    "until rm x; do ls; done",
    "while read f; do cat $f; done < list",
    "for i in 1 2; do ls; rm x; done",
    "for i in 1 2; do cat $i; done",
    "for i in 1; do ls; done > out",
    "for i in {1..2}; do ls; done",
    "for PATH in /tmp; do ls; done",
    "PATH=/tmp; ls",
    "LANG=C; ls",
    "X=5 Y=6; ls",
    "X=(a b); ls",
    "X=~; ls",
    "X=$(rm x); ls",
    'X="$(pwd)"; ls',
    "X=5; ls $X",
    "X=5 ls",
    "LANG=$X ls",
    "LANG=C X=5 ls",
    ":",
    "[[ $x == b ]]",
    "[[ -f $(rm x) ]]",
    "[[ -v 'a[$(rm x)]' ]]",
    "[[ 'a[$(rm x)]' -eq 1 ]]",
    "[[ a || -v b ]]",
    "[[ -t 'a[$(rm x)]' ]]",
    "[[ -f a ]] > out",
    "[[ -f a ]] < <(rm x)",
    "[[ -f a ]] > $(rm x)",
    "if true; then ls; fi < <(rm x)",
    "[[ -f a ]] && rm a",
    "echo $((x + 1))",
    "echo $((x = 1))",
    "echo $((a[$(rm x)]))",
    "(( 1 ))",
    "grep x -*",
    "grep x -[r]",
    "rg x *",
    "ls (",
    "touch a",
    "grep -f list a",
    "grep --file=list a",
    "rg -f list a",
    "jq -f prog.jq a",
    "wc --files0-from=list",
    "echo ${a[$(rm x)]}",
    "echo $((1 + $(rm x)))",
    "(ls) > out",
    "{ ls; } >> out",
    "> out",
    "cat $(rm a)",
    "diff <(rm a) b",
    "uniq *",
    "sort -[o]x in",
    "sort -?x in",
    "sort *",
    "unknown",
    "sed 1p f",
    "sed s/a/b/ f",
    "sed -n '/x/p' f",
    "sed -n '1w out' f",
    "sed -n 1p f > out",
    "sed -n $x f",
    "sed -n 1p *",
    "sed -n -e 1p f",
    "sed -n -f 1p f",
    "sed -n -i 1p f",
    "cat f | sed 's/a/b/e'",
    "cat f | sed 's/a/b/w out'",
    "cat f | sed 1d",
  ])("is not sure that it only reads: %s", (command) => expect(readOnly(command)).toBe(false))

  it.each([
    "touch a",
    "mkdir -p a/b && touch a/b/c",
    "rm -rf old",
    "mv a b; cp -r b c",
    "rmdir d && ls",
    "sed -i 's/a/b/g' f",
    "sed -i -e '3d' f",
    "sed -i -e s/a/b/ -e 2d f",
    "sed -Ei 's/a+/b/' f",
    "touch a > b",
    "echo a > b",
    "if [ -f a ]; then rm a; else touch b; fi",
  ])("edits files: %s", (command) => {
    expect(edits(command)).toBe(true)
    expect(readOnly(command)).toBe(false)
  })

  it.each([
    "ls",
    "touch $x",
    "touch a; python3 x",
    "rm -rf /",
    "rm -rf .",
    "rm -rf *",
    "rm -rf ..",
    "rm -rf ./*",
    "sed -i 's/a/b/w out' f",
    "sed -i '1e rm x' f",
    "sed -i -e s/a/b/ -e '1w .git/hooks/pre-commit' f",
    "sed -i --expression='1w x' d",
    "sed -i -e1w\\ x d",
    "sed -ie '1w x' d",
    "sed -i -f prog s/a/b/",
    "sed -i'.git/hooks/*' s/a/b/ f",
    "cp -t .git/hooks f",
    "mv --target-directory=.git/hooks f",
    "cp -bS x f g",
    "sed s/a/b/ f",
    "chmod +x a",
    "touch a & ",
    "echo a > b; python3 c",
  ])("does not only edit files: %s", (command) => expect(edits(command)).toBe(false))

  it("a long path of `rm` is parsed in one pass", () => {
    const spent = cpuTime()
    expect(edits(`rm ${"~/".repeat(40)}x`)).toBe(true)
    expect(edits(`rm ${"~/".repeat(40)}`)).toBe(false)
    expect(edits(`rm ${"../".repeat(40)}*`)).toBe(false)
    expect(spent()).toBeLessThan(4_000)
  })

  it("names the paths that a script touches", () => {
    expect(paths("cat secret/k.txt ../x /etc/passwd")).toEqual(["/workspace/secret/k.txt", "/x", "/etc/passwd"])
    expect(paths("grep -n /etc/ a.txt")).toEqual(["/workspace/a.txt"])
    expect(paths("echo /etc/passwd > out")).toEqual(["/workspace/out"])
    expect(paths("cd /tmp && touch a")).toEqual(["/tmp", "/tmp/a"])
    expect(paths("cd src && rm b")).toEqual(["/workspace/src", "/workspace/src/b"])
    expect(paths("cat ~/x")).toEqual(["/workspace/x"])
    expect(paths("ls /etc/*.conf")).toEqual(["/etc"])
    expect(paths("find src /var -name x")).toEqual(["/workspace/src", "/var"])
    expect(paths("foo /opt/x y")).toEqual(["/opt/x"])
  })

  it("account for a cd that may fail, may not run, or may belong to another shell", () => {
    const both = ["/workspace/a/b", "/workspace/x", "/x"]
    expect(paths("cd a/b; rm ../../x").toSorted()).toEqual(both)
    expect(paths("cd a/b || true && rm ../../x").toSorted()).toEqual(both)
    expect(paths("! cd a/b && rm ../../x").toSorted()).toEqual(both)
    expect(paths("(cd a/b); rm ../../x")).toEqual(["/workspace/a/b", "/x"])
    expect(paths("cd a/b | rm ../../x")).toEqual(["/workspace/a/b", "/x"])
    expect(paths("cd a/b && rm ../../x")).toEqual(["/workspace/a/b", "/workspace/x"])
    expect(paths("command cd /tmp && touch a")).toEqual(["/tmp", "/tmp/a"])
    expect(paths("builtin cd src && rm b")).toEqual(["/workspace/src", "/workspace/src/b"])
    expect(paths("while rm b; do true; done")).toEqual(["/workspace/b"])
    expect(paths("while rm b; do time cd src; done").toSorted()).toEqual(["/", "/workspace/b", "/workspace/src"])
    expect(paths("f() { rm b; }; cd src; f")).toContain("/")
    expect(paths("pushd src && rm b")).toEqual(["/workspace/src/b"])
  })

  it("treat a path that can't be determined as the root", () => {
    expect(paths("touch $x")).toEqual(["/"])
    expect(paths("cd $x && touch a")).toEqual(["/"])
    expect(paths("cd - && touch a")).toEqual(["/"])
    expect(paths("pushd && touch a")).toEqual(["/"])
    expect(paths("pushd +1 && touch a")).toEqual(["/"])
    expect(paths("popd; echo x > a").toSorted()).toEqual(["/", "/workspace/a"])
    expect(paths("cat */../../x")).toEqual(["/"])
    expect(paths("echo a > $x")).toEqual(["/"])
    expect(paths(`touch ${"a/".repeat(3000)}b`)).toEqual(["/"])
  })
})
