// Runs of the two workflows over HTTP, with their agents in sessions on the scripted Messages API.
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName } from "../../support/session/scripts.ts"
import {
  completed,
  emits,
  readRun,
  runsOf,
  runThatIs,
  signalsOf,
  startRun,
  streamed,
} from "../../support/signals/workflow-client.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const usage = { input_tokens: 1000, output_tokens: 100 }

/** A task for each script. */
const taskOf = async (...script: ReadonlyArray<unknown>): Promise<string> => {
  const name = scriptName("task")
  await api.set(name, script)
  return promptFor(name)
}

describe("a run", () => {
  it("has its agent's turns in sessions, retries what failed, and ends when its state is final", async () => {
    const tasks = [
      await taskOf({ ...completed("task-1"), usage }),
      await taskOf([completed("task-2", "failure"), completed("task-2")]),
    ]
    const options = { model: "claude-sonnet-4-5" }
    const made = await startRun(perch, "tasks", { input: { tasks }, options })
    expect(made).toMatchObject({ type: "workflow_run", workflow: "tasks", harness: "session", input: { tasks } })
    const run = await runThatIs(perch, made, "completed", "failed")
    expect(run).toMatchObject({ status: "completed", error: null, asks: [] })
    expect(run.state).toMatchObject({
      done: true,
      tasks: [
        { id: "task-1", status: "success", attempts: 1 },
        { id: "task-2", status: "success", attempts: 2, summary: "task-2: success." },
      ],
    })
    expect(run.agents.map(({ status }) => status)).toEqual(["completed", "completed", "completed"])
    expect(run.total_cost_usd).toBeGreaterThan(0.004)

    const signals = await signalsOf(perch, run)
    expect(signals.map(({ seq }) => seq)).toEqual(signals.map((_, at) => at + 1))
    expect(signals.map(({ name }) => name).filter((name) => /^(?:task|workflow):/.test(name))).toEqual([
      "workflow:start",
      "task:next",
      "task:completed",
      "task:next",
      "task:completed",
      "task:next",
      "task:completed",
      "workflow:complete",
      "workflow:end",
    ])
    const { signals: found } = await perch.json<{ signals: ReadonlyArray<{ name: string }> }>(
      "GET",
      `${runsOf("tasks")}/${run.id}/events?name=task:comp*`,
    )
    expect(found.map(({ name }) => name)).toEqual(Array(3).fill("task:completed"))

    // Each turn is one of its own session.
    const [first] = run.agents
    const session = await perch.json("GET", `/v1/sessions/${first?.session_id}`)
    expect(session).toMatchObject({ turns: 1, metadata: { workflow: "tasks", workflow_run: run.id, agent: "worker" } })
    expect(session["model"]).toBe("claude-sonnet-4-5")

    // The state at an earlier signal.
    const at = async (seq: number) =>
      (await perch.json<{ state: unknown }>("GET", `${runsOf("tasks")}/${run.id}/state?at=${seq}`)).state
    expect(await at(0)).toEqual({ tasks: [], done: false })
    expect(await at(2)).toMatchObject({ tasks: [{ status: "running" }, { status: "pending" }] })
    expect(await at(run.last_seq)).toEqual(run.state)

    // The list is updated after the run.
    const list = () => perch.json("GET", `${runsOf("tasks")}?limit=1&status=completed`)
    await expect.poll(list).toMatchObject({ data: [{ status: "completed" }] })
  })

  it.each(["agent", "run"] as const)(
    "has one session for the %s, with its files and its conversation",
    async (sessions) => {
      const file_path = "/workspace/plan.txt"
      const task = await taskOf(
        { content: [call("Write", { file_path, content: "two steps" })] },
        completed("task-1"),
        { content: [call("Read", { file_path })] },
        completed("task-2"),
      )
      const options = { permissionMode: "acceptEdits", model: "claude-sonnet-4-5" }
      const made = await startRun(perch, "tasks", { input: { tasks: [task, task] }, options, sessions })
      expect(made.sessions).toBe(sessions)
      const run = await runThatIs(perch, made, "completed", "failed")
      expect(run).toMatchObject({ status: "completed", error: null })
      const [id, ...others] = new Set(run.agents.map((turn) => turn.session_id))
      expect([run.agents.length, others]).toEqual([2, []])
      const session = await perch.json("GET", `/v1/sessions/${id}`)
      expect(session).toMatchObject({ turns: 2, title: sessions === "run" ? "tasks" : "tasks: worker", options })
      const history = await perch.json("GET", `/v1/sessions/${id}/messages`)
      // The second turn read what the first one wrote.
      expect(JSON.stringify(history).match(/two steps/g)?.length).toBeGreaterThan(1)
      const erased = await perch.json<{ sessions: unknown }>("DELETE", `${runsOf("tasks")}/${run.id}`)
      expect(erased.sessions).toEqual([id])
      await perch.json("GET", `/v1/sessions/${id}`, { status: 404 })
    },
  )

  it("can be followed live, and resumed after a break", async () => {
    const name = scriptName("argue")
    await api.set(name, [emits({ name: "argument:made", payload: { text: "So it is." } })])
    const made = await startRun(perch, "debate", { input: { claim: promptFor(name), rounds: 2 } })
    const route = `${runsOf("debate")}/${made.id}/events/stream`
    const live = await streamed(await perch.request("GET", route))
    expect(live.at(-1)).toMatchObject({ name: "workflow:end", payload: { reason: "until" } })
    expect(live).toEqual(await signalsOf(perch, made))
    const rest = await streamed(await perch.request("GET", route, { headers: { "last-event-id": "5" } }))
    expect(rest).toEqual(live.slice(5))
    const some = await streamed(await perch.request("GET", `${route}?name=debate:*`))
    expect(some.map((signal) => signal.name)).toEqual([
      "debate:for",
      "debate:against",
      "debate:for",
      "debate:against",
      "debate:ended",
    ])
    const over = await perch.request("GET", route, { headers: { "last-event-id": String(live.length) } })
    expect(over.status).toBe(204)
  })

  it("waits while an ask is open in an agent's session, and continues with its answer", async () => {
    const write = call("Write", { file_path: "/workspace/done.txt", content: "done\n" })
    const task = await taskOf({ content: [write] }, completed("task-1"))
    const made = await startRun(perch, "tasks", { input: { tasks: [task] } })
    const waiting = await runThatIs(perch, made, "waiting")
    expect(waiting.asks).toMatchObject([{ agent: "worker", kind: "permission", tool_name: "Write" }])
    const [ask] = waiting.asks
    await perch.answer(ask?.session_id ?? "", ask?.request_id ?? "", { behavior: "allow" })
    const run = await runThatIs(perch, made, "completed", "failed")
    expect(run.status).toBe("completed")
    expect(await perch.getFile(ask?.session_id ?? "", "/workspace/done.txt")).toBe("done\n")
  })

  it("fails with the reason if an agent's turn fails", async () => {
    const task = await taskOf({ content: [{ type: "text", text: "I give up." }] })
    const made = await startRun(perch, "tasks", { input: { tasks: [task] } })
    const run = await runThatIs(perch, made, "completed", "failed")
    expect(run).toMatchObject({ status: "failed", error: { type: "AgentError" }, agents: [{ status: "failed" }] })
    expect(run.error?.message).toContain("structured output")
  })
})

