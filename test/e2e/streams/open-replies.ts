// A run whose replies a channel had received before the server was killed. For restart.test.ts.
import { expect } from "vitest"
import type { ApiLog } from "../../support/session/api-log.ts"
import type { PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

interface FramePage {
  readonly frames: ReadonlyArray<{ readonly id: number | null; readonly data: Readonly<Record<string, unknown>> }>
}

const FORMATS = ["reply", "agent-events"] as const

/** Executes it; call the returned function when the server runs again. */
export const openReplies = async (perch: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const name = scriptName("replies")
  const looks = [text("Let me look."), call("Read", { file_path: "/workspace/a.txt" })]
  await api.set(name, [{ content: looks }, textAnswer("[[reply_to: 7]] It says: a")])
  const reply = { shouldEmitToolResult: true }
  const id = await perch.createSession({ permissionMode: "bypassPermissions", reply }, { "/workspace/a.txt": "a" })
  await perch.query(id, promptFor(name))
  const page = (format: string) => perch.json<FramePage>("GET", `/v1/sessions/${id}/events?format=${format}&limit=1000`)
  const before = await Promise.all(FORMATS.map(page))
  return async () => {
    expect(await Promise.all(FORMATS.map(page))).toEqual(before)
    const sent = before[0]?.frames.map(({ data }) => data) ?? []
    expect(sent.filter(({ type }) => type === "tool_result")).toMatchObject([{ text: "🛠️ Read: /workspace/a.txt" }])
    expect(sent.filter(({ type }) => type === "block_reply").at(-1)).toMatchObject({
      text: "It says: a",
      replyToId: "7",
    })
  }
}
