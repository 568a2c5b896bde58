// The server is killed (process group, -9) while several runs of both workflows go on, each of them somewhere else: ten random
// points of each workflow.
import { randomInt } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { WorkflowRun } from "../../../src/schemas/api/workflows.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { promptFor, scriptName } from "../../support/session/scripts.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { type PerchServer, startServer } from "../../support/server/server.ts"
import { comparable } from "../../support/signals/comparable.ts"
import { completed, emits, readRun, runThatIs, signalsOf, startRun } from "../../support/signals/workflow-client.ts"

/** Runs of each workflow that were cut off while they went on, all kills together. */
const CUT_OFF = 10
const RUNS = 5
const TASKS = 6
const ROUNDS = 3

let fake: ScriptedApi
let server: PerchServer
let perch: PerchClient

beforeAll(async () => {
  fake = await createFakeApi()
  server = await startServer({ apiUrl: fake.url })
  perch = new PerchClient(server)
})

afterAll(async () => {
  await server?.dispose()
  await fake?.close()
})

const isOver = ({ status }: WorkflowRun): boolean => status === "completed" || status === "failed"

/** The run once it has ended; asking for it wakes it after a restart. */
const ended = (run: WorkflowRun): Promise<WorkflowRun> => runThatIs(perch, run, "completed", "failed")

/** What two runs of a workflow with the same input have in common. */
const outcomeOf = async (run: WorkflowRun) => {
  const { status, state, error, agents, signals } = await ended(run)
  const turns = agents.map(({ agent, signal_seq: seq, status: end }) => ({ agent, seq, end }))
  return { status, state, error, turns, signals, log: comparable(await signalsOf(perch, run)) }
}

it("ends as it would have without, and no agent has a turn twice", { timeout: 180_000 }, async () => {
  const api = new ApiLog(fake.url)
  const claim = scriptName("claim")
  await api.set(claim, [emits({ name: "argument:made", payload: { text: "It is so." } })])
  const names = Array.from({ length: TASKS }, (_, at) => scriptName(`task-${at}`))
  for (const [at, name] of names.entries()) await api.set(name, [completed(`task-${at + 1}`)])
  const inputs: Readonly<Record<string, object>> = {
    tasks: { tasks: names.map(promptFor) },
    debate: { claim: promptFor(claim), rounds: ROUNDS },
  }
  const begin = (workflow: string) => startRun(perch, workflow, { input: inputs[workflow] })

  const workflows = Object.keys(inputs)
  const whole = Object.fromEntries(
    await Promise.all(workflows.map(async (name) => [name, await outcomeOf(await begin(name))] as const)),
  )
  for (const outcome of Object.values(whole)) expect(outcome).toMatchObject({ status: "completed", error: null })

  const cutOff = new Map(workflows.map((name) => [name, 0]))
  const runs: Array<WorkflowRun> = []
  let going: ReadonlyArray<WorkflowRun> = []
  while (Math.min(...cutOff.values()) < CUT_OFF) {
    const missing = workflows.flatMap((name) =>
      Array.from({ length: RUNS - going.filter(({ workflow }) => workflow === name).length }, () => begin(name)),
    )
    const begun = await Promise.all(missing)
    runs.push(...begun)
    const requests = fake.log.length + randomInt(RUNS, 4 * RUNS)
    await eventually(async () => (fake.log.length >= requests ? true : undefined), 60_000)
    const now = await Promise.all([...going, ...begun].map(({ workflow, id }) => readRun(perch, workflow, id)))
    await server.kill9()
    going = now.filter((run) => !isOver(run))
    for (const { workflow } of going) cutOff.set(workflow, (cutOff.get(workflow) ?? 0) + 1)
    await server.restart()
    // Asking for a run wakes it.
    await Promise.all(going.map(({ workflow, id }) => readRun(perch, workflow, id)))
  }

  for (const run of runs) {
    expect(await outcomeOf(run)).toEqual(whole[run.workflow])
    // A session for each turn, with the one prompt.
    const { agents } = await ended(run)
    expect(new Set(agents.map(({ session_id: session }) => session)).size).toBe(agents.length)
    for (const { session_id: session, turn_id: turn } of agents) {
      const { data } = await perch.json<{ data: ReadonlyArray<object> }>("GET", `/v1/sessions/${session}/turns`)
      expect(data).toMatchObject([{ turn_id: turn, status: "completed" }])
    }
  }
})
