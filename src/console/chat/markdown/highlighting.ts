// Receives code and the name of its language; returns the code as tokens. The highlighter is loaded when it is first needed.
// Invariant: code is highlighted while the page is idle, one piece at a time; long code is not highlighted.

/** A text, or a text with the highlighter's classes. */
export type CodeNode = string | { readonly classes: string; readonly children: ReadonlyArray<CodeNode> }

/** Maximum characters of code that is highlighted. */
const MAX_LENGTH = 10_000
const MAX_KNOWN = 300
/** How long languages are registered in one task, in milliseconds. */
const REGISTER_MS = 4

const known = new Map<string, ReadonlyArray<CodeNode> | null>()
let queue: Promise<unknown> = Promise.resolve()

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof requestIdleCallback === "function") requestIdleCallback(() => resolve(), { timeout: 500 })
    else setTimeout(resolve, 0)
  })

/** Highlights code; resolves to null if the language is unknown, the code is long, or the highlighter could not be loaded. */
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
    // The highlighter is loaded once the page is idle, so that it does not delay the first content.
    await idle()
    const { highlight, registerLanguages } = await import("./highlighter.ts")
    await idle()
    while (registerLanguages(REGISTER_MS)) await idle()
    const nodes = known.get(key) ?? highlight(code, language)
    if (known.size >= MAX_KNOWN) known.delete([...known.keys()][0] ?? "")
    known.set(key, nodes)
    // Highlighting and rendering the result in one task would block a slow device.
    await idle()
    return nodes
  } catch {
    // The chunk could not be loaded: the code is shown without colours.
    return null
  }
}
