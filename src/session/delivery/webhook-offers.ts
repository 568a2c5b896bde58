// Offers events of the log to the webhooks of the session's tenant; no turn waits for it.
// Invariant: an event that no webhook subscribes to costs no call, and nothing is written here.
import type { LogEvent } from "../../schemas/log/events.ts"
import { matchesPattern } from "../../schemas/log/event-pattern.ts"
import type { WebhookNamespace } from "../../schemas/api/webhooks.ts"
import { patternsOf } from "../../webhooks/patterns.ts"
import { offeredEvent, typeOf } from "../../webhooks/webhook-event.ts"

/** Events in one call: each has at most 64 KB, and a call may have 32 MiB. */
const MAX_OFFERED = 200

/** Resolves when the tenant's webhooks have stored the events that they subscribe to; rejects when they can't be reached. */
export const offerToWebhooks = async (
  webhooks: WebhookNamespace,
  { tenant, session, now }: { readonly tenant: string; readonly session: string; readonly now: number },
  events: ReadonlyArray<LogEvent>,
): Promise<void> => {
  if (events.length === 0) return
  const patterns = await patternsOf(webhooks, tenant, now)
  if (patterns.length === 0) return
  const wanted = events.filter((event) => {
    const type = typeOf(event)
    return patterns.some((pattern) => matchesPattern(pattern, type))
  })
  for (let from = 0; from < wanted.length; from += MAX_OFFERED) {
    const offered = wanted.slice(from, from + MAX_OFFERED).map((event) => offeredEvent(session, event))
    await webhooks.getByName(tenant).offer(offered)
  }
}
