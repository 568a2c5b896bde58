// Receives code and the name of its language; returns it as tokens. The highlighter is loaded when it is first needed.
// Invariant: code is highlighted while the page is idle, a piece at a time, and long code not at all.

/** A text, or a text with the highlighter's classes. */
export type CodeNode = string | { readonly classes: string; readonly children: ReadonlyArray<CodeNode> }

/** Characters beyond which code has no colours. */
const MAX_LENGTH = 10_000
const MAX_KNOWN = 300
/** How long languages are registered before the page gets its turn. */
const REGISTER_MS = 4

const known = new Map<string, ReadonlyArray<CodeNode> | null>()
let queue: Promise<unknown> = Promise.resolve()

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: 500 })
    else setTimeout(resolve, 0)
  })

/** Null where the language is not known, the code is long, or the highlighter could not be loaded. */
export const highlighted = (code: string, language: string): Promise<ReadonlyArray<CodeNode> | null> => {
  const key = `${language}\n${code}`
  const found = known.get(key)
  if (found !== undefined) return Promise.resolve(found)
  if (code.length > MAX_LENGTH) return Promise.resolve(null)
  const task = queue.then(() => run(key, code, language))
  queue = task
  return task
}

const run = async (key: string, code: string, language: string): Promise<ReadonlyArray<CodeNode> | null> => {
  try {
    // The highlighter is loaded once the page is idle: it must not compete with what is shown first.
    await idle()
    const { highlight, registerLanguages } = await import("./highlighter.ts")
    await idle()
    while (registerLanguages(REGISTER_MS)) await idle()
    const nodes = known.get(key) ?? highlight(code, language)
    if (known.size >= MAX_KNOWN) known.delete([...known.keys()][0] ?? "")
    known.set(key, nodes)
    // Highlighting and rendering its result in one task would block a slow device.
    await idle()
    return nodes
  } catch {
    // The chunk could not be loaded: the code is readable without colours.
    return null
  }
}
