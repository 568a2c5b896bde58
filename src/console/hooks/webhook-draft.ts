// The form of a webhook: its typed values, their problems, and the request body that they produce.
import type { CreateWebhook, UpdateWebhook, Webhook } from "../../schemas/api/webhooks.ts"

interface WebhookDraft {
  readonly url: string
  /** Patterns, separated by lines, spaces or commas. */
  readonly events: string
  readonly description: string
}

interface DraftFaults {
  readonly url: string | null
  readonly events: string | null
}

const MAX_PATTERNS = 20
const PATTERN = /^[\w:/.*-]{1,200}$/

export const EMPTY_DRAFT: WebhookDraft = { url: "", events: "sdk:result/*\nask:opened", description: "" }

export const draftOf = ({ url, events, description }: Webhook): WebhookDraft => ({
  url,
  events: events.join("\n"),
  description,
})

export const patternsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(text.split(/[\s,]+/).filter((pattern) => pattern !== "")),
]

/** The problems of a draft. `known` is the webhook to change: its masked address stays valid as long as it is not edited. */
export const faultsOf = (draft: WebhookDraft, known?: Webhook): DraftFaults => ({
  url: draft.url.trim() === known?.url ? null : urlFault(draft.url.trim()),
  events: eventsFault(patternsOf(draft.events)),
})

const urlFault = (url: string): string | null => {
  if (url.length > 2048) return "An address has at most 2048 characters. Shorten it."
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return "This is no http or https address. Type one such as https://example.com/perch."
  if (parsed.username !== "" || parsed.password !== "")
    return "An address cannot have a user name. Put a token behind the question mark."
  if (parsed.search === "?***" || parsed.hash === "#***")
    return "The stars hide a part of the address. Type the whole address again."
  return null
}

const eventsFault = (patterns: ReadonlyArray<string>): string | null => {
  if (patterns.length === 0) return "A webhook has at least one pattern. ** is all events."
  if (patterns.length > MAX_PATTERNS) return `A webhook has at most ${MAX_PATTERNS} patterns. Take some away.`
  const bad = patterns.find((pattern) => !PATTERN.test(pattern))
  if (bad === undefined) return null
  return `“${bad.slice(0, 40)}” is no pattern. Use at most 200 letters, digits and : / . - _ with * or **.`
}

export const createBody = (draft: WebhookDraft): CreateWebhook => ({
  url: draft.url.trim(),
  events: patternsOf(draft.events),
  ...(draft.description.trim() === "" ? {} : { description: draft.description.trim() }),
})

/** The body with the fields that differ from the existing webhook. */
export const updateBody = (draft: WebhookDraft, known: Webhook): UpdateWebhook => {
  const { url, events } = createBody(draft)
  const description = draft.description.trim()
  return {
    ...(url === known.url ? {} : { url }),
    ...(events.join(" ") === known.events.join(" ") ? {} : { events }),
    ...(description === known.description ? {} : { description }),
  }
}
