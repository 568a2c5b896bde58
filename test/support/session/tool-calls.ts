// One tool call with the loop's own order of checks and the real tool, over a workspace of its own: no model, no log. Receives
// the session's options and a person's answer; returns the outcome of the call.
import { Effect } from "effect"
import { SessionMemory } from "../../../src/agent/transcript/projection.ts"
import { type AskAnswer, Asks, Hooks, Log, ToolLedger, TurnContext } from "../../../src/agent/ports.ts"
import { freshRun, NO_PROMPT, NO_QUEUE } from "../../../src/agent/turn-parts.ts"
import { NO_LEDGER } from "../../../src/session/turns/outside-turn.ts"
import { CommandBook } from "../../../src/agent/commands/command.ts"
import { batchedCall } from "../../../src/agent/calls/tool-call.ts"
import { type HookOutcome, NO_HOOKS } from "../../../src/hooks/outcome.ts"
import { MessagesApi } from "../../../src/model/messages-api.ts"
import { FetchError } from "../../../src/net/guarded-fetch.ts"
import { type Policy, policyOf } from "../../../src/permissions/policy.ts"
import type { NewEvent } from "../../../src/schemas/log/events.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { PageCache } from "../../../src/tools/web/page-cache.ts"
import { toolAmong, toolsFor } from "../../../src/tools/registry.ts"
import type { Workspace } from "../../../src/workspace/workspace.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"

export interface Calling {
  readonly options: SessionOptions
  /** The answer to asks; without it they stay open. */
  readonly answer?: "allow" | "deny"
  /** The answer of PreToolUse hooks. */
  readonly hook?: HookOutcome["permission"]
  readonly files?: Readonly<Record<string, string>>
  /** The policy at each check, if it is not the one of the options. */
  readonly policy?: () => Policy
}

const never = Effect.die(new Error("a single call does none of this"))

/** The complete content of a workspace, as one text. */
const seen = (workspace: Workspace): string =>
  JSON.stringify(
    workspace
      .list("/", null, 1000)
      .files.map(({ path, type, mode }) => [path, type, mode, type === "file" ? workspace.readText(path) : ""]),
  )

interface Opened {
  readonly files: string
  readonly workspace: Workspace
  readonly before: string
}

let last: Opened | null = null

/** The last call's workspace, if it started with these files and the call changed none; otherwise a new one. */
const opened = (files: Readonly<Record<string, string>>): Opened => {
  const key = JSON.stringify(files)
  if (last?.files === key) return last
  const { workspace } = openWorkspace()
  for (const [path, text] of Object.entries(files)) workspace.writeBytes(`/workspace/${path}`, text)
  last = { files: key, workspace, before: seen(workspace) }
  return last
}

export const callTool = async (name: string, input: Readonly<Record<string, unknown>>, calling: Calling) => {
  const { options, answer, hook = null, files = {} } = calling
  const { workspace, before } = opened(files)
  const events: Array<NewEvent> = []
  let asked = 0
  const tools = toolsFor(options, [])
  const own = policyOf(options, [])
  const settled: AskAnswer | null =
    answer === undefined
      ? null
      : { by: "client", answer: answer === "allow" ? { behavior: "allow" } : { behavior: "deny", message: "no" } }
  const use = { id: "toolu_1", name, input, messageId: "m" }
  await Effect.runPromise(
    Effect.flatMap(batchedCall(use), (call) => call.run).pipe(
      Effect.provideService(Log, {
        append: (written, change) =>
          Effect.sync(() => {
            events.push(...written)
            change?.([])
          }),
        emit: () => undefined,
        beforeModelRequest: () => undefined,
        sendEmitted: () => undefined,
        wantsPartials: () => false,
        hasListeners: () => false,
      }),
      Effect.provideService(Asks, {
        find: () => undefined,
        open: () => Effect.sync(() => void (asked += 1)),
        wait: () => Effect.succeed(settled),
        settle: () => Effect.void,
      }),
      Effect.provideService(Hooks, {
        listens: (event) => event === "PreToolUse" && hook !== null,
        run: (event) => Effect.succeed(event === "PreToolUse" ? { ...NO_HOOKS, permission: hook } : NO_HOOKS),
      }),
      Effect.provideService(ToolLedger, NO_LEDGER),
      Effect.provideService(MessagesApi, { stream: () => never, complete: () => never }),
      Effect.provideService(TurnContext, {
        sessionId: "s",
        id: "t",
        cwd: "/workspace",
        root: "/workspace",
        ...NO_PROMPT,
        ...NO_QUEUE,
        options,
        memory: new SessionMemory("/workspace"),
        workspace,
        web: {
          fetch: () => Effect.fail(new FetchError({ kind: "refused", message: "There is no network here." })),
          pages: new PageCache(() => 0),
        },
        tools,
        toolByName: toolAmong(tools),
        budgets: () => ({}),
        spent: () => ({ session: 0, turn: 0 }),
        subagents: new SessionMemory("/workspace").subagents,
        commands: new CommandBook(),
        run: freshRun(),
        agents: [],
        agentsInBackground: false,
        mcpServers: [],
        apiKeySource: "none",
        signal: new AbortController().signal,
        policy: calling.policy ?? (() => own),
        modeBeforePlan: () => "default",
        changeMode: () => ({ events: [], commit: () => undefined }),
        changePermissions: () => ({ events: [], commit: () => undefined }),
        sessionTitle: () => null,
        changeTitle: () => ({ events: [], commit: () => undefined }),
        now: () => 0,
        newUuid: () => "00000000-0000-7000-8000-000000000000",
        announce: () => never,
        begin: () => never,
        finish: () => never,
      }),
    ),
  )
  const changed = seen(workspace) !== before
  if (changed) last = null
  return {
    workspace,
    asked: asked > 0,
    changed,
    /** Everything that clients and the model receive of the call. */
    output: JSON.stringify(events),
  }
}
