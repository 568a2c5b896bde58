// Any series of turns, reverts, unreverts, forks and restarts: what the model is sent, what readers see, and what D1 has.
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { storedMessages } from "../../../src/store/messages.ts"
import { call, text, textAnswer } from "../../support/session/scripts.ts"
import { type Booted, type SessionHarness } from "../../support/session/session-harness.ts"
import { forks } from "./forks.ts"
import { filesOf, messagesOf, revert, type Script, todos, unrevert, write } from "../../session/revert/reverting.ts"

const { session, forked, run, lastRequest } = forks()

type Step =
  | { readonly kind: "turn"; readonly does: "talk" | "write" | "parallel" | "list" }
  | { readonly kind: "revert"; readonly message: number; readonly part: number | null; readonly files: boolean }
  | { readonly kind: "unrevert" | "restart" | "fork" | "flush" }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("turn" as const),
        does: fc.constantFrom("talk" as const, "write" as const, "parallel" as const, "list" as const),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("revert" as const),
        message: fc.nat(20),
        part: fc.option(fc.nat(5)),
        files: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom<Step>({ kind: "unrevert" }, { kind: "restart" }, { kind: "fork" }, { kind: "flush" }),
    },
  ),
  { minLength: 3, maxLength: 9 },
)

/** What a turn does; every text and file of it contains its number as a word. */
const script = (does: (Step & { kind: "turn" })["does"], word: string): Script => {
  const wait = (name: string) => call("Bash", { command: `sleep 0.01; echo ${word}${name}`, description: "Wait" })
  if (does === "write")
    return [{ content: [text(`${word}b`), write("/workspace/a.txt", `${word}c`)] }, textAnswer(`${word}d`)]
  if (does === "parallel") return [{ content: [text(`${word}b`), wait("c"), wait("d")] }, textAnswer(`${word}e`)]
  if (does === "list") return [{ content: [todos(`${word}b`, `${word}c`)] }, textAnswer(`${word}d`)]
  return [textAnswer(`${word}b`)]
}

/** The words of turns that a value contains. */
const wordsIn = (value: unknown): ReadonlySet<string> => new Set(JSON.stringify(value).match(/w\d+w[b-e]/g))

interface Live {
  readonly harness: SessionHarness
  readonly booted: Booted
}

const stateOf = ({ booted }: Live) => ({
  messages: messagesOf(booted),
  todos: booted.session.todos(),
  files: filesOf(booted),
  transcript: booted.session.memory.transcript.messages(),
})

/** The info of a prompt also summarizes its turn, which now ends earlier, so only its id is compared. */
const partsOf = (messages: ReturnType<typeof messagesOf>) => messages.map(({ info, parts }) => [info.id, parts])

/** The invariants of a request: roles alternate, and each call has its result in the next message. */
const faultsOf = (messages: ReturnType<typeof lastRequest>["messages"]): ReadonlyArray<string> =>
  messages.flatMap(({ role, content }, index) => {
    const of = (type: string, key: string, blocks: unknown) =>
      (Array.isArray(blocks) ? (blocks as ReadonlyArray<Record<string, unknown>>) : [])
        .filter((block) => block["type"] === type)
        .map((block) => String(block[key]))
    const calls = of("tool_use", "id", content).toSorted()
    const results = of("tool_result", "tool_use_id", messages[index + 1]?.content).toSorted()
    const faults =
      calls.join() === results.join() || role === "user" ? [] : [`calls ${calls.join()}: ${results.join()}`]
    return role === (index % 2 === 0 ? "user" : "assistant") ? faults : [...faults, `${role} at ${index}`]
  })

const inD1 = async ({ harness, booted }: Live) => {
  await booted.outbox.flush()
  if (!booted.outbox.isStored) return messagesOf(booted)
  const page = await Effect.runPromise(storedMessages(harness.database.d1, "test", booted.session.id, { limit: 1000 }))
  return page?.messages
}

describe("a conversation that is reverted", () => {
  it("is the same for the model, in D1 and for its readers, in any order of operations", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (series) => {
        let live: Live = session()
        let turns = 0
        /** The state that an unrevert must restore. */
        let before: ReturnType<typeof stateOf> | null = null
        let movedFiles = false
        /** Whether the last unrevert would only be repeated. */
        let undone = false
        for (const step of series) {
          if (step.kind === "turn") {
            const known = new Set(wordsIn(messagesOf(live.booted)))
            const word = `w${(turns += 1)}w`
            await run(live.booted, script(step.does, word))
            const sent = lastRequest().messages
            expect(faultsOf(sent)).toEqual([])
            for (const seen of wordsIn(sent)) expect(known.has(seen) || seen.startsWith(word)).toBe(true)
            for (const seen of known) expect(wordsIn(sent)).toContain(seen)
            before = null
            movedFiles = false
            undone = false
          }
          if (step.kind === "revert") {
            const state = stateOf(live)
            const { length } = state.messages
            if (length === 0) continue
            const message = state.messages[step.message % length]
            const part = step.part === null ? undefined : message?.parts[step.part % message.parts.length]
            const files = step.files
            const refused = revert(live.booted, {
              messageID: message?.info.id ?? "",
              ...(part === undefined ? {} : { partID: part.id }),
              rewindFiles: files,
            })
            // A copy does not have the files of its parent's turns.
            expect(refused === undefined || refused.refused.field === "rewindFiles").toBe(true)
            if (refused !== undefined) continue
            before ??= state
            undone = false
            movedFiles ||= files
            const left = messagesOf(live.booted)
            expect(left.length).toBeLessThanOrEqual((step.message % length) + 1)
            expect(partsOf(left.slice(0, -1))).toEqual(partsOf(state.messages.slice(0, Math.max(0, left.length - 1))))
          }
          if (step.kind === "unrevert") {
            const done = unrevert(live.booted)
            expect(done === undefined).toBe(before !== null || undone)
            undone = done === undefined
            if (before !== null) expect(stateOf(live)).toEqual(before)
            before = null
          }
          if (step.kind === "restart") {
            live.harness.crash()
            live = { harness: live.harness, booted: live.harness.boot() }
          }
          if (step.kind === "fork") {
            const state = stateOf(live)
            live = await forked(live.booted)
            expect(messagesOf(live.booted).length).toBe(state.messages.length)
            expect(filesOf(live.booted)).toEqual(state.files)
            before = null
            undone = false
          }
          if (step.kind === "flush") expect(await inD1(live)).toEqual(messagesOf(live.booted))
        }
        expect(await inD1(live)).toEqual(messagesOf(live.booted))
      }),
      { numRuns: 20 },
    )
  })
})
