// The OAuth tokens of a session's MCP servers: stored sealed, by the server's name.
// Invariant: a copy of the database reveals no token, and tokens that were obtained with one configuration are not used with
// another.
import * as Schema from "effect/Schema"
import { KeptTokens, ServerAuth } from "../../mcp/oauth/server-auth.ts"
import type { Wanted } from "../../mcp/oauth/authorization.ts"
import type { RemoteConfig } from "../../mcp/remote/remote-config.ts"
import { type FetchSettings, guardedFetch } from "../../net/guarded-fetch.ts"
import { sha256 } from "../../schemas/sha256.ts"
import { seal, unseal } from "../../store/seal.ts"
import type { ObjectContext } from "../object-context.ts"
import type { Meta, SessionRecord } from "../storage/meta.ts"

export interface ServerTokensDeps {
  readonly meta: Pick<Meta, "get" | "set">
  readonly settings: FetchSettings
  readonly context: Pick<ObjectContext, "env" | "now">
  readonly record: Pick<SessionRecord, "id" | "tenant">
}

const decodeKept = Schema.decodeUnknownResult(Schema.fromJsonString(KeptTokens))

export class ServerTokens {
  readonly #deps: ServerTokensDeps
  readonly #auths = new Map<string, { readonly config: RemoteConfig; readonly auth: ServerAuth }>()
  #authorize: (server: string, of: string, wanted: Wanted) => Promise<boolean> = () => Promise.resolve(false)

  constructor(deps: ServerTokensDeps) {
    this.#deps = deps
  }

  /** Call it once, when the session is opened. */
  authorizeWith(authorize: (server: string, of: string, wanted: Wanted) => Promise<boolean>): void {
    this.#authorize = authorize
  }

  /** How requests to a server are authorized; null for a server that is configured without `oauth`. */
  authOf(server: string, config: RemoteConfig): ServerAuth | null {
    const { oauth, url } = config
    if (oauth === undefined) return null
    const known = this.#auths.get(server)
    if (known !== undefined && JSON.stringify(known.config) === JSON.stringify(config)) return known.auth
    const { context, settings } = this.#deps
    const auth = new ServerAuth({
      url,
      config: oauth,
      fetch: guardedFetch(settings),
      read: () => this.#read(server, config),
      write: (kept) => this.#write(server, hashOf(config), kept),
      authorize: (wanted) => this.#authorize(server, hashOf(config), wanted),
      now: context.now,
    })
    this.#auths.set(server, { config, auth })
    return auth
  }

  /** Stores the tokens of a user's sign-in, for the configuration whose hash is `of`. */
  async give(server: string, of: string, kept: KeptTokens): Promise<void> {
    await this.#write(server, of, kept)
    this.#auths.get(server)?.auth.forget()
  }

  get #rootKey(): string {
    return this.#deps.context.env.PERCH_ROOT_KEY ?? ""
  }

  /** The owner of sealed tokens: the session and this use. */
  get #owner(): string {
    const { id, tenant } = this.#deps.record
    return `${tenant}/${id}/mcp-tokens`
  }

  async #read(server: string, config: RemoteConfig): Promise<KeptTokens | null> {
    const { meta } = this.#deps
    const row = meta.get("mcp_tokens")?.[server]
    if (row === undefined || row.of !== hashOf(config)) return null
    const text = await unseal(this.#rootKey, this.#owner, row.sealed).catch(() => "")
    const decoded = decodeKept(text)
    return decoded._tag === "Success" ? decoded.success : null
  }

  async #write(server: string, of: string, kept: KeptTokens | null): Promise<void> {
    const { meta } = this.#deps
    const row = kept === null ? null : { of, sealed: await seal(this.#rootKey, this.#owner, JSON.stringify(kept)) }
    const { [server]: _, ...others } = meta.get("mcp_tokens") ?? {}
    meta.set("mcp_tokens", row === null ? others : { ...others, [server]: row })
  }
}

/** The hash of the part of a configuration for which tokens are valid: its URL and OAuth settings. */
const hashOf = ({ url, oauth }: RemoteConfig): string => sha256(JSON.stringify([url, oauth]))
