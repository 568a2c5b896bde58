// The handler of each control request of a client: what it does to the session, and its answer.
// Invariant: a request that changes the session appends to the log; one that can't be executed fails with a ControlError.
import { modelOf } from "../../agent/step-request.ts"
import { changedThinking } from "../../model/request/thinking.ts"
import type { Actor } from "../../schemas/access.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import { ControlError, permitted } from "./control-error.ts"
import { fileSuggestions, readFileAnswer } from "./control-files.ts"
import { type Answer, type ControlParts, type Handlers, NOTHING } from "./control-parts.ts"
import { costAnswer, modelsAnswer, OUTPUT_STYLES, usageAnswer } from "./control-reports.ts"
import type { SessionCore } from "../core.ts"
import { withFlagSettings } from "../prompts/flag-settings.ts"
import { hooksListing } from "./hooks-listing.ts"
import { initialize } from "./initialize.ts"
import {
  contextUsageFacts,
  filesOf,
  markRead,
  permissionRulesFacts,
  settingsFacts,
  skillInfos,
  usageOf,
} from "./report-facts.ts"
import { mcpRequests } from "./mcp-requests.ts"
import { announceTitle } from "../titles/change-title.ts"
import { sessionTitle } from "../titles/session-title.ts"
import { switchModel } from "./switch-model.ts"
import { rewindFiles } from "../files/rewind-files.ts"
import { keptTitle } from "../record-changes.ts"
import { isRefusal } from "../refusal.ts"

/** Requests whose answer is sent before the events of their change, as with the official SDK. */
export const ANSWERED_FIRST: ReadonlySet<string> = new Set(["set_permission_mode"])

/** The handler of each supported request, by subtype. */
export type ControlHandlers = Readonly<
  Record<string, ((request: never, client: string, by: Actor | undefined) => Answer | Promise<Answer>) | undefined>
>

/** The handlers of all supported requests. */
export const controlHandlers = (parts: ControlParts): ControlHandlers => {
  const handlers: Handlers = {
    ...turnRequests(parts),
    ...settingRequests(parts),
    ...mcpRequests(parts),
    ...reportRequests(parts),
  }
  // A handler is called only with requests of its own subtype.
  return handlers as ControlHandlers
}

/** Requests about turns, prompts, files and tasks. */
const turnRequests = ({ core, runner }: ControlParts): Handlers => {
  const { background, prompts, workspace } = core
  return {
    // As the official SDK: open asks are withdrawn, the request is answered, then agents and the turn are stopped.
    interrupt: ({ cancel_queued: cancel }, _, by) => {
      const cancelled = cancel === true ? prompts.cancelQueued(undefined, by) : []
      const queued = core.inbox.open.slice(1).map((entry) => entry.turn)
      withdrawAsks(core)
      return {
        still_queued: queued,
        ...(cancel === true ? { cancelled } : {}),
        after: async () => {
          background.stopRunning("agents")
          await runner.stop()
        },
      }
    },
    // Ends what would end with a local process: the turn, the queued prompts, commands in the background.
    end_session: (_request, _client, by) => {
      prompts.cancelQueued(undefined, by)
      withdrawAsks(core)
      return {
        after: async () => {
          background.stopRunning("all")
          await runner.stop()
          // A command that the turn started meanwhile.
          background.stopRunning("all")
        },
      }
    },
    cancel_async_message: ({ message_uuid: uuid }, _, by) => ({
      cancelled: prompts.cancelQueued(uuid, by).length > 0,
      message_uuid: uuid,
    }),
    rewind_files: ({ user_message_id: id, dry_run: dryRun }) => {
      const result = rewindFiles(core, { user_message_id: id, dry_run: dryRun === true })
      if (isRefusal(result)) throw new ControlError(result.refused.message)
      return dryRun === true ? { ...result } : { canRewind: true, skippedLinks: 0 }
    },
    stop_task: ({ task_id: id }) => {
      stopTask(core, id)
      return NOTHING
    },
    get_task_output: ({ task_id: id }) => {
      const output = background.tailOf(id, workspace)
      if (output === undefined)
        throw new ControlError(`get_task_output.task_id: there is no task "${id.slice(0, 100)}"`)
      return { ...output }
    },
    background_tasks: ({ tool_use_id: id }) => ({ backgrounded: background.foreground.leave(id) }),
  }
}

