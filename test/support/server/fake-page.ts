// The parts of a browser's page that an example needs: elements that show text, a form that is submitted, and `confirm`.
// Scripts run in a separate context with a page's globals and without Node's.
// Invariant: after `close` nothing of the page runs, fetches or waits.
import vm from "node:vm"

class FakeElement extends EventTarget {
  textContent = ""
  value = ""
  readonly children: Array<FakeElement> = []
  readonly listened = new Set<string>()

  append(child: FakeElement): void {
    this.children.push(child)
  }

  override addEventListener(...args: Parameters<EventTarget["addEventListener"]>): void {
    super.addEventListener(...args)
    this.listened.add(args[0])
  }
}

/** Globals of a page that Node has under the same name. */
const SHARED = {
  AbortController,
  AbortSignal,
  Blob,
  Event,
  EventTarget,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  WebSocket,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  performance,
  queueMicrotask,
  structuredClone,
}

export class FakePage {
  /** The user's confirmation dialogs; each is answered with yes. */
  readonly confirmed: Array<string> = []
  readonly #base: string
  readonly #html: string
  readonly #elements = new Map<string, FakeElement>()
  readonly #closing = new AbortController()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #failure: unknown

  constructor(base: string, html: string) {
    this.#base = base
    this.#html = html
  }

  /** Runs a module script that imports nothing. */
  run(script: string): void {
    const globals = {
      ...SHARED,
      document: { createElement: () => new FakeElement(), querySelector: (selector: string) => this.#find(selector) },
      confirm: (question: string) => this.confirmed.push(question) > 0,
      fetch: (url: string | URL, init: RequestInit = {}) =>
        fetch(new URL(url, this.#base), { ...init, signal: this.#signal(init.signal) }),
      setTimeout: (...args: Parameters<typeof setTimeout>) => this.#keep(setTimeout, args),
      setInterval: (...args: Parameters<typeof setInterval>) => this.#keep(setInterval, args),
    }
    const running = vm.runInNewContext(`(async () => {${script}\n})()`, globals) as Promise<void>
    running.catch((error: unknown) => {
      if (!this.#closing.signal.aborted) this.#failure = error
    })
  }

  /** True once the script listens for the event; throws the script's error. */
  listens(selector: string, event: string): boolean {
    if (this.#failure !== undefined) throw new Error("the page's script failed", { cause: this.#failure })
    return this.#find(selector)?.listened.has(event) === true
  }

  /** Types a text into a field and submits its form. */
  submit(form: string, field: string, text: string): void {
    const typed = this.#find(field)
    if (typed !== null) typed.value = text
    this.#find(form)?.dispatchEvent(new Event("submit", { cancelable: true }))
  }

  /** The texts of an element's children. */
  shown(selector: string): ReadonlyArray<string> {
    return this.#find(selector)?.children.map(({ textContent }) => textContent) ?? []
  }

  close(): void {
    this.#closing.abort()
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** `#id` or a tag of the page's HTML. */
  #find(selector: string): FakeElement | null {
    const written = selector.startsWith("#") ? `id="${selector.slice(1)}"` : `<${selector}`
    if (!this.#html.includes(written)) return null
    const element = this.#elements.get(selector) ?? new FakeElement()
    this.#elements.set(selector, element)
    return element
  }

  #signal(own: AbortSignal | null | undefined): AbortSignal {
    return own == null ? this.#closing.signal : AbortSignal.any([own, this.#closing.signal])
  }

  #keep<Args>(set: (...args: Array<never>) => ReturnType<typeof setTimeout>, args: Args): unknown {
    if (this.#closing.signal.aborted) return undefined
    // The arguments are those of the wrapped function.
    const timer = set(...(args as Array<never>))
    this.#timers.add(timer)
    return timer
  }
}
