// Highlights code with lowlight, in the most common languages. Loaded when code is first shown.
import { common, createLowlight } from "lowlight"
import type { CodeNode } from "./highlighting.ts"

const lowlight = createLowlight()
const unregistered = Object.entries(common)

/**
 * Registers languages for about `ms` milliseconds; returns false when all of them are already registered. Registering all at once
 * takes 20 ms on a desktop computer, and several times that on a phone.
 */
export const registerLanguages = (ms: number): boolean => {
  if (unregistered.length === 0) return false
  const end = performance.now() + ms
  for (let next = unregistered.pop(); next !== undefined; next = unregistered.pop()) {
    lowlight.register(...next)
    if (performance.now() >= end) break
  }
  return true
}

/** A node of lowlight's tree: an element with classes, or a text. */
interface TreeNode {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: ReadonlyArray<TreeNode>
}

const nodesOf = (nodes: ReadonlyArray<TreeNode> | undefined): ReadonlyArray<CodeNode> =>
  (nodes ?? []).map(({ type, value, properties, children }) => {
    if (type === "text") return value ?? ""
    const { className } = properties ?? {}
    return { classes: Array.isArray(className) ? className.join(" ") : "", children: nodesOf(children) }
  })

/** Highlights code; returns null when the language is unknown. */
export const highlight = (code: string, language: string): ReadonlyArray<CodeNode> | null => {
  const name = language.toLowerCase()
  // The children of the root are only elements and texts.
  return lowlight.registered(name) ? nodesOf(lowlight.highlight(name, code).children as ReadonlyArray<TreeNode>) : null
}
