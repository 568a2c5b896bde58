// A real MCP server of the official SDK on loopback, over streamable HTTP (`/mcp`) and the older transport (`/sse`): thirty
// plain tools, and one for each way in which a tool or a call can be troublesome.
import { randomUUID } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ElicitRequest,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js"
import * as z from "zod"
import { PNG } from "../../mcp/calculator.ts"

export const PLAIN_TOOLS = 30
export const LARGE = 5 * 1024 * 1024

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The method of the JSON-RPC message of a POST. */
  readonly rpc: string | undefined
  /** The id of that message. */
  readonly id: unknown
}

export interface TestMcpServer {
  readonly url: string
  readonly http: string
  readonly sse: string
  /** Every HTTP request, in order. */
  readonly asked: Array<Asked>
  /** The number of server-initiated streams that it has opened for clients, over streamable HTTP. */
  readonly streams: () => number
  /** Handles a request before the server does; returns false to let the server answer. */
  intercept: (asked: Asked, response: ServerResponse) => boolean
  /** Records that the user has visited the page that the tool `paid` needs; with `announce`, clients are notified. */
  pageVisited(announce?: boolean): Promise<void>
  /** Withdraws its elicitations. */
  withdrawQuestions(): void
  /** Adds a tool; connected clients are notified. */
  addTool(name: string): Promise<void>
  /** Forgets every session, as a restart would. */
  forget(): Promise<void>
  /** Closes every open connection. */
  cut(): void
  /** Resolves when the `hang` tool has been called; `cancelled` when its call was cancelled. */
  readonly hanging: Promise<void>
  readonly cancelled: Promise<void>
  close(): Promise<void>
}

/** Results of 5 MB: one line, or many lines of which the last is `the end`, in each form that a result may have. */
const large = (form?: string): CallToolResult => {
  if (form === undefined) return says("x".repeat(LARGE))
  const lines = [...Array.from({ length: LARGE / 64 }, (_, index) => `${index} `.padEnd(63, "x")), "the end"]
  if (form === "structured") return { content: [], structuredContent: { lines } }
  const picture = { type: "image" as const, data: PNG, mimeType: "image/png" }
  return { content: [{ type: "text", text: lines.join("\n") }, ...(form === "image" ? [picture] : [])] }
}

const object = (properties: Record<string, object> = {}) => ({ type: "object" as const, properties })
const says = (text: string): CallToolResult => ({ content: [{ type: "text", text }] })

/** From the skills extension, which the SDK's own schemas lack. */
const ReadDirectorySchema = z.object({
  method: z.literal("resources/directory/read"),
  params: z.object({ uri: z.string() }),
})

const QUESTION = { message: "Which colour?", requestedSchema: object({ colour: { type: "string" } }) }
type Question = ElicitRequest["params"]

/** Fields of a resource that not every server sends; the metadata is too long to be passed on. */
const DETAILS = {
  title: "All data",
  size: 4,
  annotations: { audience: ["user"], priority: 0.5 },
  _meta: { long: "x".repeat(3000) },
}

const TOOLS = [
  ...Array.from({ length: PLAIN_TOOLS }, (_, index) => ({
    name: `echo_${index}`,
    description: `Says back what it is given (${index})`,
    inputSchema: object({ text: { type: "string" } }),
  })),
  // The schema's address is never fetched.
  { name: "unsupported", inputSchema: object({ a: { $ref: "https://example.com/a.json" } }) },
  { name: "hang", description: "Never answers", inputSchema: object(), annotations: { readOnlyHint: true } },
  { name: "large", description: "Answers with 5 MB", inputSchema: object() },
  { name: "ask", description: "Asks the user", inputSchema: object() },
  { name: "paid", description: "Needs a page visited first", inputSchema: object() },
  { name: "sample", description: "Asks for a model", inputSchema: object() },
  { name: "picture", description: "Gives an image", inputSchema: object() },
  { name: "structured", description: "Gives structured content", inputSchema: object() },
  { name: "fails", description: "Fails", inputSchema: object() },
  { name: "headers", description: "Says back its request's headers", inputSchema: object() },
]

const PROMPTS = [
  { name: "greet", description: "Greets someone", arguments: [{ name: "who", required: true }, { name: "how" }] },
  { name: "two words", description: "Has a name that no command can have" },
  { name: "broken" },
]

