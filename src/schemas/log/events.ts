// The log of a session: the types of its events, their names, and the events that are never stored.
// Invariant: the name of an event decides the type of its payload, see `EventPayloads`. A name that is not in that map does
// not compile, and code that has compared the name knows the type of the payload.
import type { EventName, PayloadOf } from "./event-payloads.ts"

/** The position of an event in the log. `at` is milliseconds since 1970; `turn` is the uuid of the prompt that it belongs to. */
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

/** An event of the log with the name `N`, or with any name. */
export type LogEvent<N extends EventName = EventName> = N extends EventName ? Placed<N> : never

/** An event that is to be appended unchanged, with the next seq. */
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

/** An event before it is appended to the log. The log generates the `uuid`, unless the payload needs to contain it. */
export type NewEvent<N extends EventName = EventName> = N extends EventName ? Unwritten<N> : never

interface Ephemeral<N extends EventName> {
  readonly name: N
  readonly turn: string | null
  readonly payload: PayloadOf<N>
}

/** An event that is emitted to clients and never stored: it has no row and no id. */
export type EphemeralEvent<N extends EventName = EventName> = N extends EventName ? Ephemeral<N> : never

/** The event name of an SDKMessage: `sdk:<type>[/<subtype>]`. */
export const sdkEventName = (message: { readonly type: string; readonly subtype?: unknown }): string =>
  typeof message.subtype === "string" ? `sdk:${message.type}/${message.subtype}` : `sdk:${message.type}`

/** An event without its payload, which is kept as JSON elsewhere. The name is any that the log contains. */
export interface EventHead extends EventPlace {
  readonly name: string
}

/** The names of a turn's result. */
export type ResultName = Extract<EventName, `sdk:result/${string}`>

/** True for the event that ends a turn that ran. */
export const isTurnResult = <E extends { readonly name: EventName }>(
  event: E,
): event is Extract<E, { readonly name: ResultName }> => event.name.startsWith("sdk:result/")

/** The names of the log's events that are Perch's own facts. */
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
  conversationReminded: "conversation:reminded",
  planReminded: "plan:reminded",
  definitionsLoaded: "definitions:loaded",
  routeDecided: "route:decided",
  routeFellBack: "route:fell_back",
  bridgeCalled: "bridge:called",
  progressChanged: "progress:changed",
  snapshotTaken: "snapshot:taken",
  sandboxViolated: "sandbox:violated",
  toolPrinted: "tool:printed",
  fileChanged: "file:changed",
  turnPatched: "turn:patched",
  runStarted: "run:started",
  runPaused: "run:paused",
  runResumed: "run:resumed",
  runTimedOut: "run:timed_out",
} as const satisfies Readonly<Record<string, EventName>>
