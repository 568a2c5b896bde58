// Receives the page's requests; reports the ones that the page must wait for: the server is silent, before its response or in the
// middle of one, or asks to send them later.
// Invariant: a request that the user stops rejects with a retryable ConnectionError, which the transport does not retry by itself.
import { computed, type ReadonlySignal, signal } from "@preact/signals"
import { ConnectionError } from "../../client/api/perch-error.ts"

/** Milliseconds without a response, or without more of it, after which a request is reported. */
const SILENCE_MS = 10_000
/** Shorter pauses are not reported: an error or the response follows soon. */
const SHORT_PAUSE_S = 5
/** The transport waits for no longer pause, and rejects instead. */
const MAX_PAUSE_S = 60

/** Functions that each reject a request to which the server has sent nothing for `SILENCE_MS`. */
const silent = signal<ReadonlySet<() => void>>(new Set())
const pause = signal<number | null>(null)
let pauseEnd: ReturnType<typeof setTimeout> | undefined

/** Whether there is a request to which the server has sent nothing for `SILENCE_MS`. */
export const isSilent = computed(() => silent.value.size > 0)

/** Seconds that the server has asked the page to wait before it repeats a request; null when they are over. */
export const askedPause: ReadonlySignal<number | null> = pause

/** Rejects all requests to which the server has sent nothing for `SILENCE_MS`. */
export const stopWaiting = (): void => {
  for (const stop of silent.peek()) stop()
}

const notePause = ({ status, headers }: Response): void => {
  const seconds = Number(headers.get("retry-after"))
  if ((status !== 429 && status !== 503) || !(seconds >= SHORT_PAUSE_S && seconds <= MAX_PAUSE_S)) return
  clearTimeout(pauseEnd)
  pause.value = seconds
  pauseEnd = setTimeout(() => (pause.value = null), seconds * 1000)
}

/** A `fetch` whose requests are reported here. A JSON body is received before it returns; streams and files are not. */
export const reported =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const stopped = new AbortController()
    const stop = () => {
      const message = "The server does not respond."
      stopped.abort(new ConnectionError({ type: "connection_error", status: 0, message }))
    }
    let late: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      clearTimeout(late)
      if (silent.peek().has(stop)) silent.value = new Set([...silent.peek()].filter((other) => other !== stop))
    }
    const wait = () => {
      end()
      late = setTimeout(() => (silent.value = new Set([...silent.peek(), stop])), SILENCE_MS)
    }
    wait()
    const signal = init?.signal == null ? stopped.signal : AbortSignal.any([init.signal, stopped.signal])
    try {
      const response = await send(input, { ...init, signal })
      notePause(response)
      return isJson(response) ? await received(response, wait) : response
    } catch (cause) {
      // The browser replaces the reason when the body is aborted.
      stopped.signal.throwIfAborted()
      throw cause
    } finally {
      end()
    }
  }

const isJson = ({ headers, body }: Response): boolean =>
  body !== null && headers.get("content-type")?.startsWith("application/json") === true

/** Returns the response when its body has ended. Calls `onData` for the head, and for each piece of the body. */
const received = async (response: Response, onData: () => void): Promise<Response> => {
  onData()
  const watched = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (piece, pieces) => {
      onData()
      pieces.enqueue(piece)
    },
  })
  const body = await new Response(response.body?.pipeThrough(watched)).arrayBuffer()
  return new Response(body, response)
}
