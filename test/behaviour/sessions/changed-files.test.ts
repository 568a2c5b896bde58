// Files that change between the turns of a session, and what the model may still do with them after a restart.
import { describe, expect, it } from "vitest"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { blocksOf, type Booted, eventsOf, prompt } from "../../support/session/session-harness.ts"

const PATH = "/workspace/a.txt"

const sessions = loop()

const started = () => {
  const harness = sessions.harnessOf()
  return harness
}

/** Calls a tool in a turn of its own; returns its result as the model receives it. */
const make = async (booted: Booted, name: string, input: object): Promise<string> => {
  const script = scriptName("changed")
  const use = call(name, { ...input })
  sessions.api.set(script, [{ content: [use] }, textAnswer("Done.")])
  prompt(booted.session, promptFor(script))
  await booted.idle()
  const result = eventsOf(booted.log)
    .flatMap(blocksOf)
    .find((block) => block.type === "tool_result" && block["tool_use_id"] === use.id)
  return String(result?.["content"])
}

describe("a file that changed between two calls", () => {
  it("is known to have changed after a restart, and one that did not is not read again", async () => {
    const harness = started()
    let booted = harness.boot()
    booted.workspace.writeBytes(PATH, "one\n")
    await make(booted, "Read", { file_path: PATH })
    harness.crash()
    booted = harness.boot()
    expect(await make(booted, "Edit", { file_path: PATH, old_string: "one", new_string: "1" })).toContain("Updated")
    harness.crash()
    booted = harness.boot()
    booted.workspace.writeBytes(PATH, "1\nof another client\n")
    expect(await make(booted, "Write", { file_path: PATH, content: "lost" })).toContain("has been changed since")
    expect(booted.workspace.readText(PATH)).toBe("1\nof another client\n")
    await make(booted, "Read", { file_path: PATH })
    expect(await make(booted, "Write", { file_path: PATH, content: "seen" })).toContain("Updated")
  })

  it("is noticed when Bash changed it", async () => {
    const booted = started().boot()
    await make(booted, "Write", { file_path: PATH, content: "one\n" })
    await make(booted, "Bash", { command: "touch a.txt" })
    expect(await make(booted, "Write", { file_path: PATH, content: "two\n" })).toContain("Updated")
    await make(booted, "Bash", { command: "echo three >> a.txt" })
    expect(await make(booted, "Write", { file_path: PATH, content: "x" })).toContain("has been changed since")
  })
})
