// Every recorded frame of the control protocol, and one example of each member, decoded by name.
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { ControlAnswers, ModelInfo } from "../../src/schemas/sdk/control/control-responses.ts"
import {
  CONTROL_SUBTYPES,
  ControlFrames,
  decodeControlAnswer,
  decodeControlFrame,
} from "../../src/schemas/sdk/control/control.ts"
import { kept } from "../../src/schemas/sdk/open.ts"
import { decodeSdkMessage } from "../../src/schemas/sdk/messages/messages.ts"
import { CanUseToolCall, decodeCanUseToolCall } from "../../src/schemas/sdk/control/can-use-tool.ts"
import { requiredFields } from "../support/values/required-fields.ts"
import { ANSWERS, PERMISSION_RESULTS } from "./answer-examples.ts"
import { AUTH, OTHER_FRAMES, REQUESTS, RESPONSES } from "./control-examples.ts"
import { expectRefusals, type Frame, grown, scenarios } from "./recorded.ts"

const frames = scenarios.flatMap(({ frames }) => frames.map(({ frame }) => frame))
const isControl = ({ type }: Frame): boolean => type.startsWith("control_")

const memberOf = (frame: Frame): string => {
  const steps = [frame.type, frame.request?.subtype, frame.request?.input?.hook_event_name]
  return (frame.request?.subtype === "hook_callback" ? steps : steps.slice(0, 2)).filter(Boolean).join("/")
}

const decodeAs = (member: string, frame: unknown): void => {
  const decoded = Result.getOrThrow(decodeControlFrame(frame))
  expect(decoded.member).toBe(member)
  expect(decoded.frame).toStrictEqual(frame)
  expect(Schema.encodeUnknownSync(ControlFrames.get(member)!)(decoded.frame)).toStrictEqual(frame)
}

const answerCodec = (subtype: string): Schema.Codec<unknown> => Reflect.get(ControlAnswers, subtype)

const decodeAnswer = (subtype: string, answer: unknown): void => {
  const decoded = Result.getOrThrow(decodeControlAnswer(subtype, answer))
  expect(decoded).toStrictEqual(answer)
  expect(Schema.encodeUnknownSync(answerCodec(subtype))(decoded)).toStrictEqual(answer)
}

const frameFailure = (frame: unknown) => Result.getOrThrow(Result.flip(decodeControlFrame(frame)))
const callFailure = (call: unknown) => Result.getOrThrow(Result.flip(decodeCanUseToolCall(call)))

const examples: ReadonlyArray<Frame> = [
  ...REQUESTS.map((request) => ({ type: "control_request", request_id: "r1", request })),
  ...RESPONSES,
  AUTH,
  ...OTHER_FRAMES,
]

/** Recorded answers with the subtype of their request. */
const answers = scenarios.flatMap(({ frames }) => {
  const requests = frames.filter(({ frame }) => frame.type === "control_request")
  const subtypes = new Map(requests.map(({ frame }) => [frame.request_id, frame.request?.subtype]))
  return frames.flatMap(({ frame: { response } }) =>
    response?.subtype === "success"
      ? [{ subtype: subtypes.get(response.request_id) ?? "", answer: response.response }]
      : [],
  )
})

describe("recorded frames", () => {
  it("each control frame decodes by its type and subtype, and encodes back to the same value", () => {
    expect(frames).toHaveLength(1431)
    const control = frames.filter(isControl)
    expect(control).toHaveLength(1329)
    for (const frame of control) decodeAs(memberOf(frame), frame)
  })

  it("only SDK messages pass through, and those decode as messages", () => {
    const passed = frames.filter((frame) => Result.getOrThrow(decodeControlFrame(frame)).member === undefined)
    expect(passed).toEqual(frames.filter((frame) => !isControl(frame)))
    expect(passed).toHaveLength(102)
    for (const frame of passed) expect(Result.getOrThrow(decodeSdkMessage(frame)).member).toBe("user")
  })

  it("each typed answer decodes by the request that it answers", () => {
    const count: Record<string, number> = {}
    for (const { subtype, answer } of answers) {
      count[subtype] = (count[subtype] ?? 0) + 1
      if (subtype === "initialize") continue
      // An interrupt of an idle session has an empty answer.
      if (answer !== undefined) decodeAnswer(subtype, answer)
    }
    expect(count).toEqual({ hook_callback: 537, initialize: 92, can_use_tool: 28, interrupt: 3, mcp_message: 1 })
  })

  // The recordings shorten four lists of the answer to `initialize`: `commands` and `agents` to names,
  // `available_output_styles` to its length, each entry of `models` to two of its fields and the names of all of them.
  it("the answers to initialize decode, except for the four lists that the recordings shorten", () => {
    const ABRIDGED = { commands: [], agents: [], available_output_styles: [], models: [] }
    const required = requiredFields(ModelInfo.ast, { value: "v", displayName: "d", description: "d" })
    for (const { answer } of answers.filter(({ subtype }) => subtype === "initialize")) {
      const recorded = answer as { readonly models: ReadonlyArray<{ readonly keys: ReadonlyArray<string> }> }
      decodeAnswer("initialize", { ...recorded, ...ABRIDGED })
      for (const { keys } of recorded.models) {
        expect(keys).toEqual(expect.arrayContaining(required.map(({ path }) => path[0])))
      }
    }
  })
})

