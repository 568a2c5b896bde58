// The routed turns of a session: receives a prompt that asks for a route; decides once which agent executes it; returns that
// agent's options, and the result of its subtask.
// Invariants: the decision and a fallback are events of the log, so that a restart keeps them; a turn without a route does
// nothing here.
import type { TurnEnd } from "../../agent/messages/result.ts"
import { syntheticMessage } from "../../agent/messages/sdk-messages.ts"
import type { Turn } from "../../agent/ports.ts"
import { modelOf } from "../../agent/step-request.ts"
import { promptText } from "../../agent/messages/prompt-text.ts"
import { detectClaudeCode } from "../../interop/detect.ts"
import { decideRoute, wholeConfig } from "../../interop/router.ts"
import { MINIMAL } from "../../interop/run-subagent.ts"
import { resolveModel } from "../../model/catalogue/models.ts"
import { BRIDGE } from "../../schemas/interop/bridge.ts"
import { ClaudeCodeConfig } from "../../schemas/interop/claude-code-config.ts"
import type { SubagentResult } from "../../schemas/interop/subagent-run.ts"
import type { Subtask } from "../../schemas/interop/subtask.ts"
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { RouteDecided } from "../../schemas/log/route-events.ts"
import type { SubmitArgs } from "../../schemas/rpc/turns.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { canonicalToolName } from "../../schemas/sdk/tools/tool-names.ts"
import { bridgeFacts, bridgeToolsFor } from "../../tools/bridge/bridge-tools.ts"
import type { Tool } from "../../tools/tool.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import type { SessionCore } from "../core.ts"
import { decodedDefinitions } from "../definitions/decoded-definitions.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import { isOffline } from "../../schemas/env.ts"

/** API errors that the minimal agent would get as well. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(["authentication_failed", "billing_error", "oauth_org_not_allowed"])
/** Ends that are no failure of the agent: a client stopped it, or the budget is used up. */
const FINAL_REASONS: ReadonlySet<string> = new Set(["aborted_streaming", "aborted_tools", "budget_exhausted"])
const PAYMENT_REQUIRED = 402
const INTERRUPTED = "The run was interrupted."

interface Routed {
  readonly turn: string
  readonly subtask: Subtask
  readonly decision: RouteDecided
  readonly fellBack: boolean
  readonly config: ReturnType<typeof wholeConfig>
}

type Core = Pick<
  SessionCore,
  "append" | "context" | "definitions" | "id" | "log" | "mcp" | "memory" | "record" | "runningOptions" | "workspace"
>

export class Routing {
  readonly #core: Core
  #routed: Routed | null = null

  constructor(core: Core) {
    this.#core = core
  }

