// Receives a `user` frame; returns its prompt, or a sentence that says why it is refused.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { invalidMedia, NOT_BASE64 } from "../../schemas/base64.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { fieldIssues } from "../../schemas/errors/union-issues.ts"
import { Uuid } from "../../schemas/ids.ts"
import { ControlPrompt } from "../../schemas/api/api.ts"
import { promptSizeIssue } from "../../schemas/api/prompt-size.ts"
import type { SubmitArgs } from "../../schemas/rpc/turns.ts"

const decodePrompt = Schema.decodeUnknownResult(ControlPrompt)
const isUuid = Schema.is(Uuid)

/** `turn` is the prompt's id when the frame has no uuid. */
export const promptOf = (frame: Readonly<Record<string, unknown>>, turn: string): SubmitArgs | string => {
  const { content: sent } = (frame["message"] ?? {}) as { readonly content?: unknown }
  // As the official SDK: a list without blocks is an empty text.
  const content = Array.isArray(sent) && sent.length === 0 ? "" : sent
  const prompt = decodePrompt(content)
  if (Result.isFailure(prompt)) {
    const path = fieldIssues(prompt.failure.issue, content)[0]?.path ?? []
    return `${fieldPath(["prompt", ...path])}: the content of a user message is a text, or 1 to 200 text, image and document blocks`
  }
  const invalid = invalidMedia(prompt.success, ["prompt"])
  if (invalid !== undefined) return `${fieldPath(invalid)} ${NOT_BASE64}`
  const issue = promptSizeIssue(prompt.success)
  if (issue !== undefined) return `${issue.field}: ${issue.what}. ${issue.advice}`
  const named = isUuid(frame["uuid"])
  return {
    turn: named ? String(frame["uuid"]).toLowerCase() : turn,
    prompt: prompt.success,
    onBusy: "queue",
    options: {},
    // The same id is the same prompt: a client whose connection broke sends it again.
    fingerprint: "control",
    manner: {
      mayJoin: true,
      ...(named ? { acknowledge: true } : {}),
      ...(frame["shouldQuery"] === false ? { silent: true } : {}),
      ...(frame["priority"] === "later" ? { later: true } : {}),
      ...(frame["priority"] === "now" ? { now: true } : {}),
      ...(frame["isSynthetic"] === true ? { synthetic: true } : {}),
      // No other origin is accepted.
      ...(frame["origin"] == null ? {} : { human: true }),
    },
  }
}
