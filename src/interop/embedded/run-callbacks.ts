// Receives the frames of a run, some of them again after a reconnect; calls the run's callbacks.
// Invariant: each frame of the run is delivered once. An exception of a callback stops nothing.
import type { BlockReply, EmbeddedRunParams, ReplyPart } from "./run-params.ts"

/** A frame as the format `reply` sends it: `seq` counts the frames of the run. */
export interface RunFrame {
  readonly type: string
  readonly seq: number
  readonly [field: string]: unknown
}

export class RunDelivery {
  readonly #params: EmbeddedRunParams
  /** The frames since the last certain one, by `seq`: after a reconnect the stream sends them again. */
  #sent = new Map<number, string>()
  #isReasoning = false

  constructor(params: EmbeddedRunParams) {
    this.#params = params
  }

  /** `isCertain`: the frame has an id in the log, so that no frame before it is sent again. */
  async take(text: string, isCertain: boolean): Promise<void> {
    const frame = JSON.parse(text) as RunFrame // the server's own
    if (this.#sent.get(frame.seq) !== text) {
      // A new answer of the model replaces one that broke off, so the later frames of that one are outdated.
      for (const seq of [...this.#sent.keys()].filter((known) => known > frame.seq)) this.#sent.delete(seq)
      this.#sent.set(frame.seq, text)
      await this.deliver(frame)
    }
    if (isCertain) this.#forget(frame.seq)
  }

  /** Frames before a certain one are never sent again; the certain one may be. */
  #forget(seq: number): void {
    for (const known of this.#sent.keys()) if (known < seq) this.#sent.delete(known)
  }

  async deliver(frame: RunFrame): Promise<void> {
    const { type, runId: _, seq: _seq, ...fields } = frame
    const isThought = type === "reasoning_stream" || (type === "agent_event" && frame["stream"] === "thinking")
    if (this.#isReasoning && !isThought) {
      this.#isReasoning = false
      this.#call(() => this.#params.onReasoningEnd?.())
    }
    // The server sends each type of frame with the fields that its callback receives.
    switch (type) {
      case "assistant_message_start":
        return this.#call(() => this.#params.onAssistantMessageStart?.())
      case "partial_reply":
        return this.#call(() => this.#params.onPartialReply?.(fields as ReplyPart))
      case "reasoning_stream":
        this.#isReasoning = true
        return this.#call(() => this.#params.onReasoningStream?.(fields as ReplyPart))
      case "block_reply":
        return this.#call(() => this.#params.onBlockReply?.(fields as BlockReply))
      case "block_reply_flush":
        return this.#flush()
      case "tool_result":
        if (this.#params.shouldEmitToolResult?.() === false) return
        return this.#call(() => this.#params.onToolResult?.(fields as ReplyPart))
      case "agent_event":
        return this.#call(() =>
          this.#params.onAgentEvent?.({
            stream: String(fields["stream"]),
            data: fields["data"] as Readonly<Record<string, unknown>>,
          }),
        )
    }
  }

  /** Awaits the callback, so that the app has shown all blocks before a tool runs. */
  async #flush(): Promise<void> {
    try {
      await this.#params.onBlockReplyFlush?.()
    } catch {
      // A channel that fails to show something must not stop the run.
    }
  }

  #call(call: () => void | Promise<void>): void {
    try {
      const later = call()
      if (later instanceof Promise) later.catch(() => undefined)
    } catch {
      // A channel that fails to show something must not stop the run.
    }
  }
}
