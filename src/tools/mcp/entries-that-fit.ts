// Receives the entries of a list; returns as many of them as fit into one result, as JSON, and how many are left.

const MAX_CHARACTERS = 100_000

export const entriesThatFit = (all: ReadonlyArray<unknown>): { readonly json: string; readonly left: number } => {
  const entries: Array<string> = []
  let room = MAX_CHARACTERS
  for (const entry of all) {
    const json = JSON.stringify(entry)
    room -= json.length + 1
    if (room < 0) break
    entries.push(json)
  }
  return { json: `[${entries.join(",")}]`, left: all.length - entries.length }
}
