// The stream of an AG-UI run whose prompt is queued behind another turn.
import { describe, expect, it } from "vitest"
import { AgUiView } from "../../../src/views/ag-ui/ag-ui-view.ts"
import { QueuedRunView } from "../../../src/views/ag-ui/queued-run.ts"
import { EMPTY_BASE } from "../../../src/views/live/session-base.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { SESSION, START, TurnLog } from "../../support/session/turn-log.ts"

const ask = (id: string, more: object = {}) => ({
  request_id: id,
  kind: "permission",
  tool_name: "Write",
  tool_use_id: `call-${id}`,
  input: { file_path: "/workspace/a.txt", content: "hi" },
  expires_at: START + 86_400_000,
  ...more,
})

const queued = () => {
  const log = new TurnLog()
  log.queued("first")
  const first = log.turn
  log.init()
  log.toolUse("m1", "call-a", "Write", { file_path: "/workspace/a.txt", content: "hi" })
  log.queued("second")
  return { log, first, second: log.turn }
}

const read = (log: TurnLog, turn: string, answered: ReadonlyArray<string> = []) => {
  const run = { threadId: "thread", runId: "run", begins: { turn }, answered: new Set(answered) }
  const view = new QueuedRunView(new AgUiView({ sessionId: SESSION, base: EMPTY_BASE }, run), run)
  const shown = (frames: ReturnType<typeof view.gone>) =>
    frames.map(({ data }) => JSON.parse(data) as { readonly type: string })
  const events = log.events.flatMap((event) => shown(view.apply(viewEventOf(event))))
  return { events, view, gone: () => shown(view.gone()) }
}

describe("a run that is queued behind a turn that asks", () => {
  it("starts early, reports each ask, and starts no second time", () => {
    const { log, first, second } = queued()
    log.add("ask:opened", ask("a"), first)
    log.add("ask:opened", ask("b"), first)
    const waiting = read(log, second)
    expect(waiting.events).toMatchObject([
      { type: "RUN_STARTED", threadId: "thread", runId: "run", timestamp: expect.any(Number) },
      {
        type: "CUSTOM",
        name: "waiting",
        value: { turnId: first, id: "a", reason: "tool_approval", toolCallId: "call-a" },
      },
      { type: "CUSTOM", name: "waiting", value: { id: "b", metadata: { kind: "permission", toolName: "Write" } } },
    ])
    log.turn = first
    for (const id of ["a", "b"]) log.add("ask:settled", { request_id: id, by: "client", answer: { behavior: "deny" } })
    log.result()
    log.turn = second
    log.init()
    log.text("m2", "Hello")
    log.result()
    const { events, view } = read(log, second)
    expect(view.ended).toBe(true)
    expect(events.filter(({ type }) => type === "RUN_STARTED")).toHaveLength(1)
    expect(events.slice(3)[0]).toMatchObject({ type: "STATE_SNAPSHOT" })
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", runId: "run" })
  })

  it("ends as cancelled when it is withdrawn, or its session is erased", () => {
    const { log, first, second } = queued()
    log.add("ask:opened", ask("a"), first)
    const end = [{ type: "STATE_SNAPSHOT" }, { type: "RUN_FINISHED", outcome: { type: "cancelled" } }]
    expect(read(log, second).gone()).toMatchObject(end)
    log.add("turn:cancelled", {}, second)
    expect(read(log, second).events.slice(2)).toMatchObject(end)
  })

  it("reports no ask whose answer came with the run, and none of the background", () => {
    const { log, first, second } = queued()
    log.add("ask:opened", ask("a", { kind: "client_tool" }), first)
    log.add("ask:opened", ask("b", { detached: true }), first)
    expect(read(log, second, ["call-a"]).events).toEqual([])
  })

  it("reports no ask of its own turn early", () => {
    const { log, first, second } = queued()
    log.turn = first
    log.result()
    log.turn = second
    log.init()
    log.toolUse("m2", "call-c", "Write", { file_path: "/workspace/c.txt", content: "hi" })
    log.add("ask:opened", ask("c"))
    expect(read(log, second).events.filter(({ type }) => type === "CUSTOM")).toEqual([])
  })
})
