// What Read, Edit, Write and Bash accept, at the limits and beyond them.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { toolByName } from "../../../src/tools/registry.ts"
import { fails, openContext } from "../../tools/tool-context.ts"

const path = "a.txt"
const TAKEN = [
  ["Read", { file_path: "" }],
  ["Read", { file_path: path }],
  ["Read", { file_path: path, offset: 0 }],
  ["Read", { file_path: path, offset: 1, limit: 1 }],
  ["Read", { file_path: path, offset: 2_000_000, limit: 2_000_000 }],
  ["Edit", { file_path: path, old_string: "a", new_string: "" }],
  ["Edit", { file_path: path, old_string: "", new_string: "b" }],
  ["Edit", { file_path: path, old_string: " ", new_string: "b", replace_all: false }],
  ["Write", { file_path: path, content: "" }],
  ["Bash", { command: "" }],
  ["Bash", { command: "x" }],
  ["Bash", { command: "ls", timeout: -5 }],
  ["Bash", { command: "ls", timeout: 0 }],
  ["Bash", { command: "ls", timeout: 1 }],
  ["Bash", { command: "ls", timeout: 5000.5 }],
  ["Bash", { command: "ls", timeout: 1e12 }],
  ["Grep", { pattern: "a", "-A": -1, "-B": 1.5, "-C": 5000, context: -2 }],
  ["Bash", { command: "ls", timeout: 600_000, description: "", run_in_background: false }],
] as const

const REFUSED = [
  ["Read", { file_path: path, offset: 1.5 }, "offset"],
  ["Read", { file_path: path, limit: 1.5 }, "limit"],
  ["Read", { file_path: path, limit: "abc" }, "limit"],
  ["Read", { file_path: path, limit: null }, "limit"],
  ["Edit", { file_path: "", old_string: "a", new_string: "b" }, "file_path"],
  ["Edit", { file_path: path, new_string: "b" }, "old_string"],
  ["Edit", { file_path: path, old_string: "a", new_string: "b", replace_all: 1 }, "replace_all"],
  ["Write", { file_path: "", content: "a" }, "file_path"],
  ["Write", { file_path: path }, "content"],
  ["Bash", {}, "command"],
  ["Bash", { command: "ls", timeout: null }, "timeout"],
  ["TaskOutput", { task_id: "a", block: "perhaps", timeout: -1 }, "block"],
] as const

/** As recorded: such a number does not fail the call. */
const FIXED = [
  ["Read", { file_path: path, offset: -1, limit: 2 }, { file_path: path, limit: 2 }],
  ["Read", { file_path: path, offset: "0", limit: "2" }, { file_path: path, offset: 0, limit: 2 }],
  ["Read", { file_path: path, limit: 0 }, { file_path: path }],
  ["Read", { file_path: path, limit: -5 }, { file_path: path }],
  ["Read", { file_path: path, pages: "" }, { file_path: path }],
  ["Grep", { pattern: "a", head_limit: 2_000_000 }, { pattern: "a", head_limit: 1_000_000 }],
] as const

describe("the limits of tool inputs", () => {
  it(`accept ${TAKEN.length} inputs at the limit, as they are`, async () => {
    for (const [name, input] of TAKEN)
      expect([name, await Effect.runPromise(toolByName(name)!.decode(input))]).toMatchObject([name, input])
  })

  it(`reject ${REFUSED.length} inputs beyond it, and name the parameter`, async () => {
    const { context } = openContext()
    for (const [name, input, parameter] of REFUSED) {
      const { reason, message } = await fails(toolByName(name)!, input, context)
      expect([name, reason]).toEqual([name, "invalid_arguments"])
      expect(message).toMatch(
        new RegExp(`^InputValidationError: ${name} failed due to the following issue.*\`${parameter}\``, "s"),
      )
    }
  })

  it(`leave out or lower ${FIXED.length} optional numbers beyond it`, async () => {
    for (const [name, input, decoded] of FIXED) {
      expect([name, await Effect.runPromise(toolByName(name)!.decode(input))]).toEqual([name, decoded])
    }
  })

  it("are in the schemas that the model receives", () => {
    const properties = (name: string) =>
      (toolByName(name)!.inputSchema as { properties: Record<string, Record<string, unknown>> }).properties
    const text = (name: string, parameter: string) => JSON.stringify(properties(name)[parameter])
    expect(text("Read", "offset")).toMatch(/at least 0|"minimum":0/)
    expect(text("Read", "limit")).toMatch(/at least 1|"minimum":1/)
    expect(text("Bash", "timeout")).toContain("600000")
  })
})
