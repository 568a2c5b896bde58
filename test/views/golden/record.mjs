// Records the session whose views are kept next to this file: a real Perch over the scripted Messages API. It has thinking, redacted
// thinking, parallel calls, an API error that is retried, todos, a question, two subagents, a permission that is given and one that
// is denied, files that change, a compaction and an interrupt.
//   node_modules/.bin/node test/views/golden/record.mjs && UPDATE_GOLDEN=1 npx vitest run --project node test/behaviour/views/golden.test.ts
import fs from "node:fs"
import path from "node:path"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { startServer } from "../../support/server/server.ts"
import { createFakeApi } from "../../support/session/scripted-api.mjs"
import { call, text } from "../../support/session/scripts.ts"

const FILE = path.join(import.meta.dirname, "session.jsonl")
const LIMIT_MS = 60_000

setTimeout(() => {
  console.error(`not recorded within ${LIMIT_MS / 1000} s`)
  process.exit(1)
}, LIMIT_MS).unref()

const QUESTION = "Which greeting?"
const OPTIONS = ["Hello", "Good day"].map((label) => ({ label, description: `${label}, world` }))
const thinking = { type: "thinking", thinking: "The workspace first, then the greeting.", signature: "c2lnbmF0dXJl" }
const redacted = { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix" }
const todo = (status) => ({ content: "Write the greeting", status, activeForm: "Writing the greeting" })
const agent = (script, description) =>
  call(
    "Agent",
    { description, prompt: `[[script:${script}]] ${description}`, subagent_type: "general-purpose" },
    `toolu_${script}`,
  )
const overloaded = { error: { status: 529, type: "overloaded_error", message: "Overloaded" } }
const usage = { input_tokens: 1200, output_tokens: 80, cache_read_input_tokens: 900, cache_creation_input_tokens: 60 }

const SCRIPTS = {
  main: {
    usage,
    turns: [
      [
        overloaded,
        {
          content: [
            thinking,
            redacted,
            text("I look at the workspace first."),
            call("Glob", { pattern: "**/*.txt" }, "toolu_glob"),
            call("Read", { file_path: "/workspace/names.txt" }, "toolu_read"),
          ],
          chunk: 12,
        },
      ],
      { content: [call("TodoWrite", { todos: [todo("in_progress")] }, "toolu_todo1")] },
      {
        content: [
          text("One question."),
          call(
            "AskUserQuestion",
            { questions: [{ question: QUESTION, header: "Greeting", options: OPTIONS, multiSelect: false }] },
            "toolu_question",
          ),
        ],
      },
      {
        content: [
          text("Two agents look beside each other."),
          agent("north", "Look north"),
          agent("south", "Look south"),
        ],
      },
      {
        content: [
          call("Write", { file_path: "/workspace/greeting.txt", content: "Hello, world\n" }, "toolu_write"),
          call("Bash", { command: "rm names.txt", description: "Remove the names" }, "toolu_bash"),
        ],
      },
      {
        content: [
          call("Edit", { file_path: "/workspace/greeting.txt", old_string: "world", new_string: "Ada" }, "toolu_edit"),
        ],
      },
      { content: [call("TodoWrite", { todos: [todo("completed")] }, "toolu_todo2")] },
      {
        content: [
          text(
            "The greeting is written.\n\n```txt\nHello, Ada\n```\n\nThe names are still there, since you did not allow their removal.",
          ),
        ],
        chunk: 16,
      },
    ],
    compact: { content: [text("<summary>A greeting was written to greeting.txt. [[script:after]]</summary>")] },
  },
  north: [
    { content: [text("North."), call("Read", { file_path: "/workspace/names.txt" }, "toolu_north_read")] },
    { content: [text("There are two names.")] },
  ],
  south: [{ content: [thinking, text("Nothing lies south.")] }],
  // The first position is that of the answer that the compaction keeps.
  after: [
    { content: [text("Kept.")] },
    {
      content: [text("This answer is long, and its reader has read enough. ".repeat(12))],
      chunk: 20,
      pause: { after: 14 },
    },
    { content: [text("Goodbye.")] },
  ],
}

const script = (name, turn) => `[[script:${name}]] ${turn}`

const record = async (api, perch) => {
  for (const [name, turns] of Object.entries(SCRIPTS)) api.set(name, turns)
  const id = await perch.createSession({ includePartialMessages: true }, { "/workspace/names.txt": "Ada\nGrace\n" })
  const answer = async (tool, body) => {
    const ask = await eventually(async () => (await perch.asks(id)).find(({ tool_name: name }) => name === tool))
    await perch.answer(id, ask.request_id, body(ask))
  }
  await perch.submit(id, script("main", "Write a greeting for the first of the names."))
  await answer("AskUserQuestion", () => ({ answers: { [QUESTION]: "Hello" } }))
  await answer("Write", () => ({ behavior: "allow" }))
  await answer("Bash", () => ({ behavior: "deny", message: "Keep the names." }))
  await answer("Edit", () => ({ behavior: "allow" }))
  await perch.eventsUntilResults(id, 1)
  await perch.query(id, "/compact")
  await perch.submit(id, "Tell me more.")
  await perch.stream(id, { after: 0, until: ({ event }) => event?.delta?.text?.includes("reader") === true })
  await perch.json("POST", `/v1/sessions/${id}/interrupt`, { json: {} })
  await perch.eventsUntilResults(id, 3)
  await perch.query(id, "Goodbye.")
  return perch.events(id)
}

/** Ids in order of appearance, so that a new recording differs only where the session does. */
const withOwnIds = (json) => {
  const ids = new Map()
  return json.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uuid) => {
    const own = ids.get(uuid) ?? `00000000-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`
    ids.set(uuid, own)
    return own
  })
}

const api = await createFakeApi()
const server = await startServer({ apiUrl: api.url })
try {
  const events = await record(api, new PerchClient(server))
  fs.writeFileSync(FILE, withOwnIds(events.map((event) => `${JSON.stringify(event)}\n`).join("")))
  console.log(`${events.length} events are in ${path.relative(process.cwd(), FILE)}`)
} finally {
  await server.dispose()
  await api.close()
}
process.exit(0)
