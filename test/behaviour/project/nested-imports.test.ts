// Files that the instructions of a folder import: how they are loaded with a file of the folder that the model reads.
import { expect, it } from "vitest"
import { loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import { PROJECT, projectSession } from "../../support/session/project-session.ts"

const session = loop()

it("an import is loaded because of the same file as what imports it, and is not sent as a change", async () => {
  const files = { "sub/CLAUDE.md": "SUB @a.md", "sub/a.md": "IMPORTED", "sub/x.txt": "x" }
  const { read, events } = await projectSession(session, files, PROJECT)
  const sent = textOf((await read("sub/x.txt")).at(-1))
  expect(sent).toContain("IMPORTED")
  expect(sent).not.toContain("have changed")
  expect(sent).not.toContain("take precedence over your defaults")
  const inputs = payloadsOf(events(), "hook:fired").flatMap(({ hook_event_name: name, input }) =>
    name === "InstructionsLoaded" ? [input] : [],
  )
  const trigger = { trigger_file_path: "/workspace/sub/x.txt" }
  expect(inputs).toMatchObject([
    { ...trigger, load_reason: "nested_traversal" },
    { ...trigger, load_reason: "include", parent_file_path: "/workspace/sub/CLAUDE.md" },
  ])
})
