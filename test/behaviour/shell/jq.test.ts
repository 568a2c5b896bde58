// jq through the Bash tool: filters that read, build and update JSON; what each gives was compared with Debian's jq.
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, run, runAndCommit } from "../../tools/tool-context.ts"

const say = async (command: string): Promise<string> => {
  const { context, workspace } = openContext()
  workspace.writeBytes("/workspace/a.json", '{"b":1,"10":2,"2":{"c":[1,2,3]}}')
  return String((await run(bashTool, { command }, context)).content)
}

const filtered = (filter: string, input: string, options = "-c"): Promise<string> =>
  say(`jq ${options} '${filter}' <<'E'\n${input}\nE\n`)

describe("jq updates what its paths lead to", () => {
  it.each([
    [".a.b.c = 1", "{}", '{"a":{"b":{"c":1}}}'],
    [".a.b += 1", '{"x":0}', '{"x":0,"a":{"b":1}}'],
    [".a[0].b = 5", "{}", '{"a":[{"b":5}]}'],
    ['(.[] | select(.id == 2) | .name) = "x"', '[{"id":1},{"id":2}]', '[{"id":1},{"id":2,"name":"x"}]'],
    ["(.[] | select(.id == 2)) |= . + {n: 1}", '[{"id":1},{"id":2}]', '[{"id":1},{"id":2,"n":1}]'],
    ["(.a, .b) = 9", "{}", '{"a":9,"b":9}'],
    [".a[1:] = [9]", '{"a":[1,2,3]}', '{"a":[1,9]}'],
    [".a[.k] = 1", '{"k":"x"}', '{"k":"x","a":{"x":1}}'],
    [".a //= 1 | .b //= 2", '{"a":0}', '{"a":0,"b":2}'],
    ['.. |= (if type == "number" then . + 1 else . end)', '{"a":1,"b":[2]}', '{"a":2,"b":[3]}'],
    [".a = (1, 2)", "{}", '{"a":1}\n{"a":2}'],
    [".a |= empty", '{"a":1,"b":2}', '{"b":2}'],
    ['walk(if type == "number" then . + 1 else . end)', '[1,{"a":2}]', '[2,{"a":3}]'],
    ["del(.[] | select(. > 1))", "[1,2,3]", "[1]"],
    ["del(.[0, 2])", "[1,2,3]", "[2]"],
    ["del(.. | .a?)", '{"a":1,"b":{"a":2,"c":3}}', '{"b":{"c":3}}'],
    ['[path(.. | select(type == "number"))]', '{"a":[1]}', '[["a",0]]'],
    ["to_entries | map(.value |= tostring) | from_entries", '{"a":1}', '{"a":"1"}'],
  ])("%s of %s", async (filter, input, output) => {
    expect(await filtered(filter, input)).toBe(output)
  })

  it("keeps a file that is written over whole", async () => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/package.json", '{"name":"shop","10":1,"2":2}')
    const command = "jq '.scripts.test = \"vitest\"' package.json > p && mv p package.json"
    await runAndCommit(bashTool, { command }, context)
    expect(workspace.readText("/workspace/package.json")).toBe(
      '{\n  "name": "shop",\n  "10": 1,\n  "2": 2,\n  "scripts": {\n    "test": "vitest"\n  }\n}\n',
    )
  })
})

describe("jq orders and matches", () => {
  it.each([
    ["sort_by(.a, -.b)", '[{"a":1,"b":1},{"a":1,"b":2}]', '[{"a":1,"b":2},{"a":1,"b":1}]'],
    ["group_by(.a, .b) | length", '[{"a":1,"b":2},{"a":1,"b":1}]', "2"],
    ['[match("a"; "g").offset]', '"banana"', "[1,3,5]"],
    ['gsub("(?<d>[0-9])"; "<\\(.d)>")', '"a1b2"', '"a<1>b<2>"'],
    ['gsub("a"; "$1\\\\")', '"a"', '"$1\\\\"'],
    ['[scan("[a-z](\\\\d)")]', '"a1b2"', '[["1"],["2"]]'],
    ['test("^(a+)+$")', `"${"a".repeat(3000)}b"`, "false"],
    ["[limit(3; repeat(1))]", "null", "[1,1,1]"],
    [". as [$a, {b: $c}] | $a + $c", '[1,{"b":2}]', "3"],
    ["[foreach .[] as $x (0; . + $x; [$x, .])]", "[1,2]", "[[1,1],[2,3]]"],
    ["label $out | .[] | if . > 1 then break $out else . end", "[1,2,3]", "1"],
    ["[tostream]", '{"a":[1]}', '[[["a",0],1],[["a",0]],[["a"]]]'],
    ['strptime("%Y-%m-%d") | mktime | todate', '"2024-02-29"', '"2024-02-29T00:00:00Z"'],
  ])("%s of %s", async (filter, input, output) => {
    expect(await filtered(filter, input)).toBe(output)
  })
})

