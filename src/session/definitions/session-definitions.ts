// The definitions of the tenant in a session: receives the version that each actor brings; loads the tenant's definitions
// before a turn starts if their version has changed; returns the definitions of each kind and the subagents of the turn.
// Invariants: a session whose tenant stored nothing does nothing here; each version that is loaded is an event of the log,
// and a turn that has started keeps its version; secrets are unsealed in memory only.
import { type ResolvedAgent, resolveAgents } from "../../agent/subagents/definition.ts"
import type { Actor } from "../../schemas/access.ts"
import type { DefinitionKind, DefinitionsByName, StoredDefinitions } from "../../schemas/definitions.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { AgentDefinition } from "../../schemas/sdk/options/agents.ts"
import { unseal } from "../../store/seal.ts"
import type { SessionCore } from "../core.ts"
import { logLine } from "../server-log.ts"
import { decodedDefinitions } from "./decoded-definitions.ts"
import { definitionsAt } from "./definition-cache.ts"

const NONE: DefinitionsByName = {}

type Core = Pick<SessionCore, "append" | "capture" | "context" | "id" | "meta" | "project" | "runningOptions">

export class SessionDefinitions {
  readonly #core: Core
  #loaded: StoredDefinitions | null
  /** The values with their secrets, of the kinds that have any; null until they are unsealed. */
  #opened: Readonly<Partial<Record<DefinitionKind, DefinitionsByName>>> | null = null
  #agents: { readonly from: ReadonlyArray<unknown>; readonly agents: ReadonlyArray<ResolvedAgent> } | null = null

  constructor(core: Core) {
    this.#core = core
    this.#loaded = core.meta.get("definitions") ?? null
  }

  /** The field of a queued prompt that names the version which its turn has to load. */
  wantedBy(actor: Actor | undefined): { readonly definitions?: number } {
    const wanted = actor?.definitions
    return wanted === undefined || wanted === this.#loaded?.version ? {} : { definitions: wanted }
  }

  /** Resolves when a turn may start: its version is loaded, or D1 could not be read and the version before it stays in use. */
  async prepare(turn: string | null, wanted: number | undefined): Promise<void> {
    if (wanted !== undefined && wanted !== this.#loaded?.version) await this.#load(turn, wanted)
    if (this.#loaded !== null && this.#opened === null) this.#opened = await this.#open(this.#loaded)
  }

  /** As `prepare`, for a client's request between turns; null when there is nothing to load. */
  refresh(actor: Actor | undefined): Promise<void> | null {
    const { definitions } = this.wantedBy(actor)
    return definitions === undefined ? null : this.prepare(null, definitions)
  }

  async #load(turn: string | null, wanted: number): Promise<void> {
    const { capture, context, id, meta } = this.#core
    try {
      const load = () => definitionsAt(context.env.DB, context.tenant, wanted)
      const stored = capture === null ? await load() : await capture.definitions(load)
      if (stored === null || stored.version === this.#loaded?.version) return
      const opened = await this.#open(stored)
      const { version, values } = stored
      this.#core.append([{ name: EventNames.definitionsLoaded, payload: { version, values }, turn }], () =>
        meta.set("definitions", stored),
      )
      this.#loaded = stored
      this.#opened = opened
    } catch (error) {
      logLine("warn", "what the tenant has stored could not be loaded", { session: id, error })
    }
  }

  /** Unseals the secrets. A definition that was sealed under another root key gets its value without the secret. */
  async #open({ values, sealed }: StoredDefinitions) {
    const { env, tenant } = this.#core.context
    const opened: Partial<Record<DefinitionKind, DefinitionsByName>> = {}
    for (const kind of KINDS) {
      const secrets = await Promise.all(
        Object.entries(sealed[kind] ?? {}).map(async ([name, text]) => {
          const fields = await unseal(env.PERCH_ROOT_KEY ?? "", tenant, text).then(parsed, () => ({}))
          return [name, { ...values[kind]?.[name], ...fields }] as const
        }),
      )
      if (secrets.length > 0) opened[kind] = { ...values[kind], ...Object.fromEntries(secrets) }
    }
    return opened
  }

  /** The version that was loaded last; 0 before the first. */
  get version(): number {
    return this.#loaded?.version ?? 0
  }

  /** The tenant's definitions of a kind, by name. They include secrets once `prepare` has resolved. */
  stored(kind: DefinitionKind): DefinitionsByName {
    return this.#opened?.[kind] ?? this.#loaded?.values[kind] ?? NONE
  }

  /** The subagents that the running or the next turn has. */
  get agents(): ReadonlyArray<ResolvedAgent> {
    const { project, runningOptions } = this.#core
    const { agents: options = {} } = runningOptions
    const { agents: files } = project.agents(runningOptions)
    const values = this.stored("agent")
    const from = [runningOptions.agents, values, files]
    if (this.#agents === null || this.#agents.from.some((value, index) => value !== from[index])) {
      const stored = decodedDefinitions("agent", AgentDefinition, values)
      this.#agents = { from, agents: resolveAgents({ options, project: files, stored }) }
    }
    return this.#agents.agents
  }
}

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(text)
  return isPlainObject(value) ? value : {}
}

const KINDS: ReadonlyArray<DefinitionKind> = ["agent", "command", "mcp_server", "router", "permission"]
