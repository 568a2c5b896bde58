// Wires the control requests of clients to the session that they change or ask about.
import type { Hooks } from "../../agent/ports.ts"
import { systemMessage } from "../../agent/messages/sdk-messages.ts"
import { modelOf } from "../../agent/step-request.ts"
import { contextUsage } from "../../model/catalogue/context-usage.ts"
import { systemPromptOf } from "../../model/request/system-prompt.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import { toolsFor } from "../../tools/registry.ts"
import { normalizePath } from "../../workspace/paths.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import type { BackgroundTasks } from "../turns/background-tasks.ts"
import type { Clients } from "./clients.ts"
import { fileSuggestions, isAsRead, readFileAnswer } from "./control-files.ts"
import { costAnswer, modelsAnswer, permissionRulesAnswer, usageAnswer } from "./control-reports.ts"
import { ControlError, controlHandlers, type ControlHandlers, type ControlReports } from "./control-requests.ts"
import { answerServer } from "./elicitation.ts"
import { initialize } from "./initialize.ts"
import { makeTitle, type TitleDeps } from "../titles/make-title.ts"
import type { SessionLog } from "../storage/log.ts"
import type { McpServers } from "./mcp-servers.ts"
import type { Session } from "../session.ts"
import type { Refusal } from "../refusal.ts"
import { sessionUsage } from "./session-usage.ts"
import { switchModel } from "./switch-model.ts"

export interface ClientControlDeps {
  readonly session: Session
  readonly clients: Clients
  readonly mcp: McpServers
  readonly hooks: Hooks["Service"]
  readonly workspace: Workspace
  readonly log: SessionLog
  readonly apiKeySource: string
  readonly background: BackgroundTasks
  readonly interrupt: () => Promise<boolean>
  readonly runtime: TitleDeps["runtime"]
  /** Withdraws a question from clients. */
  readonly withdraw: (requestId: string) => void
  /** Whether a model request may be made outside a turn; null when it may. */
  readonly admit: () => Refusal | null | Promise<Refusal | null>
  /** A request outside a turn has ended. */
  readonly requested: () => void
  readonly newUuid: () => string
  readonly now: () => number
}

function* eventsOf(log: SessionLog) {
  for (const { event } of log.all()) yield event
}

/** The four counts of an answer's usage. */
const usageNumbers = (usage: Readonly<Record<string, unknown>> | null) => {
  const at = (key: string) => Number(usage?.[key] ?? 0)
  return usage === null
    ? null
    : {
        input_tokens: at("input_tokens"),
        output_tokens: at("output_tokens"),
        cache_creation_input_tokens: at("cache_creation_input_tokens"),
        cache_read_input_tokens: at("cache_read_input_tokens"),
      }
}

export const clientControl = (deps: ClientControlDeps): ControlHandlers =>
  controlHandlers({
    session: deps.session,
    clients: deps.clients,
    workspace: deps.workspace,
    mcp: deps.mcp,
    initialize: initialize(deps),
    background: deps.background,
    interrupt: deps.interrupt,
    withdrawAsks: () => {
      for (const { requestId, ask } of deps.session.askStore.open)
        if (ask.kind !== "client_tool") deps.withdraw(requestId)
    },
    titleChanged: (title) => {
      const { session, newUuid, now } = deps
      const stamp = { sessionId: session.id, turn: null, uuid: newUuid(), at: now() }
      session.append([systemMessage(stamp, "session_title_changed", { title })])
    },
    makeTitle: (description) => titled(deps, description),
    answerServer: (server, message) => answerServer(deps, server, message),
    switchModel: (model, by) => switchModel(deps, model, by),
    reports: reportsOf(deps),
  })

/** A title that the session's budget and the tenant's limits allow. */
const titled = async (deps: ClientControlDeps, description: string): Promise<string | null> => {
  const { session, runtime, now } = deps
  const { session: budget } = session.budgets
  if (budget !== undefined && session.memory.accounting.totalUsd >= budget) return null
  const refused = await deps.admit()
  if (refused !== null) throw new ControlError(refused.refused.message, refused.refused.type)
  try {
    const model = () => modelOf(session.record.options)
    const append: TitleDeps["append"] = (events) => session.append(events)
    return await makeTitle({ sessionId: session.id, runtime, model, append, now }, description)
  } finally {
    deps.requested()
  }
}

const reportsOf = ({ session, mcp, workspace, log }: ClientControlDeps): ControlReports => {
  const { cwd } = session.record
  const files = () => ({ workspace, cwd, policy: session.permissions.policy() })
  const usage = () => sessionUsage(eventsOf(log))
  return {
    contextUsage: () => {
      const options = session.runningOptions
      const model = modelOf(options)
      const tools = toolsFor(options, mcp.tools)
      const system = systemPromptOf(options.systemPrompt, { cwd, model, tools: tools.map((tool) => tool.name) })
      return {
        ...contextUsage({
          model,
          system,
          tools: tools.map((tool) => ({
            name: tool.name,
            tokensText: `${tool.name}${tool.description}${JSON.stringify(tool.inputSchema)}`,
            ...(tool.mcpServer === undefined ? {} : { mcp: tool.mcpServer.name }),
          })),
          messages: session.memory.transcript.messages(),
          apiUsage: usageNumbers(session.memory.accounting.lastUsage),
        }),
      }
    },
    cost: () => ({ ...costAnswer(session.memory.accounting, usage()) }),
    usage: () => ({ ...usageAnswer(session.memory.accounting, usage()) }),
    models: () => ({ ...modelsAnswer() }),
    permissionRules: () => ({
      ...permissionRulesAnswer({ policy: session.permissions.policy(), options: session.runningOptions, cwd }),
    }),
    readFile: (request) => {
      const answer = readFileAnswer(files(), request)
      return "error" in answer ? answer.error : { ...answer }
    },
    fileSuggestions: (query) => ({ ...fileSuggestions(files(), query) }),
    markRead: (path, mtime) => {
      if (!isAsRead({ workspace, cwd }, { path, mtime })) return
      const absolute = normalizePath(path, cwd)
      session.memory.knownFiles.add(absolute, workspace.hashOf(absolute))
    },
    version: PERCH_VERSION,
  }
}
