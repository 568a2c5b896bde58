// The tokens of one remote MCP server. Receives the server's challenges to requests without a token, or with one that it
// refuses; returns the token for the next request.
// Invariant: only one request for tokens runs at a time; tokens are renewed before they expire, and stored with the session's
// secrets. When the user's authorization is needed, the session asks for it, and the request fails without it.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FetchError, GuardedFetch } from "../../net/guarded-fetch.ts"
import type { GuardedOpen, OpenOrder } from "../../net/guarded-open.ts"
import type { Wanted } from "./authorization.ts"
import { orAborted } from "../or-aborted.ts"
import { bare, type Challenge, challengeIn, discover } from "./discover.ts"
import type { OAuthConfig } from "../../schemas/sdk/options/mcp-oauth.ts"
import { cannot, OAuthError } from "./oauth-error.ts"
import { requestTokens, Tokens, TokenSource } from "./tokens.ts"

export const KeptTokens = Schema.Struct({ source: TokenSource, tokens: Tokens })
export type KeptTokens = typeof KeptTokens.Type

export interface ServerAuthDeps {
  readonly url: string
  readonly config: OAuthConfig
  readonly fetch: GuardedFetch
  readonly read: () => Promise<KeptTokens | null>
  readonly write: (kept: KeptTokens | null) => Promise<void>
  /** Asks the user to authorize the session. Resolves to true once they have, to false when no answer can be waited for. */
  readonly authorize: (wanted: Wanted) => Promise<boolean>
  readonly now: () => number
}

/** How long before its expiry a token is renewed. */
const MARGIN_MS = 30_000

/** The scope that requests a refresh token. */
const LASTING = "offline_access"

const NEEDS_USER = cannot("The server needs the user's authorization.")
const GIVEN_UP = cannot("The request was cancelled.")
const BEYOND_CONFIG = cannot("The server requires a larger scope than oauth.scope.")
const BEYOND_GRANT = cannot("The server requires a larger scope than was granted to the session.")

export class ServerAuth {
  readonly #deps: ServerAuthDeps
  #kept: KeptTokens | null = null
  #read = false
  #working: Promise<string> | null = null
  #widening: Promise<string> | null = null

  constructor(deps: ServerAuthDeps) {
    this.#deps = deps
  }

  /** Secrets to be redacted from texts of the server. */
  get secrets(): ReadonlyArray<string> {
    const { clientSecret } = this.#deps.config
    const { access, refresh } = this.#kept?.tokens ?? {}
    const registered = this.#kept?.source.client.secret
    return [clientSecret, access, refresh, registered].flatMap((secret) => secret ?? [])
  }

  /** To be called when the stored tokens were changed elsewhere: they are read again. */
  forget(): void {
    this.#read = false
  }

  /** The token for a request; null when getting one needs the server's challenge first. Rejects with OAuthError. */
  async token(): Promise<string | null> {
    if (this.#working !== null) return this.#working
    const kept = await this.#load()
    const { ends } = kept?.tokens ?? { ends: null }
    if (kept !== null && (ends === null || this.#deps.now() < ends - MARGIN_MS)) return kept.tokens.access
    if (kept !== null && this.#renews(kept)) return this.#once(() => this.#renew(kept, {}))
    const { config } = this.#deps
    return config.grant === "client_credentials" && config.tokenUrl !== undefined
      ? this.#once(() => this.#ofClient({}))
      : (kept?.tokens.access ?? null)
  }

  /** A new token after the server refused `token`. Rejects with OAuthError. */
  async refused(token: string | null, challenge: Challenge): Promise<string> {
    if (this.#working !== null) return this.#working
    const kept = await this.#load()
    if (kept !== null && kept.tokens.access !== token) return kept.tokens.access
    return this.#once(() =>
      kept !== null && this.#renews(kept) ? this.#renew(kept, challenge) : this.#begin(challenge),
    )
  }

  /** A token with the challenge's scope, after the server refused `token`'s scope as too small. Rejects with OAuthError. */
  async widened(token: string | null, challenge: Challenge): Promise<string> {
    if (this.#widening !== null) return this.#widening
    const kept = await this.#load()
    if (kept !== null && kept.tokens.access !== token) return kept.tokens.access
    const had = wordsOf(kept?.source.scope)
    const more = wordsOf(challenge.scope).filter((word) => !had.includes(word))
    if (more.length === 0) throw BEYOND_GRANT
    if (this.#deps.config.scope !== undefined) throw BEYOND_CONFIG
    // Not `#once`: requests for which the old token suffices continue with it meanwhile.
    this.#widening ??= this.#begin({ ...challenge, scope: [...had, ...more].join(" ") }).finally(() => {
      this.#widening = null
    })
    return this.#widening
  }

  #renews({ tokens }: KeptTokens): boolean {
    return this.#deps.config.grant === "client_credentials" || tokens.refresh !== undefined
  }

  async #load(): Promise<KeptTokens | null> {
    if (!this.#read) this.#kept = await this.#deps.read()
    this.#read = true
    return this.#kept
  }

  #once(work: () => Promise<string>): Promise<string> {
    this.#working ??= work().finally(() => {
      this.#working = null
    })
    return this.#working
  }