  /** The options of a turn, with those of its agent. Decides on the agent if that was not done yet. */
  begin({ turn }: InboxEntry, { routing, prompt }: TurnQueued, own: SessionOptions): SessionOptions {
    this.#routed = null
    if (routing === undefined) return own
    const config = wholeConfig(this.configOf(own))
    const subtask = routing.subtask ?? { id: turn, description: promptText(prompt) }
    const decision = this.#decided(turn) ?? this.#decide(turn, routing.route, subtask, own)
    const fellBack = this.#core.log.lastNamed(EventNames.routeFellBack)?.event.turn === turn
    this.#routed = { turn, subtask, decision, fellBack, config }
    return { ...own, ...agentOptions(this.#isMinimal(this.#routed), config, this.#core.record.options, own) }
  }

  /** The options for which a prompt's sender is checked, including the permission mode that the router may give its turn. */
  mostAllowed({ routing, options }: Pick<SubmitArgs, "routing" | "options">): SessionOptions {
    if (routing === undefined) return options
    const config = wholeConfig(this.configOf(options))
    return { ...options, ...permissionOf(config, this.#core.record.options, options) }
  }

  /** The configuration of a turn's router: the turn's options win over the session's, and these over the tenant's. */
  configOf({ claudeCode }: SessionOptions): ClaudeCodeConfig {
    const stored = decodedDefinitions("router", ClaudeCodeConfig, this.#core.definitions.stored("router"))["default"]
    return { ...stored, ...this.#core.record.options.claudeCode, ...claudeCode }
  }

  #decide(turn: string, route: "auto" | "claude-code" | "minimal", subtask: Subtask, own: SessionOptions) {
    const { context, record } = this.#core
    const availability = detectClaudeCode({
      configured: !isOffline(context.env),
      model: modelOf({ ...record.options, ...own }),
      resolve: (model) => resolvedModel(model, context.env.ANTHROPIC_BASE_URL),
    })
    const decision: RouteDecided = decideRoute(route, subtask, this.configOf(own), availability)
    this.#core.append([{ name: EventNames.routeDecided, payload: decision, turn }])
    return decision
  }

  #decided(turn: string): RouteDecided | undefined {
    const found = this.#core.log.lastNamed(EventNames.routeDecided)
    return found?.event.turn === turn ? found.event.payload : undefined
  }

  /** The tools with which the running turn of the full agent communicates with its app. Empty for every other turn. */
  get bridge(): ReadonlyArray<Tool> {
    const { mcp, runningOptions } = this.#core
    // If the session has a server of that name, that one is meant.
    if (this.#routed === null || this.#isMinimal(this.#routed) || mcp.has(BRIDGE.name)) return []
    return bridgeToolsFor(runningOptions.permission_prompts !== "deny")
  }

  /** The MCP servers of the running turn, and their tools: the minimal agent has none. */
  get servers(): {
    readonly tools: ReadonlyArray<Tool>
    readonly facts: ReturnType<SessionCore["mcp"]["status"]>
    /** True when the server of `bridge` is among them. */
    readonly bridged: boolean
  } {
    const { mcp } = this.#core
    if (this.#routed !== null && this.#isMinimal(this.#routed)) return { tools: [], facts: [], bridged: false }
    const { bridge } = this
    if (bridge.length === 0) return { tools: mcp.tools, facts: mcp.status(), bridged: false }
    return { tools: [...mcp.tools, ...bridge], facts: [...mcp.status(), bridgeFacts(bridge)], bridged: true }
  }

  /** The events that a failed run of the full agent ends with when the minimal one follows it; null when the turn ends. */
  fallBack(turn: Turn, end: TurnEnd): ReadonlyArray<NewEvent> | null {
    const routed = this.#routed
    if (routed === null || routed.turn !== turn.id || routed.fellBack || routed.decision.mode === "minimal") return null
    const error = failureOf(end)
    if (error === undefined || !routed.config.fallbackToMinimal) return null
    if (isFinal(end)) return null
    const stamp = { sessionId: this.#core.id, turn: turn.id, uuid: turn.newUuid(), at: turn.now() }
    const text = `The previous work on this task ended with an error: ${error}\nPerform the task now, in small steps, with the tools that you have. The files contain the changes made so far.\n\nThe task: ${routed.subtask.description}`
    return [{ name: EventNames.routeFellBack, payload: { error }, turn: turn.id }, syntheticMessage(stamp, text)]
  }

  /** The field `subagent_result` for the result of a routed turn; none for other turns. */
  resultField(turn: Turn, end: TurnEnd): { readonly subagent_result?: SubagentResult } {
    const routed = this.#routed
    if (routed === null || routed.turn !== turn.id) return {}
    const { tally } = turn.memory.accounting
    const error = failureOf(end)
    const minimal = this.#isMinimal(routed)
    const usage = tally?.usage
    return {
      subagent_result: {
        success: error === undefined,
        subtaskId: routed.subtask.id,
        filesModified: this.#filesModified(turn.id, tally?.completed?.filesModified),
        turns: tally?.requests ?? 0,
        ...(tally?.completed == null ? {} : { summary: tally.completed.summary }),
        ...(error === undefined ? {} : { error }),
        ...(usage === undefined
          ? {}
          : {
              tokenUsage: {
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                cache_read_input_tokens: usage.cache_read_input_tokens,
                cache_creation_input_tokens: usage.cache_creation_input_tokens,
              },
            }),
        total_cost_usd: tally?.usd ?? 0,
        mode: minimal ? "minimal" : "claude-code",
        ...(routed.decision.mode === "minimal" ? {} : { claudeCodeSessionId: this.#core.id }),
      },
    }
  }

  #isMinimal({ fellBack, decision }: Routed): boolean {
    return fellBack || decision.mode === "minimal"
  }

  /** The files that the turn changed, with whichever tool, and those that the run itself reports. */
  #filesModified(turn: string, reported: ReadonlyArray<string> = []): ReadonlyArray<string> {
    const diff = this.#core.workspace.diff(turn, null)
    const changed = "missing" in diff ? [] : diff.files.map(({ file }) => file)
    const named = reported.map((path) => absolutePath(path, this.#core.record.cwd))
    return [...new Set([...changed, ...named])]
  }
}

/** The absolute path, as in `filesModified`; a text that is no path stays as it is. */
const absolutePath = (path: string, cwd: string): string => {
  try {
    return normalizePath(path, cwd)
  } catch (error) {
    if (error instanceof WorkspaceError) return path
    throw error
  }
}

/** The options of the chosen agent. A default does not widen a permission mode that the session was given. */
const agentOptions = (
  minimal: boolean,
  config: Routed["config"],
  session: SessionOptions,
  own: SessionOptions,
): SessionOptions => {
  const most = minimal ? MINIMAL.maxTurns : config.maxTurnsPerSubtask
  const maxTurns = Math.min(own.maxTurns ?? session.maxTurns ?? most, most)
  const only = minimal ? { tools: minimalTools(own.tools ?? session.tools), clientTools: [], model: MINIMAL.model } : {}
  return { ...only, maxTurns, ...permissionOf(config, session, own) }
}

/** The tools of the minimal agent, limited to those of a given list. */
const minimalTools = (given: SessionOptions["tools"]): ReadonlyArray<string> =>
  Array.isArray(given)
    ? MINIMAL.tools.filter((name) => given.some((one) => canonicalToolName(one) === name))
    : MINIMAL.tools

const permissionOf = (config: Routed["config"], session: SessionOptions, own: SessionOptions) => {
  const given = own.permissionMode ?? session.permissionMode ?? session.settings?.permissions?.defaultMode
  const asked = own.claudeCode?.permissionMode ?? session.claudeCode?.permissionMode
  return { permissionMode: own.permissionMode ?? asked ?? given ?? config.permissionMode }
}

/** True for a failure after which the minimal agent must not run. */
const isFinal = (end: TurnEnd): boolean => {
  if (end.terminalReason !== null && FINAL_REASONS.has(end.terminalReason)) return true
  if (end.subtype !== "success") return false
  return end.apiErrorStatus === PAYMENT_REQUIRED || (end.failure !== undefined && FINAL_ERRORS.has(end.failure))
}

/**
 * The id of a model's name; undefined when the API can't have it. The Claude API has only Claude models, another address may
 * have any.
 */
const resolvedModel = (name: string, address: string | undefined): string | undefined => {
  const { id, listed } = resolveModel(name)
  return listed !== null || id.includes("claude") || Boolean(address) ? id : undefined
}

const failureOf = (end: TurnEnd): string | undefined => {
  if (end.terminalReason === "aborted_streaming" || end.terminalReason === "aborted_tools") return INTERRUPTED
  if (end.subtype !== "success") return end.errors.join("; ") || end.subtype
  return end.isError === true ? end.result || "The run failed." : undefined
}
