// Commands inside of wrappers: what is run, and where nothing is certain.
import { expect, it } from "vitest"
import { readScript } from "../../../src/shell/syntax/script.ts"
import {
  editingCommand,
  innerCommand,
  isUnclear,
  readingCommand,
  targetCommand,
} from "../../../src/shell/syntax/wrappers.ts"

const inner = (script: string) => innerCommand(readScript(script).commands[0]!).text

it.each([
  ["timeout 5 rm 'a b'", "rm 'a b'"],
  ["timeout -k 1 2.5m rm a", "rm a"],
  ["nohup timeout 5 nice -n 3 rm a", "rm a"],
  ["nice -5 rm a", "rm a"],
  ["stdbuf -o0 -eL rm a", "rm a"],
  ["command rm a", "rm a"],
  ["command -p -- rm a", "rm a"],
  ["timeout -s KILL --foreground -k1 5 rm a", "rm a"],
  ["time nohup rm a", "rm a"],
  ["xargs rm a", "rm a …"],
])("%s runs %s", (script, text) => expect(inner(script)).toBe(text))

it.each([
  "timeout rm a",
  "timeout -s $X 5 rm a",
  "timeout -s 'a b' 5 rm a",
  "nice -n5 rm a",
  "stdbuf -o L rm a",
  "xargs -n 1 rm a",
  "timeout 5",
  "timeout 5 $X a",
  'timeout "$X" rm a',
  "nice -n rm a",
  "nice -n x rm a",
  "stdbuf rm a",
  "command -v rm",
  "nohup -x rm",
  "env rm a",
])("%s is itself", (script) => expect(inner(script)).toBe(script))

const names = (scripts: ReadonlyArray<string>, of: typeof innerCommand) =>
  scripts.map((script) => of(readScript(script).commands[0]!).name)

it("a command that only reads decides about the kind of the whole after timeout without options and command", () => {
  const scripts = ["timeout 5 cat a", "command timeout 5 cat a", "timeout -k 1 5 cat a", "time cat a", "nohup cat a"]
  expect(names(scripts, readingCommand)).toEqual(["cat", "cat", "timeout", "time", "nohup"])
})

it("a command that edits decides about it in all wrappers except env and xargs", () => {
  const scripts = ["timeout -k 1 5 rm a", "time nohup rm a", "env rm a", "xargs rm a", "/bin/rm a"]
  expect(names(scripts, editingCommand)).toEqual(["rm", "rm", "env", "xargs", "/bin/rm"])
})

it("paths are those of the command that runs, also after env, and of removing programs in any directory", () => {
  const scripts = [
    "env -i -u X A=1 nohup rm a",
    "stdbuf -o L rm a",
    "/bin/rm a",
    "nice ./cp a b",
    "/bin/cat a",
    "xargs rm a",
  ]
  expect(names(scripts, targetCommand)).toEqual(["rm", "rm", "rm", "cp", "/bin/cat", "xargs"])
})

it("a wrapper with an option that is not known makes a script unclear", () => {
  const unclear = (script: string) => isUnclear(readScript(script).commands[0]!)
  const scripts = [
    "nohup -x rm",
    "nice -n5 rm",
    "timeout rm",
    "env -S rm",
    "time -v rm",
    "command --help",
    "nice nohup -- rm",
  ]
  expect(scripts.map(unclear)).toEqual(scripts.map(() => true))
  expect(["nohup", "timeout 5", "command -v rm", "env A=1 rm a", "stdbuf -o L", "ls -x"].map(unclear)).toEqual(
    Array(6).fill(false),
  )
})
