// Commands inside of wrappers: what is run, and where nothing is certain.
import { expect, it } from "vitest"
import { readScript } from "../../../src/shell/syntax/script.ts"
import { decidingCommand, innerCommand } from "../../../src/shell/syntax/wrappers.ts"

const inner = (script: string) => innerCommand(readScript(script).commands[0]!).text

it.each([
  ["timeout 5 rm 'a b'", "rm 'a b'"],
  ["timeout -k 1 2.5m rm a", "rm a"],
  ["nohup timeout 5 nice -n 3 rm a", "rm a"],
  ["nice -5 rm a", "rm a"],
  ["stdbuf -o0 -eL rm a", "rm a"],
  ["command rm a", "rm a"],
])("%s runs %s", (script, text) => expect(inner(script)).toBe(text))

it.each([
  "timeout rm a",
  "timeout -s KILL 5 rm a",
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

it("a command decides about the kind of the whole only after timeout and command", () => {
  const deciding = (script: string) => decidingCommand(readScript(script).commands[0]!).name
  expect(["timeout 5 cat a", "command timeout 5 cat a", "nohup cat a"].map(deciding)).toEqual(["cat", "cat", "nohup"])
})
