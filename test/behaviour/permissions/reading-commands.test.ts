// Commands that count as read-only, with all their options: none of them changes a file or starts another command.
import { expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { openContext, runAndCommit } from "../../tools/tool-context.ts"

const READERS = (
  "[ base64 basename cat cd cmp column comm cut date diff dirname du echo egrep expand expr false fgrep file find fold " +
  "grep head hexdump id jq ls md5sum nl nproc od paste printf pwd readlink realpath rev rg seq sha1sum " +
  "sha224sum sha256sum sha512sum sort stat strings tac tail test tr tree true uname unexpand wc which"
).split(" ")

const LETTERS = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0", (letter) => `-${letter}`)

const LONG = (
  "output out exec pre pre-glob write in-place file from-file save log append to-command use-compress-program " +
  "compress-program checkpoint-action files0-from hostname-bin fprint fprintf fprint0 fls delete ok okdir execdir eval"
).split(" ")

const forms = (name: string): ReadonlyArray<string> =>
  [
    ...LETTERS.flatMap((option) => [`${option}out in`, `in ${option} 'touch out'`]),
    ...LONG.flatMap((option) => [`--${option}=out in`, `. -${option} touch out \\;`]),
    "in in2",
    "in out",
    "in in2 out",
    "'e touch out' in",
    "'w out' in",
    "'BEGIN{system(\"touch out\")}' in",
  ].map((args) => (name === "[" ? `${name} ${args} ]` : `${name} ${args}`))

/** Commands of one script. */
const AT_ONCE = 100

const open = () => {
  const opened = openContext()
  for (const name of ["in", "in2"]) opened.workspace.writeBytes(`/workspace/${name}`, "touch out\nb a\n")
  const seen = () =>
    opened.workspace.list("/", null, 1000).files.map(({ path, size, type, mode }) => [path, size, type, mode])
  return { ...opened, seen }
}

it.each(READERS)(
  `%s changes nothing and starts nothing, with ${LETTERS.length + LONG.length} options`,
  async (name) => {
    const scripts = forms(name).filter((command) => bashTool.readOnly({ command }))
    const { context, seen } = open()
    const before = seen()
    const started: Array<string> = []
    const rules = {
      command: ([first = ""]: ReadonlyArray<string>) => {
        started.push(first)
        return null
      },
    }
    for (let at = 0; at < scripts.length; at += AT_ONCE) {
      const lines = scripts.slice(at, at + AT_ONCE).map((script) => `${script} < /dev/null > /dev/null 2>&1`)
      await runAndCommit(bashTool, { command: lines.join("\n") }, { ...context, rules })
    }
    expect([new Set(started), seen()]).toEqual([new Set([name]), before])
    // No command is left out because of its options.
    expect(started.length).toBeGreaterThan(60)
  },
)
