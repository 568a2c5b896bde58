// Makes a component whose chunk is loaded when it is first shown; after a failure it shows an error with a retry button.
// Invariant: once the chunk is loaded, the component is shown immediately wherever it appears.
import { useSignal } from "@preact/signals"
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ErrorText } from "./error-text.tsx"

/** Call it outside of components: each returned component has a chunk of its own to load. */
export const lazy = <Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> => {
  let known: ComponentType<Props> | null = null
  const Lazy = (props: Props) => {
    const [Loaded, setLoaded] = useState(() => known)
    const hasFailed = useSignal(false)
    const attempt = useSignal(0)
    const tries = attempt.value
    useEffect(() => {
      if (Loaded !== null) return undefined
      let isCurrent = true
      hasFailed.value = false
      load().then(
        (component) => {
          known = component
          // Rendered in a separate task, after the one that evaluated the chunk.
          setTimeout(() => isCurrent && setLoaded(() => component))
        },
        () => isCurrent && (hasFailed.value = true),
      )
      return () => {
        isCurrent = false
      }
    }, [tries])
    if (Loaded !== null) return <Loaded {...props} />
    if (!hasFailed.value)
      return (
        <p class="loading" role="status">
          Loading…
        </p>
      )
    return (
      <ErrorText
        error="This part of the console could not be loaded. Reload the page if the server was updated."
        onRetry={() => (attempt.value += 1)}
      />
    )
  }
  return Lazy
}
