// The one log of a session: what an event is, which names it may have, and what is never stored.
// Invariant: the name of an event decides the type of its payload, see `EventPayloads`. A name that is not in that map does
// not compile, and code that has compared the name knows the payload.
import type { EventName, PayloadOf } from "./event-payloads.ts"

/** Where an event is in the log. `at` is milliseconds since 1970; `turn` is the uuid of the prompt that it belongs to. */
export interface EventPlace {
  readonly seq: number
  readonly uuid: string
  readonly turn: string | null
  readonly parent_tool_use_id: string | null
  readonly at: number
}

interface Placed<N extends EventName> extends EventPlace {
  readonly name: N
  readonly payload: PayloadOf<N>
}

/** One event of the log: of the name `N`, or of any. */
export type LogEvent<N extends EventName = EventName> = N extends EventName ? Placed<N> : never

/** An event that is to be written as it is, at the next place of the log. */
export type UnplacedEvent<N extends EventName = EventName> = N extends EventName ? Omit<Placed<N>, "seq"> : never

interface Unwritten<N extends EventName> {
  readonly name: N
  readonly payload: PayloadOf<N>
  readonly uuid?: string
  readonly turn?: string | null
  readonly parent_tool_use_id?: string | null
  /** Emitted to clients right after this event, and never stored. */
  readonly after?: ReadonlyArray<EphemeralEvent>
}

/** An event before it has its place in the log. `uuid` is made by the log unless the payload needs to know it. */
export type NewEvent<N extends EventName = EventName> = N extends EventName ? Unwritten<N> : never

interface Ephemeral<N extends EventName> {
  readonly name: N
  readonly turn: string | null
  readonly payload: PayloadOf<N>
}

/** What is emitted to clients and never stored: no row, no id. */
export type EphemeralEvent<N extends EventName = EventName> = N extends EventName ? Ephemeral<N> : never

/** The event name of an SDKMessage: `sdk:<type>[/<subtype>]`. */
export const sdkEventName = (message: { readonly type: string; readonly subtype?: unknown }): string =>
  typeof message.subtype === "string" ? `sdk:${message.type}/${message.subtype}` : `sdk:${message.type}`

/** An event whose payload is kept as JSON in another field: of a name that the log holds. */
export interface EventHead extends EventPlace {
  readonly name: string
}

/** The names of a turn's result. */
export type ResultName = Extract<EventName, `sdk:result/${string}`>

/** True for the event that ends a turn that ran. */
export const isTurnResult = <E extends { readonly name: EventName }>(
  event: E,
): event is Extract<E, { readonly name: ResultName }> => event.name.startsWith("sdk:result/")

/** Perch's own facts in the log. */
export const EventNames = {
  turnQueued: "turn:queued",
  turnNudged: "turn:nudged",
  turnJoined: "turn:joined",
  turnCancelled: "turn:cancelled",
  turnImported: "turn:imported",
  laneWaiting: "lane:waiting",
  laneEntered: "lane:entered",
  callFinished: "call:finished",
  commandInvoked: "command:invoked",
  commandRan: "command:ran",
  commandExpanded: "command:expanded",
  commandAnswered: "command:answered",
  hookFired: "hook:fired",
  askOpened: "ask:opened",
  askSettled: "ask:settled",
  toolCalled: "tool:called",
  toolRan: "tool:ran",
  toolSkipped: "tool:skipped",
  taskChanged: "task:changed",
  cwdChanged: "cwd:changed",
  instructionsLoaded: "instructions:loaded",
  agentStarted: "agent:started",
  agentEnded: "agent:ended",
  agentMoved: "agent:moved",
  agentMessaged: "agent:messaged",
  agentDelivered: "agent:delivered",
  messageWithheld: "message:withheld",
  skillsListed: "skills:listed",
  filesMentioned: "files:mentioned",
  promptMentioned: "prompt:mentioned",
  projectNoticed: "project:noticed",
  settingsTaken: "settings:taken",
  sessionCreated: "session:created",
  sessionChanged: "session:changed",
  sessionForked: "session:forked",
  headMoved: "head:moved",
  conversationRestarted: "conversation:restarted",
  definitionsLoaded: "definitions:loaded",
  routeDecided: "route:decided",
  routeFellBack: "route:fell_back",
  bridgeCalled: "bridge:called",
  progressChanged: "progress:changed",
  snapshotTaken: "snapshot:taken",
  sandboxViolated: "sandbox:violated",
  toolPrinted: "tool:printed",
  turnPatched: "turn:patched",
  runStarted: "run:started",
  runPaused: "run:paused",
  runResumed: "run:resumed",
  runTimedOut: "run:timed_out",
} as const satisfies Readonly<Record<string, EventName>>
