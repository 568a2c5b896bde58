// Receives the messages that query() yielded; returns the facts of each, in order.
// Invariant: messages of calls come after the answer that made the calls, whether or not it was still streaming.
import { MESSAGE_KEYS, MESSAGE_TEXTS, MESSAGE_VALUES } from "./keys.ts"
import {
  allKeys,
  blocksOf,
  type Fields,
  fieldsOf,
  type LanedFact,
  listOf,
  pick,
  presentKeys,
  type RawMessage,
  type Reader,
  type StepRecording,
  typeOf,
  withoutEmpty,
} from "./recording.ts"

export const messagesOf = (reader: Reader, step: StepRecording): ReadonlyArray<Fields> => {
  const all = step.timeline.flatMap((event) => (event.kind === "message" ? [event.message] : []))
  const compared = joinDeltas(settle(all.filter((message) => MESSAGE_KEYS[typeOf(message)] !== undefined)))
  const facts = compared.map((message): LanedFact => ({
    lane: laneOf(reader, message),
    call: resultOf(reader, message),
    fact: factOf(reader, message),
  }))
  const notes = step.timeline.flatMap((event) =>
    event.kind === "note" ? [{ type: `note/${event.name}`, ...event.facts }] : [],
  )
  return [...reader.inLanes(facts), ...notes]
}

const settle = (messages: ReadonlyArray<RawMessage>): ReadonlyArray<RawMessage> => {
  let group = 0
  let open: unknown = null
  const ranked = messages.map((message) => {
    const main = message["parent_tool_use_id"] === null
    const event = fieldsOf(message["event"])
    const streams = main && message.type === "stream_event"
    const answers = main && message.type === "assistant"
    const id = streams ? fieldsOf(event["message"])["id"] : answers ? fieldsOf(message["message"])["id"] : undefined
    if ((streams && event["type"] === "message_start") || (answers && id !== open)) {
      group += 1
      open = id
    } else if (message.type === "result" || typeOf(message) === "system/init") {
      group += 1
      open = null
    }
    return { message, group, late: streams || answers ? 0 : 1 }
  })
  return ranked.toSorted((a, b) => a.group - b.group || a.late - b.late).map(({ message }) => message)
}

const deltaOf = (message: RawMessage | undefined): Fields | null => {
  const event = fieldsOf(message?.["event"])
  return event["type"] === "content_block_delta" ? fieldsOf(event["delta"]) : null
}

/** The API decides how a text is split into deltas, so the deltas of one block are merged. */
const joinDeltas = (messages: ReadonlyArray<RawMessage>): ReadonlyArray<RawMessage> => {
  const joined: Array<RawMessage> = []
  for (const message of messages) {
    const [before, delta] = [deltaOf(joined.at(-1)), deltaOf(message)]
    if (before === null || delta === null || before["type"] !== delta["type"]) {
      joined.push(message)
      continue
    }
    const texts = ["text", "thinking"].flatMap((key) =>
      delta[key] === undefined ? [] : [[key, `${String(before[key])}${String(delta[key])}`]],
    )
    const event = { ...fieldsOf(message["event"]), delta: { ...before, ...Object.fromEntries(texts) } }
    joined[joined.length - 1] = { ...message, event }
  }
  return joined
}

const resultOf = (reader: Reader, message: RawMessage): string | undefined =>
  message.type === "user"
    ? reader.label(blocksOf(fieldsOf(message["message"])["content"])[0]?.["tool_use_id"])
    : undefined

/** Messages of an agent belong to its call, and so do those of its task and the call's own result. */
const laneOf = (reader: Reader, message: RawMessage): string => {
  if (typeOf(message) === "system/background_tasks_changed") return "~tasks"
  if (message.type === "system" && String(message["subtype"]).startsWith("task_")) {
    return reader.callOf(message["task_id"]) ?? ""
  }
  if (message["agent_id"] !== undefined) return reader.callOf(message["agent_id"]) ?? ""
  const [block] = blocksOf(fieldsOf(message["message"])["content"])
  return reader.label(message["parent_tool_use_id"]) ?? reader.label(block?.["tool_use_id"]) ?? ""
}

const streamEvent = (reader: Reader, event: Fields): string => {
  const name = String(event["type"])
  if (name === "content_block_start") return `${name} ${String(fieldsOf(event["content_block"])["type"])}`
  if (name === "content_block_delta") {
    const { type, text, thinking } = fieldsOf(event["delta"])
    const shown = text ?? thinking
    return `${name} ${String(type)}${shown === undefined ? "" : ` ${JSON.stringify(reader.texts.show(shown))}`}`
  }
  return name === "message_delta" ? `${name} ${String(fieldsOf(event["delta"])["stop_reason"])}` : name
}

const ofType = (reader: Reader, message: RawMessage): Fields => {
  const type = typeOf(message)
  switch (type) {
    case "system/init": {
      const servers = listOf(message["mcp_servers"]).map(({ name, status }) => `${String(name)} ${String(status)}`)
      return { cwd: message["cwd"] === reader.texts.cwd ? "<cwd>" : "<other>", mcp: servers.join(" ") || undefined }
    }
    case "system/task_updated":
      return { call: reader.callOf(message["task_id"]), status: fieldsOf(message["patch"])["status"] }
    case "system/background_tasks_changed":
      return { tasks: listOf(message["tasks"]).map((task) => String(task["task_type"])) }
    case "system/compact_boundary": {
      const { trigger, preserved_segment: kept } = fieldsOf(message["compact_metadata"])
      return { trigger, keeps: kept !== undefined }
    }
    case "system/permission_denied":
      return { call: reader.label(message["tool_use_id"]), agent: reader.callOf(message["agent_id"]) }
    case "system/task_started":
    case "system/task_progress":
    case "system/task_notification":
      return { call: reader.label(message["tool_use_id"]) }
    case "stream_event":
      return { event: streamEvent(reader, fieldsOf(message["event"])) }
    case "user":
      return { result_keys: allKeys(message["tool_use_result"]) }
    case "assistant": {
      const { model, stop_reason } = fieldsOf(message["message"])
      return { model, stop_reason: stop_reason ?? undefined }
    }
    default:
      return {}
  }
}

const factOf = (reader: Reader, message: RawMessage): Fields => {
  const type = typeOf(message)
  if (type === "result") return { type: `result/${String(message["subtype"])}` }
  const keys = MESSAGE_KEYS[type] ?? []
  const { content } = fieldsOf(message["message"])
  const texts = (MESSAGE_TEXTS[type] ?? []).filter((field) => message[field] !== undefined)
  return withoutEmpty({
    type,
    parent: reader.label(message["parent_tool_use_id"]),
    blocks: content === undefined ? undefined : blocksOf(content).map((block) => reader.block(block)),
    ...ofType(reader, message),
    ...pick(message, MESSAGE_VALUES[type] ?? []),
    ...Object.fromEntries(texts.map((field) => [field, reader.texts.show(message[field])])),
    keys: presentKeys(message, keys),
  })
}
