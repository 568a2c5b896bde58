// Directories in the permission updates of answers and of hooks: where relative ones are, and how long they may be.
import { describe, expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { DONE, loop, until } from "../../support/session/loop.ts"

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
