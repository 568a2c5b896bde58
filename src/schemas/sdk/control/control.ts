// The control protocol's frames, one JSON object per line in both directions; decodes a frame by its type and subtype.
// Invariant: an unknown frame or subtype passes through unchanged, so that it can be answered with an error; no field of a
// known one is lost; an issue's path begins at the frame.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ControlAsks, hookCallbackOf } from "./control-asks.ts"
import { ClientRequests } from "./control-requests.ts"
import { ControlAnswers } from "./control-responses.ts"
import { HOOK_EVENTS, hookEventOf } from "../hooks/hooks.ts"
import { SDKKeepAliveMessage } from "../messages/messages-wire.ts"
import { AnyRecord, open } from "../open.ts"
import { decoderOf, type ShapeError } from "../shape-error.ts"

const opt = Schema.optionalKey

/** Every control request that the SDK types or sends, by subtype: those of clients, then those of the server. */
export const ControlRequests = { ...ClientRequests, ...ControlAsks }

export type ControlSubtype = keyof typeof ControlRequests

// The table has exactly these keys.
export const CONTROL_SUBTYPES = Object.keys(ControlRequests) as ReadonlyArray<ControlSubtype>

export type ControlRequestOf<Subtype extends ControlSubtype> = (typeof ControlRequests)[Subtype]["Type"]

const requestFrame = <Request extends Schema.Top>(request: Request) =>
  open({ type: Schema.Literal("control_request"), request_id: Schema.String, request })

/** A control request with any subtype that is known here. */
export const ControlRequest = requestFrame(Schema.Union(CONTROL_SUBTYPES.map((subtype) => ControlRequests[subtype])))
export type ControlRequest = typeof ControlRequest.Type

/** Open requests to the client, which are sent again, whole, with the answer to its `initialize`. */
const pending = {
  pending_permission_requests: opt(Schema.Array(ControlRequest)),
  pending_user_dialog_requests: opt(Schema.Array(ControlRequest)),
  pending_elicitation_requests: opt(Schema.Array(ControlRequest)),
}

/** The answer to a control request. `error_code` is what the SDK's clients show as `errorCode`. */
export const ControlResponse = open({
  type: Schema.Literal("control_response"),
  response: Schema.Union([
    open({
      subtype: Schema.Literal("success"),
      request_id: Schema.String,
      response: opt(AnyRecord),
      ...pending,
    }),
    open({
      subtype: Schema.Literal("error"),
      request_id: Schema.String,
      error: Schema.String,
      error_code: opt(Schema.String),
      ...pending,
    }),
  ]),
})
export type ControlResponse = typeof ControlResponse.Type

/** Withdraws a request; it is not answered. */
export const ControlCancelRequest = open({
  type: Schema.Literal("control_cancel_request"),
  request_id: Schema.String,
})
export type ControlCancelRequest = typeof ControlCancelRequest.Type

/** The first line of a client that cannot send headers. */
export const AuthFrame = open({
  type: Schema.Literal("auth"),
  credential: open({ type: Schema.Literal("oauth"), token: Schema.String }),
})
export type AuthFrame = typeof AuthFrame.Type

/** Variables for the process of the agent. The SDK's process accepts this frame, but its types do not have it. */
export const UpdateEnvironmentVariables = open({
  type: Schema.Literal("update_environment_variables"),
  variables: Schema.Record(Schema.String, Schema.String),
})
export type UpdateEnvironmentVariables = typeof UpdateEnvironmentVariables.Type

export type ControlFrame =
  | ControlRequest
  | ControlResponse
  | ControlCancelRequest
  | SDKKeepAliveMessage
  | AuthFrame
  | UpdateEnvironmentVariables

/** A decoded frame with the name of its member (`control_request/interrupt`, `keep_alive`), or an unknown frame without one. */
export type DecodedControlFrame =
  | { readonly member: string; readonly frame: ControlFrame }
  | { readonly member: undefined; readonly frame: unknown }

/** The schema of each member; `hook_callback` has one per event, `control_request/hook_callback/PreToolUse`. */
export const ControlFrames: ReadonlyMap<string, Schema.Codec<ControlFrame>> = new Map<
  string,
  Schema.Codec<ControlFrame>
>([
  ...CONTROL_SUBTYPES.filter((subtype) => subtype !== "hook_callback").map(
    (subtype) => [`control_request/${subtype}`, requestFrame(ControlRequests[subtype])] as const,
  ),
  ...HOOK_EVENTS.map(
    (event) => [`control_request/hook_callback/${event}`, requestFrame(hookCallbackOf(event))] as const,
  ),
  ["control_response", ControlResponse],
  ["control_cancel_request", ControlCancelRequest],
  ["keep_alive", SDKKeepAliveMessage],
  ["auth", AuthFrame],
  ["update_environment_variables", UpdateEnvironmentVariables],
])

// The fields that even an unknown frame must have, so that it can be answered or passed on.
const UnknownFrame = open({ type: Schema.String })
const UnknownRequest = requestFrame(open({ subtype: Schema.String }))
const UnknownHook = requestFrame(open({ input: open({ hook_event_name: Schema.String }) }))

/** Decodes a frame of the control protocol. SDK messages are unknown frames here, and so pass through. */
export const decodeControlFrame = (frame: unknown): Result.Result<DecodedControlFrame, ShapeError> => {
  const type = fieldOf(frame, "type")
  const request = fieldOf(frame, "request")
  const subtype = type === "control_request" ? fieldOf(request, "subtype") : undefined
  const event = subtype === "hook_callback" ? hookEventOf(fieldOf(request, "input")) : undefined
  const steps = [type, subtype, event].filter((step) => step !== undefined)
  // Only strings can name a member; other values are not converted to strings, since that could throw.
  const member = steps.every((step) => typeof step === "string") ? steps.join("/") : ""
  const codec = ControlFrames.get(member)
  // A type or subtype that itself contains a slash names no member.
  if (codec !== undefined && member.split("/").length === steps.length) {
    return Result.map(decoderOf(member, codec)(frame), (decoded) => ({ member, frame: decoded }))
  }
  const least: Schema.Codec<unknown> =
    subtype === "hook_callback" ? UnknownHook : type === "control_request" ? UnknownRequest : UnknownFrame
  return Result.map(decoderOf("frame", least)(frame), () => ({ member: undefined, frame }))
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

/** Decodes `response.response` by the subtype of the request it answers; an answer without a type of its own passes through. */
export const decodeControlAnswer = (subtype: string, answer: unknown): Result.Result<unknown, ShapeError> => {
  const codec: Schema.Codec<unknown> | undefined = Object.hasOwn(ControlAnswers, subtype)
    ? Reflect.get(ControlAnswers, subtype)
    : undefined
  return codec === undefined ? Result.succeed(answer) : decoderOf(subtype, codec)(answer)
}
