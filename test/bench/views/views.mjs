// What each view of a session costs the Worker per 1,000 events of the log, compared with `format=sdk`: from the lines
// of its feed to the frames that are sent. The session is the one whose views are kept in test/views/golden, several times over.
//   node_modules/.bin/node test/bench/views/views.mjs
import fs from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { LIVE_FORMATS } from "../../../src/http/contract/live-formats.ts"
import { viewOf } from "../../../src/http/stream/views.ts"
import { decodeFeedLine, encodeFeedLine } from "../../../src/schemas/log/feed-line.ts"
import { factLine } from "../../../src/session/feed/fact-lines.ts"
import { lineOf } from "../../../src/session/feed/listener.ts"
import { signalLine } from "../../../src/session/feed/signal-line.ts"
import { clientView } from "../../../src/views/client.ts"
import { EMPTY_BASE } from "../../../src/views/live/session-base.ts"
import { sdkView } from "../../../src/views/sdk.ts"
import { signalView } from "../../../src/views/signal.ts"

const FILE = path.join(import.meta.dirname, "../../views/golden/session.jsonl")
const COPIES = 32
const ROUNDS = 7

/** The session repeated, each time with new ids. */
const longLog = () => {
  const json = fs.readFileSync(FILE, "utf8")
  const copies = Array.from({ length: COPIES }, (_, copy) =>
    json
      .replaceAll("00000000-0000-7000", `${String(copy).padStart(8, "0")}-0000-7000`)
      .replaceAll(/"(toolu|msg|req)_/g, `"$1_${copy}`)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  )
  return copies.flat().map((event, index) => ({ ...event, seq: index + 1 }))
}

const VIEWER = { turn: null, partials: "turn", client: null, form: "feed", replayed: null }

/** The lines of a feed, and a function that creates the view of each round. */
const formatsOf = (events) => {
  const stored = events.map((event) => ({ event, json: JSON.stringify(event.payload) }))
  const messages = stored.map((one) => lineOf(VIEWER, one, () => one.json)).filter((line) => line !== null)
  const signals = stored.map((one) => signalLine("**", one))
  const facts = stored.map((one) => factLine(one))
  const base = encodeFeedLine({
    seq: null,
    at: 0,
    turn: null,
    name: "feed:base",
    json: JSON.stringify({ after: 0, base: EMPTY_BASE }),
  })
  const live = LIVE_FORMATS.map((format) => ({
    format,
    lines: facts,
    make: async () => {
      const view = await viewOf(format, events[0].uuid, {})
      view.base(decodeFeedLine(base))
      return view.view
    },
  }))
  return [
    { format: "sdk", lines: messages, make: async () => sdkView },
    { format: "client", lines: messages, make: async () => clientView },
    { format: "signal", lines: signals, make: async () => signalView },
    ...live,
  ]
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Per format: milliseconds, frames and KiB per 1,000 events. */
export const viewCosts = async () => {
  const events = longLog()
  const per = 1000 / events.length
  const costs = []
  for (const { format, lines, make } of formatsOf(events)) {
    const times = []
    let frames = 0
    let bytes = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const view = await make()
      frames = 0
      bytes = 0
      const began = performance.now()
      for (const line of lines) {
        for (const { data } of view(decodeFeedLine(line))) {
          frames += 1
          bytes += data.length
        }
      }
      times.push(performance.now() - began)
    }
    costs.push({ format, ms: median(times) * per, frames: frames * per, kib: (bytes / 1024) * per })
  }
  return costs
}

/** The rows of a table, the header first. */
const viewRows = async () => {
  const costs = await viewCosts()
  const [sdk] = costs
  return [
    ["view, per 1,000 events", "ms", "vs. sdk", "frames", "KiB"],
    ...costs.map(({ format, ms, frames, kib }) => [
      `format=${format}`,
      ms.toFixed(2),
      `${(ms / sdk.ms).toFixed(1)} x`,
      frames.toFixed(0),
      kib.toFixed(0),
    ]),
  ]
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [name, ...cells] of await viewRows()) {
    console.log(name.padEnd(28) + cells.map((cell) => cell.padStart(12)).join(""))
  }
}
