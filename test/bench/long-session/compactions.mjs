// One session of many turns whose window is so small that it is compacted three times. After each compaction the model's next
// request has the summary, and of the earlier prompts at most the running one; the cost of a turn stays the same; and at the
// end the user's pages of messages and of events have every prompt.
import { PerchClient } from "../../support/server/client.ts"
import { median } from "../figures.mjs"
import { readPages } from "./pages.mjs"
import { line } from "./table.mjs"
import { measuredTurn } from "./turns.mjs"

const BYTES_PER_TOKEN = 4
const WANTED = 3
/** The smallest window that the option accepts. */
const LEAST_WINDOW = 40_000
/** The reserve of a window: the longest answer, and a margin. */
const FREE = 33_000
/** The tokens that a turn adds to the conversation, and those of a request before the first turn. */
const TURN = 360
const BEFORE = 5_500

const MARKER = /\[\[loop:[\w-]+:\d+:\w+\]\]/g
const ASKS_FOR_SUMMARY = /detailed summary/

const textsOf = ({ content }) =>
  typeof content === "string" ? [content] : content.flatMap((block) => (block.type === "text" ? [block.text] : []))
const promptsOf = (messages) =>
  messages.filter(({ role }) => role === "user").flatMap((one) => textsOf(one).join("\n").match(MARKER) ?? [])
const summariesOf = (messages) =>
  messages
    .flatMap(textsOf)
    .join("\n")
    .match(/SUMMARY-\d+/g) ?? []

/** The API counts tokens by bytes, and answers requests for a summary; `summaries` has the prompts that each covers. */
export const compactingObserver = () => {
  const summaries = []
  return {
    summaries,
    see: ({ messages }) => ({ prompts: promptsOf(messages).length, summaries: summariesOf(messages) }),
    answer: ({ messages }, bytes) => {
      const inputTokens = Math.ceil(bytes / BYTES_PER_TOKEN)
      if (!ASKS_FOR_SUMMARY.test(textsOf(messages.at(-1)).join("\n"))) return { inputTokens }
      const prompts = promptsOf(messages)
      summaries.push(prompts.length)
      // The turn that was compacted continues with its own prompt.
      const text = `<analysis>all of it</analysis><summary>SUMMARY-${summaries.length} ${prompts.at(-1)}</summary>`
      return { inputTokens, text }
    },
  }
}

const check = (holds, text) => {
  if (!holds) throw new Error(text)
}

export const measureCompactions = async ({ api, server, target, observer, turns }) => {
  const client = new PerchClient(server)
  const window = Math.max(LEAST_WINDOW, Math.round(FREE + BEFORE + (turns * TURN) / (WANTED + 0.5)))
  const session = await target.session({ extra: { settings: { autoCompactWindow: window } } })
  line(`window: ${window} tokens`, "to model", "request", "prompts", "summary")
  line("", "ms", "KB", "in it", "in it")
  const every = Math.max(10, Math.round(turns / 10))
  let taken = []
  let known = 0
  for (let done = 1; done <= turns; done += 1) {
    const turn = await measuredTurn(api, session)
    taken.push(turn.ms)
    const { prompts, summaries, bytes } = turn.last
    if (observer.summaries.length > known) {
      known = observer.summaries.length
      check(summaries.at(-1) === `SUMMARY-${known}`, `after summary ${known} the request has ${summaries.at(-1)}`)
      check(summaries.length === 1, "an earlier summary is still in the request")
      // The summary repeats the running turn's prompt.
      check(prompts <= 2, `after summary ${known} the request has ${prompts} of the prompts before it`)
      line(`turn ${done}: summary ${known}`, "", (bytes / 1024).toFixed(0), String(prompts), summaries.join(" "))
    } else if (done % every === 0) {
      const kilobytes = (bytes / 1024).toFixed(0)
      line(`turn ${done}`, median(taken).toFixed(1), kilobytes, String(prompts), summaries.join(" "))
      taken = []
    }
  }
  check(known >= WANTED, `${known} summaries`)
  await target.settled()
  for (const query of ["format=sdk", "format=parts"]) {
    const seen = new Set()
    await readPages(
      client,
      session.id(),
      (one) =>
        JSON.stringify(one)
          .match(MARKER)
          ?.forEach((m) => seen.add(m)),
      query,
    )
    line(`messages, ${query}`, String(seen.size), `of ${turns}`)
    check(seen.size === turns, "GET …/messages lacks prompts")
  }
  const queued = new Set()
  for (let after = 0, more = true; more;) {
    const page = await client.json("GET", `/v1/sessions/${session.id()}/events?after=${after}&limit=500`)
    for (const event of page.events.filter(({ name }) => name === "turn:queued")) queued.add(event.turn)
    after = page.events.at(-1)?.seq ?? after
    more = page.has_more
  }
  line("events: prompts", String(queued.size), `of ${turns}`)
  check(queued.size === turns, "GET …/events lacks prompts")
}
