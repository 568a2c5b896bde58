// Receives a frame of a client; returns why it can't be answered or executed under an id, or undefined.
// Invariant: a frame with a type that is newer than this server is no fault, as in the official SDK.
import { isPlainObject } from "../../schemas/plain-object.ts"

/** Longest request id, in characters: ids are echoed, and no client uses longer ones. */
export const MAX_ID = 200

/** The sentence for a line that is not JSON. */
export const NOT_JSON = "the line is not valid JSON: each line must be one JSON object, and end with a newline"

export const frameFault = (frame: unknown): string | undefined => {
  if (!isPlainObject(frame) || typeof frame["type"] !== "string") {
    return "the line must be a JSON object with a type, such as user, control_request or control_response"
  }
  if (frame["type"] === "control_request" && !isId(frame["request_id"])) {
    return `request_id of a control_request must be a string of at most ${MAX_ID} characters`
  }
  if (frame["type"] !== "control_response") return undefined
  const { response } = frame
  if (isPlainObject(response) && typeof response["request_id"] === "string") return undefined
  return "response.request_id of a control_response must be the id of the request that it answers"
}

const isId = (id: unknown): boolean => typeof id === "string" && id.length <= MAX_ID
