// Receives the outcome of a replay; returns it as lines of text.

const THINGS = { session: "events", workflow: "signals" }

const placeOf = ({ part, index }) => {
  if (part === "run") return "in the run"
  const where = part === "conversation" ? "in the conversation" : `in the part ${part}`
  return index === null ? where : `${where}, at its signal ${index + 1}`
}

/** A name alone, or both. */
const namesOf = ({ recorded, got }) => {
  if (recorded === got) return recorded === null ? [] : [`signal: ${recorded}`]
  return [`recorded signal: ${recorded ?? "none"}`, `replayed signal: ${got ?? "none"}`]
}

export const reportLines = ({ kind, equal, events, difference, not_found: missing }) => {
  if (equal) return [`all ${events} ${THINGS[kind]} are equal.`]
  const { text } = difference
  return [
    `different. The first difference is ${placeOf(difference)}.`,
    ...namesOf(difference),
    ...text.split("\n"),
    ...(missing === null || missing === text ? [] : ["", ...missing.split("\n")]),
  ]
}
