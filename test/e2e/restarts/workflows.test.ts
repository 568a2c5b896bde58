// The server is killed (process group, -9) while several runs of both workflows are at different points: ten random moments of
// each workflow, with its agents in sessions and on a model alone.
import { randomInt, randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import type { WorkflowRun } from "../../../src/schemas/api/workflows.ts"
import { recordingOf } from "../../../src/recording/recording-store.ts"
import { answersOf } from "../../../src/signals/recorded/agent-recording.ts"
import { replayRecording } from "../../../src/signals/recorded/replay.ts"
import { registeredWorkflow } from "../../../src/signals/workflows/registered.ts"
import { createScriptedOpenAi, type ScriptedOpenAi } from "../../support/openai/scripted-openai.mjs"
import { ApiLog } from "../../support/session/api-log.ts"
import { createFakeApi, type ScriptedApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName } from "../../support/session/scripts.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { type PerchServer, startServer } from "../../support/server/server.ts"
import { comparable } from "../../support/signals/comparable.ts"
import {
  answered,
  completed,
  emits,
  readRun,
  runThatIs,
  signalsOf,
  startRun,
} from "../../support/signals/workflow-client.ts"

/** Runs of each kind that were interrupted while running, over all kills. */
const CUT_OFF = 10
const RUNS = 5
/** Runs of each workflow on the offline model that are started right before a kill. */
const HURRIED = 2
const TASKS = 4
const ROUNDS = 2

let fake: ScriptedApi
let openai: ScriptedOpenAi
let server: PerchServer
let perch: PerchClient

beforeAll(async () => {
  ;[fake, openai] = await Promise.all([createFakeApi(), createScriptedOpenAi()])
  server = await startServer({ apiUrl: fake.url, env: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: openai.url } })
  perch = new PerchClient(server)
})

afterAll(async () => {
  await server?.dispose()
  await fake?.close()
  await openai?.close()
})

interface Turns {
  readonly data: ReadonlyArray<{ readonly turn_id: string; readonly status: string }>
}

/** A workflow with the service that runs its agents' turns. */
interface Kind {
  readonly workflow: "tasks" | "debate"
  readonly harness: WorkflowRun["harness"]
  readonly json: object
}

const argued = emits({ name: "argument:made", payload: { text: "It is so." } })

/** Runs of both workflows with a harness, with their own scripts. */
const kindsOf = async (harness: Kind["harness"]): Promise<ReadonlyArray<Kind>> => {
  const api = new ApiLog(fake.url)
  const set = async (name: string, step: ReturnType<typeof emits>) => {
    if (harness === "openai") openai.set(name, [{ text: answered(step) }])
    else if (harness === "session") await api.set(name, [step])
    else await api.set(name, { turns: [{ content: [{ type: "text", text: answered(step) }] }], allowNoTools: true })
    return promptFor(name)
  }
  const titles = Array.from({ length: TASKS }, (_, at) => set(scriptName(`task-${at}`), completed(`task-${at + 1}`)))
  const claim = await set(scriptName("claim"), argued)
  // All turns of a debate are in one session, those of tasks in one session each.
  const shared = harness === "session" ? { sessions: "run" } : {}
  const options = harness === "openai" ? { options: { model: "gpt-5" } } : {}
  return [
    { workflow: "tasks", harness, json: { harness, ...options, input: { tasks: await Promise.all(titles) } } },
    { workflow: "debate", harness, json: { harness, ...shared, ...options, input: { claim, rounds: ROUNDS } } },
  ]
}

const begin = ({ workflow, json }: Kind, headers: Readonly<Record<string, string>> = {}): Promise<WorkflowRun> =>
  startRun(perch, workflow, json, headers)

const isOver = ({ status }: WorkflowRun): boolean => status === "completed" || status === "failed"

/** The run once it has ended; requesting it wakes it after a restart. */
const ended = (run: WorkflowRun): Promise<WorkflowRun> => runThatIs(perch, run, "completed", "failed")

/** A run whose agent's session waits for permission to write a file. */
const park = async (): Promise<WorkflowRun> => {
  const name = scriptName("parked")
  const write = call("Write", { file_path: "/workspace/done.txt", content: "done\n" })
  await new ApiLog(fake.url).set(name, [{ content: [write] }, completed("task-1")])
  const run = await runThatIs(perch, await startRun(perch, "tasks", { input: { tasks: [promptFor(name)] } }), "waiting")
  expect(run.asks).toMatchObject([{ agent: "worker", kind: "permission", tool_name: "Write" }])
  return run
}

