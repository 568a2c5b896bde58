// A session of twenty steps with tools, a page, a permission and a subagent, over HTTP: recorded, replayed without a model
// request, and replayed from recordings in which a prompt, a tool's result or an answer differs.
import { randomUUID } from "node:crypto"
import { expect, it } from "vitest"
import { eventually } from "../../support/server/client.ts"
import { pageServer } from "../../support/server/page-server.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { api, documentOf, perch, record, type Report } from "./recorded.ts"

const pages = pageServer()

const step = (name: string, input: Readonly<Record<string, unknown>>) => ({
  content: [text("Next."), call(name, input)],
})
const bash = (command: string) => step("Bash", { command, description: "d" })
const file = "/workspace/a.txt"

const OPTIONS = {
  runtime: { mode: "record" },
  agents: { helper: { description: "Helps.", prompt: "You are a helper.", tools: ["Read", "Bash"] } },
  allowedTools: ["Bash", "Agent", "WebFetch"],
  shell_network: true,
}

/** The names of the scripts: of the first prompt, its subagent, and the second prompt. */
const scripted = async () => {
  const [main, helper, last] = [scriptName("long"), scriptName("helper"), scriptName("last")]
  await api.set(last, [textAnswer("Nothing.")])
  await api.set(helper, [bash("wc -l a.txt"), step("Read", { file_path: file }), textAnswer("It has lines.")])
  const agent = { description: "count", subagent_type: "helper", prompt: promptFor(helper), run_in_background: false }
  await api.set(main, [
    step("Write", { file_path: file, content: "one\n" }),
    step("Read", { file_path: file }),
    step("Edit", { file_path: file, old_string: "one", new_string: "two" }),
    step("TodoWrite", { todos: [{ content: "x", status: "in_progress", activeForm: "doing x" }] }),
    step("Agent", agent),
    bash(`curl -s ${pages.origin}/data`),
    step("WebFetch", { url: `${pages.origin}/page`, prompt: "What is a perch?" }),
    step("Grep", { pattern: "two", path: "/workspace" }),
    ...Array.from({ length: 12 }, (_, index) => bash(`echo ${index} >> a.txt; date; cat a.txt`)),
    textAnswer("Done."),
  ])
  return { main, helper, last }
}

const recordedLong = async () => {
  const names = await scripted()
  const session = await perch.createSession(OPTIONS)
  const turn = await perch.submit(session, promptFor(names.main))
  // Write and Edit need a permission.
  for (const tool of ["Write", "Edit"]) {
    const ask = await eventually(async () => (await perch.asks(session)).find(({ tool_name }) => tool_name === tool))
    await perch.answer(session, ask.request_id, { behavior: "allow" })
  }
  const ended = await perch.json("GET", `/v1/sessions/${session}/turns/${turn}?wait=60&until=end`)
  expect(ended).toMatchObject({ status: "completed", result: { result: "Done.", num_turns: 21 } })
  await perch.query(session, `${promptFor(names.last)} And now?`)
  const recording = await record(session)
  return { ...names, recording, document: await documentOf(recording) }
}

type Names = Readonly<Record<"main" | "helper" | "last", string>>

/** The requests that reached the model and the pages. */
const outside = async ({ main, helper, last }: Names) => [
  (await api.requests(main)).length,
  (await api.requests(helper)).length,
  (await api.requests(last)).length,
  pages.asked.length,
]

const base64 = (content: string): string => Buffer.from(content).toString("base64")

interface Document {
  readonly answers: Array<{ readonly kind: string }>
}

it("is replayed without a request, and a change is reported with the difference", async () => {
  const { recording, document, ...names } = await recordedLong()
  const before = await outside(names)
  expect(before).toEqual([21, 3, 1, 2])

  const replay = (id: string) => perch.json<Report>("POST", `/v1/recordings/${id}/replay`, { json: {} })
  expect(await replay(recording.id)).toMatchObject({
    equal: true,
    events: recording.signals,
    difference: null,
    not_found: null,
  })

  /** Replays the document after the change. */
  const changed = async (change: (document: string) => string) => {
    const id = `long-${randomUUID()}`
    await perch.json("PUT", `/v1/recordings/${id}`, {
      body: change(document).replaceAll(recording.id, id),
      status: 201,
    })
    const report = await replay(id)
    const { data } = await perch.json<{ data: ReadonlyArray<{ result: unknown }> }>(
      "GET",
      `/v1/sessions/${report.session_id}/turns`,
    )
    return { report, results: data.map(({ result }) => result) }
  }
  const edited = (edit: (document: Document) => void) => (content: string) => {
    const whole = JSON.parse(content) as Document
    edit(whole)
    return JSON.stringify(whole)
  }
  const [prompt, result, answer] = await Promise.all([
    changed((content) => content.replace("And now?", "And what now?")),
    changed((content) => content.replace(base64('{"birds":3}'), base64('{"fishes":3}'))),
    changed(
      edited(({ answers }) => {
        answers.splice(
          answers.findLastIndex(({ kind }) => kind === "model"),
          1,
        )
      }),
    ),
  ])
  for (const { report, results } of [prompt, result, answer]) {
    expect(report).toMatchObject({
      equal: false,
      difference: { text: expect.stringMatching(/recorded: .*\nplayed: /) },
    })
    // The turn reports the same as the report.
    expect(results).toContainEqual(
      expect.objectContaining({
        is_error: true,
        terminal_reason: "recording_not_found",
        errors: [report.not_found],
      }),
    )
  }
  expect(prompt.report.not_found).toMatch(/RecordingNotFound: [^]*recorded: .*And now\?"\nasked: .*And what now\?"/)
  expect(result.report.not_found).toMatch(/RecordingNotFound: [^]*recorded: .*birds[^]*asked: .*fishes/)
  expect(answer.report.not_found).toMatch(/RecordingNotFound: [^]*has no answer to this request to the model/)
  expect(await outside(names)).toEqual(before)
})
