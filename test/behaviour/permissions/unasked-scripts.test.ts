// Any script that may run without an ask runs only commands that rules are checked against, and changes nothing.
import fc from "fast-check"
import { expect, it } from "vitest"
import { decide } from "../../../src/permissions/decide.ts"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { readScript } from "../../../src/shell/syntax/script.ts"
import { bash, policy, ruled } from "../../permissions/calls.ts"
import { openContext, runAndCommit } from "../../tools/tool-context.ts"

const pick = (texts: string) => fc.constantFrom(...texts.split(" "))

const name = fc.oneof(
  { weight: 2, arbitrary: pick("ls cat echo printf test pwd grep wc true") },
  {
    weight: 1,
    arbitrary: pick(
      "ls cat echo printf test [ [[ cd pwd sort uniq find grep rg jq wc head tail tr cut date true : seq diff tree sleep stat " +
        "command builtin env exec eval . source sh read unset export let declare set shift type hash alias xargs awk sed tee rm " +
        "time ! { ( if while for \\ls l\\s 'ls' \"ls\" $_ ${_} $0 ./ls /bin/ls l$@s ls$x",
    ),
  },
)

const trap = fc.constantFrom(
  ...'a f -v -R -t -eq -o -n -f -of -c -d -e -exec touch pwned ; {} + \\; ! ] ]] ( \\( = == 1 2 $_ "$_" $HOME "$HOME" $? $# $@ "$@" $* ~ ~/a ../x * ? -* -? [a-z]* {a,b} {1..3} @(a|b)'.split(
    " ",
  ),
  "'a[$(touch pwned)]'",
  '"a[\\$(touch pwned)]"',
  "a[\\$(touch\\ pwned)]",
  "$(touch pwned)",
  "`touch pwned`",
  "$(echo touch pwned)",
  "$(echo -v)",
  "$(ls)",
  "<(ls)",
  ">(cat)",
  "<(touch pwned)",
  "$((1))",
  "$((a[$(touch pwned)]))",
  "${a[$(touch pwned)]}",
  "${HOME:0:1}",
  "${_@P}",
  "${!_}",
  "$'touch'",
  "$'\\x2dv'",
  "-v'a[$(touch pwned)]'",
  "'touch pwned'",
  "'$(touch pwned)'",
  "%d",
  "'%s\\n'",
  "PATH=.",
  "x=1",
  "'w pwned'",
  "'1e touch pwned'",
  "s.sh",
  "./s.sh",
  "a1sum",
  "\\\n",
  "\\\n ",
  "'\n '",
  "#",
  "# x",
)

const word = fc.oneof(fc.constantFrom("a", "f", "-n", "1", "%s", "-f"), trap)

const trick = fc.constantFrom(
  ...' | > pwned| >> pwned| >| pwned| &> pwned| <> pwned| < a| 2>&1| > /dev/null| {x}> pwned| {PATH}< a| <<< a| <<< $(touch pwned)| 3> pwned| >&pwned| > $_| < $(touch pwned)| > "$HOME"/pwned'.split(
    "|",
  ),
  " <<E\na\nE\n",
  " <<E\n$(touch pwned)\nE\n",
  " <<'E'\n$(touch pwned)\nE\n",
  " <<\\E\n E\ntouch pwned\nE\n",
  " <<-E\n\t$HOME\n\tE\n",
)

const redirection = fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: trick })

const command = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(name, fc.array(word, { maxLength: 4 }), redirection) },
  { weight: 1, arbitrary: fc.tuple(word, fc.array(word, { maxLength: 3 }), redirection) },
)
const text = command.map(([first, words, to]) => [first, ...words].join(" ") + to)
const joint = fc.constantFrom("; ", " && ", " || ", " | ", "\n", " & ", " |& ", "\r\n", "\n ", ";\t", " ;; ", " # ")
const script = fc
  .array(fc.tuple(text, joint), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map(([one, by], index) => (index === 0 ? one : by + one)).join(""))

const FILES: ReadonlyArray<string> = [
  "a",
  "f",
  "ls",
  "sh",
  "s.sh",
  "a1sum",
  "-v",
  "-of",
  "-opwned",
  "a[$(touch pwned)]",
]

const open = () => {
  const opened = openContext()
  for (const file of FILES) {
    opened.workspace.writeBytes(`/workspace/${file}`, "touch pwned\n")
    opened.workspace.chmod(`/workspace/${file}`, 0o755)
  }
  const seen = () =>
    JSON.stringify(
      opened.workspace.list("/", null, 1000).files.map(({ path, size, type, mode }) => [path, size, type, mode]),
    )
  return { ...opened, seen }
}

/** Commands that change only the shell itself, each allowed with any arguments. */
const ALLOWED = "test [ printf read unset export let declare set shift type hash alias"
  .split(" ")
  .map((command) => `Bash(${command}:*)`)

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1)

it("a script that is allowed without an ask runs only commands that are literally in it, and changes nothing", async () => {
  let opened = open()
  const before = opened.seen()
  let unasked = 0
  await fc.assert(
    fc.asyncProperty(script, async (source) => {
      const policies = [policy("default"), policy("plan"), policy("dontAsk"), ruled({ allow: ALLOWED })]
      if (!policies.some((one) => decide(bash(source), one).behavior === "allow")) return
      unasked += 1
      const foreseen = new Set(readScript(source).commands.map((one) => one.name))
      const unforeseen: Array<string> = []
      const rules = {
        command: ([first = ""]: ReadonlyArray<string>) => {
          if (!foreseen.has(first) && !foreseen.has(baseName(first))) unforeseen.push(first)
          return null
        },
      }
      await runAndCommit(bashTool, { command: source }, { ...opened.context, rules })
      const unchanged = opened.seen() === before
      if (!unchanged) opened = open()
      expect([source, unforeseen, unchanged]).toEqual([source, [], true])
    }),
    { numRuns: 800 },
  )
  expect(unasked).toBeGreaterThan(10)
})
