// The outputs of shell commands with the official SDK's recorded `tool_use_result`. A row of the fixture is a command, run after
// the rows before it, and its result: the fields of an output, the text of an error, or "error" if only the failure is recorded.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../support/session/loop.ts"
import { call, promptFor } from "../support/session/scripts.ts"
import { eventsOf, prompt } from "../support/session/session-harness.ts"

type Result = string | Readonly<Record<string, unknown>>

const file = join(import.meta.dirname, "fixtures/calls/bash-outputs.json")
const RECORDED = JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<readonly [command: string, result: Result]>

const { connected, scripted } = loop()

it(`${RECORDED.length} recorded commands have the recorded output`, async () => {
  const { session, workspace, idle, log } = await connected({}, BYPASS)
  workspace.writeBytes("/workspace/a.txt", "alpha\n")
  const uses = RECORDED.map(([command]) => call("Bash", { command, description: "d" }))
  prompt(session, promptFor(scripted([...uses.map((use) => ({ content: [use] })), DONE])))
  await idle()
  const events = eventsOf(log)
  const results = payloadsOf(events, "sdk:user").flatMap(({ tool_use_result: result }) => result ?? [])
  const blocks = toolResultsOf(events)
  RECORDED.forEach(([command, recorded], index) => {
    const { is_error: isError, content } = blocks[index] ?? {}
    if (recorded === "error") expect({ command, isError }).toEqual({ command, isError: true })
    else if (typeof recorded === "string")
      expect({ command, content, isError }).toEqual({ command, content: recorded, isError: true })
    else expect({ command, result: results[index] }).toMatchObject({ command, result: recorded })
  })
})
