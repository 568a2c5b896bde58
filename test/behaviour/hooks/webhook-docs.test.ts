// The verifiers of docs/webhooks.md, run over calls of an HTTP hook as a session makes them.
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { callHttpHook } from "../../../src/hooks/http-hook.ts"
import { newWebhookSecret } from "../../../src/hooks/sign-webhook.ts"
import { fetchSettings, guardedFetch } from "../../../src/net/guarded-fetch.ts"
import { type Delivery, type HookServer, startHookServer } from "../../support/server/hook-server.ts"
import { verifierOf } from "../../support/server/webhook-verifier.ts"
import { entryOf } from "../../hooks/answers.ts"

const [OLD, CURRENT] = [newWebhookSecret(), newWebhookSecret()]
const FIVE_MINUTES = 300_000

let hooks: HookServer
beforeAll(async () => {
  hooks = await startHookServer()
})
afterAll(() => hooks.close())

/** A call that a session made `ago` milliseconds ago. */
const deliver = async (ago = 0): Promise<Delivery> => {
  const call = callHttpHook({
    fetch: guardedFetch({ ...fetchSettings(undefined, "off"), allowPrivate: true }),
    secrets: Effect.succeed([CURRENT, OLD]),
    now: () => Date.now() - ago,
  })
  const entry = entryOf(0, { kind: "http", url: `${hooks.url}/hook` })
  const input = { hook_event_name: "PreToolUse", tool_input: { content: "grüß ✓" } }
  await Effect.runPromise(call({ entry, event: "PreToolUse", input }, "msg_1"))
  return hooks.deliveries.at(-1)!
}

describe.each([
  ["node" as const, (headers: Delivery["headers"]) => headers],
  ["web" as const, (headers: Delivery["headers"]) => new Headers(headers as Record<string, string>)],
])("the verifier for %s", (name, headersOf) => {
  const judge = async (secret: string, { headers, body }: Pick<Delivery, "headers" | "body">) =>
    (await verifierOf(name))(secret, headersOf(headers), body)
  const refused = (secret: string, delivery: Pick<Delivery, "headers" | "body">) =>
    expect(async () => judge(secret, delivery)).rejects.toThrow(/too old|does not fit/)

  it("accepts what Perch sent, with the current secret and with the previous one", async () => {
    const delivery = await deliver()
    await judge(CURRENT, delivery)
    await judge(OLD, delivery)
  })

  it("rejects another secret, another body, another id and another time", async () => {
    const { headers, body } = await deliver()
    await refused(newWebhookSecret(), { headers, body })
    await refused(CURRENT, { headers, body: `${body} ` })
    await refused(CURRENT, { headers: { ...headers, "webhook-id": "msg_2" }, body })
    const later = String(Number(headers["webhook-timestamp"]) + 1)
    await refused(CURRENT, { headers: { ...headers, "webhook-timestamp": later }, body })
    await refused(CURRENT, { headers: { ...headers, "webhook-signature": "v1," }, body })
    await refused(CURRENT, { headers: { ...headers, "webhook-signature": "v1a,AAAA" }, body })
    const { "webhook-signature": _, ...unsigned } = headers
    await refused(CURRENT, { headers: unsigned, body })
  })

  it("rejects what was sent more than five minutes ago, or without a time", async () => {
    await refused(CURRENT, await deliver(FIVE_MINUTES + 2000))
    const { headers, body } = await deliver()
    await refused(CURRENT, { headers: { ...headers, "webhook-timestamp": "now" }, body })
  })
})
