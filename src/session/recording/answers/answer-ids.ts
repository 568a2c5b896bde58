// Reads the id of the model's answer from an event of the log, or from the events of a stream.
import type { RawStreamEvent } from "../../../model/messages-api.ts"
import { EventNames, type NewEvent } from "../../../schemas/log/events.ts"
import { isPlainObject } from "../../../schemas/plain-object.ts"

/**
 * The id of the answer to which the event's block belongs, whether the block is sent to clients or withheld. If a hook replaced
 * the block's text, the block is represented by the message with the new text.
 */
export const answerOf = ({ name, payload }: NewEvent): string | undefined => {
  if (name === EventNames.messageWithheld && /\S/.test(payload.shown ?? "")) return undefined
  const own: unknown = name === EventNames.messageWithheld ? payload.message : payload
  const message: unknown = isPlainObject(own) && own["type"] === "assistant" ? own["message"] : undefined
  return isPlainObject(message) && typeof message["id"] === "string" ? message["id"] : undefined
}

/** The id in the first event of an answer's stream, `message_start`. */
export const answerIdIn = ([first]: ReadonlyArray<RawStreamEvent>): string | undefined => {
  const message = first?.type === "message_start" ? first["message"] : undefined
  return isPlainObject(message) && typeof message["id"] === "string" ? message["id"] : undefined
}
