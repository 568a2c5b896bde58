// Agent: receives a task for a subagent; returns its report, or at once the notice that it runs in the background.
// Invariant: the loop runs the subagent; this tool only declares and validates its calls.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AgentInput } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { Id, optional } from "../../schemas/sdk/tools/tool-fields.ts"
import { INTERNAL, makeTool, type SchemaTool } from "../make-tool.ts"

/** The agents of a session, as the model is shown them. */
export type AgentList = ReadonlyArray<{
  readonly name: string
  readonly description: string
  readonly tools?: ReadonlyArray<string>
}>

const DESCRIPTION = `Gives a task to a subagent, which has its own conversation, tools and instructions. It knows only the prompt: describe the whole task in it. Its last message is returned to you as its report.

- Calls in the same answer run concurrently.
- With \`run_in_background\` true the report arrives in a later message; do not guess it.
- \`resume\` with the id of an agent that has ended continues it.
- Read one file or search for one name yourself.`

/** What the model reads instead of an empty report. */
export const NO_REPORT = "(The agent returned no report.)"

/** The SDK's input, and `resume`, which continues an agent that has ended. */
export const AgentCall = Schema.Struct({
  ...AgentInput.fields,
  resume: optional(Id, "The id or name of an agent that has ended, to continue it with this prompt."),
})
export type AgentCall = typeof AgentCall.Type

export const agentTool = makeTool(AgentCall, {
  name: "Agent",
  description: DESCRIPTION,
  readOnly: () => false,
  concurrent: () => true,
  ...INTERNAL,
  byAgent: true,
  idempotent: false,
  ignoresUnknown: true,
  subject: ({ subagent_type: type }) => type ?? "general-purpose",
  run: () => Effect.die(new Error("the loop runs the subagent of this call")),
  contentOf: (output, content) => {
    // The notice of an agent in the background is Perch's own text.
    if (isLaunched(output)) return content
    if (!isReport(output) || typeof content === "string") return null
    const texts = output.content.filter(({ text }) => text.trim() !== "")
    // The first block is the report, the others are what Perch adds to it.
    return [...(texts.length === 0 ? [{ type: "text" as const, text: NO_REPORT }] : texts), ...content.slice(1)]
  },
})

const isLaunched = Schema.is(Schema.Struct({ status: Schema.Literal("async_launched") }))

const isReport = Schema.is(
  Schema.Struct({
    status: Schema.Literal("completed"),
    content: Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
  }),
)

const described = new WeakMap<AgentList, SchemaTool>()

/** The tool with the agents of a session in its description. */
export const withAgents = (tool: SchemaTool, agents: AgentList): SchemaTool => {
  if (agents.length === 0) return tool
  const known = described.get(agents)
  if (known !== undefined) return known
  const lines = agents.map(
    ({ name, description, tools }) =>
      `- ${name}: ${description} (Tools: ${tools === undefined ? "all" : tools.join(", ") || "none"})`,
  )
  const withDescription = {
    ...tool,
    description: `${tool.description}\n\nThe values of \`subagent_type\`, \`general-purpose\` when it is absent:\n${lines.join("\n")}`,
  }
  described.set(agents, withDescription)
  return withDescription
}
