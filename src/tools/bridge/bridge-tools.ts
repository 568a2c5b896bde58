// The tools of the MCP server `mechacoder`, which is part of the session and available to routed runs: the run reports that
// it is done, asks for help, and reads the progress notes of its app.
// Invariant: each permitted call is one event of the log. No call changes anything, so only the request for help opens an ask.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  BRIDGE,
  type BridgeTool,
  ReadProgressInput,
  RequestHelpInput,
  SubtaskCompleteInput,
} from "../../schemas/interop/bridge.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { AskUserQuestionInput, type Question } from "../../schemas/sdk/tools/tool-inputs-agents.ts"
import { NO_FILES, makeTool, requireSound, type SchemaTool, withAnyInput } from "../make-tool.ts"
import type { Tool } from "../tool.ts"

/** The fields that the three tools have in common. */
const coordination = (tool: BridgeTool) =>
  ({
    name: `mcp__${BRIDGE.name}__${tool}`,
    mcpServer: { name: BRIDGE.name, source: "sdk" },
    serverTool: tool,
    ...NO_FILES,
    // Without `questions`, which is only the form for users.
    announces: ({ questions: _, ...input }: Readonly<Record<string, unknown>>, tool_use_id: string): NewEvent => ({
      name: EventNames.bridgeCalled,
      payload: { tool, tool_use_id, input },
    }),
  }) as const

const COMPLETED = "The subtask is recorded as complete."

const subtaskComplete = makeTool(SubtaskCompleteInput, {
  ...coordination("subtask_complete"),
  description:
    "Reports that the subtask is complete, and ends the run: the summary is its result. Call it once, when everything is " +
    "done and checked. List every file that you changed.",
  display: "Subtask complete",
  readOnly: () => false,
  internal: true,
  run: () => Effect.succeed({ content: COMPLETED, output: COMPLETED }),
})

const readProgress = makeTool(ReadProgressInput, {
  ...coordination("read_progress"),
  description:
    "Reads the progress notes of the whole project, which the app that gave you the subtask maintains: what others have done " +
    "and decided before you.",
  display: "Read progress",
  readOnly: () => true,
  internal: true,
  run: (_, { progress }) =>
    Effect.sync(() => {
      const written = progress?.() ?? ""
      const content = written === "" ? "There are no progress notes." : written
      return { content, output: content }
    }),
})

/** The request for help as a question that clients show; the user may also answer with any other text. */
const questionOf = ({ issue, suggestion }: RequestHelpInput): Question => ({
  question: issue,
  header: "Help",
  multiSelect: false,
  options: [
    suggestion === undefined
      ? { label: "Decide yourself", description: "Continue in the way that you think best." }
      : { label: "Do as suggested", description: suggestion },
    { label: "Stop here", description: "Do not do the rest, and report your progress." },
  ],
})

const { questions, answers, annotations } = AskUserQuestionInput.fields
const Asked = Schema.Struct({ questions: Schema.optionalKey(questions), answers, annotations })

const requestHelp = makeTool<RequestHelpInput & typeof Asked.Type>(RequestHelpInput, {
  ...coordination("request_help"),
  description:
    "Asks the people who gave you the subtask for help, and waits for their answer. Use it when something blocks you " +
    "that you can neither find out nor decide.",
  display: "Request help",
  userParameters: Asked,
  question: {
    kind: "question",
    shown: ({ issue, suggestion }) => ({
      issue,
      ...(suggestion === undefined ? {} : { suggestion }),
      questions: [questionOf({ issue, ...(suggestion === undefined ? {} : { suggestion }) })],
    }),
  },
  readOnly: () => true,
  run: ({ issue, answers: given = {}, annotations: notes = {} }) =>
    Effect.sync(() => {
      const answer = Object.hasOwn(given, issue) ? given[issue] : undefined
      const note = Object.hasOwn(notes, issue) ? notes[issue]?.notes : undefined
      const content = [
        answer ?? "No answer was given. Continue as you think best.",
        ...(note === undefined ? [] : [note]),
      ]
      return { content: content.join("\n"), output: content.join("\n") }
    }),
})

const bridgeTools: ReadonlyArray<SchemaTool> = requireSound([
  withAnyInput(subtaskComplete),
  withAnyInput(requestHelp),
  withAnyInput(readProgress),
])

/** The tools of a run; without the request for help when no one can be asked. */
export const bridgeToolsFor = (canAsk: boolean): ReadonlyArray<Tool> =>
  canAsk ? bridgeTools : bridgeTools.filter(({ question }) => question === undefined)

/** True for a tool of the server itself, and not of a client's server of that name. */
export const isBridgeTool = (tool: Tool): boolean => bridgeTools.some((one) => one === tool)

/** The server as `system/init` and `mcp_status` list it. */
export const bridgeFacts = (tools: ReadonlyArray<Tool>) => ({
  name: BRIDGE.name,
  status: "connected" as const,
  source: "sdk",
  transport: "sdk" as const,
  scope: "dynamic",
  serverInfo: { name: BRIDGE.name, version: BRIDGE.version },
  tools: tools.filter(isBridgeTool).map(({ serverTool: name = "", description }) => ({
    name,
    description,
    annotations: {},
  })),
})
