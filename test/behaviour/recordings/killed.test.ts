// A process that dies while a session is recorded, or while it plays a recording: the session continues, and both are the same.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import { pageServer } from "../../support/server/page-server.ts"
import { BYPASS, loop } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { prompt, type SessionHarness } from "../../support/session/session-harness.ts"
import { playing, prompts, RECORD, takeRecording } from "./recordings.ts"

const setting = loop()
const pages = pageServer()

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: [text("Next."), ...uses] })
const bash = (command: string) => call("Bash", { command, description: "d" })
const OPTIONS = {
  ...BYPASS,
  allowDangerouslySkipPermissions: true,
  shell_network: true,
  agents: { helper: { description: "Helps.", prompt: "You are a helper.", tools: ["Read", "Bash"] } },
}

const scripts = () => {
  const sub = setting.scripted([calls(bash("cat a.txt")), textAnswer("Sub result.")])
  return setting.scripted([
    calls(call("Write", { file_path: "/workspace/a.txt", content: "one\n" }), bash("echo one")),
    calls(
      call("Agent", { description: "help", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }),
    ),
    calls(bash(`curl -s ${pages.origin}/data`)),
    textAnswer("Done."),
  ])
}

/** Runs one prompt in a process that dies after this number of transactions, and then in another. Returns true if it died. */
const killed = async (harness: SessionHarness, text: string, dieAfter: number) => {
  const first = harness.boot()
  harness.dieAfter = harness.transactions + dieAfter
  prompt(first.session, text)
  await first.idle()
  const died = harness.transactions >= harness.dieAfter
  harness.crash()
  const again = harness.boot()
  await again.idle()
  return { died, session: again.session }
}

it("can be recorded by two processes, one after the other", async () => {
  for (let dieAfter = 2; ; dieAfter += 3) {
    const script = promptFor(scripts())
    const { died, session } = await killed(setting.harnessOf({ ...OPTIONS, ...RECORD }), script, dieAfter)
    const recorded = takeRecording(session)
    const asked = setting.api.log.length
    const { booted } = playing(setting, recorded, OPTIONS)
    await prompts(booted, [script])
    const played = takeRecording(booted.session)
    expect([dieAfter, firstSignalDifference(recorded.signals, played.signals)]).toEqual([dieAfter, null])
    expect(setting.api.log.length).toBe(asked)
    if (!died) {
      expect(dieAfter).toBeGreaterThan(20)
      return
    }
  }
}, 120_000)

it("can be played by two processes, one after the other", async () => {
  const script = promptFor(scripts())
  const first = setting.harnessOf({ ...OPTIONS, ...RECORD }).boot()
  await prompts(first, [script])
  const recorded = takeRecording(first.session)
  const asked = setting.api.log.length
  for (let dieAfter = 3; ; dieAfter += 3) {
    const { harness } = playing(setting, recorded, OPTIONS)
    const { died, session } = await killed(harness, script, dieAfter)
    expect([dieAfter, firstSignalDifference(recorded.signals, takeRecording(session).signals)]).toEqual([
      dieAfter,
      null,
    ])
    expect(setting.api.log.length).toBe(asked)
    if (!died) {
      expect(dieAfter).toBeGreaterThan(20)
      return
    }
  }
}, 120_000)
