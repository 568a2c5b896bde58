// Receives the signals of a recorded session and of the session that played it; returns the first difference between them.
// Invariant: ids, times, durations and clients make no difference, and neither does the interleaving of concurrent calls and
// agents: each of them is compared in its own order.
import { isPlainObject } from "../schemas/plain-object.ts"
import type { Signal } from "../schemas/signal.ts"
import { differenceText, firstDifference } from "./missing/difference.ts"
import { normalised } from "./normalised.ts"
import { isList, type Json } from "./request-hash.ts"
import { withoutDigests } from "./without-digests.ts"

export interface SignalDifference {
  /** The index of the signal among those of its part of the session: the conversation, an agent, a call. */
  readonly index: number
  /** The part: `conversation`, or the id of a call, for an agent that of its Agent call; also `prompts`, `states` and others. */
  readonly part: string
  /** The names of the two signals; null on a side that has none. */
  readonly recorded: string | null
  readonly played: string | null
  /** The difference, in lines of text; at most 2 KiB. */
  readonly text: string
}

/** Fields that differ in every run of a session; they are ignored at any depth. */
const RUN_SPECIFIC_FIELDS: ReadonlySet<string> = new Set([
  "uuid",
  "session_id",
  "request_id",
  "duration_ms",
  "duration_api_ms",
  "durationMs",
  "totalDurationMs",
  "ttft_ms",
  "retry_delay_ms",
  "apiKeySource",
  "actor",
  "client",
  "expires_at",
  "started_at",
  "startedAt",
  "startTime",
  "endTime",
  "at",
  "mtime",
  "timestamp",
  "transcript_path",
  "output_file",
  "outputFile",
  "definitions",
  "runtime",
  "queued_turn_count",
  "result_index",
  "to_seq",
  "messageID",
  "partID",
  "run",
])

/**
 * Signals that are not compared: changes that a replay itself makes, notices whose time is arbitrary (waiting, background
 * tasks), forks, and events of runs, of which a replay repeats only the prompts.
 */
const IGNORED_SIGNALS: ReadonlySet<string> = new Set([
  "lane:waiting",
  "lane:entered",
  "session:changed",
  "session:forked",
  "run:started",
  "run:paused",
  "run:resumed",
  "run:timed_out",
  "sdk:system:background_tasks_changed",
])

/** True for the SessionStart of a resumed or forked session: its replay is one session, which starts once. */
const isResumption = ({ name, payload }: Signal): boolean =>
  name === "hook:fired" &&
  isPlainObject(payload) &&
  payload["hook_event_name"] === "SessionStart" &&
  isPlainObject(payload["input"]) &&
  ["resume", "fork"].includes(String(payload["input"]["source"]))

/** The durations in the answer to `/cost`. */
const COST_TIMES = /Time: [\d.]+ s in turns, [\d.]+ s of it/g

/** The signals in the form in which they are compared, by the part of the session that they belong to. */
const comparable = (all: ReadonlyArray<Signal>): ReadonlyMap<string, ReadonlyArray<Json>> => {
  const parts = new Map<string, Array<Json>>()
  const signals = all.filter((one) => !IGNORED_SIGNALS.has(one.name) && !isBetweenTurns(one) && !isResumption(one))
  const ids = idsOf(signals)
  const asks = asksOf(signals)
  for (const signal of signals) {
    const part = partOf(signal, asks, ids)
    const own = parts.get(part) ?? []
    const text = JSON.stringify(withoutOwn(withoutDigests(signal), ids)).replace(COST_TIMES, "Time: ")
    // The text was JSON, and `normalised` keeps it JSON.
    const payload = JSON.parse(normalised(text, "same")) as Json
    own.push({ name: signal.name, payload })
    parts.set(part, own)
  }
  return parts
}

/**
 * Null when the two sessions do not differ. A recording that is not `finalized` was taken while a turn ran or waited for an
 * answer: what the replay does beyond its end is no difference.
 */
export const firstSignalDifference = (
  recorded: ReadonlyArray<Signal>,
  played: ReadonlyArray<Signal>,
  finalized = true,
): SignalDifference | null => {
  const left = comparable(finalized ? recorded : withoutReminders(recorded))
  const right = comparable(played)
  for (const part of new Set([...left.keys(), ...right.keys()])) {
    const [before, now] = [left.get(part) ?? [], right.get(part) ?? []]
    const compared = finalized ? Math.max(before.length, now.length) : before.length
    for (let index = 0; index < compared; index += 1) {
      const found = firstDifference(before[index], now[index])
      if (found === null) continue
      const names = { recorded: nameOf(before[index]), played: nameOf(now[index]) }
      return { index, part, ...names, text: differenceText(found).replace(/^asked: /m, "played: ") }
    }
  }
  return null
}

