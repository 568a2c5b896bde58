// Concurrent steps: the output of each is printed as a whole, and one that fails fails all of them.
import { expect, it } from "vitest"
import { runSteps } from "../../../scripts/check/run-steps.mjs"

const run = async (commands: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const print = (line: string) => lines.push(line.replace(/ \([\d.]+ s\)$/, ""))
  const allWell = await runSteps(commands, { atOnce: 2, env: process.env, print })
  return { allWell, lines }
}

it("steps without findings print one line each", async () => {
  expect(await run(["echo hidden", "true"])).toMatchObject({ allWell: true })
  expect((await run(["echo hidden"])).lines).toEqual(["ok     echo hidden"])
})

it("a step that fails prints its findings, and the others still run", async () => {
  const { allWell, lines } = await run(["echo found; echo more >&2; exit 2", "true", "no-such-command"])
  expect(allWell).toBe(false)
  const at = lines.indexOf("FAILED echo found; echo more >&2; exit 2")
  expect(lines[at - 1]?.split("\n").toSorted()).toEqual(["found", "more"])
  expect(lines).toContain("ok     true")
  expect(lines).toContain("FAILED no-such-command")
})
