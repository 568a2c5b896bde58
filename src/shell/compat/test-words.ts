// Receives the expanded words of `test` or `[`; returns bash's error if they can't be an expression (`[ $x = y ]` with an
// empty x), which the interpreter would evaluate as false. Returns null if they may be one.
const UNARY = /^-[a-zA-Z]$/
const BINARY = /^(?:=|==|!=|<|>|=~|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef|a|o))$/
const JOINS = /^(?:-a|-o|!|\(|\))$/

const reasonOf = (words: ReadonlyArray<string>): string | null => {
  const [first = "", second = ""] = words
  if (words.length === 2) return first === "!" || UNARY.test(first) ? null : `${first}: unary operator expected`
  if (words.length === 3)
    return BINARY.test(second) || first === "!" || first === "(" ? null : `${second}: binary operator expected`
  return words.length > 3 && !words.some((word) => JOINS.test(word)) ? "too many arguments" : null
}

export const testError = (name: string, args: ReadonlyArray<string>): string | null => {
  if (name !== "test" && (name !== "[" || args.at(-1) !== "]")) return null
  const reason = reasonOf(name === "[" ? args.slice(0, -1) : args)
  return reason === null ? null : `bash: ${name}: ${reason}\n`
}
