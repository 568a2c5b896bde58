// The files of a session's workspace as resources of `/mcp`, and commands as its prompts. Receives functions that read them;
// registers handlers for the protocol's requests on the server.
// Invariant: what is not offered is not declared as a capability, so that the protocol itself refuses it.
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import type { Prompt, Resource } from "@modelcontextprotocol/sdk/types.js"
import { INVALID_PARAMS, RESOURCE_NOT_FOUND } from "./error-codes.ts"

/** The module of the MCP SDK that has the protocol's schemas, which is loaded when it is needed. */
type Sdk = typeof import("@modelcontextprotocol/sdk/types.js")

/** The result of a request for a resource or a prompt, or why it failed. `missing`: there is no such thing. */
export type Offered<A> = Promise<A | { readonly error: string; readonly missing: boolean }>

/** Reads a workspace for `/mcp`. */
export interface OfferedFiles {
  readonly list: (
    cursor: string | undefined,
  ) => Offered<{ readonly resources: Array<Resource>; readonly nextCursor?: string }>
  readonly read: (uri: string) => Offered<{ readonly mimeType: string; readonly bytes: Uint8Array<ArrayBuffer> }>
}

/** Reads a tenant's commands for `/mcp`. */
export interface OfferedPrompts {
  readonly list: () => Offered<{ readonly prompts: Array<Prompt> }>
  readonly get: (name: string, text: string) => Offered<{ readonly description: string; readonly text: string }>
}

/** The one argument of every prompt: the text that would follow the command's name. */
export const PROMPT_ARGUMENT = "arguments"

const TEMPLATE = {
  uriTemplate: "file:///{+path}",
  name: "workspace file",
  description: "A file of the session's workspace, by its absolute path.",
}

export const offerFiles = ({ server }: McpServer, files: OfferedFiles, sdk: Sdk): void => {
  const given = giving(sdk.McpError, RESOURCE_NOT_FOUND)
  server.setRequestHandler(sdk.ListResourcesRequestSchema, async ({ params }) =>
    given(await files.list(params?.cursor)),
  )
  server.setRequestHandler(sdk.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [TEMPLATE] }))
  server.setRequestHandler(sdk.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const { mimeType, bytes } = given(await files.read(uri))
    return { contents: [{ uri, mimeType, ...contentOf(bytes) }] }
  })
}

const contentOf = (bytes: Uint8Array<ArrayBuffer>): { readonly text: string } | { readonly blob: string } => {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { blob: Buffer.from(bytes).toString("base64") }
  }
}

export const offerPrompts = ({ server }: McpServer, prompts: OfferedPrompts, sdk: Sdk): void => {
  const given = giving(sdk.McpError, INVALID_PARAMS)
  server.setRequestHandler(sdk.ListPromptsRequestSchema, async () => given(await prompts.list()))
  server.setRequestHandler(sdk.GetPromptRequestSchema, async ({ params: { name, arguments: all = {} } }) => {
    const unknown = Object.keys(all).find((key) => key !== PROMPT_ARGUMENT)
    if (unknown !== undefined) throw new sdk.McpError(INVALID_PARAMS, unknownArgument(unknown))
    const { description, text } = given(await prompts.get(name, all[PROMPT_ARGUMENT] ?? ""))
    return { description, messages: [{ role: "user" as const, content: { type: "text" as const, text } }] }
  })
}

const unknownArgument = (name: string): string =>
  `${name.slice(0, 200)}: is not an argument of this prompt. Its only argument is the text after the command's name, ${PROMPT_ARGUMENT}.`

/** Returns the value, or throws an error of the protocol. */
const giving =
  (McpError: new (code: number, message: string) => Error, missing: number) =>
  <A extends object>(offered: Awaited<Offered<A>>): A => {
    if ("error" in offered) throw new McpError(offered.missing ? missing : INVALID_PARAMS, offered.error)
    return offered
  }
