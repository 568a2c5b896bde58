// Receives an answer in opencode's terms, `{reply, message?, scope?}`; returns it as the loop reads answers, with the
// approvals that it saves, or what is wrong with it.
// Invariant: `always` is refused for a call that a rule asks about each time.
import * as Schema from "effect/Schema"
import type { AskOpened, PermissionFor } from "../../schemas/log/ask-events.ts"
import type { SavedScope } from "../../schemas/permissions-saved.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { ReplyAnswer } from "../../schemas/sdk/control/ask-answers.ts"
import type { ReadAnswer } from "./ask-answers.ts"

export interface Reply {
  readonly reply: "once" | "always" | "reject"
  readonly saves: ReadonlyArray<PermissionFor>
  readonly scope: SavedScope
}

export interface ReadReply {
  readonly answer: Readonly<Record<string, unknown>>
  readonly given: Reply
}

const REJECTED = "The user rejected this call."
const FORM = '{reply: "once", "always" or "reject", message?, scope?}'

const decodeReply = Schema.decodeUnknownResult(ReplyAnswer, { onExcessProperty: "error" })

/** Null for an answer in another form. */
export const readReply = (
  ask: AskOpened,
  body: Readonly<Record<string, unknown>>,
): Exclude<ReadAnswer, { readonly answer: unknown }> | ReadReply | null => {
  if (!Object.hasOwn(body, "reply")) return null
  const other = Object.keys(body).find((name) => !Object.hasOwn(ReplyAnswer.fields, name))
  if (other !== undefined)
    return { problem: `can't be combined with \`reply\`. Send only ${FORM}`, field: fieldPath([other]) }
  const decoded = decodeReply(body)
  if (decoded._tag === "Failure") return { problem: `the answer must be ${FORM}`, field: "reply" }
  const { reply, message, scope } = decoded.success
  if (message !== undefined && reply !== "reject")
    return { problem: "is for the reply `reject`. Leave it out", field: "message" }
  if (scope !== undefined && reply !== "always")
    return { problem: "is for the reply `always`. Leave it out", field: "scope" }
  const refused = refusalOf(ask, reply)
  if (refused !== null) return { problem: refused, field: "reply" }
  const given = {
    reply,
    saves: reply === "always" ? (ask.approval?.always ?? []) : [],
    scope: scope ?? "session",
  } as const
  if (reply !== "reject") return { answer: { behavior: "allow" }, given }
  const text = message === undefined ? REJECTED : `The user rejected this call, with this feedback: ${message}`
  return { answer: { behavior: "deny", message: text }, given }
}

const refusalOf = ({ kind, approval }: AskOpened, reply: Reply["reply"]): string | null => {
  switch (kind) {
    case "permission":
      return reply === "always" && (approval?.always.length ?? 0) === 0
        ? "`always` is not offered for this request: it is asked about each time. Reply `once` or `reject`"
        : null
    case "outcome":
    case "plan":
      return reply === "always" ? `a ${kind} is answered with \`once\` or \`reject\`` : null
    case "question":
      return reply === "reject" ? null : "a question is answered with its `answers`, or with the reply `reject`"
    default:
      return `an ask of the kind ${kind} does not accept \`reply\`. Send the answer of its kind`
  }
}
