// The tokens of one remote MCP server. Receives what the server answered to requests without a token, or with one that it
// refuses; returns the token for the next request.
// Invariant: tokens are requested once at a time, renewed before they end, and kept where the session keeps its secrets. What needs
// the user fails after the session was asked to find them.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FetchError, GuardedFetch } from "../../net/guarded-fetch.ts"
import type { GuardedOpen, OpenOrder } from "../../net/guarded-open.ts"
import type { Wanted } from "./authorization.ts"
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
  /** Asks the user to authorize the session; resolves when the question is open, or can't be asked. */
  readonly authorize: (wanted: Wanted) => Promise<void>
  readonly now: () => number
}

/** A token is renewed so long before it ends. */
const MARGIN_MS = 30_000

const NEEDS_USER = cannot("The server needs the user's authorization.")

export class ServerAuth {
  readonly #deps: ServerAuthDeps
  #kept: KeptTokens | null = null
  #read = false
  #working: Promise<string> | null = null

  constructor(deps: ServerAuthDeps) {
    this.#deps = deps
  }

  /** What must not be seen where the server repeats it. */
  get secrets(): ReadonlyArray<string> {
    const { clientSecret } = this.#deps.config
    const { access, refresh } = this.#kept?.tokens ?? {}
    const registered = this.#kept?.source.client.secret
    return [clientSecret, access, refresh, registered].flatMap((secret) => secret ?? [])
  }

  /** The tokens were changed elsewhere: they are read again. */
  forget(): void {
    this.#read = false
  }

  /** The token for a request; null when the server has to say first what it wants. Rejects with OAuthError. */
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

  /** Another token than the one that the server refused. Rejects with OAuthError. */
  async refused(token: string | null, challenge: Challenge): Promise<string> {
    if (this.#working !== null) return this.#working
    const kept = await this.#load()
    if (kept !== null && kept.tokens.access !== token) return kept.tokens.access
    return this.#once(() =>
      kept !== null && this.#renews(kept) ? this.#renew(kept, challenge) : this.#begin(challenge),
    )
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
      if (!(error instanceof OAuthError)) throw error
      await this.#keep(null)
      return this.#ofUser(challenge)
    }
  }

  async #ofClient(challenge: Challenge): Promise<string> {
    const { clientId = "", clientSecret } = this.#deps.config
    const client = { id: clientId, ...(clientSecret === undefined ? {} : { secret: clientSecret }) }
    return this.#request({ ...(await this.#wanted(challenge)), client }, { grant_type: "client_credentials" })
  }

  async #ofUser(challenge: Challenge): Promise<string> {
    await this.#deps.authorize(await this.#wanted(challenge))
    throw NEEDS_USER
  }

  /** The authorization server: as configured, or as it is found. */
  async #wanted(challenge: Challenge): Promise<Wanted> {
    const { url, config, fetch } = this.#deps
    const { clientId: id, clientSecret: secret, scope: chosen, tokenUrl } = config
    const page = config.grant === "authorization_code" ? config.authorizationUrl : undefined
    const client = id === undefined ? {} : { client: { id, ...(secret === undefined ? {} : { secret }) } }
    if (tokenUrl !== undefined && (page !== undefined || config.grant === "client_credentials")) {
      const scope = chosen ?? challenge.scope
      const server = { token_endpoint: tokenUrl, ...(page === undefined ? {} : { authorization_endpoint: page }) }
      return { server, resource: bare(url), ...client, ...(scope === undefined ? {} : { scope }) }
    }
    const found = await run(discover(fetch, url, challenge))
    const server = { ...found.server, ...(tokenUrl === undefined ? {} : { token_endpoint: tokenUrl }) }
    const scope = chosen ?? found.scope
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

/** The value, or a rejection with the error itself. */
const run = async <A>(effect: Effect.Effect<A, OAuthError>): Promise<A> => {
  const result = await Effect.runPromise(Effect.result(effect))
  if (result._tag === "Failure") throw result.failure
  return result.success
}

export type AuthorizedOpen = (url: string, order: OpenOrder) => Effect.Effect<Response, FetchError | OAuthError>

/** Sends requests with the server's token; one that is refused with 401, which was not carried out, once more. */
export const authorizedOpen =
  (open: GuardedOpen, auth: ServerAuth): AuthorizedOpen =>
  (url, order) =>
    Effect.gen(function* () {
      const token = yield* attempt(() => auth.token())
      const response = yield* open(url, withToken(order, token))
      if (response.status !== 401) return response
      void response.body?.cancel().catch(() => undefined)
      const challenge = challengeIn(response.headers.get("www-authenticate"))
      const other = yield* attempt(() => auth.refused(token, challenge))
      return yield* open(url, withToken(order, other))
    })

const attempt = <A>(ask: () => Promise<A>): Effect.Effect<A, OAuthError> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) => (error instanceof OAuthError ? error : cannot("The token of the server could not be had.")),
  })

const withToken = (order: OpenOrder, token: string | null): OpenOrder =>
  token === null ? order : { ...order, headers: { ...order.headers, authorization: `Bearer ${token}` } }
