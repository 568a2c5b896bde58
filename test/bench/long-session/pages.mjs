// The cost of reading a whole conversation page by page, for a session and for one four times as long: from D1 while the
// session is idle, and from the log while a turn runs.
import { PerchClient } from "../../support/server/client.ts"
import { loop } from "../figures.mjs"
import { line } from "./table.mjs"

const LIMIT = 100
const ROUNDS = 3
const HOLDS = "[[hold]]"

/** The answer to a prompt that holds is sent when `release` is called; `held` is called when such a prompt has arrived. */
export const holdingObserver = () => {
  const observer = {
    held: () => undefined,
    release: () => undefined,
    answer: ({ messages }) => {
      if (!JSON.stringify(messages.at(-1)).includes(HOLDS)) return undefined
      observer.held()
      return new Promise((resolve) => (observer.release = resolve))
    },
  }
  return observer
}

/** Reads all pages; `onMessage` receives every message. */
export const readPages = async (client, id, onMessage, query = "format=parts") => {
  let pages = 0
  for (let cursor = ""; cursor !== null; pages += 1) {
    const at = cursor === "" ? "" : `&after=${encodeURIComponent(cursor)}`
    const page = await client.json("GET", `/v1/sessions/${id}/messages?limit=${LIMIT}&${query}${at}`)
    for (const message of page.messages) onMessage(message)
    cursor = page.next_cursor
  }
  return pages
}

const report = async (label, client, session) => {
  let messages = 0
  let pages = 0
  const times = []
  for (let round = 0; round < ROUNDS; round += 1) {
    messages = 0
    const began = performance.now()
    pages = await readPages(client, session.id(), () => (messages += 1))
    times.push(performance.now() - began)
  }
  const best = Math.min(...times)
  line(label, String(messages), String(pages), best.toFixed(0), (best / messages).toFixed(3))
}

export const measurePages = async ({ server, target, observer, turns }) => {
  const client = new PerchClient(server)
  const session = await target.session()
  line("", "messages", "pages", "ms", "ms each")
  let done = 0
  for (const wanted of [Math.floor(turns / 4), turns]) {
    for (; done < wanted; done += 1) await session.turn(loop(1).prompt)
    await target.settled()
    await report(`${wanted} turns, from D1`, client, session)
    const held = new Promise((resolve) => (observer.held = resolve))
    const running = session.turn(`${HOLDS} ${loop(0).prompt}`)
    await held
    await report(`${wanted} turns, from the log`, client, session)
    observer.release()
    await running
  }
}
