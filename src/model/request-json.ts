// Receives a request; returns its body as JSON text.
// Invariant: a message or a list of tools that was written before, and is the same object, is not written again: a step
// costs what it adds, not what the session holds.
import type { MessagesRequest } from "./messages-api.ts"

const written = new WeakMap<object, string>()

const jsonOf = (value: object): string => {
  const known = written.get(value)
  if (known !== undefined) return known
  const json = JSON.stringify(value)
  written.set(value, json)
  return json
}

/** What was written is kept as long as its object: messages must never be changed in place. */
export const requestJson = (request: MessagesRequest, stream: boolean): string => {
  const members = Object.entries({ ...request, stream }).map(([name, value]) => {
    if (name === "messages") return `"messages":[${request.messages.map(jsonOf).join(",")}]`
    if (name === "tools" && request.tools !== undefined) return `"tools":${jsonOf(request.tools)}`
    const json = JSON.stringify(value) as string | undefined // undefined for undefined
    return json === undefined ? null : `${JSON.stringify(name)}:${json}`
  })
  return `{${members.filter((member) => member !== null).join(",")}}`
}
