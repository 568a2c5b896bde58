// Receives a pattern of a JSON Schema from outside; returns a test for it whose time is linear in the text.
// RE2 (re2js) matches: it has no look-around and no back-references, and `.` and `\s` are RE2's (a `.` matches `\r`). A
// pattern that RE2 can't compile has no test. Invariant: a sent pattern runs as a RegExp only in the narrow form that
// `isPlainPattern` accepts.
import { RE2JS, RE2JSException } from "re2js"

const MAX_PATTERN = 4096

/** Tests whether a text matches the pattern anywhere, as JSON Schema requires; undefined when RE2 does not support it. */
export const re2Test = (source: string): ((text: string) => boolean) | undefined => {
  if (source.length > MAX_PATTERN) return undefined
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => pattern.test(text)
  } catch (error) {
    if (error instanceof RE2JSException) return undefined
    throw error
  }
}

/**
 * Whether a pattern of `patternProperties` may be a RegExp: text, escapes and classes between anchors, without groups
 * or alternatives and with at most one unbounded repetition, so that its time is at most quadratic in the name.
 */
export const isPlainPattern = (source: string): boolean => {
  if (source.length > 200) return false
  const match =
    /^\^?(?:(?:[\w\s:@#%&=~'"<>,;!/-]|\\[.\\/^$*+?()[\]{}|dws-]|\.|\[\^?(?:[\w\s.:@#%&=/-]|\\[.\\\]^dws-])+\])[*+?]?)*\$?$/
  if (!match.test(source)) return false
  const repeated = source.replace(/\\.|\[[^\]]*\]/g, "c").match(/[*+]/g) ?? []
  if (repeated.length > 1) return false
  try {
    return new RegExp(source, "u") instanceof RegExp
  } catch {
    return false // an escape or range that Unicode mode does not have
  }
}

/** Whether a text is a valid regular expression of RE2 or ECMAScript. It is compiled and not run. */
export const isPattern = (source: string): boolean => {
  if (re2Test(source) !== undefined) return true
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    return false // a syntax error in both
  }
}
