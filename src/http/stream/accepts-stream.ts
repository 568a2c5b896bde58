// Receives a request's `Accept`; returns whether to answer with a stream.
// Invariant: a client that lists JSON first with at least the same quality gets JSON, because generated clients accept all
// content types of an operation and expect the first.

/** Whether `text/event-stream` is accepted and preferred to `application/json`. */
export const acceptsStream = (accept: string | null): boolean => {
  const ranges = (accept ?? "").split(",").map((range, place) => {
    const [type = "", ...parameters] = range.split(";").map((text) => text.trim().toLowerCase())
    const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split("=")[1]
    const weight = quality === undefined ? 1 : Number(quality)
    return { type, place, weight: Number.isNaN(weight) ? 1 : weight }
  })
  const stream = ranges.find(({ type }) => type === "text/event-stream")
  if (stream === undefined || stream.weight <= 0) return false
  const json = ranges.find(({ type }) => type === "application/json")
  if (json === undefined || json.weight !== stream.weight) return stream.weight > (json?.weight ?? 0)
  return stream.place < json.place
}
