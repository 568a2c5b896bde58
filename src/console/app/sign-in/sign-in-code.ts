// Signs in with the one-time code that `npm start` prints in the address (`#signin=…`).
// Invariant: the code is first removed from the address and the history; it is sent once, to the page's own origin.
import { signal } from "@preact/signals"
import { perchError } from "../../../client/api/perch-error.ts"
import { reported } from "../../network/pending-requests.ts"
import { keepKeyId, messageOf, signIn } from "../server.ts"

/** The state that the sign-in shows: whether the code is being exchanged, and the error if that failed. */
export const codeSignIn = signal<{ readonly isBusy: boolean; readonly error: string | null }>({
  isBusy: false,
  error: null,
})

const CODE = /^#signin=([A-Za-z0-9_-]+)$/

/** The code in a fragment; null when there is none. */
const codeOf = (hash: string): string | null => CODE.exec(hash)?.[1] ?? null

const exchange = async (code: string): Promise<{ readonly id: string; readonly key: string }> => {
  const response = await reported(fetch)("/v1/sign-in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  })
  const text = await response.text()
  if (!response.ok) throw perchError(response.status, text, response.headers)
  return JSON.parse(text) as { readonly id: string; readonly key: string } // the contract of the route
}

/** Exchanges the code in the address, if there is one. Called when the page starts, and when its address changes. */
export const signInWithCode = async (): Promise<void> => {
  const code = codeOf(location.hash)
  if (code === null) return
  history.replaceState(null, "", location.pathname)
  codeSignIn.value = { isBusy: true, error: null }
  try {
    const { id, key } = await exchange(code)
    await signIn(key)
    keepKeyId(id)
    codeSignIn.value = { isBusy: false, error: null }
  } catch (cause) {
    codeSignIn.value = { isBusy: false, error: `${messageOf(cause)} Or sign in with an API key.` }
  }
}
