// What of a client's answer to an ask applies, as recorded of the official SDK's canUseTool.
import { expect, it } from "vitest"
import { permissionFields } from "../../../src/session/control/answer-fields.ts"
import { call } from "../../support/session/scripts.ts"
import { DONE, loop, toolResultsOf } from "../../support/session/loop.ts"

const { start } = loop()

const RULE = { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow", destination: "session" }

it("unknown fields of a permission update are ignored, and the update applies", () => {
  const update = { ...RULE, rules: [{ toolName: "Bash", later: 1 }], later: 1 }
  expect(permissionFields({ behavior: "allow", updatedInput: {}, updatedPermissions: [update] })).toEqual({
    behavior: "allow",
    updatedInput: {},
    updatedPermissions: [RULE],
  })
})

it.each([[[RULE, { type: "later" }]], [[RULE, null]], [[{ ...RULE, destination: undefined }]], ["x"]])(
  "with an invalid permission update none applies: %j",
  (updatedPermissions) =>
    expect(permissionFields({ behavior: "allow", updatedPermissions })).toEqual({ behavior: "allow" }),
)

it("an empty input changes nothing", async () => {
  const write = call("Write", { file_path: "/workspace/n.txt", content: "x" })
  const { client, idle, events, workspace } = await start([{ content: [write] }, DONE], {}, {})
  client.onAsk = () => ({ behavior: "allow", updatedInput: {} })
  await idle()
  expect(workspace.readText("/workspace/n.txt")).toBe("x")
  expect(toolResultsOf(events())[0]?.is_error).toBeUndefined()
})
