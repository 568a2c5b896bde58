// The sign-out button. It asks for confirmation if the sign-out would discard unfinished work on the page.
import { useSignal } from "@preact/signals"
import { Confirm } from "../../kit/confirm.tsx"
import { signOut } from "../server.ts"
import { unfinished } from "./unfinished.ts"

export const SignOut = () => {
  const dropped = useSignal<ReadonlyArray<string>>([])
  return (
    <>
      <button
        onClick={() => {
          dropped.value = unfinished(sessionStorage)
          if (dropped.value.length === 0) signOut()
        }}
      >
        Sign out
      </button>
      {dropped.value.length === 0 ? null : (
        <Confirm title="Sign out?" action="Sign out" onConfirm={signOut} onCancel={() => (dropped.value = [])}>
          <p>This tab alone has the following, and signing out drops it: {dropped.value.join(", ")}.</p>
        </Confirm>
      )}
    </>
  )
}
