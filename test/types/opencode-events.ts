// Compile-time only: the event types of the unmodified `@opencode-ai/sdk` (v2) accept every frame of format=parts, but for what
// opencode has no type of: see docs/decisions/api/opencode-parts.md.
import type { Event, Part as OpencodePart } from "@opencode-ai/sdk/v2"
import type { Part } from "../../src/schemas/parts.ts"
import type { BusFrame } from "../../src/views/bus/bus-event.ts"

/** The same value as a client has it behind `JSON.parse`: nothing in it is readonly. */
type Parsed<A> = A extends object ? { -readonly [K in keyof A]: Parsed<A[K]> } : A

/** Frames that opencode's union of events does not have. */
type Unknown = "server.heartbeat" | `${"plan" | "client_tool" | "elicitation"}.${"asked" | "replied" | "rejected"}`

type Known = Exclude<BusFrame, { type: Unknown }>
type PartFrame = Extract<Known, { type: "message.part.updated" }>

/** A part whose type opencode does not have. */
type KnownPart = Exclude<Part, { type: "redacted-reasoning" }>

type OpencodeEvent<Type extends string> = Extract<Event, { type: Type }>

/** A frame as it would be if it had this type alone. */
type FrameOf<F extends BusFrame, Type> = F extends unknown
  ? Type extends F["type"]
    ? Parsed<Omit<F, "type"> & { type: Type }>
    : never
  : never

/** The frames that opencode's type of the same name does not accept. */
type Refused<F extends BusFrame> = {
  [Type in F["type"]]: FrameOf<F, Type> extends OpencodeEvent<Type> ? never : Type
}[F["type"]]

type None<A extends never> = A

export type Frames = None<Refused<Exclude<Known, PartFrame>>>

/** The parts that `message.part.updated` carries, and the frame around them. */
export type Parts = None<Parsed<KnownPart> extends OpencodePart ? never : KnownPart>
export type PartUpdated = None<
  Parsed<
    Omit<PartFrame["properties"], "part"> & { part: KnownPart }
  > extends OpencodeEvent<"message.part.updated">["properties"]
    ? never
    : PartFrame
>

// What opencode gains a type of is to be taken off the lists above.
export type StillUnknown = None<
  Extract<Event, { type: Unknown }> | Extract<OpencodePart, { type: "redacted-reasoning" }>
>