export const startMcpServer = async (): Promise<TestMcpServer> => {
  const asked: Array<Asked> = []
  const questions = new AbortController()
  const added: Array<string> = []
  let visited = false
  const streams: Array<ServerResponse> = []
  const servers = new Set<Server>()
  const http = new Map<string, StreamableHTTPServerTransport>()
  const sse = new Map<string, SSEServerTransport>()
  const hanging = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<void>()

  const makeServer = (): Server => {
    const server = new Server(
      { name: "thirty", version: "3.0.0" },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: {},
          prompts: {},
          extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
        },
        instructions: "Use the echo tools.",
      },
    )
    servers.add(server)
    server.onclose = () => servers.delete(server)
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [...TOOLS, ...added.map((name) => ({ name, inputSchema: object() }))],
    }))
    server.setRequestHandler(ListResourcesRequestSchema, () => ({
      resources: [
        { uri: "notes://one", name: "one", mimeType: "text/plain", description: "The first note" },
        { uri: "notes://picture", name: "picture", mimeType: "image/png" },
        { uri: "notes://data", name: "data", ...DETAILS, icons: [] },
      ],
    }))
    server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
      if (uri === "notes://one") return { contents: [{ uri, mimeType: "text/plain", text: "Remember the milk." }] }
      if (uri === "notes://picture") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] }
      if (uri === "notes://data") return { contents: [{ uri, blob: Buffer.from("hello\0").toString("base64") }] }
      if (uri === "notes://long") return { contents: [{ uri, text: "x".repeat(LARGE) }] }
      if (uri === "ui://panel") return { contents: [{ uri, mimeType: "text/html", text: "<p>hello</p>" }] }
      if (uri === "notes://gone") throw Object.assign(new Error("it is gone"), { code: -32002 })
      throw new Error(`there is no resource ${uri}`)
    })
    server.setRequestHandler(ReadDirectorySchema, ({ params: { uri } }) => {
      if (uri !== "skill://tidy") throw new Error(`there is no directory ${uri}`)
      return {
        resources: [
          { uri: "skill://tidy/SKILL.md", name: "SKILL.md", mimeType: "text/markdown" },
          { uri: "skill://tidy/lists", name: "lists", mimeType: "inode/directory" },
        ],
      }
    })
    server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: PROMPTS }))
    server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: given = {} } }) => {
      if (name === "broken") throw new Error("the prompt is broken")
      const greeting = { type: "text" as const, text: `Greet ${given["who"]} ${given["how"] ?? "kindly"}.` }
      const picture = { type: "image" as const, data: PNG, mimeType: "image/png" }
      return {
        messages: [
          { role: "user" as const, content: greeting },
          { role: "assistant" as const, content: picture },
        ],
      }
    })
    server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input = {} } }, extra) => {
      switch (name) {
        case "hang":
          hanging.resolve()
          return new Promise((done) => {
            extra.signal.addEventListener("abort", () => {
              cancelled.resolve()
              done(says("late"))
            })
          })
        case "large":
          return large((input as { readonly form?: string }).form)
        case "ask": {
          const { params = QUESTION } = input as { readonly params?: Question }
          const answer = await extra
            .sendRequest({ method: "elicitation/create", params: params as Question }, ElicitResultSchema, {
              signal: questions.signal,
            })
            .catch((reason: unknown) => ({ action: "failed", content: String(reason) }))
          const { elicitationId } = params as { elicitationId?: string }
          if (elicitationId !== undefined)
            await extra.sendNotification({ method: "notifications/elicitation/complete", params: { elicitationId } })
          return says(`${answer.action}: ${JSON.stringify(answer.content ?? null)}`)
        }
        case "paid": {
          if (visited) return says("paid")
          const page = {
            mode: "url" as const,
            message: "Pay first",
            url: "https://far.example/pay",
            elicitationId: "pay-1",
          }
          throw new UrlElicitationRequiredError([page], "Payment is required.")
        }
        case "sample": {
          const content = { type: "text" as const, text: "hello" }
          const messages = [{ role: "user" as const, content }]
          const error = await server.createMessage({ messages, maxTokens: 10 }).catch((reason: unknown) => reason)
          return says(String(error))
        }
        case "picture":
          return { content: [{ type: "image", data: PNG, mimeType: "image/png" }] }
        case "structured":
          return { ...says("for people"), structuredContent: { colour: "green" }, ...input }
        case "fails":
          return { ...says("it is broken"), isError: true }
        case "headers":
          return says(JSON.stringify(extra.requestInfo?.headers ?? {}))
        default:
          return says(`${name}: ${JSON.stringify(input)}`)
      }
    })
    return server
  }

  const httpTransport = async (session: string | undefined) => {
    const known = http.get(session ?? "")
    if (known !== undefined || session !== undefined) return known
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void http.set(id, transport),
    })
    await makeServer().connect(transport as Parameters<Server["connect"]>[0]) // the two types differ only in optional fields
    return transport
  }

  const listener = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const body: unknown = text === "" ? undefined : JSON.parse(text)
      const url = new URL(request.url ?? "/", "http://127.0.0.1")
      const rpc = typeof body === "object" && body !== null && "method" in body ? String(body.method) : undefined
      const id: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id") : undefined
      const one: Asked = { method: request.method ?? "", path: url.pathname, headers: request.headers, rpc, id }
      asked.push(one)
      if (one.method === "GET" && one.path === "/mcp") streams.push(response)
      if (made.intercept(one, response)) return
      const handle = async () => {
        if (url.pathname === "/sse") {
          const transport = new SSEServerTransport("/messages", response)
          sse.set(transport.sessionId, transport)
          await makeServer().connect(transport)
        } else if (url.pathname === "/messages") {
          const transport = sse.get(url.searchParams.get("sessionId") ?? "")
          if (transport === undefined) response.writeHead(404).end()
          else await transport.handlePostMessage(request, response, body)
        } else {
          const session = request.headers["mcp-session-id"]
          const transport = await httpTransport(typeof session === "string" ? session : undefined)
          if (transport === undefined) response.writeHead(404).end()
          else await transport.handleRequest(request, response, body)
        }
      }
      handle().catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const forget = async () => {
    http.clear()
    sse.clear()
    const open = [...servers]
    for (const server of open) await server.close()
  }
  const made: TestMcpServer = {
    url,
    http: `${url}/mcp`,
    sse: `${url}/sse`,
    asked,
    streams: () => streams.filter(({ headersSent, statusCode }) => headersSent && statusCode === 200).length,
    intercept: () => false,
    pageVisited: async (announce = false) => {
      visited = true
      const params = { elicitationId: "pay-1" }
      if (announce)
        for (const server of servers)
          await server.notification({ method: "notifications/elicitation/complete", params })
    },
    withdrawQuestions: () => questions.abort(),
    addTool: async (name) => {
      added.push(name)
      for (const server of servers) await server.sendToolListChanged()
    },
    forget,
    cut: () => listener.closeAllConnections(),
    hanging: hanging.promise,
    cancelled: cancelled.promise,
    close: async () => {
      await forget()
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return made
}