describe("from outside", () => {
  it("signals are accepted by a run that waits for them, once per Idempotency-Key, and never after its end", async () => {
    const name = scriptName("quiet")
    await api.set(name, [emits()])
    const made = await startRun(perch, "debate", { input: { claim: promptFor(name) }, on_empty: "wait" })
    await runThatIs(perch, made, "waiting")
    const route = `${runsOf("debate")}/${made.id}/signals`
    const send = (signal: string, payload: unknown, key: string) =>
      perch.request("POST", route, { json: { name: signal, payload }, headers: { "idempotency-key": key } })
    const [once, again] = [
      await send("argument:made", { text: "Hm." }, "k1"),
      await send("argument:made", { text: "Hm." }, "k1"),
    ]
    expect([once.status, again.status]).toEqual([202, 202])
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(await again.json()).toEqual(await once.json())
    expect((await send("argument:made", { text: "Oh." }, "k1")).status).toBe(422)
    expect((await send("debate:ended", { arguments: 1 }, "k2")).status).toBe(202)
    const run = await runThatIs(perch, made, "completed", "failed")
    expect(run.state).toMatchObject({ done: true, arguments: [{ agent: "outside", text: "Hm." }] })
    expect((await send("argument:made", { text: "Late." }, "k3")).status).toBe(409)
  })

  it("a run is cancelled: its agent's turn is stopped", async () => {
    const script = scriptName("held")
    await api.set(script, [{ ...completed("task-1"), hold: { gate: script } }])
    const made = await startRun(perch, "tasks", { input: { tasks: [promptFor(script)] } })
    await expect.poll(async () => (await api.requests(script)).length, { timeout: 20_000 }).toBe(1)
    const route = `${runsOf("tasks")}/${made.id}/cancel`
    const cancelled = await perch.json<{ agents: ReadonlyArray<{ session_id: string; turn_id: string }> }>(
      "POST",
      route,
    )
    expect(cancelled).toMatchObject({ status: "cancelled", error: null })
    const [turn] = cancelled.agents
    await expect
      .poll(async () => (await readRun(perch, "tasks", made.id)).agents[0]?.status, { timeout: 20_000 })
      .toBe("stopped")
    const stopped = await perch.json("GET", `/v1/sessions/${turn?.session_id}/turns/${turn?.turn_id}`)
    expect(stopped["status"]).toBe("interrupted")
    expect(await perch.json("POST", route)).toMatchObject({ status: "cancelled" })
    await perch.json("POST", `${runsOf("tasks")}/${made.id}/signals`, { json: { name: "task:next" }, status: 409 })
  })

  it("a run that is parked is cancelled, or erased: nothing waits for an answer any more", async () => {
    const write = call("Write", { file_path: "/workspace/done.txt", content: "done\n" })
    const task = await taskOf({ content: [write] }, completed("task-1"))
    const park = async () => runThatIs(perch, await startRun(perch, "tasks", { input: { tasks: [task] } }), "waiting")
    const [one, other] = [await park(), await park()]
    expect(one.asks).toMatchObject([{ agent: "worker", kind: "permission", tool_name: "Write" }])
    await perch.json("POST", `${runsOf("tasks")}/${one.id}/cancel`)
    const [ask] = one.asks
    const turns = `/v1/sessions/${ask?.session_id}/turns/${one.agents[0]?.turn_id}`
    await expect.poll(async () => (await perch.json("GET", turns))["status"], { timeout: 20_000 }).toBe("interrupted")
    expect(await readRun(perch, "tasks", one.id)).toMatchObject({ status: "cancelled", asks: [] })
    await perch.json("DELETE", `${runsOf("tasks")}/${other.id}`)
    await perch.json("GET", `/v1/sessions/${other.asks[0]?.session_id}`, { status: 404 })
  })

  it("a run is erased with the sessions of its agents, and its id is not reused", async () => {
    const task = await taskOf(completed("task-1"))
    const id = scriptName("erased")
    const made = await startRun(perch, "tasks", { id, input: { tasks: [task] } })
    const run = await runThatIs(perch, made, "completed")
    const receipt = await perch.json("DELETE", `${runsOf("tasks")}/${id}`)
    const sessions = run.agents.map(({ session_id: session }) => session)
    expect(receipt).toMatchObject({ id, deleted: true, signals: run.last_seq, sessions })
    await perch.json("GET", `${runsOf("tasks")}/${id}`, { status: 404 })
    await perch.json("GET", `/v1/sessions/${sessions[0]}`, { status: 404 })
    await perch.json("POST", runsOf("tasks"), { json: { id }, status: 409 })
    const { data } = await perch.json<{ data: ReadonlyArray<{ id: string }> }>("GET", `${runsOf("tasks")}?limit=1000`)
    expect(data.map((one) => one.id)).not.toContain(id)
    const audit = async (action: string) =>
      (await perch.json<{ data: ReadonlyArray<{ subject: string }> }>("GET", `/v1/audit?action=${action}`)).data
    for (const action of ["run:created", "run:deleted"]) {
      expect((await audit(action)).find(({ subject }) => subject === id)).toMatchObject({ action })
    }
  })
})
