// The log as signals, in pages and over a feed: all of them, or those whose name matches a pattern.
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { Signal } from "../../../src/schemas/signal.ts"
import { eventsPage } from "../../../src/session/pages/events-page.ts"
import { DONE, loop, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

const decode = Schema.decodeUnknownSync(Schema.Array(Signal), { onExcessProperty: "error" })

/** A session whose one turn has written a file. */
const used = async () => {
  const harness = harnessOf({ permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true })
  const booted = harness.boot()
  const write = call("Write", { file_path: "/workspace/a.txt", content: "one" })
  const turn = prompt(booted.session, promptFor(scripted([{ content: [write] }, DONE])))
  await booted.idle()
  return { harness, booted, turn, log: [...booted.log.all()].map(({ event }) => event) }
}

interface Page {
  readonly signals?: ReadonlyArray<unknown>
  readonly events?: ReadonlyArray<{ readonly seq: number; readonly name: string }>
  readonly has_more: boolean
  readonly next_after: number | null
  readonly last_seq: number
}

const pageOf = async ({ booted }: Awaited<ReturnType<typeof used>>, query: Record<string, string>) => {
  const all = new URLSearchParams({ after: "0", limit: "1000", order: "asc", ...query })
  return (await eventsPage(booted.log, new URL(`http://s/events?${all}`)).json()) as Page
}

describe("the log as signals", () => {
  it("has one for each event, with its id, its payload, its time and its prompt", async () => {
    const session = await used()
    const page = await pageOf(session, { format: "signal" })
    expect(page).toMatchObject({ has_more: false, next_after: page.last_seq })
    expect(decode(page.signals)).toEqual(
      session.log.map((event) => ({
        id: event.uuid,
        name: event.name.replaceAll("/", ":"),
        payload: JSON.parse(JSON.stringify(event.payload)),
        timestamp: new Date(event.at).toISOString(),
        ...(event.turn === null || event.turn === event.uuid ? {} : { source: { parent: session.turn } }),
      })),
    )
  })

  it("is read in pages: each starts where the previous one ended, for any pattern and direction", async () => {
    const session = await used()
    const names = session.log.map(({ name }) => name.replaceAll("/", ":"))
    for (const [pattern, wanted] of [
      ["sdk:**", (name: string) => name.startsWith("sdk:")],
      ["sdk:*", (name: string) => /^sdk:[^:]*$/.test(name)],
      ["sdk:result:success", (name: string) => name === "sdk:result:success"],
      ["nothing:*", () => false],
    ] as const) {
      for (const order of ["asc", "desc"]) {
        const read: Array<string> = []
        for (let after: number | null = 0; after !== null;) {
          const page: Page = await pageOf(session, {
            format: "signal",
            pattern,
            order,
            limit: "2",
            after: String(after),
          })
          read.push(...decode(page.signals).map(({ name }) => name))
          after = page.has_more ? page.next_after : null
        }
        expect(read).toEqual((order === "asc" ? names : names.toReversed()).filter(wanted))
      }
    }
  })

  it("accepts patterns for events too", async () => {
    const session = await used()
    const page = await pageOf(session, { pattern: "sdk:*:success" })
    expect(page.events?.map(({ name }) => name)).toEqual(["sdk:result/success"])
  })
})

describe("a feed of signals", () => {
  it("has every event of the log and no other line, before and after its reader joined", async () => {
    const session = await used()
    const early = session.harness.view({ after: 0, signals: "**" })
    prompt(session.booted.session, promptFor(scripted([DONE])))
    await session.booted.idle()
    const whole = [...session.booted.log.all()].map(({ event }) => event)
    await until(() => early.filter(({ seq }) => seq !== null).length === whole.length)
    const signals = early.filter(({ name }) => name !== "feed:live")
    expect(signals.map(({ seq }) => seq)).toEqual(whole.map(({ seq }) => seq))
    expect(decode(signals.map(({ json }) => JSON.parse(json) as unknown)).map(({ id }) => id)).toEqual(
      whole.map(({ uuid }) => uuid),
    )
  })

  it("has only those that match its pattern", async () => {
    const { harness } = await used()
    const lines = harness.view({ after: 0, signals: "turn:*" })
    await until(() => lines.some(({ name }) => name === "feed:live"))
    expect(lines.map(({ name }) => name)).toEqual(["turn:queued", "turn:patched", "feed:live"])
  })
})