  #begin(challenge: Challenge): Promise<string> {
    return this.#deps.config.grant === "client_credentials" ? this.#ofClient(challenge) : this.#ofUser(challenge)
  }

  async #renew(kept: KeptTokens, challenge: Challenge): Promise<string> {
    const { refresh } = kept.tokens
    if (this.#deps.config.grant === "client_credentials") return this.#ofClient(challenge)
    try {
      return await this.#request(kept.source, { grant_type: "refresh_token", refresh_token: refresh ?? "" })
    } catch (error) {
      if (!(error instanceof OAuthError) || error.isTemporary === true) throw error
      await this.#keep(null)
      return this.#ofUser(challenge)
    }
  }

  async #ofClient(challenge: Challenge): Promise<string> {
    const { client = { id: "" }, ...wanted } = await this.#wanted(challenge)
    return this.#request({ ...wanted, client }, { grant_type: "client_credentials" })
  }

  async #ofUser(challenge: Challenge): Promise<string> {
    if (!(await this.#deps.authorize(await this.#wanted(challenge)))) throw NEEDS_USER
    // The callback in the browser has stored the tokens.
    const kept = await this.#load()
    if (kept === null) throw NEEDS_USER
    return kept.tokens.access
  }

  /** The authorization server and client: as configured, else discovered. */
  async #wanted(challenge: Challenge): Promise<Wanted> {
    const { url, config, fetch } = this.#deps
    const { scope: chosen, tokenUrl } = config
    const page = config.grant === "authorization_code" ? config.authorizationUrl : undefined
    const known = clientOf(config)
    const client = known === undefined ? {} : { client: known }
    if (tokenUrl !== undefined && (page !== undefined || config.grant === "client_credentials")) {
      const scope = chosen ?? challenge.scope
      const server = { token_endpoint: tokenUrl, ...(page === undefined ? {} : { authorization_endpoint: page }) }
      return { server, resource: bare(url), ...client, ...(scope === undefined ? {} : { scope }) }
    }
    const found = await run(discover(fetch, url, challenge))
    const server = { ...found.server, ...(tokenUrl === undefined ? {} : { token_endpoint: tokenUrl }) }
    // With a refresh token the user need not sign in again.
    const lasts = config.grant === "authorization_code" && server.scopes_supported?.includes(LASTING) === true
    const scope = chosen ?? (lasts ? [...new Set([...wordsOf(found.scope), LASTING])].join(" ") : found.scope)
    return { server, resource: found.resource, ...client, ...(scope === undefined ? {} : { scope }) }
  }

  async #request(source: TokenSource, grant: Readonly<Record<string, string>>): Promise<string> {
    const tokens = await run(requestTokens(this.#deps.fetch, source, grant, this.#deps.now()))
    await this.#keep({ source, tokens })
    return tokens.access
  }

  async #keep(kept: KeptTokens | null): Promise<void> {
    this.#kept = kept
    this.#read = true
    await this.#deps.write(kept)
  }
}

/** The configured client; undefined when none is. */
const clientOf = ({ clientId, clientSecret, privateKey, keyId, signingAlgorithm }: OAuthConfig) => {
  if (clientId === undefined) return undefined
  if (privateKey === undefined) return { id: clientId, ...(clientSecret === undefined ? {} : { secret: clientSecret }) }
  const key = {
    privateKey,
    ...(keyId === undefined ? {} : { keyId }),
    ...(signingAlgorithm === undefined ? {} : { signingAlgorithm }),
  }
  return { id: clientId, key }
}

const wordsOf = (scope = ""): ReadonlyArray<string> => scope.split(/\s+/).filter((word) => word !== "")

/** Resolves to the value, or rejects with the OAuthError itself. */
const run = async <A>(effect: Effect.Effect<A, OAuthError>): Promise<A> => {
  const result = await Effect.runPromise(Effect.result(effect))
  if (result._tag === "Failure") throw result.failure
  return result.success
}

export type AuthorizedOpen = (url: string, order: OpenOrder) => Effect.Effect<Response, FetchError | OAuthError>

/**
 * Sends requests with the server's token. A request that is refused with 401, or with 403 because the token's scope is too
 * small, was not executed, and is sent again with another token, once for each of these statuses.
 */
export const authorizedOpen =
  (open: GuardedOpen, auth: ServerAuth): AuthorizedOpen =>
  (url, order) =>
    Effect.gen(function* () {
      const { signal } = order
      let token = yield* attempt(() => auth.token(), signal)
      const refusals = new Set<number>()
      for (;;) {
        const response = yield* open(url, withToken(order, token))
        const { status, headers } = response
        const challenge = challengeIn(headers.get("www-authenticate"))
        const widens = status === 403 && challenge.insufficient === true
        if ((status !== 401 && !widens) || refusals.has(status)) return response
        refusals.add(status)
        void response.body?.cancel().catch(() => undefined)
        const refused = token
        token = yield* attempt(
          () => (widens ? auth.widened(refused, challenge) : auth.refused(refused, challenge)),
          signal,
        )
      }
    })

/** Waits for a token until the signal aborts. The request for the token then continues, since others may wait for it. */
const attempt = <A>(ask: () => Promise<A>, signal: AbortSignal): Effect.Effect<A, OAuthError> =>
  Effect.tryPromise({
    try: () => orAborted(ask(), signal, GIVEN_UP),
    catch: (error) => (error instanceof OAuthError ? error : cannot("The server's token could not be obtained.")),
  })

const withToken = (order: OpenOrder, token: string | null): OpenOrder =>
  token === null ? order : { ...order, headers: { ...order.headers, authorization: `Bearer ${token}` } }
