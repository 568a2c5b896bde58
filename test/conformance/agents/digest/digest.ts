// Reduces a run to a digest: facts without prose, ids, times and paths, in five aspects. Finds the differences of two digests.
import { hooksOf, permissionsOf } from "./callbacks.ts"
import { MESSAGE_KEYS, MODEL_USAGE, USAGE } from "./keys.ts"
import { messagesOf } from "./messages.ts"
import {
  type Fields,
  fieldsOf,
  listOf,
  pick,
  presentKeys,
  type RawMessage,
  Reader,
  type Recording,
  type StepRecording,
  withoutEmpty,
} from "./recording.ts"
import { requestsOf } from "./requests.ts"

export const ASPECTS = ["messages", "hooks", "permissions", "requests", "result"] as const

type Aspect = (typeof ASPECTS)[number]

export type Digest = Readonly<Record<Aspect, ReadonlyArray<Fields>>>

/** In every aspect, a `step` entry separates each step from the previous one. */
export const digestOf = (recording: Recording): Digest => {
  const reader = new Reader(recording)
  const aspect = (read: (reader: Reader, step: StepRecording) => ReadonlyArray<Fields>): ReadonlyArray<Fields> =>
    recording.steps.flatMap((step, index) => [...(index > 0 ? [{ step: index + 1 }] : []), ...read(reader, step)])
  return {
    messages: aspect(messagesOf),
    hooks: aspect(hooksOf),
    permissions: aspect(permissionsOf),
    requests: aspect(requestsOf),
    result: aspect(resultsOf),
  }
}

const resultsOf = (reader: Reader, step: StepRecording): ReadonlyArray<Fields> => {
  let estimated = false
  const results = step.timeline.flatMap((event) => {
    if (event.kind !== "message" || event.message.type !== "result") return []
    // The cost of a broken answer is estimated, and so are the later sums.
    estimated ||= String(event.message["terminal_reason"]).startsWith("aborted")
    const { total_cost_usd: _cost, usage: _usage, model_usage: _models, ...facts } = resultFact(reader, event.message)
    return [estimated ? facts : resultFact(reader, event.message)]
  })
  return [...results, { ends: step.ends }]
}

const resultFact = (reader: Reader, message: RawMessage): Fields => {
  const models = Object.entries(fieldsOf(message["modelUsage"])).map(([model, usage]) => {
    const numbers = pick(fieldsOf(usage), MODEL_USAGE)
    return [model, { ...numbers, costUSD: rounded(numbers["costUSD"]) }]
  })
  const denials = listOf(message["permission_denials"])
  return withoutEmpty({
    ...pick(message, ["subtype", "is_error", "num_turns", "terminal_reason", "stop_reason", "structured_output"]),
    result: message["result"] === undefined ? undefined : reader.texts.show(message["result"]),
    errors: Array.isArray(message["errors"]) ? message["errors"].length : undefined,
    denials: denials.map((denial) => `${reader.label(denial["tool_use_id"])} ${String(denial["tool_name"])}`),
    origin: fieldsOf(message["origin"])["kind"],
    total_cost_usd: rounded(message["total_cost_usd"]),
    usage: pick(fieldsOf(message["usage"]), USAGE),
    model_usage: Object.fromEntries(models),
    keys: presentKeys(message, MESSAGE_KEYS["result"] ?? []),
  })
}

const rounded = (value: unknown): unknown => (typeof value === "number" ? Math.round(value * 1e9) / 1e9 : value)

/** The differences of two digests: `aspect[index]`, one line per aspect, with the expected and the actual fact. */
export const differences = (expected: Digest, got: Digest): ReadonlyArray<string> =>
  ASPECTS.flatMap((aspect) => {
    const count = Math.max(expected[aspect].length, got[aspect].length)
    for (let index = 0; index < count; index += 1) {
      const [before, after] = [expected[aspect][index], got[aspect][index]].map((fact) => JSON.stringify(fact))
      if (before !== after) return [`${aspect}[${index}]: recorded ${before ?? "nothing"}, got ${after ?? "nothing"}`]
    }
    return []
  })

/** A digest as text, with one line per fact. */
export const formatDigest = (digest: Digest): string => {
  const aspects = ASPECTS.map((aspect) => {
    const lines = digest[aspect].map((fact) => `    ${JSON.stringify(fact)}`)
    return `  ${JSON.stringify(aspect)}: [${lines.length > 0 ? `\n${lines.join(",\n")}\n  ` : ""}]`
  })
  return `{\n${aspects.join(",\n")}\n}\n`
}
