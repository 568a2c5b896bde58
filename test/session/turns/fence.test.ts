// A runner's pass: void once another runner has taken over the turn, for every port through which a runner acts.
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { NO_HOOKS } from "../../../src/hooks/outcome.ts"
import type { TurnServices } from "../../../src/session/turns/turn-services.ts"
import { fenced } from "../../../src/session/turns/fence.ts"
import { Generation, type GenerationRecord } from "../../../src/session/turns/generation.ts"
import { ephemeralEvent } from "../../support/session/log-event.ts"

/** The one row that a generation reads and writes. */
const storage = () => {
  let row: GenerationRecord | undefined
  return {
    get: () => row as never,
    set: (_: string, value: unknown) => {
      row = value as GenerationRecord
    },
    row: () => row,
  }
}

const recording = () => {
  const done: Array<string> = []
  const act = (name: string) => Effect.sync(() => void done.push(name))
  // A runner acts through these; the ports that it only reads from are not needed here.
  const services = {
    log: { append: () => act("append"), emit: () => done.push("emit") },
    asks: { open: () => act("open"), settle: () => act("settle") },
    hooks: { run: () => Effect.as(act("hook"), NO_HOOKS) },
    ledger: { start: () => act("start") },
    turn: { announce: () => act("announce"), begin: () => act("begin"), finish: () => act("finish"), sessionId: "s" },
  } as unknown as TurnServices
  return { done, services }
}

const ACTS: Readonly<Record<string, (services: TurnServices) => Effect.Effect<unknown>>> = {
  append: ({ log }) => log.append([]),
  open: ({ asks }) => asks.open({} as never, []),
  settle: ({ asks }) => asks.settle("r", {} as never),
  hook: ({ hooks }) => hooks.run("Stop", {}),
  start: ({ ledger }) => ledger.start("toolu", "Bash"),
  announce: ({ turn }) => turn.announce([]),
  begin: ({ turn }) => turn.begin([]),
  finish: ({ turn }) => turn.finish([], {} as never),
}

describe.each(Object.entries(ACTS))("%s", (name, act) => {
  it("succeeds with a current pass, and interrupts the runner if its pass is void", async () => {
    const generation = new Generation(storage(), 0)
    const { done, services } = recording()
    const older = fenced(services, generation.pass())
    await Effect.runPromise(act(older))
    expect(done).toEqual([name])
    const newer = fenced(services, generation.takeOver("t", 7))
    const exit = await Effect.runPromiseExit(act(older))
    expect(Exit.hasInterrupts(exit)).toBe(true)
    expect(done).toEqual([name])
    await Effect.runPromise(act(newer))
    expect(done).toEqual([name, name])
  })
})

describe("a generation", () => {
  it("is stored when a turn is taken over, and only increases, also over restarts", () => {
    const meta = storage()
    const first = new Generation(meta, 0)
    expect([first.number, meta.row()]).toEqual([0, undefined])
    first.takeOver("t", 7)
    const second = new Generation(meta, 0)
    expect(second.number).toBe(1)
    expect(second.takeOver("t", 9).generation).toBe(2)
    expect(meta.row()).toEqual({ number: 2, turn: "t", seq: 9, tries: 1 })
  })

  it("counts the take-overs that found the log unchanged since the previous one", () => {
    const generation = new Generation(storage(), 0)
    for (let tries = 0; tries < 5; tries += 1) generation.takeOver("t", 7)
    expect(generation.isStuck("t")).toBe(false)
    generation.takeOver("t", 7)
    expect([generation.isStuck("t"), generation.isStuck("u")]).toEqual([true, false])
    generation.takeOver("t", 8)
    expect(generation.isStuck("t")).toBe(false)
  })

  it("lets only one runner write ephemeral events, too", () => {
    const generation = new Generation(storage(), 0)
    const { done, services } = recording()
    const older = fenced(services, generation.pass())
    generation.takeOver("t", 1)
    older.log.emit(ephemeralEvent("sdk:stream_event", "t", {}))
    expect(done).toEqual([])
    expect(older.turn.sessionId).toBe("s")
  })
})
