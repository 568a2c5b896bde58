// A run in progress, with another one queued, while the server is killed. For restart.test.ts.
import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { runEmbeddedAgent } from "../../../src/interop/embedded-runner.ts"
import type { EmbeddedRunResult } from "../../../src/schemas/runs/run-result.ts"
import type { ApiLog } from "../../support/session/api-log.ts"
import { eventually, type PerchClient } from "../../support/server/client.ts"
import { promptFor, scriptName, text } from "../../support/session/scripts.ts"

const readRun = (perch: PerchClient, runId: string, sessionId: string) =>
  eventually(async () => {
    const query = new URLSearchParams({ sessionId, wait: "20" })
    const response = await perch.request("GET", `/v1/runs/${runId}?${query}`)
    return response.status === 200 ? ((await response.json()) as EmbeddedRunResult) : undefined // the test asserts it
  })

/** Starts them; call the returned function when the server runs again. */
export const openRunAndQueued = async (perch: PerchClient, api: ApiLog): Promise<() => Promise<void>> => {
  const name = scriptName("killed-run")
  const whole = { content: [text("A reply that is long enough for several steps, word after word after word.")] }
  await api.set(name, [[{ ...whole, chunk: 4, pause: { after: 14 } }, whole]])
  const sessionId = randomUUID()
  const partial: Array<string | undefined> = []
  const blocks: Array<string | undefined> = []
  const starts: Array<string> = []
  const running = runEmbeddedAgent({
    perch: { url: perch.url, apiKey: perch.key },
    sessionId,
    runId: "first",
    prompt: promptFor(name),
    timeoutMs: 60_000,
    onAssistantMessageStart: () => void starts.push("start"),
    onPartialReply: ({ text: shown }) => void partial.push(shown),
    onBlockReply: ({ text: shown }) => void blocks.push(shown),
  })
  await eventually(async () => (partial.length > 0 ? true : undefined))
  const json = { sessionId, runId: "second", prompt: "Say hello", timeoutMs: 60_000, runtime: "offline" }
  await perch.json("POST", "/v1/runs", { json, headers: { prefer: "respond-async" }, status: 202 })

  return async () => {
    const result = await running
    expect(result.meta).toMatchObject({ stopReason: "completed", agentMeta: { provider: "anthropic" } })
    expect(blocks).toEqual(result.payloads?.map((payload) => payload.text))
    expect(new Set(partial).size).toBe(partial.length)
    const second = await readRun(perch, "second", sessionId)
    expect(second.meta).toMatchObject({ stopReason: "completed", agentMeta: { provider: "offline" } })
    const events = await perch.events(sessionId)
    expect(events.filter((event) => event.name === "run:started").map(({ payload }) => payload["run_id"])).toEqual([
      "first",
      "second",
    ])
    // A repeated request is the same run.
    const again = await perch.request("POST", "/v1/runs", { json })
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(await again.json()).toEqual(second)
  }
}
