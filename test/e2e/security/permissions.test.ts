// A tool that needs an ask: the ask waits, a client answers it, and the turn continues.
import { describe, expect, inject, it } from "vitest"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { type Ask, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

interface Accepted {
  readonly session_id: string
  readonly turn_id: string
  readonly status: string
  readonly pending: ReadonlyArray<Ask>
}

/** A session in mode `default` whose turn waits for permission to write a file. */
const askedSession = async (script: string) => {
  const write = call("Write", { file_path: "/workspace/asked.txt", content: "written\n" })
  await api.set(script, [{ content: [write] }, textAnswer("Finished.")])
  const id = await perch.createSession({ permissionMode: "default" })
  const accepted = await perch.json<Accepted>("POST", `/v1/sessions/${id}/query`, {
    json: { prompt: promptFor(script) },
    status: 202,
  })
  return { id, accepted, write }
}

describe("a tool that needs an ask", () => {
  it("makes a JSON query answer 202 with the ask; allowing it finishes the turn", async () => {
    const name = scriptName("allow")
    const { id, accepted, write } = await askedSession(name)
    expect(accepted).toMatchObject({ session_id: id, status: "requires_action" })
    const [ask] = accepted.pending
    expect(ask).toMatchObject({ kind: "permission", tool_name: "Write", tool_use_id: write.id, input: write.input })
    expect(await perch.asks(id)).toEqual(accepted.pending)
    expect(await perch.json("GET", `/v1/sessions/${id}`)).toMatchObject({ state: "requires_action" })
    expect(await perch.getFile(id, "/workspace/asked.txt")).toBeNull()

    expect(await perch.answer(id, ask!.request_id, { behavior: "allow" })).toMatchObject({ turn_id: accepted.turn_id })
    const turn = await perch.json("GET", `/v1/sessions/${id}/turns/${accepted.turn_id}?wait=30`)
    expect(turn).toMatchObject({ status: "completed", pending: [], result: { result: "Finished." } })
    const events = await perch.events(id)
    const result = events.find((event) => event.name.startsWith("sdk:result"))
    expect(turn).toMatchObject({ result: result?.payload, last_seq: result?.seq })
    expect(result?.payload).toMatchObject({ subtype: "success", result: "Finished." })
    expect(await perch.getFile(id, "/workspace/asked.txt")).toBe("written\n")
    expect(await perch.asks(id)).toEqual([])
    // The first answer counts: the same again is accepted, a different one is a conflict.
    await perch.answer(id, ask!.request_id, { behavior: "allow" })
    await perch.answer(id, ask!.request_id, { behavior: "deny", message: "no" }, 409)
  })

  it("sends the model the reason of the denial, and the result lists the denial", async () => {
    const name = scriptName("deny")
    const { id, accepted, write } = await askedSession(name)
    await perch.answer(id, accepted.pending[0]!.request_id, { behavior: "deny", message: "Not on a Sunday." })
    const events = await perch.eventsUntilResults(id, 1)
    const result = events.find((event) => event.name.startsWith("sdk:result"))
    expect(result?.payload.permission_denials).toMatchObject([{ tool_name: "Write", tool_use_id: write.id }])
    expect(await perch.getFile(id, "/workspace/asked.txt")).toBeNull()
    const [, second] = await api.requests(name)
    expect(toolResults(second!)).toMatchObject([{ tool_use_id: write.id, is_error: true }])
    expect(JSON.stringify(toolResults(second!))).toContain("Not on a Sunday.")
  })

  it("shows a streaming client that action is required, and continues the stream after the answer", async () => {
    const name = scriptName("stream")
    await api.set(name, [
      { content: [call("Write", { file_path: "/workspace/s.txt", content: "s\n" })] },
      textAnswer("Finished."),
    ])
    const id = await perch.createSession({ permissionMode: "default" })
    const states: Array<string | undefined> = []
    const response = await perch.request("POST", `/v1/sessions/${id}/query`, {
      json: { prompt: promptFor(name) },
      headers: { accept: "text/event-stream" },
    })
    const answered: Array<Promise<unknown>> = []
    const received = await perch.collect(response, {
      until: ({ type, subtype, state }) => {
        if (subtype === "session_state_changed") states.push(state)
        if (state === "requires_action" && answered.length === 0) {
          answered.push(perch.asks(id).then(([ask]) => perch.answer(id, ask!.request_id, { behavior: "allow" })))
        }
        return type === "result"
      },
    })
    await Promise.all(answered)
    expect(states).toContain("requires_action")
    expect(received.at(-1)?.message).toMatchObject({ type: "result", subtype: "success", result: "Finished." })
    expect(await perch.getFile(id, "/workspace/s.txt")).toBe("s\n")
  })
})
