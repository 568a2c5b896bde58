// Takes the API key. The one-time code that `npm start` prints (`#signin=…`) signs in without typing.
import { useSignal } from "@preact/signals"
import { messageOf, signIn } from "./server.ts"

export const SignIn = () => {
  const apiKey = useSignal("")
  const error = useSignal<string | null>(null)
  const isBusy = useSignal(false)

  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy.value) return
    isBusy.value = true
    error.value = null
    try {
      await signIn(apiKey.value.trim())
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>Perch</h1>
        <p>Sign in with an API key of this server. It is kept in this tab until you close it.</p>
        <label for="api-key">API key</label>
        <input
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
          {error.value}
        </p>
        <button class="primary" type="submit" disabled={isBusy.value}>
          {isBusy.value ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  )
}
