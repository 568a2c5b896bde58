// Receives the description of a subtask; returns how complex it seems, from 0 to 1.
// Invariant: the score is a sum of parts, each of which only grows with what it counts, so that adding to a
// description never makes it simpler.

/** Words that signal work over several files or steps: each alone is above the default threshold. */
const STRONG: ReadonlyArray<RegExp> = [/\brefactor/, /\bmulti[- ]file/, /\bsearch/, /\bfetch/, /\binvestigat/]
const FIRST_STRONG = 0.65
const NEXT_STRONG = 0.1

/** Words that hint at such work. */
const HINTS: ReadonlyArray<RegExp> = [
  /\bmigrat/,
  /\barchitect/,
  /\bredesign/,
  /\bdebug/,
  /\bintegrat/,
  /\bacross\b/,
  /\beverywhere\b/,
  /\b(?:all|every) (?:the )?(?:files?|modules?|tests?|callers?|usages?)\b/,
]
const EACH_HINT = 0.25

/** A description of more than 300 characters is above the default threshold by its length alone. */
const EACH_CHARACTER = 0.002
const MAX_FOR_LENGTH = 0.8

/** Characters that separate words: those that no file's name contains. */
const BETWEEN = /[^\w@./-]+/
/** The extensions of file names. */
const ENDING = /\.(?:[cm]?[jt]sx?|json|md|css|html?|py|rs|go|java|rb|sql|ya?ml|toml|sh|txt)$/
const EACH_FILE = 0.12
const MAX_FOR_FILES = 0.6

const countOf = (signals: ReadonlyArray<RegExp>, text: string): number =>
  signals.filter((signal) => signal.test(text)).length

const wordPart = (text: string): number => {
  const strong = countOf(STRONG, text)
  return (strong === 0 ? 0 : FIRST_STRONG + (strong - 1) * NEXT_STRONG) + countOf(HINTS, text) * EACH_HINT
}

/** Whether a word is a name with the extension of a file, or a path with at least three segments. */
const isFile = (word: string): boolean => ENDING.test(word) || word.split("/", 3).length === 3

const filePart = (text: string): number => {
  const words = text.split(BETWEEN).map((word) => (word.endsWith(".") ? word.slice(0, -1) : word))
  const files = new Set(words.filter(isFile)).size
  return files < 2 ? 0 : Math.min(MAX_FOR_FILES, files * EACH_FILE)
}

/**
 * Returns a score from 0 (trivial) to 1 (most complex). Length adds 0.002 per character, up to 0.8; signal words add 0.65
 * for the first and 0.1 for each other one; hints 0.25 each; two or more named files 0.12 each, up to 0.6.
 */
export const estimateComplexity = (description: string): number => {
  const text = description.trim().toLowerCase()
  const length = Math.min(MAX_FOR_LENGTH, text.length * EACH_CHARACTER)
  const score = Math.min(1, length + wordPart(text) + filePart(text))
  return Math.round(score * 1000) / 1000
}
