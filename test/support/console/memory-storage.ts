// A tab's storage in memory, which may be full.
import type { DraftStorage } from "../../../src/console/compose/drafts.ts"

export const memoryStorage = ({ isFull = false } = {}): DraftStorage & { readonly size: number } => {
  const items = new Map<string, string>()
  return {
    get size() {
      return items.size
    },
    getItem: (name) => items.get(name) ?? null,
    removeItem: (name) => void items.delete(name),
    setItem: (name, value) => {
      if (isFull) throw new DOMException("full", "QuotaExceededError")
      items.set(name, value)
    },
  }
}
