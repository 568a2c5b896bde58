// Receives a webhook or a delivery; returns its current state in words.
import type { Webhook, WebhookDelivery } from "../../schemas/api/webhooks.ts"

const REASONS = {
  request: "off: it was disabled",
  failing: "off: it failed for three days",
  gone: "off: its address answered 410",
}

export const stateOfWebhook = ({ enabled, disabled_reason }: Pick<Webhook, "enabled" | "disabled_reason">): string =>
  enabled ? "on" : disabled_reason === null ? "off" : REASONS[disabled_reason]

/** The number of attempts, and the result of the last one. */
export const attemptsOf = ({ attempts, last_status, last_error }: WebhookDelivery): string => {
  const times = attempts === 0 ? "no attempt yet" : attempts === 1 ? "1 attempt" : `${attempts} attempts`
  const status = last_status === null ? "" : `, status ${last_status}`
  return `${times}${status}${last_error === null ? "" : `: ${last_error}`}`
}

const SOON_MS = 30_000

/** True if the next attempt is due within half a minute, so that the list should be refreshed. */
export const isUnderWay = ({ state, next_attempt_at }: WebhookDelivery, now: number): boolean =>
  state === "pending" && (next_attempt_at === null || Date.parse(next_attempt_at) - now < SOON_MS)
