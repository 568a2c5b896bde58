// Receives an answer of the server; returns it with a body that is compared with the OpenAPI document while it is read.
// Invariant: an answer that differs fails its reader with the difference as the body's error. An answer is read no sooner and
// no further than its reader reads it.
import { answerOf, eventSchemaOf, faultOf, operationOf } from "./document.ts"
import { FrameSplitter } from "./frame-splitter.ts"

const JSON_TYPE = "application/json"
const SSE_TYPE = "text/event-stream"
/** Statuses whose answers have no body. */
const EMPTY: ReadonlyArray<number> = [101, 204, 205, 304]

/** Checks a body chunk by chunk; throws the first difference. */
interface Check {
  readonly take: (chunk: Uint8Array) => void
  readonly end: () => void
}

export class ContractFault extends Error {
  override readonly name = "ContractFault"
}

const typeOf = (headers: Headers): string => (headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase()

const jsonCheck = (report: (value: unknown) => void): Check => {
  const decoder = new TextDecoder()
  let text = ""
  return {
    take: (chunk) => void (text += decoder.decode(chunk, { stream: true })),
    end: () => report(read(text + decoder.decode())),
  }
}

const streamCheck = (report: (value: unknown) => void): Check => {
  const frames = new FrameSplitter()
  return {
    take: (chunk) => {
      for (const data of frames.take(chunk)) report(read(data))
    },
    end: () => undefined,
  }
}

/** A block type that the API may add later: passed through unchanged, and not in the document. Tests send this one. */
const LATER_BLOCK = "future_block"

const read = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) =>
    typeof value === "object" && value !== null && "type" in value && value.type === LATER_BLOCK
      ? { type: "text", text: "" }
      : value,
  )

/** Returns the check of a body, or undefined if the document describes no such route; throws if it has no such status. */
const checkOf = (method: string, url: URL, response: Response): Check | undefined => {
  const operation = operationOf(method, decodeURI(url.pathname))
  if (operation === undefined) return undefined
  const name = `${operation.method} ${operation.path} ${response.status}`
  const described = answerOf(operation, response.status)
  if (described === undefined) throw new ContractFault(`${name}: the document has no such status`)
  for (const header of Object.keys(described.headers ?? {})) {
    if (header === "request-id" && !response.headers.has(header)) throw new ContractFault(`${name}: no ${header}`)
  }
  const { content } = described
  const type = typeOf(response.headers)
  if (content === undefined) {
    if (type !== "" && !EMPTY.includes(response.status)) throw new ContractFault(`${name}: ${type} is not described`)
    return undefined
  }
  const schema = (content[type] ?? content["*/*"])?.schema
  if (schema === undefined) throw new ContractFault(`${name}: ${type} is not among ${Object.keys(content).join()}`)
  if (type !== JSON_TYPE && type !== SSE_TYPE) return undefined
  const checked = type === SSE_TYPE ? eventSchemaOf(schema) : schema
  const report = (value: unknown) => {
    const fault = faultOf(checked, value)
    if (fault !== undefined) throw new ContractFault(`${name}: ${fault}`)
  }
  return type === SSE_TYPE ? streamCheck(report) : jsonCheck(report)
}

const readThrough = (body: ReadableStream<Uint8Array<ArrayBuffer>>, check: Check): ReadableStream<Uint8Array> => {
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        reader ??= body.getReader()
        const { value, done } = await reader.read()
        if (done) {
          check.end()
          controller.close()
          return
        }
        check.take(value)
        controller.enqueue(value)
      },
      cancel: (reason) => (reader === undefined ? body.cancel(reason) : reader.cancel(reason)),
    },
    { highWaterMark: 0 },
  )
}

/** Wraps the answer to a request of this method and address; use the returned one instead. */
export const checkedAnswer = (method: string, url: string, response: Response): Response => {
  const check = checkOf(method, new URL(url), response)
  if (check === undefined || response.body === null) return response
  const { status, statusText, headers } = response
  const checked = new Response(readThrough(response.body, check), { status, statusText, headers })
  Object.defineProperty(checked, "url", { value: response.url })
  return checked
}
