// Shows a component whose chunk is loaded when it is first shown; after a failure it shows an error with a retry button.
// Invariant: a `Lazy` instance shows one component; where another component may replace it, the parent must set a `key`.
import { useSignal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"

interface LazyProps<Props> {
  /** Pass the same function each time, so that a component that has been loaded before is shown immediately. */
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
        // Rendered in a separate task, after the one that evaluated the chunk.
        setTimeout(() => isCurrent && setLoaded(() => component))
      },
      () => isCurrent && (hasFailed.value = true),
    )
    return () => {
      isCurrent = false
    }
    // `load` is not a dependency: it may be a new function at each render, but loads the same chunk.
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
