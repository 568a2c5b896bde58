// Shows a component of a chunk that is loaded when it is first shown; says so when it can't be loaded, with a way to try again.
// Invariant: a `Lazy` shows one component for its whole life, so each place where another one may follow gives it a `key`.
import { useSignal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"

interface LazyProps<Props> {
  /** The same function each time for a component that is to be shown at once when it has been loaded before. */
  readonly load: () => Promise<ComponentType<Props>>
  readonly props: Props
}

/** Components by the functions that loaded them. */
const known = new WeakMap<object, unknown>()

export const Lazy = <Props extends object>({ load, props }: LazyProps<Props>) => {
  const [Loaded, setLoaded] = useState(
    () => (known.get(load) as ComponentType<Props> | undefined) ?? null, // what `load` returned
  )
  const hasFailed = useSignal(false)
  const attempt = useSignal(0)
  const tries = attempt.value
  useEffect(() => {
    if (Loaded !== null) return undefined
    let isCurrent = true
    hasFailed.value = false
    load().then(
      (component) => {
        known.set(load, component)
        // In a task of its own, behind the one that evaluated the chunk.
        setTimeout(() => isCurrent && setLoaded(() => component))
      },
      () => isCurrent && (hasFailed.value = true),
    )
    return () => {
      isCurrent = false
    }
    // `load` is a new function at each render and names the same chunk.
  }, [tries])
  if (Loaded !== null) return <Loaded {...props} />
  if (!hasFailed.value)
    return (
      <p class="loading" role="status">
        Loading…
      </p>
    )
  return (
    <p class="error" role="alert">
      This part of the console could not be loaded. Reload the page if the server was updated.{" "}
      <button onClick={() => (attempt.value += 1)}>Try again</button>
    </p>
  )
}
