// The OAuth callback: the page to which the authorization server of an MCP server redirects a browser.
// Invariant: without a `state` that Perch itself sealed no session is called; the answer is a page of fixed text, without links
// or redirects.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CallbackOutcome } from "../../schemas/rpc/oauth-callback.ts"
import { unsealState } from "../../store/seal.ts"
import { rootKey } from "../auth/auth.ts"
import { contract } from "../contract/contract.ts"
import { type App, handle } from "../handle.ts"
import { callOnce, sessionsOf } from "../sessions/session-call.ts"

const MAX = 8192

const PAGES: Readonly<Record<CallbackOutcome, readonly [status: number, text: string]>> = {
  authorized: [200, "The session is signed in. You can close this page."],
  declined: [200, "The session continues without this server. You can close this page."],
  failed: [502, "The sign-in could not be completed. Ask the session to try again."],
  unknown: [400, "This link is no longer valid. Ask the session to try again."],
}

export const oauthRoutes = (app: App): void => {
  handle(
    app,
    contract.oauthCallback,
    Effect.fnUntraced(function* (_, { env, request }) {
      const query = new URL(request.url).searchParams
      const of = (name: string) => query.get(name)?.slice(0, MAX)
      const key = yield* rootKey(env)
      const state = yield* Effect.promise(() => unsealState(key, of("state") ?? ""))
      if (state === null || state.expires_at <= (yield* Clock.currentTimeMillis)) return page("unknown")
      const [code, issuer] = [of("code"), of("iss")]
      const callback = {
        nonce: state.nonce,
        ...(code === undefined || query.has("error") ? {} : { code }),
        ...(issuer === undefined ? {} : { issuer }),
      }
      const call = callOnce(sessionsOf(env, state.tenant), state.session, (stub) => stub.oauthCallback(callback))
      const { outcome } = yield* Effect.catch(call, () => Effect.succeed({ outcome: "unknown" as const }))
      return page(outcome)
    }),
  )
}

const page = (outcome: CallbackOutcome): Response => {
  const [status, text] = PAGES[outcome]
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Perch</title><p>${text}</p></html>\n`
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  }
  return new Response(html, { status, headers })
}
