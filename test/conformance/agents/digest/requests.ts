// Receives the requests that reached the Messages API; returns the facts of each: conversation, model, cache, system prompt.
import type { ApiRequest } from "../../../support/session/api-log.ts"
import {
  blocksOf,
  type Fields,
  fieldsOf,
  isCommandEcho,
  isReminder,
  type Reader,
  type StepRecording,
  withoutEmpty,
} from "./recording.ts"

/** Keys of callback answers whose texts may reach the model. */
const CONTEXT = new Set([
  "additionalContext",
  "reason",
  "stopReason",
  "systemMessage",
  "permissionDecisionReason",
  "message",
])

export const requestsOf = (reader: Reader, step: StepRecording): ReadonlyArray<Fields> => {
  const carried = answersOf(step)
  return reader.inLanes(
    step.requests.map((request) => ({
      lane: request.script ?? "",
      fact: factOf(reader, step, request, carried),
    })),
  )
}

const factOf = (
  reader: Reader,
  step: StepRecording,
  { body, kind, script }: ApiRequest,
  carried: ReadonlyArray<string>,
): Fields => {
  const json = JSON.stringify(body.messages)
  const system = JSON.stringify(body.system ?? "")
  const fields: Fields = body
  const agent = step.prompts.some((text) => contains(system, text))
  const namesTools = agent ? step.limited.some((text) => contains(system, text)) : step.namesTools
  const conversation = body.messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => {
      const blocks = blocksOf(content).filter((block) => !isReminder(block) && !isCommandEcho(block))
      return { role, blocks: inOrder(reader, blocks).map((block) => reader.block(block)) }
    })
    .filter(({ blocks }) => blocks.length > 0)
  return withoutEmpty({
    script,
    sums_up: kind === "compact" || undefined,
    model: body.model,
    stream: fields["stream"] === true,
    messages: conversation.map(({ role, blocks }) => [role, ...blocks]),
    cache: cachePlaces(body.messages).join(" "),
    carries: carried.filter((text) => contains(json, text)).map((text) => reader.texts.show(text)),
    system: step.prompts.filter((text) => contains(system, text)).toSorted(),
    tools: namesTools ? (body.tools ?? []).map((tool) => String(tool["name"])).toSorted() : undefined,
    effort: fieldsOf(fields["output_config"])["effort"],
  })
}

/** Results arrive in the order in which calls ended, which is undefined if agents run in parallel. */
const inOrder = (reader: Reader, blocks: ReadonlyArray<Fields>): ReadonlyArray<Fields> => {
  if (!reader.lanes) return blocks
  const results = blocks.filter((block) => block["type"] === "tool_result")
  const rest = blocks.filter((block) => block["type"] !== "tool_result")
  return [...results.toSorted((a, b) => (String(a["tool_use_id"]) < String(b["tool_use_id"]) ? -1 : 1)), ...rest]
}

/** True if a text is contained in a value's JSON. */
const contains = (json: string, value: string): boolean => json.includes(JSON.stringify(value).slice(1, -1))

/** The positions of the cache breakpoints, counted from the end: "-1/-1" is the last block of the last message. */
const cachePlaces = (messages: ReadonlyArray<{ readonly content: unknown }>): ReadonlyArray<string> =>
  messages.flatMap(({ content }, index) =>
    (Array.isArray(content) ? blocksOf(content) : []).flatMap((block, position, all) =>
      block["cache_control"] === undefined ? [] : [`${index - messages.length}/${position - all.length}`],
    ),
  )

const answersOf = (step: StepRecording): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const event of step.timeline) {
    if (event.kind === "hook") collect(event.output, "", found)
    if (event.kind === "permission") collect(event.result, "", found)
  }
  return [...found].toSorted()
}

const collect = (value: unknown, key: string, found: Set<string>): void => {
  if (typeof value === "string") {
    if (CONTEXT.has(key) && value.length >= 3) found.add(value)
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(item, name, found)
  }
}
