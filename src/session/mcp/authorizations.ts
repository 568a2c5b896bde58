// Receives that an MCP server requires a user's authorization, or one for a larger scope; asks for it before the turn begins, or while
// it runs, and takes what the user's browser brings back.
// Invariant: a state is good once, for one session and one server, and for an hour; what belongs to it is kept sealed. Nothing of
// a code, a verifier or a token is in an event.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { beginAuthorization, finishAuthorization, Pending, type Wanted } from "../../mcp/oauth/authorization.ts"
import { base64Url } from "../../mcp/oauth/base64-url.ts"
import { cannot } from "../../mcp/oauth/oauth-error.ts"
import { serverName } from "../../mcp/names.ts"
import { guardedFetch } from "../../net/guarded-fetch.ts"
import type { CallbackOutcome, OAuthCallback } from "../../schemas/rpc/oauth-callback.ts"
import { seal, sealState, unseal } from "../../store/seal.ts"
import { noAnswer } from "../asks/ask-answers.ts"
import type { SessionCore } from "../core.ts"
import type { AskRow } from "../storage/ask-store.ts"
import { mayAnswer } from "../feed/wanted.ts"

/** How long a user has. */
const LIMIT_MS = 3_600_000
/** About one server in one turn. */
const MAX_ASKS = 3
/** Where browsers come back to. */
const CALLBACK = "/v1/mcp/callback"

const decodePending = Schema.decodeUnknownResult(Schema.fromJsonString(Pending))

const NO_ADDRESS = cannot(
  "The server needs the user's authorization, and the address of this Perch is not known. Set PERCH_PUBLIC_URL.",
)

export class Authorizations {
  readonly #core: SessionCore
  /** Where this Perch was reached with the last prompt. */
  origin: string | undefined

  constructor(core: SessionCore) {
    this.#core = core
  }

  /**
   * Opens the question. In a turn that runs it resolves with true once the user has signed in. Before a turn, which begins after
   * the answer, it resolves with false at once, and so it does where nothing can be asked.
   */
  async ask(server: string, of: string, wanted: Wanted): Promise<boolean> {
    const { asks, askStore, context, id, mcp, meta, record } = this.#core
    const open = askStore.open.find(isAbout(server))
    if (open !== undefined) return this.#answered(open.turn, open.requestId)
    const turn = this.#turnToAsk(server, wanted.scope)
    if (turn === null) return false
    const origin = context.env.PERCH_PUBLIC_URL ?? this.origin
    if (origin === undefined || !URL.canParse(origin)) throw NO_ADDRESS
    const now = context.now()
    const nonce = base64Url(crypto.getRandomValues(new Uint8Array(32)))
    const expires_at = now + LIMIT_MS
    const state = await sealState(this.#rootKey, { tenant: record.tenant, session: id, nonce, expires_at })
    const redirectUri = new URL(CALLBACK, origin).href
    const begun = await Effect.runPromise(Effect.result(beginAuthorization(this.#fetch, wanted, redirectUri, state)))
    if (begun._tag === "Failure") throw begun.failure
    const { pending, url } = begun.success
    const [hash, sealed] = await Promise.all([hashOf(nonce), seal(this.#rootKey, this.#owner, JSON.stringify(pending))])
    // The turn may have begun or ended meanwhile, and another question for the server may be open.
    if (this.#turnToAsk(server, wanted.scope) !== turn) return false
    const request_id = context.newUuid()
    const message = `Sign in to ${server} in a browser, so that the session can use it.`
    const input = { mcp_server_name: server, message, mode: "url", url, elicitation_id: request_id }
    const mcp_server = { name: server, source: mcp.sourceOf(server) }
    const what = { tool_name: serverName(server), tool_use_id: "", input, mcp_server, authorization: true as const }
    const others = Object.entries(meta.get("mcp_authorizations") ?? {}).filter(([, entry]) => entry.expires_at > now)
    meta.set("mcp_authorizations", {
      ...Object.fromEntries(others),
      [hash]: { server, of, request_id, expires_at, sealed },
    })
    asks.open(turn, { request_id, kind: "elicitation", ...what }, [], LIMIT_MS)
    return this.#answered(turn, request_id)
  }

  async #answered(turn: string, requestId: string): Promise<boolean> {
    const { asks, askStore } = this.#core
    if (!asks.hasBegun(turn)) return false
    const { answer } = await Effect.runPromise(askStore.answerTo(requestId))
    return answer["action"] === "accept"
  }

  /** Takes what the authorization server's page brought back. */
  async callback({ nonce, code, issuer }: OAuthCallback): Promise<CallbackOutcome> {
    const { askStore, asks, context, meta, remoteMcp } = this.#core
    const hash = await hashOf(nonce)
    const { [hash]: entry, ...others } = meta.get("mcp_authorizations") ?? {}
    if (entry === undefined) return "unknown"
    meta.set("mcp_authorizations", others)
    const rows = () => askStore.open.filter((row) => row.requestId === entry.request_id)
    if (entry.expires_at <= context.now() || rows().length === 0) return "unknown"
    if (code === undefined) {
      asks.settle(rows(), "client", { action: "decline" })
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
      asks.settle(rows(), "failure", noAnswer("elicitation", ""))
      return "failed"
    }
    const kept = { source: pending.success.source, tokens: finished.success }
    await remoteMcp.authorized(entry.server, entry.of, kept)
    asks.settle(rows(), "client", { action: "accept" })
    return "authorized"
  }

  /**
   * The turn that needs the server, unless nothing can be asked, its user has refused, or was asked for the same scope or too often
   * before.
   */
  #turnToAsk(server: string, scope: string | undefined): string | null {
    const { asks, askStore, feed, inbox, runningOptions } = this.#core
    const turn = inbox.head()?.turn
    if (turn === undefined || asks.parkedEntry() !== undefined) return null
    const asked = askStore.inTurn(turn).filter(isAbout(server))
    const inVain = asked.some(({ ask, settled }) => settled?.answer["action"] !== "accept" || scopeOf(ask) === scope)
    if (inVain || asked.length >= MAX_ASKS) return null
    if (runningOptions.permission_prompts !== "deny") return turn
    return feed.listeners.current().some((socket) => mayAnswer(feed.listeners.of(socket))) ? turn : null
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

/** What the page of a question asks the user for. */
const scopeOf = ({ input }: AskRow["ask"]): string | undefined =>
  new URL(String(input["url"])).searchParams.get("scope") ?? undefined

const hashOf = async (nonce: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(nonce))).toString("hex")
