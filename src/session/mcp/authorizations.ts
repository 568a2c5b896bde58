// Asks a user to authorize the session at an MCP server, or for a larger scope, before a turn starts or while it runs;
// receives the callback of the user's browser and stores the tokens.
// Invariant: an OAuth `state` is valid once, for one session and one server, and for an hour; what belongs to it is stored
// sealed. No event contains a code, a verifier or a token.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Base64Url from "effect/encoding/Base64Url"
import { beginAuthorization, finishAuthorization, Pending, type Wanted } from "../../mcp/oauth/authorization.ts"
import { cannot } from "../../mcp/oauth/oauth-error.ts"
import { serverName } from "../../schemas/sdk/tools/mcp-names.ts"
import { guardedFetch } from "../../net/guarded-fetch.ts"
import type { CallbackOutcome, OAuthCallback } from "../../schemas/rpc/oauth-callback.ts"
import { sha256 } from "../../schemas/sha256.ts"
import { seal, sealState, unseal } from "../../store/seal.ts"
import { noAnswer } from "../asks/ask-answers.ts"
import type { SessionCore } from "../core.ts"
import type { AskRow } from "../storage/ask-store.ts"
import { canAsk } from "../feed/wanted.ts"

/** How long a user has to sign in. */
const LIMIT_MS = 3_600_000
/** Maximum number of asks about one server in one turn. */
const MAX_ASKS = 3
/** The path to which browsers are redirected. */
const CALLBACK = "/v1/mcp/callback"

const decodePending = Schema.decodeUnknownResult(Schema.fromJsonString(Pending))

const NO_ADDRESS = cannot(
  "The server needs the user's authorization, but the URL of this Perch server is unknown. Set PERCH_PUBLIC_URL.",
)

export class Authorizations {
  readonly #core: SessionCore
  /** The origin at which the last prompt reached this Perch. */
  origin: string | undefined

  constructor(core: SessionCore) {
    this.#core = core
  }

  /**
   * Opens an ask for the sign-in. In a running turn it resolves with true once the user has signed in, with false if they do
   * not. Before a turn, which starts after the answer, it resolves with false at once, as it does when nothing can be asked.
   * Rejects when the authorization can't be started.
   */
  async ask(server: string, of: string, wanted: Wanted): Promise<boolean> {
    const { asks, askStore, context, id, mcp, meta, record } = this.#core
    const open = askStore.open.find(isAbout(server))
    if (open !== undefined) return this.#answered(open.turn, open.requestId)
    const turn = this.#turnToAsk(server, wanted.scope)
    if (turn === null) return false
    const origin = context.env.PERCH_PUBLIC_URL || this.origin
    if (origin === undefined || !URL.canParse(origin)) throw NO_ADDRESS
    const now = context.now()
    const nonce = Base64Url.encode(crypto.getRandomValues(new Uint8Array(32)))
    const expires_at = now + LIMIT_MS
    const state = await sealState(this.#rootKey, { tenant: record.tenant, session: id, nonce, expires_at })
    const redirectUri = new URL(CALLBACK, origin).href
    const begun = await Effect.runPromise(Effect.result(beginAuthorization(this.#fetch, wanted, redirectUri, state)))
    if (begun._tag === "Failure") throw begun.failure
    const { pending, url } = begun.success
    const sealed = await seal(this.#rootKey, this.#owner, JSON.stringify(pending))
    // The turn may have started or ended meanwhile, and another ask about the server may be open.
    if (this.#turnToAsk(server, wanted.scope) !== turn) return false
    const request_id = context.newUuid()
    const message = `Sign in to ${server} in a browser, so that the session can use it.`
    const input = { mcp_server_name: server, message, mode: "url", url, elicitation_id: request_id }
    const mcp_server = { name: server, source: mcp.sourceOf(server) }
    const question = { tool_name: serverName(server), tool_use_id: "", input, mcp_server, authorization: true as const }
    const others = Object.entries(meta.get("mcp_authorizations") ?? {}).filter(([, entry]) => entry.expires_at > now)
    meta.set("mcp_authorizations", {
      ...Object.fromEntries(others),
      [sha256(nonce)]: { server, of, request_id, expires_at, sealed },
    })
    asks.open(turn, { request_id, kind: "elicitation", ...question }, [], LIMIT_MS)
    return this.#answered(turn, request_id)
  }

  async #answered(turn: string, requestId: string): Promise<boolean> {
    const { asks, askStore } = this.#core
    if (!asks.hasBegun(turn)) return false
    const { answer } = await Effect.runPromise(askStore.answerTo(requestId))
    return answer["action"] === "accept"
  }

  /** Receives the callback of the authorization server's page: stores the tokens and settles the ask. */
  async callback({ nonce, code, issuer }: OAuthCallback): Promise<CallbackOutcome> {
    const { askStore, asks, context, meta, remoteMcp } = this.#core
    const { [sha256(nonce)]: entry, ...others } = meta.get("mcp_authorizations") ?? {}
    if (entry === undefined) return "unknown"
    meta.set("mcp_authorizations", others)
    const rows = () => askStore.open.filter((row) => row.requestId === entry.request_id)
    if (entry.expires_at <= context.now() || rows().length === 0) return "unknown"
    if (code === undefined) {
      asks.settle(rows(), { by: "client", answer: { action: "decline" } })
      return "declined"
    }
    const pending = decodePending(await unseal(this.#rootKey, this.#owner, entry.sealed).catch(() => ""))
    const finished =
      pending._tag === "Failure"
        ? null
        : await Effect.runPromise(
            Effect.result(finishAuthorization(this.#fetch, pending.success, code, issuer, context.now())),
          )
    if (pending._tag === "Failure" || finished?._tag !== "Success") {
      asks.settle(rows(), { by: "failure", answer: noAnswer("elicitation", "") })
      return "failed"
    }
    const kept = { source: pending.success.source, tokens: finished.success }
    await remoteMcp.authorized(entry.server, entry.of, kept)
    asks.settle(rows(), { by: "client", answer: { action: "accept" } })
    return "authorized"
  }

  /**
   * The turn that needs the server; null when nothing can be asked, or the user has refused, or was asked for the same scope
   * or too often before.
   */
  #turnToAsk(server: string, scope: string | undefined): string | null {
    const { asks, askStore, inbox } = this.#core
    const turn = inbox.head()?.turn
    if (turn === undefined || asks.parkedEntry() !== undefined) return null
    const asked = askStore.inTurn(turn).filter(isAbout(server))
    const inVain = asked.some(({ ask, settled }) => settled?.answer["action"] !== "accept" || scopeOf(ask) === scope)
    return inVain || asked.length >= MAX_ASKS || !canAsk(this.#core) ? null : turn
  }

  get #fetch() {
    return guardedFetch(this.#core.remoteMcp.settings)
  }

  get #rootKey(): string {
    return this.#core.context.env.PERCH_ROOT_KEY ?? ""
  }

  get #owner(): string {
    const { id, record } = this.#core
    return `${record.tenant}/${id}/mcp-authorization`
  }
}

const isAbout =
  (server: string) =>
  ({ ask }: AskRow): boolean =>
    ask.authorization === true && ask.mcp_server?.name === server

/** The scope that the URL of an ask requests. */
const scopeOf = ({ input }: AskRow["ask"]): string | undefined =>
  new URL(String(input["url"])).searchParams.get("scope") ?? undefined
