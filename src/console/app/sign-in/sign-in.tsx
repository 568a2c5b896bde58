// The sign-in with an API key. With the one-time code that `npm start` prints (`#signin=…`), nothing has to be typed.
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { DelayNotice } from "../../network/delay-notice.tsx"
import { codeSignIn } from "./sign-in-code.ts"
import { usePageTitle } from "../page-title.ts"
import { endedBecause, messageOf, signIn } from "../server.ts"

/** Characters that are allowed in a header. */
const KEY = /^[!-~]+$/

export const SignIn = () => {
  const apiKey = useSignal("")
  const error = useSignal<string | null>(null)
  const isSending = useSignal(false)
  const isBusy = isSending.value || codeSignIn.value.isBusy
  const field = useRef<HTMLInputElement>(null)
  usePageTitle("Sign in")
  useEffect(() => field.current?.focus(), [])

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    codeSignIn.value = { isBusy: false, error: null }
    endedBecause.value = null
    const key = apiKey.value.trim()
    error.value = KEY.test(key) ? null : "This is no API key: a key has no spaces, and ASCII characters alone."
    if (error.value !== null) return
    isSending.value = true
    try {
      await signIn(key)
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isSending.value = false
    }
  }

  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>Perch</h1>
        <p>Sign in with an API key of this server. It is kept in this tab until you close it.</p>
        <p class="soft">
          On your own machine <code>npm start</code> and <code>npm run signin</code> print an address that signs in
          without one.
        </p>
        <label for="api-key">API key</label>
        <input
          ref={field}
          id="api-key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={apiKey.value}
          onInput={(event) => (apiKey.value = event.currentTarget.value)}
          aria-describedby="sign-in-error"
        />
        <p id="sign-in-error" class="error" role="alert">
          {codeSignIn.value.error ?? error.value ?? endedBecause.value}
        </p>
        <DelayNotice />
        <button class="primary" type="submit" disabled={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  )
}
