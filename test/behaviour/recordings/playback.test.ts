// A recorded session that is played back.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { BYPASS, DONE } from "../../support/session/loop.ts"
import { playing, prompts, RECORD, takeRecording } from "./recordings.ts"

const setting = loop()

it("plays tool calls without a request", async () => {
  const script = setting.scripted([
    { content: [text("I write."), call("Write", { file_path: "/workspace/a.txt", content: "one" })] },
    { content: [call("Read", { file_path: "/workspace/a.txt" }), call("Bash", { command: "date; cat a.txt" })] },
    DONE,
  ])
  const harness = setting.harnessOf({ ...BYPASS, ...RECORD })
  const booted = harness.boot()
  await prompts(booted, [promptFor(script), "again"])
  const recorded = takeRecording(booted.session)
  const asked = setting.api.log.length
  const { booted: played } = playing(setting, recorded, BYPASS)
  await prompts(played, [promptFor(script), "again"])
  expect(setting.api.log.length).toBe(asked)
  const again = takeRecording(played.session)
  expect(firstSignalDifference(recorded.signals, again.signals)).toBeNull()
  expect(again.signals.length).toBe(recorded.signals.length)
})
