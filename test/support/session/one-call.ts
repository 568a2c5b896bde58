// One tool call with the loop's own order of checks, over a real workspace and without a session: rules, the ask if there is
// one, the run and its commit. Asks get the test's answer, and are recorded.
import { Effect } from "effect"
import { SessionMemory } from "../../../src/agent/transcript/projection.ts"
import { Asks, Hooks, Log, ToolLedger, type Turn, TurnContext } from "../../../src/agent/ports.ts"
import { freshRun, NO_PROMPT, NO_QUEUE } from "../../../src/agent/turn-parts.ts"
import { NO_LEDGER } from "../../../src/session/turns/outside-turn.ts"
import { CommandBook } from "../../../src/agent/commands/command.ts"
import { batchedCall } from "../../../src/agent/calls/tool-call.ts"
import { NO_HOOKS } from "../../../src/hooks/outcome.ts"
import { MessagesApi } from "../../../src/model/messages-api.ts"
import { FetchError } from "../../../src/net/guarded-fetch.ts"
import type { Policy } from "../../../src/permissions/policy.ts"
import type { NewEvent } from "../../../src/schemas/log/events.ts"
import { PageCache } from "../../../src/tools/web/page-cache.ts"
import { toolAmong } from "../../../src/tools/registry.ts"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { editTool } from "../../../src/tools/files/edit.ts"
import { globTool } from "../../../src/tools/files/glob.ts"
import { grepTool } from "../../../src/tools/files/grep.ts"
import { listTool } from "../../../src/tools/files/list.ts"
import { notebookEditTool } from "../../../src/tools/files/notebook-edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import type { Tool } from "../../../src/tools/tool.ts"
import { writeTool } from "../../../src/tools/files/write.ts"
import type { Workspace } from "../../../src/workspace/workspace.ts"

// Each tool's own input is decoded before it is used.
const TOOLS = [
  bashTool,
  editTool,
  globTool,
  grepTool,
  listTool,
  notebookEditTool,
  readTool,
  writeTool,
] as unknown as ReadonlyArray<Tool>

export interface CallSetting {
  readonly workspace: Workspace
  readonly policy: () => Policy
  readonly cwd?: string
  readonly root?: string
  /** The answer to an ask; without it the call keeps waiting. */
  readonly answer?: "allow" | "deny"
  /** Runs while the ask is open. */
  readonly meanwhile?: () => void
  /** Runs after the tool has run and before its changes are committed. */
  readonly beforeCommit?: () => void
  readonly memory?: SessionMemory
}

let calls = 0

export const callOnce = async (setting: CallSetting, name: string, input: Record<string, unknown>) => {
  const { workspace, policy, root = "/workspace", cwd = root, memory = new SessionMemory(root) } = setting
  const id = `toolu_${(calls += 1)}`
  const events: Array<NewEvent> = []
  const asked: Array<{ readonly blocked_path?: string; readonly decision_reason?: string }> = []
  const service = {
    sessionId: "s",
    id: "t",
    cwd,
    root,
    ...NO_PROMPT,
    ...NO_QUEUE,
    options: {},
    memory,
    workspace,
    web: {
      fetch: () => Effect.fail(new FetchError({ kind: "refused", message: "There is no network here." })),
      pages: new PageCache(() => 0),
    },
    tools: TOOLS,
    toolByName: toolAmong(TOOLS),
    budgets: () => ({}),
    spent: () => ({ session: 0, turn: 0 }),
    subagents: memory.subagents,
    commands: new CommandBook(),
    run: freshRun(),
    agents: [],
    agentsInBackground: false,
    mcpServers: [],
    apiKeySource: "none",
    signal: new AbortController().signal,
    policy,
    modeBeforePlan: () => "default",
    changeMode: () => ({ events: [], commit: () => undefined }),
    changePermissions: () => ({ events: [], commit: () => undefined }),
    sessionTitle: () => null,
    changeTitle: () => ({ events: [], commit: () => undefined }),
    now: () => 0,
    newUuid: () => crypto.randomUUID(),
    announce: () => Effect.void,
    begin: () => Effect.void,
    finish: () => Effect.void,
  } satisfies Turn
  const program = Effect.flatMap(batchedCall({ id, name, input, messageId: id }), ({ run }) => run).pipe(
    Effect.provideService(TurnContext, service),
    Effect.provideService(Log, {
      append: (more, change) =>
        Effect.sync(() => {
          if (change !== undefined) {
            setting.beforeCommit?.()
            change([])
          }
          events.push(...more)
        }),
      emit: () => undefined,
      beforeModelRequest: () => undefined,
      sendEmitted: () => undefined,
      wantsPartials: () => false,
      hasListeners: () => false,
    }),
    Effect.provideService(Asks, {
      find: () => undefined,
      open: (ask) => Effect.sync(() => void asked.push(ask)),
      wait: () =>
        Effect.sync(() => {
          setting.meanwhile?.()
          if (setting.answer === undefined) return null
          const message = "no"
          return {
            by: "client",
            answer: setting.answer === "allow" ? { behavior: "allow" } : { behavior: "deny", message },
          }
        }),
      settle: () => Effect.void,
    }),
    Effect.provideService(Hooks, { listens: () => false, run: () => Effect.succeed(NO_HOOKS) }),
    Effect.provideService(ToolLedger, NO_LEDGER),
    // No call of these tools makes a model request.
    Effect.provideService(MessagesApi, {} as MessagesApi["Service"]),
  )
  await Effect.runPromise(program)
  const result = events.findLast((event) => event.name === "sdk:user")?.payload as
    | {
        readonly message: {
          readonly content: ReadonlyArray<{ readonly content: unknown; readonly is_error?: boolean }>
        }
      }
    | undefined
  const [block] = result?.message.content ?? []
  for (const event of events) {
    if (event.name === "sdk:user")
      memory.knownFiles.learn((event.payload as { tool_use_result?: unknown }).tool_use_result, cwd)
  }
  return {
    end: result === undefined ? "waits" : "done",
    asked: asked.length > 0,
    blockedPath: asked[0]?.blocked_path,
    why: asked[0]?.decision_reason,
    text: typeof block?.content === "string" ? block.content : JSON.stringify(block?.content ?? ""),
    output: (result as { readonly tool_use_result?: unknown } | undefined)?.tool_use_result,
    isError: block?.is_error === true,
  } as const
}
