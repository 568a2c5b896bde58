// An open session: its core, and the parts that run its turns, serve its clients and export it for forks.
import type * as ManagedRuntime from "effect/ManagedRuntime"
import type { Hooks } from "../agent/ports.ts"
import type { MessagesApi } from "../model/messages-api.ts"
import { fetchSettings, guardedFetch } from "../net/guarded-fetch.ts"
import type { ApiKeySource } from "../schemas/sdk/messages/message-values.ts"
import { PageCache } from "../tools/web/page-cache.ts"
import { announcePageDone, answerServer } from "./control/elicitation.ts"
import { Control } from "./control/control.ts"
import { SessionCore, type SessionSeed } from "./core.ts"
import type { SessionErasure } from "./erasure.ts"
import { ForkExport } from "./fork/fork-export.ts"
import { HookPort } from "./hooks/hook-port.ts"
import { Authorizations } from "./mcp/authorizations.ts"
import { capturedFetch, capturedRuntime } from "./recording/captured.ts"
import { EphemeralSession } from "./storage/ephemeral.ts"
import { ledgerOf } from "./storage/tool-ledger.ts"
import { BackgroundAgents } from "./turns/background-agents.ts"
import { DirectCalls } from "./turns/direct-calls.ts"
import { isOffline } from "../schemas/env.ts"
import { TurnRunner } from "./turns/turn-runner.ts"

export interface OpenSessionSeed extends SessionSeed {
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  readonly erasure: Pick<SessionErasure, "eraseIfAbandoned">
}

export class OpenSession {
  readonly core: SessionCore
  readonly hooks: Hooks["Service"]
  readonly directCalls: DirectCalls
  readonly runner: TurnRunner
  readonly control: Control
  readonly authorizations: Authorizations
  readonly forkExport: ForkExport
  readonly ephemeral: EphemeralSession

  constructor(seed: OpenSessionSeed) {
    const { context, erasure } = seed
    const { env, now, sql } = context
    const core = new SessionCore(seed)
    const { capture } = core
    const runtime = capture === null ? seed.runtime : capturedRuntime(seed.runtime, capture)
    const hooks = new HookPort(core).service
    const apiKeySource: ApiKeySource = isOffline(env) ? "none" : "ANTHROPIC_API_KEY"
    const fetch = guardedFetch(fetchSettings(env.PERCH_FETCH_ALLOW, env.PERCH_FETCH_RESOLVER))
    const web = { fetch: capture === null ? fetch : capturedFetch(fetch, capture), pages: new PageCache(now) }
    const ledger = ledgerOf(sql, now, !core.isBusy)
    const turns = { core, ledger: capture?.ledger(ledger) ?? ledger, hooks, web, apiKeySource }
    this.core = core
    this.hooks = hooks
    this.directCalls = new DirectCalls({ core, hooks, web, runtime })
    this.runner = new TurnRunner({ turns, directCalls: this.directCalls, runtime, erasure })
    core.runTurnsWith(this.runner)
    core.background.runAgentsWith(new BackgroundAgents({ turns, runtime }))
    const authorizations = new Authorizations(core)
    this.authorizations = authorizations
    core.remoteMcp.tokens.authorizeWith((server, of, wanted) => authorizations.ask(server, of, wanted))
    core.remoteMcp.answerWith({
      answer: (server, message, about) => answerServer({ core, hooks }, server, message, about),
      pageDone: (server, id) => announcePageDone({ core, hooks }, server, id),
    })
    this.control = new Control({ core, runner: this.runner, hooks, runtime, apiKeySource })
    this.forkExport = new ForkExport(core)
    this.ephemeral = new EphemeralSession({
      meta: core.meta,
      applies: () => core.record.options.persistSession === false,
      attached: (leaving) =>
        context.sockets().some((socket) => socket !== leaving && socket.readyState === WebSocket.OPEN),
      busy: () => core.inbox.head() !== undefined,
      lastAt: () => core.log.lastAt,
      now,
      alarmAt: (at) => context.alarm.arm(at),
    })
  }

  /** Recovers from the previous process: settles the commands and questions that died with it, and resumes its turn. */
  recover(): void {
    this.core.background.recover()
    this.core.asks.cancelElicitations()
    this.runner.start()
  }
}
