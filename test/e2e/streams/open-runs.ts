// Routed runs while the server is killed: one that waits for help, and one between its decision and its first answer. For
// restart.test.ts.
import { expect } from "vitest"
import { type ApiLog, toolResults } from "../../support/session/api-log.ts"
import { type Ask, eventually, type PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const ISSUE = "Which grammar is it?"
const subtask = { id: "oa-1", description: "Refactor the parser" }
const DONE = { content: [text("Done.")] }

/** Starts the runs; call the returned function when the server runs again. */
export const openRuns = async (perch: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const [help, held] = [scriptName("help"), scriptName("held")]
  const complete = call("mcp__mechacoder__subtask_complete", { summary: "All parsed.", filesModified: ["a.txt"] })
  await api.set(help, [
    { content: [call("mcp__mechacoder__request_help", { issue: ISSUE })] },
    { content: [call("mcp__mechacoder__read_progress", {})] },
    { content: [complete] },
  ])
  await api.set(held, [[{ ...DONE, hold: {} }, DONE]])
  const [helped, decided] = await Promise.all([perch.createSession(), perch.createSession()])
  const progress = await perch.json("PUT", `/v1/sessions/${helped}/progress`, { json: { text: "The lexer is done." } })
  const { pending } = await perch.json<{ pending: ReadonlyArray<Ask> }>("POST", `/v1/sessions/${helped}/query`, {
    json: { prompt: promptFor(help), route: "auto", subtask },
    status: 202,
  })
  await perch.submit(decided, promptFor(held), { route: "auto", subtask })
  await eventually(async () => ((await api.requests(held)).length === 1 ? true : undefined))
  // A decision made now would differ.
  await perch.json("PATCH", `/v1/sessions/${decided}`, { json: { options: { claudeCode: { enabled: false } } } })

  return async () => {
    expect(await perch.asks(helped)).toEqual(pending)
    expect(pending).toMatchObject([{ kind: "question", tool_name: "mcp__mechacoder__request_help" }])
    expect(await perch.json("GET", `/v1/sessions/${helped}/progress`)).toEqual(progress)
    await perch.answer(helped, pending[0]!.request_id, { answers: { [ISSUE]: "The older one." } })
    const events = await perch.eventsUntilResults(helped, 1)
    expect(events.findLast(({ name }) => name.startsWith("sdk:result"))?.payload).toMatchObject({
      result: "All parsed.",
      subagent_result: { success: true, filesModified: ["/workspace/a.txt"], mode: "claude-code" },
    })
    expect((await api.requests(help)).flatMap(toolResults).map(({ content }) => content)).toEqual(
      expect.arrayContaining(["The older one.", "The lexer is done."]),
    )
    expect(events.filter(({ name }) => name === "bridge:called")).toHaveLength(3)

    const gone = await perch.eventsUntilResults(decided, 1)
    expect(gone.filter(({ name }) => name === "route:decided")).toMatchObject([{ payload: { reason: "complex" } }])
    expect(gone.findLast(({ name }) => name.startsWith("sdk:result"))?.payload).toMatchObject({
      subagent_result: { success: true, subtaskId: "oa-1", mode: "claude-code" },
    })
  }
}
