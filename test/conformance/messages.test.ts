// Every recorded message of the official SDK, and one example of each type without a recording, decoded by name.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { decodeSdkMessage, type Member, MEMBERS } from "../../src/schemas/sdk/messages/messages.ts"
import type { ShapeError } from "../../src/schemas/sdk/shape-error.ts"
import * as guards from "../../src/schemas/sdk/messages/type-guards.ts"
import { requiredFields, type RequiredField } from "../support/values/required-fields.ts"
import { EXAMPLES, UNDECLARED } from "./message-examples.ts"

interface Frame {
  readonly type: string
  readonly subtype?: string
  readonly isReplay?: boolean
}

interface Recording {
  readonly messages: ReadonlyArray<Frame>
  readonly frames: ReadonlyArray<{ readonly from: "client" | "server"; readonly frame: Frame }>
}

const folder = join(import.meta.dirname, "fixtures/messages")
const recordings = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Recording)
const recorded = recordings.flatMap(({ messages }) => messages)

const nameOf = ({ type, subtype, isReplay }: Frame): string => {
  if (type === "system" || type === "result") return `${type}/${subtype}`
  return isReplay === true ? `${type}/replay` : type
}

const failureOf = (input: unknown): ShapeError => {
  const decoded = decodeSdkMessage(input)
  if (Result.isSuccess(decoded)) throw new Error(`decoded as ${decoded.success.member}`)
  return decoded.failure
}

const decodeAs = (member: string, input: unknown): void => {
  const { member: named, message } = Result.getOrThrow(decodeSdkMessage(input))
  expect(named).toBe(member)
  expect(message).toStrictEqual(input)
  // A table of schemas has no common type; each encodes what it decoded.
  expect(Schema.encodeUnknownSync(MEMBERS[named] as Schema.Codec<unknown>)(message)).toStrictEqual(input)
}

describe("recorded messages", () => {
  it("each decodes with the type of its name, and encodes back to the same value", () => {
    expect(recorded).toHaveLength(848)
    for (const message of recorded) decodeAs(nameOf(message), message)
  })

  it("so does each prompt that a client sent", () => {
    const sent = recordings.flatMap(({ frames }) => frames).filter(({ from }) => from === "client")
    const prompts = sent.filter(({ frame }) => frame.type === "user")
    expect(prompts).toHaveLength(102)
    for (const { frame } of prompts) decodeAs("user", frame)
  })

  it("none passes through as unknown", () => {
    const members = recorded.map((message) => Result.getOrThrow(decodeSdkMessage(message)).member)
    expect(members.filter((member) => member === "unknown")).toEqual([])
  })
})

describe("type guards", () => {
  const byGuard = {
    assistant: guards.isAssistantMessage,
    user: guards.isUserMessage,
    "user/replay": guards.isUserMessageReplay,
    stream_event: guards.isPartialAssistantMessage,
    "system/init": guards.isInitMessage,
    "system/status": guards.isStatusMessage,
    "system/compact_boundary": guards.isCompactBoundaryMessage,
    "result/success": guards.isResultSuccess,
    "result/error_max_turns": guards.isResultError,
  }
  const all = [...recorded, ...Object.values(EXAMPLES).flat()] as ReadonlyArray<Frame>

  it.each(Object.entries(byGuard))("%s is distinguished from the others", (member, guard) => {
    const type = member.startsWith("result/error") ? "result/error" : member
    const expected = all.filter((message) => {
      const name = nameOf(message)
      return name === type || (type === "result/error" && name.startsWith(type)) || name === `${type}/replay`
    })
    expect(expected.length).toBeGreaterThan(0)
    expect(all.filter(guard)).toEqual(expected)
  })

  it("results are recognized, however they ended", () => {
    expect(all.filter(guards.isResultMessage)).toEqual(
      all.filter((message) => guards.isResultSuccess(message) || guards.isResultError(message)),
    )
  })

  it("blocks are distinguished by their type", () => {
    const messages = all.filter(guards.isAssistantMessage)
    const blocks = messages.flatMap(({ message }) => message.content)
    const kinds = [guards.isTextBlock, guards.isThinkingBlock, guards.isRedactedThinkingBlock, guards.isToolUseBlock]
    expect(kinds.map((guard) => blocks.filter(guard)[0]?.type)).toEqual([
      "text",
      "thinking",
      "redacted_thinking",
      "tool_use",
    ])
    expect(blocks.filter((block) => guards.isToolResultBlock(block))).toEqual([])
  })
})

