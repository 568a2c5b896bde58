// A whole turn over HTTP against the scripted Messages API: what the client receives, what the tools did, and what was sent
// back to the model.
import { describe, expect, inject, it } from "vitest"
import { ApiLog, assistantBlocks, toolResults } from "../../support/session/api-log.ts"
import { type Block, blocksOf, type Message, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

/** Blocks that must be sent back to the API unchanged. */
const oddBlocks = [
  { type: "thinking", thinking: "", signature: "c2lnLWVtcHR5" },
  { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4" },
  { type: "thinking", thinking: "First the files, then the edit.", signature: "c2lnLWxvbmc=" },
  { type: "future_block", note: "an unknown type", nested: { deep: [1, 2, { three: null }] } },
]

const types = (messages: ReadonlyArray<Message>) =>
  messages.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`))

describe("a turn with thinking, parallel reads, a shell command and an edit", () => {
  it("succeeds, with every tool run once and every block sent", async () => {
    const name = scriptName("whole")
    const reads = ["a", "b", "c"].map((file) => call("Read", { file_path: `/workspace/${file}.txt` }))
    const bash = call("Bash", { command: "wc -l *.txt | tail -1", description: "Count lines" })
    const edit = call("Edit", { file_path: "/workspace/a.txt", old_string: "alpha", new_string: "omega" })
    await api.set(name, [
      {
        content: [
          { type: "thinking", thinking: "Let me look.", signature: "c2ln" },
          text("I will read them."),
          ...reads,
        ],
      },
      { content: [bash] },
      { content: [edit] },
      textAnswer("All done."),
    ])
    const id = await perch.createSession(
      { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
      { "/workspace/a.txt": "alpha\n", "/workspace/b.txt": "beta\n", "/workspace/c.txt": "gamma\n" },
    )
    const messages = await perch.query(id, promptFor(name))

    expect(types(messages)[0]).toBe("system/init")
    expect(types(messages).filter((type) => type.startsWith("result"))).toEqual(["result/success"])
    const result = messages.at(-1)
    expect(result).toMatchObject({ subtype: "success", is_error: false, num_turns: 6, result: "All done." })
    expect(await perch.getFile(id, "/workspace/a.txt")).toBe("omega\n")

    const requests = await api.requests(name)
    expect(requests).toHaveLength(4)
    const results = requests.at(-1) === undefined ? [] : toolResults(requests[3]!)
    const asked = [...reads, bash, edit].map((block) => block.id)
    expect(results.map((block) => block.tool_use_id).toSorted()).toEqual(asked.toSorted())
    expect(results.filter((block) => block.is_error === true)).toEqual([])

    // One assistant message per block, each with the same message id within a step.
    const assistants = messages.filter(({ type }) => type === "assistant")
    expect(assistants.every((message) => blocksOf(message).length === 1)).toBe(true)
    expect(new Set(assistants.slice(0, 5).map(({ message }) => message?.id)).size).toBe(1)
  })
})

describe("what is sent back to the model", () => {
  it("repeats every block of the answer byte for byte, unknown ones included", async () => {
    const name = scriptName("exact")
    const read = call("Read", { file_path: "/workspace/x.txt", limit: 5 })
    await api.set(name, [{ content: [...oddBlocks, text("Reading."), read] }, textAnswer("Done.")])
    const id = await perch.createSession({ permissionMode: "acceptEdits" }, { "/workspace/x.txt": "x\n" })
    await perch.query(id, promptFor(name))
    const [, second] = await api.requests(name)
    const sent = assistantBlocks(second!).map(withoutCache)
    expect(JSON.stringify(sent)).toBe(JSON.stringify([...oddBlocks, text("Reading."), read]))
  })

  it("marks the last block of the last message for the cache, and at most four in total", async () => {
    const name = scriptName("cache")
    const read = call("Read", { file_path: "/workspace/x.txt" })
    await api.set(name, [{ content: [read] }, textAnswer("Done.")])
    const id = await perch.createSession({}, { "/workspace/x.txt": "x\n" })
    await perch.query(id, promptFor(name))
    for (const { body } of await api.requests(name)) {
      const last = body.messages.at(-1)?.content
      expect(typeof last === "string" ? undefined : last?.at(-1)?.cache_control).toEqual({ type: "ephemeral" })
      expect(JSON.stringify(body).split('"cache_control"').length - 1).toBeLessThanOrEqual(4)
    }
  })

  it("keeps the conversation: a second prompt sends the first turn's messages before it", async () => {
    const [one, two] = [scriptName("one"), scriptName("two")]
    await api.set(one, [textAnswer("The first answer.")])
    await api.set(two, [textAnswer("The second answer.")])
    const id = await perch.createSession()
    await perch.query(id, promptFor(one))
    await perch.query(id, promptFor(two))
    const [request] = await api.requests(two)
    expect(request?.body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(assistantBlocks(request!)).toEqual([text("The first answer.")])
  })
})

const withoutCache = ({ cache_control: _, ...block }: Block) => block
