// The title of the browser's tab: the name of the page, and how many asks of the session are pending.
import { useEffect } from "preact/hooks"

/** Null leaves the title to another component. */
export const usePageTitle = (name: string | null, asks = 0): void => {
  useEffect(() => {
    if (name !== null) document.title = `${asks === 0 ? "" : `(${asks}) `}${name} · Perch`
  }, [name, asks])
}
