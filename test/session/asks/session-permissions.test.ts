// The permission updates of answers and of hooks: which modes they set, where relative directories are, how long these may be,
// and how much is kept.
import { describe, expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { DONE, loop, toolResultsOf, until } from "../../support/session/loop.ts"

const { start } = loop()

const read = (file: string) => ({ content: [call("Read", { file_path: `/data/${file}` })] })
const update = (type: "addDirectories" | "removeDirectories", path: string) => ({
  type,
  directories: [path],
  destination: "session",
})
const allowed = (...updatedPermissions: ReadonlyArray<object>) => ({ behavior: "allow", updatedPermissions })

describe("a directory of a permission update", () => {
  it("is below the session's own when it is relative, and is removed in either form", async () => {
    const { client, session, idle } = await start([read("a"), read("b"), DONE], {}, {})
    client.onAsk = () => allowed(update("addDirectories", "../data/"))
    await idle()
    expect(client.asked("can_use_tool")).toHaveLength(1)
    expect(session.permissions.policy().directories).toEqual(["/data"])
    const removed = session.permissions.updated(null, [
      { type: "removeDirectories", directories: ["./../data"], destination: "session" },
    ])
    session.changeRecord(removed.record, [])
    expect(session.permissions.policy().directories).toEqual([])
  })

  it("is below the session's own in a hook's answer too", async () => {
    const decision = allowed(update("addDirectories", "sub"))
    const answer = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }
    const { session, idle } = await start([read("a"), DONE], { PermissionRequest: answer }, {})
    await idle()
    expect(session.permissions.policy().directories).toEqual(["/workspace/sub"])
  })

  it.each([
    ["~", "/workspace"],
    ["~/docs", "/workspace/docs"],
    ["~docs", "/workspace/~docs"],
  ])("is below the session's own when it begins with a tilde: %s", async (path, place) => {
    const { client, session, idle } = await start([read("a"), DONE], {}, {})
    client.onAsk = () => allowed(update("addDirectories", path))
    await idle()
    expect(session.permissions.policy().directories).toEqual([place])
  })

  it("has at most 4096 bytes", async () => {
    const { client, session, idle } = await start([read("a"), DONE], {}, {})
    await until(() => client.asked("can_use_tool").length === 1)
    const { id } = client.asked("can_use_tool")[0]!
    const field = "updatedPermissions"
    expect(session.asks.answer(id, allowed(update("addDirectories", `/${"d".repeat(4096)}`)))).toEqual({
      refused: { type: "invalid_request_error", field, message: `${field}: a directory has more than 4096 bytes` },
    })
    expect(session.asks.answer(id, allowed({ type: "addDirectories" }))).toMatchObject({
      refused: {
        field: `${field}[0].directories`,
        message: expect.stringMatching(/^updatedPermissions\[0\]\.directories: the answer to a permission must be /),
      },
    })
    expect(session.asks.answer(id, { behavior: "deny", message: "no" })).toBeUndefined()
    await idle()
  })
})

describe("permission updates of more than a million characters", () => {
  const rules = [{ toolName: "Bash", ruleContent: "x".repeat(600_000) }]
  const adding = (destination: string) => ({ type: "addRules", rules, behavior: "deny", destination })

  it("are refused, and the question stays open", async () => {
    const { client, session, idle } = await start([read("a"), DONE], {}, {})
    await until(() => client.asked("can_use_tool").length === 1)
    const { id } = client.asked("can_use_tool")[0]!
    const field = "updatedPermissions"
    const message = `${field}: a session takes at most 1000 permission updates with 1000000 characters`
    const refused = { type: "invalid_request_error", field, message }
    expect(session.asks.answer(id, allowed(adding("session"), adding("cliArg")))).toEqual({ refused })
    expect(session.asks.answer(id, allowed(adding("session")))).toBeUndefined()
    await idle()
    expect(session.record.permission_updates).toHaveLength(1)
  })

  it("are dropped from a hook's answer", async () => {
    const decision = allowed(adding("session"), adding("cliArg"))
    const answer = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }
    const { session, idle } = await start([read("a"), DONE], { PermissionRequest: answer }, {})
    await idle()
    expect(session.record.permission_updates).toEqual([])
  })
})

// As recorded.
it("canUseTool may accept a plan with bypassPermissions: the mode before it applies if the session does not permit that", async () => {
  const plan = { content: [call("ExitPlanMode", { plan: "1. go" })] }
  const { client, session, idle, events } = await start([plan, DONE], {}, { permissionMode: "plan" })
  client.onAsk = () => allowed({ type: "setMode", mode: "bypassPermissions", destination: "session" })
  await idle()
  expect(toolResultsOf(events())[0]?.is_error).toBeUndefined()
  expect(session.permissions.policy().mode).toBe("default")
})
