// Runs of workflows over HTTP, for tests: starts one, follows it, and builds the scripts of its agents' answers.
import type { RunSignal, WorkflowRun } from "../../../src/schemas/api/workflows.ts"
import { eventually, type PerchClient } from "../server/client.ts"
import { readSse } from "../server/sse.ts"
import { call } from "../session/scripts.ts"

/** Long enough for a killed run to resume while others load the machine. */
const LIMIT_MS = 60_000

export const runsOf = (workflow: string): string => `/v1/workflows/${workflow}/runs`

/** A script's step in which an agent answers with signals. */
export const emits = (...signals: ReadonlyArray<{ readonly name: string; readonly payload: object }>) => ({
  content: [call("StructuredOutput", { signals })],
})

/** The same answer as the text of a model without tools. */
export const answered = ({ content: [block] }: ReturnType<typeof emits>): string => JSON.stringify(block?.input ?? {})

export const completed = (taskId: string, outcome = "success") =>
  emits({ name: "task:completed", payload: { taskId, outcome, summary: `${taskId}: ${outcome}.` } })

export const startRun = (
  perch: PerchClient,
  workflow: string,
  json: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<WorkflowRun> => perch.json<WorkflowRun>("POST", runsOf(workflow), { json, headers, status: 201 })

export const readRun = (perch: PerchClient, workflow: string, id: string): Promise<WorkflowRun> =>
  perch.json<WorkflowRun>("GET", `${runsOf(workflow)}/${id}`)

/** Resolves with the run once it has one of these statuses. */
export const runThatIs = (
  perch: PerchClient,
  { workflow, id }: Pick<WorkflowRun, "workflow" | "id">,
  ...statuses: ReadonlyArray<WorkflowRun["status"]>
): Promise<WorkflowRun> =>
  eventually(async () => {
    const run = await readRun(perch, workflow, id)
    return statuses.includes(run.status) ? run : undefined
  }, LIMIT_MS)

/** The whole log, read in pages. */
export const signalsOf = async (
  perch: PerchClient,
  { workflow, id }: Pick<WorkflowRun, "workflow" | "id">,
  limit = 7,
): Promise<ReadonlyArray<RunSignal>> => {
  const signals: Array<RunSignal> = []
  for (let after = 0; ;) {
    const route = `${runsOf(workflow)}/${id}/events?after=${after}&limit=${limit}`
    const page = await perch.json<{ signals: ReadonlyArray<RunSignal>; has_more: boolean; next_after: number }>(
      "GET",
      route,
    )
    signals.push(...page.signals)
    if (!page.has_more) return signals
    after = page.next_after
  }
}

/** The signals of a stream, until it ends. */
export const streamed = async (response: Response): Promise<ReadonlyArray<RunSignal>> => {
  if (response.status !== 200 || response.body === null) throw new Error(`the stream answered ${response.status}`)
  const signals: Array<RunSignal> = []
  for await (const item of readSse(response.body)) {
    if (item.kind === "comment") continue
    signals.push(JSON.parse(item.frame.data) as RunSignal) // the server sends signals here
  }
  return signals
}