describe("jq with many values", () => {
  it.each([
    ["seq 1 20000 | jq -s '.[] |= . + 1 | add'", "200030000"],
    ["seq 1 20000 | jq -s 'del(.[] | select(. > 10)) | length'", "10"],
    ["seq 1 20000 | jq -s 'reduce .[] as $x ({}; .a[$x | tostring] += 1) | .a | length'", "20000"],
    [
      "seq 1 20000 | jq -s 'map({key: tostring, value: .}) | from_entries | with_entries(.value += 1) | length'",
      "20000",
    ],
  ])("ends: %s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })

  it.each([
    ["[1,2,3] | . as $o | .[0] = 9 | [., $o]", "[[9,2,3],[1,2,3]]"],
    ["[[1],[1]] | . as $o | (.[0], .[1]) |= . + [2] | [., $o]", "[[[1,2],[1,2]],[[1],[1]]]"],
    ["[1,2] as $s | reduce (0, 1) as $i ($s; .[$i] = 7) | [., $s]", "[[7,7],[1,2]]"],
    ["reduce (1, 2) as $x ({}; .a = {n: $x} | .b = .a) | .a.n = 9", '{"a":{"n":9},"b":{"n":2}}'],
    ["[[1],[2]] | .[] |= [., .] | .[0][0][0] = 9", "[[[9],[1]],[[2],[2]]]"],
  ])("changes no other value: %s", async (filter, output) => {
    expect(await filtered(filter, "null")).toBe(output)
  })

  it.each([
    ["jq -n '[range(400000) | tostring * 2000] | length'", "string length limit"],
    ["seq 1 100000 | jq -s 'reduce .[] as $x ({}; . + {($x | tostring): 1}) | length'", "too many iterations"],
    ["for i in 1 2 3 4 5 6 7 8 9; do jq -n '0 | until(false; . + 1)'; done", "too much work for one call"],
    ['jq -n \'("a" * 1000000) as $s | [range(100000) | ($s | test("b"))] | length\'', "too many iterations"],
    ['awk \'BEGIN{s="a"; while(length(s)<1e6) s=s s; while(i++<1e6) gsub(/a/,"a",s)}\'', "maximum iterations"],
    ["seq 1 2000 | awk 'BEGIN{RS=\"\"} {while (i++ < 1e6) {$1 = i; x = $0}}'", "maximum iterations"],
    ["for i in 1 2 3 4 5 6 7 8 9; do awk 'BEGIN { while (1) {} }'; done", "too much work for one call"],
  ])("stops what would cost too much: %s", async (script, limit) => {
    expect(await say(script)).toContain(limit)
  })
})

describe("jq prints", () => {
  it.each([
    ["jq -c . a.json", '{"b":1,"10":2,"2":{"c":[1,2,3]}}'],
    ["jq -S -c 'del(.\"2\")' a.json", '{"10":2,"b":1}'],
    ['jq -j \'.b, "x\\n", .["10"]\' a.json', "1x\n2"],
    ["jq -a . <<< '\"é\"'", '"\\u00e9"'],
    ["jq -r '@sh \"rm \\(.)\"' <<< '\"a b; $(x)\"'", "rm 'a b; $(x)'"],
    ["jq -r '.a | @sh' <<< '{\"a\":\"it'\\''s\"}'", "'it'\\''s'"],
    ["jq -n '[inputs]' -c <<< '1 2'", "[1,2]"],
    ["echo .b > f.jq; jq -f f.jq a.json", "1"],
    ["jq input_filename a.json", '"a.json"'],
    ["jq -n '$ENV.HOME, env.HOME' -r", "/workspace\n/workspace"],
    ["jq -n '$ARGS.positional' -c --args a b", '["a","b"]'],
    ["jq --tab -n '[1]'", "[\n\t1\n]"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})

describe("jq refuses", () => {
  it.each([
    ["jq nosuch a.json", "Exit code 3\njq: error: nosuch/0 is not defined\njq: 1 compile error"],
    ["jq '.b | $x' a.json", "Exit code 3\njq: error: $x is not defined\njq: 1 compile error"],
    ["jq '.[' a.json", "Exit code 3\njq: error: syntax error, unexpected end of the filter\njq: 1 compile error"],
    ["jq '.[0]' a.json", "Exit code 5\njq: error (at <stdin>:0): Cannot index object with number"],
    ["jq 'path(1 + 1 | .a)' a.json", "Exit code 5\njq: error (at <stdin>:0): Invalid path expression with result 2"],
    ["jq --nosuch . a.json", "Exit code 2\njq: Unknown option: --nosuch"],
    ["jq . nothing.json", "Exit code 2\njq: error: Could not open file nothing.json: No such file or directory"],
    ["echo '{\"a\":' | jq .", "Exit code 4\njq: parse error: Unfinished JSON term at line 2"],
    ["jq '.[] | .x' <<< '[2,{\"x\":3}]'", 'Exit code 5\njq: error (at <stdin>:0): Cannot index number with "x"'],
    ["jq -n '\"a\" * 1e9'", "Exit code 5\njq: string length limit exceeded"],
  ])("%s", async (script, output) => {
    expect(await say(script)).toBe(output)
  })
})
