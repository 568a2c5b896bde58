import type { BackgroundTask } from "../../../src/tools/bash/background-port.ts"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { outputSchemaOf } from "../../../src/schemas/sdk/tools/tool-schemas.ts"
import { builtInTools, toolByName } from "../../../src/tools/registry.ts"
import type { ToolContext } from "../../../src/tools/tool.ts"
import { openContext, runAndCommit } from "../../tools/tool-context.ts"
import { makeApi } from "../../http/api.ts"

const ajv = new Ajv2020({ logger: false })

interface Listed {
  readonly name: string
  readonly description: string
  readonly input_schema: object
  readonly output_schema: object
  readonly schema_fingerprint: string
  readonly annotations: object
  readonly schema?: object
  readonly renamed?: object
}

const list = async (query: string): Promise<{ data: ReadonlyArray<Listed>; rejected: ReadonlyArray<unknown> }> => {
  const response = await makeApi().call("GET", `/v1/tools${query}`)
  expect(response.status).toBe(200)
  // The contract's type; the tests assert the members that they use.
  return (await response.json()) as { data: ReadonlyArray<Listed>; rejected: ReadonlyArray<unknown> }
}

const OPTIONS = ["one", "two"].map((label) => ({ label, description: label }))
const QUESTION = { question: "Which?", header: "Which", options: OPTIONS, multiSelect: false }
/** The tools without input; there is one provider of which every tool has some. */
const WITHOUT_INPUT: ReadonlyArray<string> = ["TaskList", "EnterPlanMode"]

it("lists the tools in the form of the Messages API, with fingerprints", async () => {
  const { data, rejected } = await list("")
  expect(rejected).toEqual([])
  expect(data).toEqual(
    builtInTools.map((tool) => ({
      name: tool.name,
      source: "built_in",
      description: tool.description,
      input_schema: tool.inputSchema,
      output_schema: outputSchemaOf(tool.name),
      schema_fingerprint: tool.agentSchema.fingerprint,
      annotations: { destructiveHint: tool.destructive, idempotentHint: tool.idempotent },
    })),
  )
  expect(new Set(data.map(({ schema_fingerprint }) => schema_fingerprint)).size).toBe(24)
  for (const tool of data) expect(tool.schema_fingerprint).toMatch(/^agent-schema-v2:sha256:[0-9a-f]{64}$/)
})

const TASK: BackgroundTask = {
  task_id: "b1",
  run_id: "0199a000-0000-7000-8000-000000000001",
  tool_use_id: "toolu_1",
  description: "Waits",
  command: "sleep 9",
  output_file: "/workspace/.perch/tasks/b1.output",
  started_at: 0,
}

it("describes each tool's structured result", async () => {
  const { context, knownFiles, workspace } = openContext()
  knownFiles.add("/workspace/a.txt")
  const page = { url: "https://example.org/", status: 200, statusText: "OK", headers: new Headers(), cut: false }
  Object.assign(context, {
    fetch: () => Effect.succeed({ ...page, bytes: new TextEncoder().encode("a page") }),
    ask: () => Effect.succeed({ content: [{ type: "text", text: "An answer." }], usage: {} }),
    skills: {
      names: () => ["count"],
      find: () => ({ forModel: true, text: () => "Count.", loading: (text) => [text] }),
    },
    background: {
      enter: () => ({
        left: new Promise(() => undefined),
        stopped: new Promise<void>(() => undefined),
        isAsked: () => false,
        ended: () => undefined,
      }),
      running: () => [TASK],
      ended: () => undefined,
      begin: () => null,
      beginAgent: () => ({ facts: [], commit: () => undefined }),
      endAgent: () => ({ facts: [], commit: () => undefined }),
      stop: () => ({ facts: [], commit: () => undefined }),
      wait: async () => undefined,
    },
    resources: {
      list: () => Effect.succeed([{ uri: "a:1", name: "one", server: "notes" }]),
      read: () => Effect.succeed([{ uri: "a:1", blob: "aGVsbG8=" }]),
      readDirectory: () => Effect.succeed([{ uri: "a:1/b", name: "b" }]),
    },
  } satisfies Partial<ToolContext>)
  workspace.writeBytes("/workspace/a.ipynb", JSON.stringify({ cells: [], nbformat: 4, nbformat_minor: 5 }))
  knownFiles.add("/workspace/a.ipynb")
  const calls = [
    ["Write", { file_path: "a.txt", content: "one\ntwo\n" }],
    ["Read", { file_path: "a.txt" }],
    ["Edit", { file_path: "a.txt", old_string: "one", new_string: "1" }],
    ["NotebookEdit", { notebook_path: "a.ipynb", new_source: "1", edit_mode: "insert", cell_type: "code" }],
    ["Glob", { pattern: "*.txt" }],
    ["Grep", { pattern: "two", output_mode: "content" }],
    ["LS", { path: "/workspace" }],
    ["Bash", { command: "wc -l a.txt" }],
    ["TaskOutput", { task_id: "b1", block: false }],
    ["TaskStop", { task_id: "b1" }],
    ["WebFetch", { url: "https://example.org/", prompt: "What is it?" }],
    ["WebSearch", { query: "perch" }],
    ["TodoWrite", { todos: [{ content: "Count", status: "pending", activeForm: "Counting" }] }],
    ["TaskCreate", { subject: "Count", description: "Count the lines", metadata: { from: "a test" } }],
    ["TaskUpdate", { taskId: "1", status: "in_progress" }],
    ["TaskGet", { taskId: "1" }],
    ["TaskList", {}],
    ["AskUserQuestion", { questions: [QUESTION], answers: { "Which?": "one" } }],
    ["EnterPlanMode", {}],
    ["ExitPlanMode", { plan: "1. Count" }],
    ["ListMcpResourcesTool", {}],
    ["ReadMcpResourceTool", { server: "notes", uri: "a:1" }],
    ["ReadMcpResourceDirTool", { server: "notes", uri: "a:1" }],
    ["Skill", { skill: "count" }],
  ] as const
  const { data } = await list("")
  // The loop executes the calls of these.
  expect(data.map(({ name }) => name).toSorted()).toEqual(
    ["Agent", "SendMessage", ...calls.map(([name]) => name)].toSorted(),
  )
  for (const [name, input] of calls) {
    const { output } = await runAndCommit(toolByName(name)!, input, context)
    const accepts = ajv.compile(data.find((tool) => tool.name === name)!.output_schema)
    expect(accepts(JSON.parse(JSON.stringify(output))), `${name}: ${ajv.errorsText(accepts.errors)}`).toBe(true)
    expect(accepts({ any: 1 }), name).toBe(false)
  }
})

