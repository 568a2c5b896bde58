// Reads a stream with one of npm's readers and prints each event as a line of JSON.
// usage: node-reader.mjs KIND METHOD URL KEY BODY LAST_EVENT_ID_URL FOLDER; FOLDER is where the packages are installed.
import { createRequire } from "node:module"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"

const [kind, firstMethod, firstUrl, key, body, again, folder] = process.argv.slice(2)
let library
try {
  library = createRequire(path.join(folder, "x.js"))(kind)
} catch (error) {
  console.error(error.message)
  process.exit(3)
}

let last = ""
let over = false
const put = (event, id, data) => {
  if (over) return
  console.log(JSON.stringify({ event: event === "message" ? "" : event, id, data }))
  last = id || last
  over ||= data.includes('"type":"result"')
}

const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", "content-type": "application/json" }

const withParser = async (method, url) => {
  const cursor = last === "" ? {} : { "last-event-id": last }
  const init = { method, headers: { ...headers, ...cursor } }
  const response = await fetch(url, method === "POST" ? { ...init, body } : init)
  const parser = library.createParser({ onEvent: (one) => put(one.event ?? "", one.id ?? "", one.data) })
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(text)
    if (over) return
  }
}

if (kind === "eventsource") {
  // The reconnect timer does not keep the process alive.
  setTimeout(() => process.exit(1), 90_000)
  const source = new library.EventSource(firstUrl, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } }),
  })
  const hear = (message) => {
    put(message.type, message.lastEventId, message.data)
    if (!over) return
    source.close()
    process.exit(0)
  }
  for (const name of ["message", "ask", "ask_settled", "client_event", "ephemeral_event"]) {
    source.addEventListener(name, hear)
  }
} else {
  let [method, url] = [firstMethod, firstUrl]
  for (let attempt = 0; attempt < 20 && !over; attempt += 1) {
    await withParser(method, url).catch((error) => console.error(error.message))
    if (!over) await delay(200)
    ;[method, url] = ["GET", again]
  }
  process.exit(0)
}
