// The API of Queues: queues by name, and the Worker that consumes each.
import { json, ok, page, refuse, type Route } from "./answer.ts"

const noPlan = (account: string) =>
  refuse(
    403,
    100_129,
    `Queues are unavailable on the free plan. Please upgrade to a Workers Paid plan to create and use Queues: https://dash.cloudflare.com/${account}/workers/plans`,
  )

export const QUEUE_ROUTES: ReadonlyArray<Route> = [
  [
    "queues",
    "GET",
    /^\/queues$/,
    ({ state, query }) => {
      const names = query.getAll("name")
      return page(
        state.queues.filter(({ queue_name }) => names.length === 0 || names.includes(queue_name)),
        query,
      )
    },
  ],
  [
    "queues",
    "POST",
    /^\/queues$/,
    (request) => {
      const name = String(json(request)["queue_name"])
      if (request.state.plan === "without-queues") return noPlan("ACCOUNT")
      if (request.state.queues.some(({ queue_name }) => queue_name === name))
        return refuse(409, 11_009, "Queue name is already taken. Please use a different name.")
      return ok(request.state.addQueue(name))
    },
  ],
  [
    "queues",
    "POST",
    /^\/queues\/([^/]+)\/consumers$/,
    (request, id) => {
      const queue = request.state.queues.find(({ queue_id }) => queue_id === id)
      if (queue === undefined) return refuse(404, 11_000, "Queue not found")
      if (queue.consumers.length > 0) return refuse(409, 11_004, "Queue already has a consumer")
      const { script_name, settings, dead_letter_queue } = json(request)
      const dead = typeof dead_letter_queue === "string" ? { dead_letter_queue } : {}
      const consumer = {
        consumer_id: request.state.id(),
        type: "worker" as const,
        script: String(script_name),
        settings,
        ...dead,
      }
      queue.consumers.push(consumer)
      return ok(consumer)
    },
  ],
  [
    "queues",
    "PUT",
    /^\/queues\/([^/]+)\/consumers\/([^/]+)$/,
    (request, id, consumerId) => {
      const queue = request.state.queues.find(({ queue_id }) => queue_id === id)
      const consumer = queue?.consumers.find(({ consumer_id }) => consumer_id === consumerId)
      if (consumer === undefined) return refuse(404, 11_001, "Consumer not found")
      consumer.settings = json(request)["settings"]
      return ok(consumer)
    },
  ],
]