/** Waits for a run's end, and expects that its log replays without a model request, with an equal state and equal signals. */
const outcomeOf = async (begun: WorkflowRun) => {
  const run = await ended(begun)
  const { workflow: name, status, state, error, signals: count } = run
  const workflow = registeredWorkflow(name)
  if (workflow === undefined) throw new Error(`no workflow ${name}`)
  const log = await signalsOf(perch, run, 1000)
  const signals = log.map(({ seq: _, ...signal }) => signal)
  const recording = await Effect.runPromise(recordingOf("again", signals, answersOf(workflow, signals)))
  const before = requests()
  expect(await Effect.runPromise(replayRecording(workflow, recording))).toEqual({ state, signals })
  expect(requests()).toBe(before)
  const turns = run.agents.map(({ agent, signal_seq: seq, status: end }) => ({ agent, seq, end }))
  // The values that two runs of a kind have in common.
  return { agents: run.agents, common: { status, state, error, turns, count, log: comparable(log) } }
}

/** The same by the server itself, from a recording of the run. */
const expectServerReplay = async ({ id }: WorkflowRun): Promise<void> => {
  const recording = await perch.json("POST", "/v1/recordings", { json: { run_id: id }, status: 201 })
  const before = requests()
  const report = await perch.json("POST", `/v1/recordings/${recording["id"]}/replay`, { json: {} })
  expect(report).toMatchObject({ equal: true, difference: null, not_found: null })
  expect(requests()).toBe(before)
}

/** The number of model requests so far. */
const requests = (): number => fake.log.length + openai.log.length

describe("a server that is killed while runs are in progress", () => {
  it(
    "ends them as without the kill, no agent has a turn twice, and what was parked stays parked until its answer",
    { timeout: 400_000 },
    async () => {
      const slow = [...(await kindsOf("session")), ...(await kindsOf("openai"))]
      const kinds = [...slow, ...(await kindsOf("offline"))]
      const whole = await Promise.all(kinds.map(async (kind) => outcomeOf(await begin(kind))))
      const parked = await park()
      for (const { common } of whole) expect(common).toMatchObject({ status: "completed", error: null })

      const cutOff = slow.map(() => 0)
      const all: Array<{ readonly run: WorkflowRun; readonly kind: number }> = []
      let going: typeof all = []
      while (Math.min(...cutOff) < CUT_OFF) {
        const missing = slow.flatMap((kind, at) =>
          Array.from({ length: RUNS - going.filter((one) => one.kind === at).length }, async () => {
            return { run: await begin(kind), kind: at }
          }),
        )
        const begun = await Promise.all(missing)
        all.push(...begun)
        const until = requests() + randomInt(RUNS, 3 * RUNS)
        const read = () =>
          Promise.all(
            [...going, ...begun].map(async ({ run, kind }) => ({
              run: await readRun(perch, run.workflow, run.id),
              kind,
            })),
          )
        // The runs may end with fewer requests.
        const isReached = async () => requests() >= until || (await read()).every(({ run }) => isOver(run))
        await eventually(async () => ((await isReached()) ? true : undefined), 60_000)
        const now = await read()
        // These end within moments: the server is killed while they start or run.
        const hurried = kinds.slice(slow.length).flatMap((kind, at) =>
          Array.from({ length: HURRIED }, () => {
            const headers = { "idempotency-key": randomUUID() }
            return { kind: slow.length + at, headers, begun: begin(kind, headers).catch(() => null) }
          }),
        )
        await hurried[randomInt(hurried.length)]?.begun
        await server.kill9()
        going = now.filter(({ run }) => !isOver(run))
        for (const { kind } of going) cutOff[kind] = (cutOff[kind] ?? 0) + 1
        await server.restart()
        for (const { kind, headers } of hurried) all.push({ run: await begin(kinds[kind]!, headers), kind })
        // Requesting a run wakes it.
        await Promise.all(going.map(({ run }) => readRun(perch, run.workflow, run.id)))
      }

      // The kills have changed nothing about the run that waits for an answer.
      expect(await readRun(perch, "tasks", parked.id)).toEqual(parked)
      const [ask] = parked.asks
      await perch.answer(ask?.session_id ?? "", ask?.request_id ?? "", { behavior: "allow" })
      expect((await outcomeOf(parked)).common).toMatchObject({ status: "completed", error: null })

      for (const [at, { run, kind }] of all.entries()) {
        const { agents, common } = await outcomeOf(run)
        expect(common).toEqual(whole[kind]?.common)
        if (at < slow.length * RUNS && at % RUNS === 0) await expectServerReplay(run)
        // Each turn exists once in its session, and no other does.
        for (const [session, turns = []] of Map.groupBy(agents, ({ session_id: id }) => id)) {
          if (session === null) continue
          const { data } = await perch.json<Turns>("GET", `/v1/sessions/${session}/turns`)
          const found = data.map(({ turn_id: id, status }) => `${id} ${status}`)
          expect(found.toSorted()).toEqual(turns.map(({ turn_id: id }) => `${id} completed`).toSorted())
        }
      }
    },
  )
})

it("a run that calls Claude without a session is replayed without a request, with equal signals", async () => {
  for (const kind of await kindsOf("claude")) {
    const run = await begin(kind)
    const { common } = await outcomeOf(run)
    expect(common).toMatchObject({ status: "completed", error: null })
    await expectServerReplay(run)
  }
})