describe("recorded calls of canUseTool", () => {
  const calls = scenarios.flatMap(({ canUseTool }) => canUseTool)

  it("each decodes with its answer, and encodes back to the same value", () => {
    expect(calls).toHaveLength(28)
    for (const call of calls) {
      const decoded = Result.getOrThrow(decodeCanUseToolCall(call))
      expect(decoded).toStrictEqual(call)
      expect(Schema.encodeUnknownSync(kept(CanUseToolCall))(decoded)).toStrictEqual(call)
    }
  })

  it("each required field is enforced, at every depth", () => {
    const example = {
      toolName: "Bash",
      input: {},
      options: {
        suggestions: [],
        mcpServer: { name: "n", source: "s" },
        toolUseID: "t",
        requestId: "r",
        matchedAskRule: { source: "s", toolName: "Bash", ruleContent: "ls" },
      },
    }
    const made = PERMISSION_RESULTS.map((result) => ({ ...example, result }))
    for (const call of [...calls, ...made, { ...example, result: null }]) {
      for (const field of requiredFields(CanUseToolCall.ast, call)) expectRefusals(call, field, callFailure)
    }
    const odd = grown(made[0])
    expect(Result.getOrThrow(decodeCanUseToolCall(odd))).toStrictEqual(odd)
  })
})

describe("other frames", () => {
  it("there is an example for each of the 44 subtypes and each frame, and it decodes by name", () => {
    expect(CONTROL_SUBTYPES).toHaveLength(44)
    expect([...new Set(REQUESTS.map(({ subtype }) => subtype))].sort()).toEqual([...CONTROL_SUBTYPES].sort())
    expect(new Set(examples.map(memberOf))).toEqual(new Set(ControlFrames.keys()))
    for (const frame of examples) decodeAs(memberOf(frame), frame)
  })

  it("there is an example for each typed answer, and it decodes", () => {
    expect(Object.keys(ANSWERS).sort()).toEqual(Object.keys(ControlAnswers).sort())
    for (const [subtype, some] of Object.entries(ANSWERS)) for (const answer of some) decodeAnswer(subtype, answer)
    expect(Result.getOrThrow(decodeControlAnswer("set_color", 5))).toBe(5)
  })

  it("unknown fields survive at every depth", () => {
    for (const frame of examples.filter(({ request }) => !HOLDS_MAPS.has(request?.subtype ?? ""))) {
      if (frame.type !== "update_environment_variables") decodeAs(memberOf(frame), grown(frame))
    }
  })

  it("unknown types, subtypes and hook events pass through unchanged, so that they can be answered", () => {
    const hook = { subtype: "hook_callback", callback_id: "h", input: { hook_event_name: "MoonRise" } }
    const unknown = [
      { type: "moon_rise", any: 1 },
      { type: "control_request", request_id: "r", request: { subtype: "set_moon", phase: 1 } },
      { type: "control_request", request_id: "r", request: { subtype: "constructor" } },
      { type: "control_request", request_id: "r", request: hook },
      { type: "control_request/interrupt" },
    ]
    for (const frame of unknown) {
      expect(Result.getOrThrow(decodeControlFrame(frame))).toEqual({ member: undefined, frame })
    }
  })

  it("a frame that can't be answered or passed on is rejected at its position", () => {
    for (const value of [null, 1, "x", [], undefined, {}]) frameFailure(value)
    frameFailure({ type: "control_request", request: { subtype: "set_moon" } })
    frameFailure({ type: "control_request", request_id: "r", request: null })
  })

  it("a rejection names the frame, and the position of the error", () => {
    const frame = { type: "control_request", request_id: "r", request: { subtype: "set_model", model: 5 } }
    const { member, issues, message } = frameFailure(frame)
    expect(member).toBe("control_request/set_model")
    expect(issues.map(({ path }) => path)).toEqual([["request", "model"]])
    expect(message).toMatch(/^control_request\/set_model\.request\.model: Expected/)
  })
})

/** The id of a JSON-RPC request, or of an error. It is optional: a message without one is a notification. */
const namesRpcRequest = (frame: Frame, path: ReadonlyArray<string | number>): boolean =>
  path.join(".") === "request.message.id" && !Object.hasOwn(Reflect.get(frame.request!, "message") as object, "result")

/** Requests with maps whose keys are names: an additional entry would be another server, agent or alias. */
const HOLDS_MAPS = new Set(["initialize", "mcp_set_servers"])

describe("required fields", () => {
  it.each([...ControlFrames.keys()])("of %s", (member) => {
    const ast = ControlFrames.get(member)!.ast
    const samples = [...frames.filter(isControl), ...examples].filter((frame) => memberOf(frame) === member)
    const distinct = new Map(samples.map((frame) => [JSON.stringify(frame.request ?? frame).length, frame]))
    let refusals = 0
    for (const sample of [...distinct.values()].slice(-25)) {
      for (const field of requiredFields(ast, sample)) {
        if (!namesRpcRequest(sample, field.path)) refusals += expectRefusals(sample, field, frameFailure)
      }
    }
    expect(refusals).toBeGreaterThanOrEqual(2)
  })

  it.each(Object.keys(ANSWERS))("of the answer to %s", (subtype) => {
    const failureOf = (answer: unknown) => Result.getOrThrow(Result.flip(decodeControlAnswer(subtype, answer)))
    for (const answer of ANSWERS[subtype] ?? []) {
      for (const field of requiredFields(answerCodec(subtype).ast, answer)) {
        // Without `async`, a hook's answer is an ordinary verdict.
        if (field.path[0] !== "async") expectRefusals(answer, field, failureOf)
      }
    }
  })
})