describe("other messages", () => {
  it("each type has a recording or an example, and the examples decode by name", () => {
    const seen = new Set([...recorded.map(nameOf), ...Object.keys(EXAMPLES)])
    expect(Object.keys(MEMBERS).filter((member) => !seen.has(member))).toEqual(["unknown"])
    for (const [member, examples] of Object.entries(EXAMPLES)) {
      for (const example of examples) decodeAs(member, example)
    }
  })

  it("undeclared types and subtypes pass through unchanged", () => {
    for (const message of UNDECLARED) decodeAs("unknown", message)
  })

  it("unknown fields survive at every depth", () => {
    for (const [member, examples] of Object.entries(EXAMPLES)) {
      if (member === "transcript_mirror") continue
      for (const example of examples) decodeAs(member, grown(example))
    }
  })

  it("a field called __proto__ is a field like any other", () => {
    const message: unknown = JSON.parse('{"type":"keep_alive","__proto__":{"type":"user"},"x":{"__proto__":{"y":1}}}')
    const { message: decoded } = Result.getOrThrow(decodeSdkMessage(message))
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(message))
    expect("y" in {}).toBe(false)
    const hidden: unknown = JSON.parse('{"__proto__":{"type":"keep_alive"}}')
    expect(failureOf(hidden).issues[0]?.path).toEqual(["type"])
  })

  it("a value that is not an object, or has no type, is rejected at that position", () => {
    for (const input of [null, 1, "x", [], undefined]) expect(failureOf(input).issues[0]?.path).toEqual([])
    for (const input of [{}, { type: 1 }]) expect(failureOf(input).issues[0]?.path).toEqual(["type"])
  })

  it("an error is short, however much is wrong", () => {
    const content = Array.from({ length: 2_000 }, () => ({ type: "text" }))
    const { issues, message } = failureOf({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
    })
    expect(issues[0]).toEqual({ path: ["message", "content", 0, "text"], message: "Missing key" })
    expect(message.length).toBeLessThan(2_000)
  })
})

describe("required fields", () => {
  const samples = samplesByMember()

  it.each(Object.keys(MEMBERS).filter((member) => member !== "unknown"))("of %s", (member) => {
    for (const sample of samples.get(member) ?? []) {
      for (const field of fieldsOf(member as Member, sample)) {
        // Without `isReplay`, a replayed message is an ordinary user message.
        if (member === "user/replay" && field.path[0] === "isReplay") continue
        expectRefused(sample, field, (holder, key) => delete holder[key])
        if (field.wrong === undefined) continue
        const { value } = field.wrong
        expectRefused(sample, field, (holder, key) => (holder[key] = value))
      }
    }
  })
})

/** The examples of each type, and its recordings with different sets of keys. */
function samplesByMember(): Map<string, ReadonlyArray<unknown>> {
  const samples = new Map<string, ReadonlyArray<unknown>>(Object.entries(EXAMPLES))
  const shapes = new Set<string>()
  for (const message of recorded) {
    const shape = JSON.stringify(message, (key, value: unknown) =>
      typeof value === "object" || key === "type" ? value : 0,
    )
    const member = nameOf(message)
    const sofar = samples.get(member) ?? []
    if (shapes.has(member + shape) || sofar.length >= 25) continue
    shapes.add(member + shape)
    samples.set(member, [...sofar, message])
  }
  return samples
}

function fieldsOf(member: Member, sample: unknown): ReadonlyArray<RequiredField> {
  const fields = requiredFields(MEMBERS[member].ast, sample)
  expect(fields.map(({ path }) => path[0])).toContain("type")
  return fields
}

/** Changes a copy of the sample at the field's position, and expects the error to name that position. */
function expectRefused(
  sample: unknown,
  { path, decidesVariant }: RequiredField,
  change: (holder: Record<string, unknown>, key: string) => void,
): void {
  const copy: unknown = JSON.parse(JSON.stringify(sample))
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => Reflect.get(value as object, key), copy)
  change(holder as Record<string, unknown>, String(path.at(-1)))
  // An object of unknown type is rejected as a whole.
  const expected = decidesVariant ? path.slice(0, -1) : path
  expect(
    failureOf(copy).issues.map((issue) => issue.path),
    `${nameOf(sample as Frame)} at ${path.join(".")}`,
  ).toContainEqual(expected)
}

/** The same value with an additional field in every object. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, keepsItsKeys(key) ? item : grown(item)] as const)
  return { ...Object.fromEntries(entries), field_of_tomorrow: { deep: [1, null] } }
}

/** Maps whose keys are names: an additional entry would be another model. */
function keepsItsKeys(key: string): boolean {
  return key === "modelUsage" || key === "model_usage"
}
