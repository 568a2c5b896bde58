// The runtime of a run: the first possible one of those that its request, its session's mode and the server's setting ask for.
import { describe, expect, it } from "vitest"
import type { RunRuntime } from "../../../src/schemas/runs/run-runtime.ts"
import { decideRuntime, runtimeConflict } from "../../../src/session/runs/decide-runtime.ts"

const LIVE = { ANTHROPIC_API_KEY: "key" }
const RECORD = { mode: "record" } as const
const PLAYBACK = { mode: "playback", recording: "rec_1" } as const

const asking = (runtime?: RunRuntime) => (runtime === undefined ? {} : { runtime })

describe("the runtime of a run", () => {
  it.each([
    ["the model's, where there is one", asking(), undefined, LIVE, "live"],
    ["offline, where there is none", asking(), undefined, {}, "offline"],
    ["what the run asks for", asking("offline"), undefined, LIVE, "offline"],
    ["what the server sets, without a wish", asking(), undefined, { ...LIVE, PERCH_RUNTIME: "offline" }, "offline"],
    [
      "the run's wish above the server's setting",
      asking("live"),
      undefined,
      { ...LIVE, PERCH_RUNTIME: "offline" },
      "live",
    ],
    ["the recorded session's", asking(), RECORD, LIVE, "record"],
    [
      "that session's above the server's setting",
      asking(),
      PLAYBACK,
      { ...LIVE, PERCH_RUNTIME: "offline" },
      "playback",
    ],
    [
      "live in a session that was made before the server recorded",
      asking(),
      undefined,
      { ...LIVE, PERCH_RUNTIME: "record" },
      "live",
    ],
    ["the model's, for an empty setting", asking(), undefined, { ...LIVE, PERCH_RUNTIME: "" }, "live"],
  ] as const)("is %s", (_, wanted, session, env, runtime) => {
    expect(decideRuntime(wanted, session, env)).toEqual({ runtime })
  })

  it.each([
    ["live without a model", asking("live"), {}, "no live model"],
    ["a setting that is none", asking(), { ...LIVE, PERCH_RUNTIME: "pi" }, '"pi" is not a runtime'],
    ["the function's as a setting", asking(), { ...LIVE, PERCH_RUNTIME: "claude-sdk" }, "runEmbeddedAgent"],
    ["playback as a setting", asking(), { ...LIVE, PERCH_RUNTIME: "playback" }, "needs a recording"],
  ] as const)("can't be %s", (_, wanted, env, fault) => {
    expect(decideRuntime(wanted, undefined, env).fault).toContain(fault)
  })

  it("never changes what a session was created for", () => {
    expect(runtimeConflict({ runtime: "record" }, undefined)).toContain("Create another session")
    expect(runtimeConflict({ runtime: "offline" }, RECORD)).toContain("is recorded")
    expect(runtimeConflict({ runtime: "live" }, PLAYBACK)).toContain("plays the recording rec_1")
    expect(runtimeConflict({ runtime: "playback", recording: "rec_1" }, PLAYBACK)).toBeUndefined()
    expect(runtimeConflict({ runtime: "playback", recording: "rec_2" }, PLAYBACK)).toBeDefined()
  })
})
