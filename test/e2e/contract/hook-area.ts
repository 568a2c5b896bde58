// Hook events and the webhooks of a tenant, their secrets and deliveries.
import { randomUUID } from "node:crypto"
import { Effect, Logger } from "effect"
import { consumeDeadLetters } from "../../../src/store/delivery/dead-letters.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"
import { checkedAnswer } from "../../support/contract/checked-answer.ts"
import { batchOf, FakeMessage, FakeQueue } from "../../support/session/fake-queue.ts"
import { eventually } from "../../support/server/client.ts"
import { startHookServer } from "../../support/server/hook-server.ts"
import { ask, sawAnswer, tenant } from "./tour.ts"

const HOME = "http://perch.test"

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string; readonly state: string }>
}

/** No real queue drops an event within a test: this runs the routes over the same tables, after a consumer received one. */
const redeliver = async (): Promise<void> => {
  const { call, database } = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, HOOKS: new FakeQueue().queue })
  const event = { id: "event-1", tenant: "root", session_id: randomUUID(), seq: 1, hook_event_name: "Stop" }
  const messages = [new FakeMessage("q1", { ...event, at: Date.now(), input: {}, outcome: {} })]
  const consumed = consumeDeadLetters(batchOf(messages, "perch-hooks-dead"), { DB: database.d1 }, Date.now())
  await Effect.runPromise(Effect.provide(consumed, Logger.layer([])))
  const listed = checkedAnswer("GET", `${HOME}/v1/hook-events/dead`, await call("GET", "/v1/hook-events/dead"))
  const { data } = (await listed.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }
  const path = `/v1/hook-events/dead/${data[0]?.id}/redeliver`
  const answer = checkedAnswer("POST", HOME + path, await call("POST", path))
  await answer.json()
  sawAnswer("redeliverHookEvent", answer.status, "application/json")
}

export const hookArea = async (): Promise<void> => {
  const receiver = await startHookServer()
  try {
    const { client: as } = await tenant()
    // An address that answers 404 fails at once; it is retried after five seconds, and given up when it is gone.
    receiver.answer = () => ({ status: 410 })
    const json = { url: `${receiver.url}/hook`, events: ["session:created"] }
    const params = { webhook_id: String((await ask("createWebhook", 201, { as, json })).json["id"]) }
    await ask("getWebhook", 200, { as, params })
    await ask("listWebhooks", 200, { as })
    await ask("rollWebhookSecret", 201, { as, params, json: {} })
    await ask("testWebhook", 202, { as, params })
    const failed = await eventually(async () => {
      const { json } = await ask("listWebhookDeliveries", 200, { as, params })
      return (json as unknown as Listed).data.find(({ state }) => state === "failed")
    })
    receiver.answer = () => ({})
    await ask("updateWebhook", 200, { as, params, json: { enabled: true } })
    await ask("redeliverWebhookDelivery", 202, { as, params: { ...params, delivery_id: failed.id } })
    await ask("deleteWebhook", 204, { as, params })
    await ask("rotateWebhookSecret", 201, { as, json: {} })
    await ask("listWebhookSecrets", 200, { as })
    const id = await as.createSession()
    await as.query(id, "Say hello")
    await eventually(async () => {
      const { json } = await ask("listHookEvents", 200, { as, query: { session: id } })
      return (json as unknown as Listed).data.length > 0 ? true : undefined
    })
    await ask("listDeadHookEvents", 200)
    await redeliver()
  } finally {
    await receiver.close()
  }
}
