// What the console costs a browser: opening a session of thousands of events, scrolling through it, and following a long
// stream. It starts all that it needs (a server, the scripted Messages API, a headless Chromium), and ends it.
//   npm run bench:console [-- --events 5000 --rounds 3 --minutes 60]
// The stream is that of `minutes` minutes of answers, sent as fast as the server takes them: 20 deltas a second, an answer
// every six seconds. Its heap is read behind a garbage collection. Times vary with the machine: compare runs of one machine.
import { parseArgs } from "node:util"
import { chromium } from "playwright-core"
import { findChromium } from "../../../scripts/chromium.mjs"
import { buildSite } from "../../../scripts/site/build.mjs"
import { startServer } from "../../support/server/server.ts"
import { createFakeApi } from "../../support/session/scripted-api.mjs"
import { longHistory } from "./long-history.mjs"

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "5000" },
    rounds: { type: "string", default: "3" },
    minutes: { type: "string", default: "60" },
  },
})
const [events, rounds, minutes] = [values.events, values.rounds, values.minutes].map(Number)
const DELTAS_A_SECOND = 20
const SECONDS_AN_ANSWER = 6
const SAMPLES = 6

/** Counts tasks over 50 ms from the page's start on. */
const WATCH_TASKS = `
window.longTasks = []
new PerformanceObserver((list) => {
  for (const { duration, startTime } of list.getEntries()) window.longTasks.push({ duration, startTime })
}).observe({ type: "longtask", buffered: true })
`

const medianOf = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const shown = (numbers) => numbers.map((one) => Math.round(one)).join(", ")

await buildSite()
const api = await createFakeApi()
const server = await startServer({ apiUrl: api.url })
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
})

const ask = async (method, path, body) => {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

const tab = async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addInitScript({
    content: `sessionStorage.setItem("perch.key", ${JSON.stringify(server.key)});${WATCH_TASKS}`,
  })
  return context.newPage()
}

/** Milliseconds from the page's start to its last message on the screen, and the tasks over 50 ms until then. */
const open = async (page, id) => {
  const started = performance.now()
  await page.goto(`${server.url}/#/sessions/${id}`)
  await page.getByText("The last answer.").last().waitFor()
  const ms = performance.now() - started
  return { ms, tasks: await page.evaluate("window.longTasks.map(({ duration }) => duration)") }
}

/** Scrolls to the first message and back to the last; returns the tasks over 50 ms meanwhile. */
const scroll = async (page) => {
  await page.evaluate("window.longTasks.length = 0")
  const list = page.getByRole("log", { name: "Messages" })
  await list.hover()
  for (const by of [-2400, 2400]) {
    for (let still = 0, last = Number.NaN; still < 25;) {
      await page.mouse.wheel(0, by)
      await page.waitForTimeout(16)
      const top = await list.evaluate((element) => Math.round(element.scrollTop))
      still = top === last ? still + 1 : 0
      last = top
    }
  }
  return page.evaluate("window.longTasks.map(({ duration }) => duration)")
}

const heapOf = async (page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("HeapProfiler.collectGarbage")
  const { usedSize } = await devtools.send("Runtime.getHeapUsage")
  await devtools.detach()
  return usedSize / 1_048_576
}

try {
  const { id } = await ask("POST", "/v1/sessions", { title: "A long one", history: longHistory(events) })
  const { last_seq } = await ask("GET", `/v1/sessions/${id}`)
  const opened = []
  for (let round = 0; round < rounds; round += 1) {
    const page = await tab()
    const first = await open(page, id)
    const tasks = await scroll(page)
    opened.push({ ...first, scrolled: tasks })
    await page.context().close()
  }
  console.log(`a session of ${last_seq} events, ${rounds} rounds`)
  console.log(
    `  opened: ${shown(opened.map(({ ms }) => ms))} ms (median ${Math.round(medianOf(opened.map(({ ms }) => ms)))})`,
  )
  console.log(`  tasks over 50 ms while it opened: ${opened.map(({ tasks }) => `[${shown(tasks)}]`).join(" ")}`)
  console.log(
    `  tasks over 50 ms while it scrolled to its beginning and back: ${opened.map(({ scrolled }) => `[${shown(scrolled)}]`).join(" ")}`,
  )

  const answers = Math.ceil((minutes * 60) / SECONDS_AN_ANSWER)
  const text = "word ".repeat(DELTAS_A_SECOND * SECONDS_AN_ANSWER)
  const page = await tab()
  const live = await ask("POST", "/v1/sessions", { title: "A long stream" })
  await page.goto(`${server.url}/#/sessions/${live.id}`)
  await page.getByText("live", { exact: true }).waitFor()
  const heaps = []
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const count = Math.ceil(answers / SAMPLES)
    for (let turn = 0; turn < count; turn += 1) {
      const name = `stream-${sample}-${turn}`
      api.set(name, { turns: [{ content: [{ type: "text", text: `${text}${name}.` }], chunk: 5 }] })
      await ask("POST", `/v1/sessions/${live.id}/query`, { prompt: `[[script:${name}]] go` })
    }
    await page
      .getByText(`stream-${sample}-${count - 1}.`)
      .last()
      .waitFor()
    heaps.push(await heapOf(page))
  }
  const nodes = await page.evaluate("document.querySelectorAll('*').length")
  console.log(`a stream of ${minutes} minutes (${answers} answers of ${DELTAS_A_SECOND * SECONDS_AN_ANSWER} deltas)`)
  console.log(
    `  heap behind each sixth of it: ${heaps.map((size) => size.toFixed(1)).join(", ")} MiB; ${nodes} elements at its end`,
  )
} finally {
  await browser.close()
  await server.dispose()
  await api.close()
}