it.each(["anthropic", "openai", "gemini", "ag-ui"] as const)(
  "adds each schema in the form of %s",
  async (projection) => {
    const plain = await list("")
    const { data, rejected } = await list(`?projection=${projection}`)
    const refused = projection === "gemini" ? WITHOUT_INPUT : []
    expect(rejected).toMatchObject(refused.map((name) => ({ name })))
    const isTaken = ({ name }: { readonly name: string }) => !refused.includes(name)
    expect(data.map(({ schema: _, renamed: __, ...rest }) => rest)).toEqual(plain.data.filter(isTaken))
    expect(data.map(({ schema }) => schema)).toEqual(
      builtInTools
        .filter(isTaken)
        .map(({ agentSchema }) => JSON.parse(JSON.stringify(agentSchema.project(projection).schema))),
    )
    const grep = data.find(({ name }) => name === "Grep")
    if (projection === "gemini") expect(grep?.renamed).toMatchObject({ "$._n": "-n" })
    else expect(grep).not.toHaveProperty("renamed")
  },
)

it("rejects an unknown projection, and other parameters", async () => {
  const response = await makeApi().call("GET", "/v1/tools?projection=cohere")
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", field: "projection" } })
  expect((await makeApi().call("GET", "/v1/tools?other=1")).status).toBe(400)
})

it("lists the session's tools of every source, and those that its model is not offered, with the reason", async () => {
  const api = makeApi()
  const id = await api.create()
  const session = [...api.sessions.byName.values()].find((one) => one.id === id)!
  const common = { description: "d", input_schema: { type: "object" }, schema_fingerprint: "agent-schema-v2:sha256:0" }
  session.catalogue = {
    builtIn: ["Read", "Bash"],
    others: [{ name: "mcp__a__b", source: "mcp", server: "a", ...common, destructive: true, idempotent: false }],
    rejected: [
      { name: "c", source: "mcp", server: "a", reason: "is denied by the policy of its server" },
      { name: "d", source: "client", reason: "has a schema", issues: [{ path: "#", issue: "too-deep" }] },
    ],
  }
  const read = async (query: string) =>
    (await (await api.call("GET", `/v1/tools?session=${id}${query}`)).json()) as unknown
  const listed = {
    data: [
      { name: "Read", source: "built_in" },
      { name: "Bash", source: "built_in" },
      {
        name: "mcp__a__b",
        source: "mcp",
        server: "a",
        ...common,
        annotations: { destructiveHint: true, idempotentHint: false },
      },
    ],
    rejected: [
      { name: "c", source: "mcp", server: "a", reason: "is denied by the policy of its server", issues: [] },
      { name: "d", source: "client", reason: "has a schema", issues: [{ path: "#", issue: "too-deep" }] },
    ],
  }
  expect(await read("")).toMatchObject(listed)
  expect(await read("&projection=openai")).toMatchObject(listed)
  await api.refused(404, "GET", `/v1/tools?session=${crypto.randomUUID()}`)
  await api.refused(400, "GET", "/v1/tools?session=x")
})
