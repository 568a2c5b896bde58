// Receives the pipe to a connected MCP server; lists its prompts, and expands one to the blocks of a user message.
// Invariant: what a server sends is bounded, and invalid prompts are left out. As in the official SDK, each argument is one
// word, in the order in which the server declares them; further words are ignored.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { McpPromptInfo, McpPromptMessage, McpPromptResult, McpPromptsPage } from "../schemas/sdk/options/mcp-prompts.ts"
import { shortened } from "../schemas/shortened.ts"
import type { ToolResultBlock } from "../tools/tool.ts"
import { contentBlocks } from "./call-result.ts"
import {
  cancellableRequest,
  listAll,
  type McpPipe,
  type McpPipeError,
  newRequestId,
  nonconforming,
} from "./client-server.ts"
import { toolName } from "./names.ts"

const MAX_PROMPTS = 200
const MAX_ARGUMENTS = 50
const MAX_NAME = 200
const MAX_DESCRIPTION = 2000
const GET_MS = 60_000

const isPage = Schema.is(McpPromptsPage)
const isPrompt = Schema.is(McpPromptInfo)
const isResult = Schema.is(McpPromptResult)
const isMessage = Schema.is(McpPromptMessage)

/** The prompts of a server; empty when it fails to list them. */
export const listPrompts = (pipe: McpPipe): Effect.Effect<ReadonlyArray<McpPromptInfo>> =>
  listAll(pipe, {
    method: "prompts/list",
    isPage,
    entriesOf: (page: typeof McpPromptsPage.Type) => page.prompts,
    most: MAX_PROMPTS,
  }).pipe(
    Effect.map((listed) => listed.filter(isPrompt).filter(isUsable).map(shownPrompt)),
    Effect.orElseSucceed(() => []),
  )

const isUsable = ({ name, arguments: all = [] }: McpPromptInfo): boolean =>
  name !== "" && [name, ...all.map((one) => one.name)].every((text) => text.length <= MAX_NAME)

const shownPrompt = ({ name, title, description, arguments: all = [] }: McpPromptInfo): McpPromptInfo => ({
  name,
  ...(title === undefined ? {} : { title: shortened(title, MAX_NAME) }),
  ...(description === undefined ? {} : { description: shortened(description, MAX_DESCRIPTION) }),
  arguments: all.slice(0, MAX_ARGUMENTS).map((one) => ({ name: one.name, required: one.required === true })),
})

/** The name of a prompt's command: `mcp__server__prompt`, with only the characters that a command may have. */
export const promptCommand = (server: string, { name }: McpPromptInfo): string => toolName(server, name)

/** The hint for the command's arguments, with optional ones in brackets: `who [how]`. */
export const promptHint = ({ arguments: all = [] }: McpPromptInfo): string =>
  all.map(({ name, required }) => (required === true ? name : `[${name}]`)).join(" ")

/** The blocks to which a prompt expands, or why it can't be expanded. */
export const expandPrompt = Effect.fnUntraced(function* (
  server: string,
  prompt: McpPromptInfo,
  pipe: McpPipe,
  text: string,
): Effect.fn.Return<ReadonlyArray<ToolResultBlock> | { readonly fault: string }> {
  const words = text.split(/\s+/).filter((word) => word !== "")
  const declared = prompt.arguments ?? []
  const missing = declared.find(({ required }, index) => required === true && words[index] === undefined)
  if (missing !== undefined) {
    const usage = `/${promptCommand(server, prompt)} ${promptHint(prompt)}`
    return { fault: `Missing required argument: ${missing.name}. Usage: ${usage}` }
  }
  const given = Object.fromEntries(
    declared.flatMap(({ name }, index) => (words[index] === undefined ? [] : [[name, words[index]] as const])),
  )
  const asked = yield* Effect.result(get(pipe, prompt.name, given))
  if (asked._tag === "Failure") return { fault: `The MCP server ${server}: ${asked.failure.message}` }
  const blocks = contentBlocks(server, promptCommand(server, prompt), asked.success)
  return blocks.length > 0 ? blocks : { fault: `The MCP server ${server} returned an empty prompt.` }
})

/** The contents of an expanded prompt's messages. */
const get = Effect.fnUntraced(function* (
  pipe: McpPipe,
  name: string,
  given: Readonly<Record<string, string>>,
): Effect.fn.Return<ReadonlyArray<unknown>, McpPipeError> {
  const answer = yield* cancellableRequest(pipe, {
    id: yield* newRequestId,
    method: "prompts/get",
    params: { name, arguments: given },
    timeoutMs: GET_MS,
  })
  if (isResult(answer)) return answer.messages.filter(isMessage).map(({ content }) => content)
  return yield* nonconforming("prompts/get")
})
