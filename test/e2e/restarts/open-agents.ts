// Subagents that run while the server is killed: on three levels, in parallel, and in the background. For restart.test.ts.
import { expect } from "vitest"
import type { ApiLog } from "../../support/session/api-log.ts"
import { blocksOf, type Event, eventually, type PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }

interface CostRow {
  readonly requests: number
  readonly usd: number
}

const agent = (script: string, more: object = {}) =>
  call("Agent", { description: "a part", prompt: promptFor(script), ...more })

/** An answer whose stream pauses until the server is killed, and is complete when it is requested again. */
const paused = (words: string) => {
  const whole = { content: [text(words.repeat(20))], chunk: 10 }
  return [{ ...whole, pause: { after: 5 } }, whole]
}

/** The messages of every conversation, including those that clients are not sent. */
const blocksOfAll = (events: ReadonlyArray<Event>) =>
  events.flatMap(({ name, payload }) => {
    // The log has a message with these fields in every event of this name.
    if (name === "message:withheld") return blocksOf((payload as unknown as { message: Event["payload"] }).message)
    return name === "sdk:assistant" || name === "sdk:user" ? blocksOf(payload) : []
  })

const named = (events: ReadonlyArray<Event>, name: string) => events.filter((event) => event.name === name)

/** Starts them for a tenant of their own; call the returned function when the server runs again. */
export const openAgents = async (root: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const scopes = ["sessions:read", "sessions:write", "files", "bypass"]
  const json = { tenant: scriptName("agents"), scopes }
  const perch = root.withKey((await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })).key)
  const [first, second, third] = [scriptName("first"), scriptName("second"), scriptName("third")]
  const [parallel, background, main] = [scriptName("parallel"), scriptName("background"), scriptName("main")]
  const write = call("Bash", { command: "echo third >> third.txt", description: "Write" })
  await api.set(third, [{ content: [write] }, paused("third ")])
  await api.set(second, [{ content: [agent(third)] }, textAnswer("Second.")])
  await api.set(first, [{ content: [agent(second)] }, textAnswer("First.")])
  await api.set(parallel, [paused("parallel ")])
  await api.set(background, [paused("background ")])
  const begin = [agent(first), agent(parallel), agent(background, { run_in_background: true })]
  await api.set(main, [{ content: begin }, textAnswer("All begun."), textAnswer("All read.")])
  const id = await perch.createSession(BYPASS)
  await perch.submit(id, promptFor(main))
  await eventually(async () => {
    const asked = await Promise.all([third, parallel, background].map((script) => api.requests(script)))
    return asked.map((requests) => requests.length).join() === "2,1,1" ? true : undefined
  })
  return async () => {
    const events = await eventually(async () => {
      const all = await perch.events(id)
      const begun = all.filter(({ name }) => name === "turn:queued").length
      const over = all.filter(({ name }) => name.startsWith("sdk:result") || name === "turn:joined").length
      return begun === 2 && over === 2 ? all : undefined
    })
    const blocks = blocksOfAll(events)
    const calls = blocks.filter(({ type }) => type === "tool_use").map((block) => block.id)
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id)
    expect(calls).toHaveLength(6)
    expect(results.toSorted()).toEqual(calls.toSorted())
    expect(
      named(events, "agent:started")
        .map(({ payload }) => payload["depth"])
        .toSorted(),
    ).toEqual([1, 1, 1, 2, 3])
    expect(named(events, "agent:ended").map(({ payload }) => payload["status"])).toEqual(Array(5).fill("completed"))
    // Each produces one notification, including the one in the background.
    const notified = named(events, "sdk:system/task_notification").map(({ payload }) => payload["task_id"])
    expect(notified).toHaveLength(new Set(notified).size)
    expect(await perch.getFile(id, "/workspace/third.txt")).toBe("third\n")

    const ends = events.filter(({ name }) => name.startsWith("sdk:result"))
    // The background agent's report joins the turn, or has its own turn afterwards.
    expect(ends.map(({ turn }) => turn)).toEqual(named(events, "sdk:system/init").map(({ turn }) => turn))
    const paid = named(events, "call:finished").map(({ payload }) => Number(payload["usd"]))
    expect(ends.at(-1)?.payload.total_cost_usd).toBeCloseTo(
      paid.reduce((sum, usd) => sum + usd, 0),
      10,
    )
    // One cost row for each request.
    const [rows] = await eventually(async () => {
      const { data } = await perch.json<{ data: ReadonlyArray<CostRow> }>("GET", "/v1/costs")
      return data[0]?.requests === paid.length ? data : undefined
    })
    expect(rows?.usd).toBeCloseTo(Number(ends.at(-1)?.payload.total_cost_usd), 10)
  }
}
