// awk through the Bash tool: what each program gives was compared with Debian's awk.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run, runAndCommit } from "../../tools/tool-context.ts"

const say = async (command: string): Promise<string> => {
  const { context, workspace } = openContext()
  workspace.writeBytes("/workspace/f", "a 1\nb 2\na 3\n")
  workspace.writeBytes("/workspace/t", "x|1.5\ny|10\n")
  return String((await run(bashTool, { command }, context)).content)
}

describe("awk separates fields and records", () => {
  it.each([
    ["awk -F'|' '{print $2}' t", "1.5\n10"],
    ["awk -F. '{print $2}' <<< a.b", "b"],
    ["awk -v 'FS=|' '{print $1}' t", "x\ny"],
    ["awk 'BEGIN{FS=\"|\"} {print $1}' t", "x\ny"],
    ["awk '{print $2}' FS='|' t", "1.5\n10"],
    ["awk -v OFS='\\t' '{print $2,$1}' f | head -1", "1\ta"],
    ["awk -v RS=';' '{print NR\": \"$0}' <<< 'a;b'", "1: a\n2: b"],
    ['awk \'BEGIN{RS="";FS="\\n"} {print NR": "$1"|"$2}\' <<< $\'a\\nb\\n\\nc\'', "1: a|b\n2: c|"],
    ["awk '{split($0, p, \"|\"); print p[2]}' t", "1.5\n10"],
    ["awk -F: -v OFS=- '{$1 = $1} 1' <<< a:b:c", "a-b-c"],
    ["awk '{$4 = \"d\"; print NF\": \"$0}' <<< 'a b'", "4: a b  d"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})

describe("awk computes", () => {
  it.each([
    ["awk 'NR==FNR{a[$1];next} $1 in a' f f | wc -l", "3"],
    ["awk '{a[$1]} END{print length(a)}' f", "2"],
    ["awk 'length > 2' f", "a 1\nb 2\na 3"],
    ["awk '{n += length} END{print n}' f", "9"],
    ["awk '{x = \"q\"; print x (5), $1 (NR)}' f | head -1", "q5 a1"],
    ["awk '{for (i = NF; i > 0; i--) s = s $i (i > 1 ? \" \" : \"\")} END{print s}' <<< 'a b c'", "c b a"],
    ['awk \'BEGIN{print "10" < "9", 10 < 9, 1e20, 1e6, 0.1 + 0.2}\'', "1 0 100000000000000000000 1000000 0.3"],
    ["awk '{print ($2 < 10)}' FS='|' t", "1\n0"],
    ["awk 'function f(a, k) { a[k] = 1 } BEGIN { f(m, \"x\"); for (k in m) print k }'", "x"],
    ["awk 'function f(x) { if (x > 1) exit 5; return x } {print f(NR)} END {print \"end\"}' f", "Exit code 5\n1\nend"],
    ['awk \'BEGIN{printf "%05.1f|%-3s|%e|%x|%c\\n", 3.14159, "a", 1234.5, 255, 65}\'', "003.1|a  |1.234500e+03|ff|A"],
    ["awk '{gsub(/[ab]/, \"<&>\"); print}' f | head -1", "<a> 1"],
    ['awk \'BEGIN{while (("echo x; echo y" | getline l) > 0) print "got " l}\'', "got x\ngot y"],
    ['awk \'BEGIN{print substr("hello", 0, 2), index("日本", "本"), length("é")}\'', "h 2 1"],
    ["awk -f <(printf '# all\\n{ print $2 }\\n') f", "1\n2\n3"],
    ["awk -- '{print $1}' f | sort -u", "a\nb"],
    ["awk '/^(a+)+$/ {n++} END{print n + 0}' f", "0"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})

describe("awk prints to files", () => {
  it("writes each file once, and adds to it from then on", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/f", "a 1\nb 2\na 3\n")
    await runAndCommit(bashTool, { command: "awk '{print $2 > ($1 \".out\")}' f" }, context)
    expect([workspace.readText("/workspace/a.out"), workspace.readText("/workspace/b.out")]).toEqual(["1\n3\n", "2\n"])
  })

  it.each([
    ["awk '{print > \"/dev/stderr\"}' f 2> e; wc -l < e", "3"],
    ['awk \'BEGIN{print "a" > "/dev/stdout"}\'', "a"],
    ['awk \'{print >> "o"} END{close("o"); while ((getline l < "o") > 0) n++; print n}\' f', "3"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })

  it("keeps the rules of its call for the files that it reads and writes", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/.env", "SECRET=hunter2\n")
    const files = {
      refusal: (_: string, names: () => ReadonlyArray<string>) => (names().includes("/workspace/.env") ? "no" : null),
    }
    const scripts = [
      "awk 1 .env",
      "awk 'BEGIN{getline < \".env\"; print}'",
      "awk -f .env",
      'awk \'BEGIN{print "x" > ".env"}\'',
    ]
    for (const command of scripts) {
      const outcome = await runAndCommit(bashTool, { command }, { ...context, files })
      expect(String(outcome.content)).not.toContain("hunter2")
    }
    expect(workspace.readText("/workspace/.env")).toBe("SECRET=hunter2\n")
  })

  it("runs no command that a rule refuses", async () => {
    const { context } = openContext()
    const rules = { command: ([name]: ReadonlyArray<string>) => (name === "date" ? "denied" : null) }
    const command = 'awk \'BEGIN{"date" | getline d; print "[" d "]"}\''
    expect((await run(bashTool, { command }, { ...context, rules })).content).toContain("[]")
  })

  it.each(['BEGIN{print 1 | "date"}', 'BEGIN{exit system("date")}'])(
    "runs no refused command in %s",
    async (source) => {
      const { context } = openContext()
      const rules = { command: ([name]: ReadonlyArray<string>) => (name === "date" ? "denied" : null) }
      const { content } = await run(bashTool, { command: `awk '${source}'` }, { ...context, rules })
      expect(content).toContain("date: denied")
    },
  )
})

describe("awk refuses", () => {
  it.each([
    ["awk '{ print ) }' f", "line 1: syntax error at or near )"],
    ["awk 'BEGIN{f()}'", "function f never defined"],
    ["awk 'BEGIN{print 1 / 0}'", "division by zero"],
    ["awk '{print}' nothing", "cannot open nothing (No such file or directory)"],
  ])("%s", async (script, message) => {
    expect(await say(script)).toBe(`Exit code 2\nawk: ${message}`)
  })
})