/** Without notifications about asks that are still open: a replay has no answer to wait for, so it sends none. */
const withoutReminders = (signals: ReadonlyArray<Signal>): ReadonlyArray<Signal> => {
  const requestOf = ({ payload }: Signal) => (isPlainObject(payload) ? payload["request_id"] : undefined)
  const settled = new Set(signals.filter(({ name }) => name === "ask:settled").map(requestOf))
  const open = signals.findIndex((one) => one.name === "ask:opened" && !settled.has(requestOf(one)))
  return open < 0 ? signals : signals.filter((one, index) => index < open || !isReminder(one))
}

const isReminder = ({ name, payload }: Signal): boolean =>
  name === "hook:fired" &&
  isPlainObject(payload) &&
  isPlainObject(payload["input"]) &&
  payload["input"]["notification_type"] === "permission_prompt"

const nameOf = (signal: Json | undefined): string | null =>
  isPlainObject(signal) && typeof signal["name"] === "string" ? signal["name"] : null

/** Fields with ids that the session generated, such as those of agents and tasks: the ids are replaced by numbers. */
const MADE_UP = ["agent_id", "agentId", "task_id", "taskId", "run_id", "runId", "prompt_id"]

const idsOf = (signals: ReadonlyArray<Signal>): ReadonlyMap<string, string> => {
  const ids = new Map<string, string>()
  const look = (value: Json): void => {
    if (typeof value !== "object" || value === null) return
    if (isList(value)) return value.forEach(look)
    for (const [key, item] of Object.entries(value)) {
      if (MADE_UP.includes(key) && typeof item === "string" && item !== "" && !ids.has(item))
        ids.set(item, `{${key.replace(/_?[iI]d$/, "")} ${ids.size + 1}}`)
      else if (!RUN_SPECIFIC_FIELDS.has(key)) look(item)
    }
  }
  let calls = 0
  for (const { name, payload } of signals) {
    look(payload)
    const call = name === "tool:called" ? callOf(payload) : undefined
    if (call !== undefined) ids.set(call, `{call of a client ${(calls += 1)}}`)
  }
  return ids
}

const withoutOwn = (value: Json, ids: ReadonlyMap<string, string>): Json => {
  if (typeof value === "string") return ids.get(value) ?? value
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map((item) => withoutOwn(item, ids))
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      RUN_SPECIFIC_FIELDS.has(key) ? [] : [[key, withoutOwn(item, ids)]],
    ),
  )
}

/**
 * Signals that are not ordered with the conversation, because a call sends them while it waits or changes something, possibly
 * while the model's answer still streams. Names of hook events and of events.
 */
const UNORDERED_SIGNALS: ReadonlySet<unknown> = new Set([
  "PermissionRequest",
  "Notification",
  "PermissionDenied",
  "TaskCreated",
  "TaskCompleted",
  "InstructionsLoaded",
  "instructions:loaded",
  "task:changed",
  "cwd:changed",
  "sdk:user",
  "call:finished",
])

/** True for a change of state between turns: there is none when the next prompt is already queued. */
const isBetweenTurns = ({ name, payload }: Signal): boolean =>
  name === "sdk:system:session_state_changed" && isPlainObject(payload) && payload["state"] !== "requires_action"

/** The part of a signal: signals of a call or an agent interleave with those of others. `asks` has the calls of the asks. */
const partOf = (
  { name, payload, source }: Signal,
  asks: ReadonlyMap<unknown, string>,
  ids: ReadonlyMap<string, string>,
): string => {
  const thread = source?.agent ?? "conversation"
  if (name === "sdk:system:session_state_changed") return "states"
  if (name === "turn:queued") return "prompts"
  const call = name === "ask:settled" && isPlainObject(payload) ? asks.get(payload["request_id"]) : callOf(payload)
  if (call !== undefined) return ids.get(call) ?? call
  // Background tasks report at arbitrary times.
  if (isPlainObject(payload) && typeof payload["task_id"] === "string") {
    return `${thread} ${ids.get(payload["task_id"]) ?? ""}`
  }
  const event = name === "hook:fired" && isPlainObject(payload) ? payload["hook_event_name"] : name
  return UNORDERED_SIGNALS.has(event) ? `${thread} ${String(event)}` : thread
}

const asksOf = (signals: ReadonlyArray<Signal>): ReadonlyMap<unknown, string> =>
  new Map(
    signals.flatMap(({ name, payload }) => {
      const call = name === "ask:opened" ? callOf(payload) : undefined
      return call === undefined || !isPlainObject(payload) ? [] : [[payload["request_id"], call] as const]
    }),
  )

const callOf = (payload: Json): string | undefined => {
  if (!isPlainObject(payload)) return undefined
  const { tool_use_id: id, input, message } = payload
  if (typeof id === "string" && id !== "") return id
  if (isPlainObject(input) && typeof input["tool_use_id"] === "string") return input["tool_use_id"]
  const content = isPlainObject(message) && Array.isArray(message["content"]) ? message["content"] : []
  const result: unknown = content.find((block) => isPlainObject(block) && block["type"] === "tool_result")
  return isPlainObject(result) && typeof result["tool_use_id"] === "string" ? result["tool_use_id"] : undefined
}