/** `initialize`, and requests that change the session's settings and its title. */
const settingRequests = (parts: ControlParts): Handlers => {
  const { core } = parts
  return {
    initialize: (request, client, by) => initialize(parts, request, client, by),
    set_permission_mode: ({ mode }, _, by) => {
      if (mode === "bypassPermissions" && core.record.options.allowDangerouslySkipPermissions !== true) {
        throw new ControlError(
          "set_permission_mode.mode: bypassPermissions needs a session that was opened with allowDangerouslySkipPermissions",
        )
      }
      permitted(core.permissions.setMode(mode, by))
      return { mode }
    },
    set_model: async ({ model }, _, by) => {
      const after = await switchModel(parts, model ?? null, by)
      return { model: modelOf(core.record.options), after }
    },
    set_max_thinking_tokens: ({ max_thinking_tokens: tokens, thinking_display: display }, _, by) => {
      if (tokens != null && (!Number.isInteger(tokens) || tokens < 0 || tokens > 1_000_000)) {
        throw new ControlError(
          "set_max_thinking_tokens.max_thinking_tokens: must be a whole number from 0 to 1000000, or null",
        )
      }
      permitted(core.changes.setOptions(changedThinking(core.record.options, { tokens, display }), by))
      return NOTHING
    },
    apply_flag_settings: async ({ settings }, _, by) => {
      const { layers, settings: next } = withFlagSettings(core.record, settings)
      permitted(namesBypass(settings) ? core.refusal(core.record, by, { options: BYPASS }) : undefined)
      permitted(core.changes.setOptions({ settings: next }, by))
      core.keepRecord({ ...core.record, flag_settings: layers })
      if ("effortLevel" in settings) permitted(core.changes.setOptions({ effort: next.effortLevel ?? undefined }, by))
      if (!("model" in settings)) return NOTHING
      return { after: await switchModel(parts, settings["model"] === null ? null : (next.model ?? null), by) }
    },
    rename_session: ({ title, session_id: id }, _, by) => {
      if (id !== undefined && id !== core.record.id) {
        throw new ControlError("rename_session.session_id: differs from this session")
      }
      const shown = keptTitle(title)
      permitted(core.changes.patch({ title: shown }, by))
      announceTitle(core, shown)
      return NOTHING
    },
    generate_session_title: async ({ description, persist }, _, by) => {
      const title = await sessionTitle(parts, description)
      if (title !== null && persist === true) permitted(core.changes.patch({ title }, by))
      return { title }
    },
  }
}

/** Requests that report, and those that change nothing that is stored. */
const reportRequests = ({ core }: ControlParts): Handlers => ({
  get_context_usage: () => contextUsageFacts(core),
  get_session_cost: () => ({ ...costAnswer(core.memory.accounting, usageOf(core)) }),
  get_usage: () => ({ ...usageAnswer(core.memory.accounting, usageOf(core), core.record.options) }),
  list_models: () => ({ ...modelsAnswer() }),
  get_binary_version: () => ({ version: PERCH_VERSION }),
  list_permission_rules: () => permissionRulesFacts(core),
  read_file: (request) => {
    const answer = readFileAnswer(filesOf(core), request)
    if ("error" in answer) throw new ControlError(answer.error)
    return { ...answer }
  },
  file_suggestions: ({ query }) => ({ ...fileSuggestions(filesOf(core), query) }),
  seed_read_state: ({ path, mtime }) => {
    markRead(core, path, mtime)
    return NOTHING
  },
  get_settings: () => ({ ...settingsFacts(core) }),
  get_hooks_listing: () => ({ ...hooksListing(core.clients.registration.hooks, core.record.options.hooks ?? {}) }),
  set_has_subscribers: () => NOTHING,
  set_color: () => NOTHING,
  reload_skills: () => ({ skills: skillInfos(core) }),
  reload_output_styles: () => ({ available_output_styles: OUTPUT_STYLES }),
})

/** As the official SDK: withdraws open asks from clients before the turn ends. */
export const withdrawAsks = ({ askStore, feed }: SessionCore): void => {
  for (const { requestId, ask } of askStore.open) if (ask.kind !== "client_tool") feed.withdraw(requestId)
}

const BYPASS: SessionOptions = { permissionMode: "bypassPermissions" }

/**
 * True when the settings set the mode bypassPermissions. It is not applied to a session that has started, but needs the scope
 * all the same.
 */
const namesBypass = ({ permissions }: Readonly<Record<string, unknown>>): boolean =>
  typeof permissions === "object" &&
  permissions !== null &&
  "defaultMode" in permissions &&
  permissions.defaultMode === BYPASS.permissionMode

/**
 * Stops a task: one in the background, or a command or subagent that its turn waits for, whose open asks are settled. An id of
 * no running task is no error.
 */
const stopTask = (core: SessionCore, id: string): void => {
  const { asks, background } = core
  if (background.stopForClient(id)) return
  const over = background.foreground.stop(id)
  const isInside = (agent: string | undefined): boolean =>
    agent !== undefined && (agent === id || isInside(core.memory.subagents.runningOf(agent)?.started.parent_agent_id))
  const { events, commit, committed } = asks.interrupted(({ ask }) => isInside(ask.agent_id))
  const ended = over === undefined ? background.suspendedEnd(id) : []
  if (events.length + ended.length === 0) return
  const isWaiting = events.length === 0 || core.askStore.open.length > events.length
  const state = isWaiting ? [] : core.stateEvents(core.inbox.head()?.turn ?? null, "running")
  core.append([...events, ...ended, ...state], () => {
    commit()
    if (over === undefined) asks.forgetParked()
  })
  // A call that runs ends by itself, before its asks' waiters could continue it.
  if (over !== undefined) return void over.then(committed)
  asks.unparked()
  committed()
  core.wake()
  background.resumeAgents()
}
