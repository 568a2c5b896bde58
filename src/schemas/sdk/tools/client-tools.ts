// Tools that a session's clients execute themselves: declared in its options by name, description and JSON Schema.
// Invariant: a declared tool's name belongs to no other tool, and the size of all schemas together is bounded.
import * as Schema from "effect/Schema"
import { Base64 } from "../../base64.ts"
import { AnyRecord } from "../open.ts"
import { isToolName } from "./tool-names.ts"
import { ImageType } from "./tool-outputs.ts"

/** Perch's own tools, which a client's tool can't replace. */
const RESERVED: ReadonlySet<string> = new Set(["StructuredOutput"])

const MAX_TOOLS = 50
/** The most bytes of JSON of all schemas together. */
const MAX_SCHEMAS = 262_144

const Name = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: "Expected 1 to 64 of A-Z, a-z, 0-9, _ and -" }),
  Schema.makeFilter((name: string) =>
    isToolName(name) || RESERVED.has(name)
      ? "Expected a name other than those of built-in tools"
      : name.startsWith("mcp__")
        ? "Expected a name that does not start with mcp__: such tools belong to MCP servers"
        : undefined,
  ),
)

export const ClientTool = Schema.Struct({
  name: Name,
  description: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(5000)),
  /** The JSON Schema of the input. `optionIssues` checks whether it can be used. */
  inputSchema: AnyRecord,
})
export type ClientTool = typeof ClientTool.Type

export const ClientTools = Schema.Array(ClientTool).check(
  Schema.isMaxLength(MAX_TOOLS),
  Schema.makeFilter((tools: ReadonlyArray<ClientTool>) => {
    if (new Set(tools.map(({ name }) => name)).size < tools.length) return "Expected each name once"
    const size = tools.reduce((sum, { inputSchema }) => sum + JSON.stringify(inputSchema).length, 0)
    return size > MAX_SCHEMAS ? `Expected schemas of at most ${MAX_SCHEMAS} characters together` : undefined
  }),
)

const ImageSource = Schema.Struct({
  type: Schema.Literal("base64"),
  media_type: ImageType,
  data: Base64.annotate({ description: "Base64." }),
})

/** The result of a call that a client sends: a text, or blocks as the Messages API accepts them. */
export const ClientToolAnswer = Schema.Struct({
  content: Schema.Union([
    Schema.String,
    Schema.Array(
      Schema.Union([
        Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
        Schema.Struct({ type: Schema.Literal("image"), source: ImageSource }),
      ]),
    ).check(Schema.isMinLength(1), Schema.isMaxLength(100)),
  ]),
  is_error: Schema.optionalKey(Schema.Boolean),
})
export type ClientToolAnswer = typeof ClientToolAnswer.Type
