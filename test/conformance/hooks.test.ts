// Every recorded hook call of the official SDK, and one example of each event, decoded by name.
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { decodeHookOutput, HookJSONOutput, HookSpecificOutputs } from "../../src/schemas/sdk/hooks/hook-outputs.ts"
import { decodeHookInput, HOOK_EVENTS, HookInputs, type HookEvent } from "../../src/schemas/sdk/hooks/hooks.ts"
import { requiredFields } from "../support/values/required-fields.ts"
import { HOOK_INPUTS, HOOK_OUTPUTS } from "./hook-examples.ts"
import { expectRefusals, grown, scenarios } from "./recorded.ts"

const calls = scenarios.flatMap(({ hooks }) => hooks)

const decodeAs = (event: string, input: unknown): void => {
  const decoded = Result.getOrThrow(decodeHookInput(input))
  expect(decoded.event).toBe(event)
  expect(decoded.input).toStrictEqual(input)
  const member: Schema.Codec<unknown> = HookInputs[event as HookEvent]
  expect(Schema.encodeUnknownSync(member)(decoded.input)).toStrictEqual(input)
}

const decodeOutput = (output: unknown): void => {
  const decoded = Result.getOrThrow(decodeHookOutput(output))
  expect(decoded).toStrictEqual(output)
  expect(Schema.encodeUnknownSync(HookJSONOutput)(decoded)).toStrictEqual(output)
}

const inputFailure = (input: unknown) => Result.getOrThrow(Result.flip(decodeHookInput(input)))
const outputFailure = (output: unknown) => Result.getOrThrow(Result.flip(decodeHookOutput(output)))

describe("recorded hook calls", () => {
  it("each input decodes by its event, and encodes back to the same value", () => {
    expect(calls).toHaveLength(530)
    for (const { event, input } of calls) decodeAs(event, input)
  })

  it("each output decodes, and encodes back to the same value", () => {
    for (const { output } of calls) decodeOutput(output)
  })

  it("none passes through as unknown", () => {
    const events = calls.map(({ input }) => Result.getOrThrow(decodeHookInput(input)).event)
    expect(events.filter((event) => event === undefined)).toEqual([])
    expect(new Set(events).size).toBe(14)
  })
})

describe("other hook calls", () => {
  it("there is one example for each of the 34 events, and it decodes by name", () => {
    expect(HOOK_EVENTS).toHaveLength(34)
    expect(HOOK_INPUTS.map((input) => input.hook_event_name).sort()).toEqual([...HOOK_EVENTS].sort())
    for (const input of HOOK_INPUTS) decodeAs(input.hook_event_name, input)
  })

  it("there is an example for each of the 23 outputs, and it decodes", () => {
    const named = HOOK_OUTPUTS.flatMap((output) => ("hookSpecificOutput" in output ? [output.hookSpecificOutput] : []))
    const events = new Set(named.map((specific) => specific?.hookEventName))
    expect([...events].sort()).toEqual(Object.keys(HookSpecificOutputs).sort())
    for (const output of HOOK_OUTPUTS) decodeOutput(output)
  })

  it("unknown fields survive at every depth", () => {
    for (const input of HOOK_INPUTS) decodeAs(input.hook_event_name, grown(input))
    for (const output of HOOK_OUTPUTS) decodeOutput(grown(output))
  })

  it("an unknown event passes through unchanged", () => {
    const input = { hook_event_name: "MoonRise", session_id: 1 }
    expect(Result.getOrThrow(decodeHookInput(input))).toEqual({ event: undefined, input })
    // A property name of every object is not an event.
    expect(Result.getOrThrow(decodeHookInput({ hook_event_name: "constructor" })).event).toBeUndefined()
  })

  it("a value that is not an object, or an output of neither form, is rejected", () => {
    for (const value of [null, 1, "x", undefined, []]) {
      inputFailure(value)
      outputFailure(value)
    }
    outputFailure({ async: "yes" })
    outputFailure({ async: true, asyncTimeout: "5" })
    outputFailure({ hookSpecificOutput: { hookEventName: "SessionEnd" } })
  })
})

describe("required fields", () => {
  it.each(HOOK_EVENTS)("of the input of %s", (event) => {
    let refusals = 0
    for (const sample of [...HOOK_INPUTS, ...inputsOf(event)].filter((one) => nameOf(one) === event)) {
      for (const field of requiredFields(HookInputs[event].ast, sample)) {
        refusals += expectRefusals(sample, field, inputFailure)
      }
    }
    expect(refusals).toBeGreaterThanOrEqual(8)
  })

  it("of the outputs", () => {
    for (const sample of HOOK_OUTPUTS) {
      for (const field of requiredFields(HookJSONOutput.ast, sample)) {
        // Without `async`, it is an ordinary verdict.
        if (field.path[0] === "async") continue
        expectRefusals(sample, field, outputFailure)
      }
    }
  })
})

const nameOf = (input: unknown): unknown => Reflect.get(input as object, "hook_event_name")

/** Recorded inputs of an event with different sets of keys. */
function inputsOf(event: HookEvent): ReadonlyArray<unknown> {
  const inputs = calls.filter((call) => call.event === event).map(({ input }) => input)
  return [...new Map(inputs.map((input) => [Object.keys(input as object).join(), input])).values()]
}
