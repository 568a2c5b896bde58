// Receives the blocks of one message of the model; returns the steps that a channel receives for them.
// Invariant: a streaming block does not change the state of its message; the message continues with the state that `end` returns.
// A text before a call is narration: it is streamed, but is not part of the run's reply.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import { BlockReplies, NO_TARGET, type ReplyTarget } from "./blocks/block-replies.ts"
import type { MessagingSends } from "./messaging-sends.ts"
import { Progress, type ProgressStep } from "./progress.ts"
import { formatReasoning } from "./reasoning.ts"
import { agentStep, type BlockReply, type ReplyStep } from "./reply-steps.ts"
import { type Piece, PieceBuffer } from "./text/pieces.ts"
import { ReplyText } from "./text/reply-text.ts"

/** The state of a message after its complete blocks. */
export interface MessageState {
  /** The text that has been shown. */
  readonly shown: string
  readonly target: ReplyTarget
  /** With `blockReplyBreak: "message_end"`: the pieces that are sent when the message ends. */
  readonly held: ReadonlyArray<Piece>
}

const NOTHING: ReadonlyArray<ReplyStep> = []

export const NEW_MESSAGE: MessageState = { shown: "", target: NO_TARGET, held: [] }

export interface ReplyContext {
  readonly settings: ReplySettings
  readonly sends: MessagingSends
}

/** The steps that show thinking while it streams. */
const thinkingSteps = (steps: ReadonlyArray<ProgressStep>, { settings }: ReplyContext): ReadonlyArray<ReplyStep> =>
  steps.flatMap(({ text, delta }) => [
    { kind: "agent_event" as const, stream: "thinking" as const, data: { text, delta } },
    ...(settings.reasoningLevel === "stream"
      ? [{ kind: "reasoning_stream" as const, text: formatReasoning(text) }]
      : []),
  ])

/** The block for complete thinking; none unless `reasoningLevel` is "on". */
const reasoningBlock = (thought: string, { settings }: ReplyContext): ReadonlyArray<ReplyStep> => {
  const text = settings.reasoningLevel === "on" ? formatReasoning(thought) : ""
  return text === "" ? [] : [{ kind: "block_reply", text, isReasoning: true }]
}

/** A block of a message that is still streaming. */
export interface OpenBlock {
  /** The block's own text so far. */
  readonly raw: string
  push(text: string): ReadonlyArray<ReplyStep>
  end(): { readonly steps: ReadonlyArray<ReplyStep>; readonly state: MessageState }
}

export class ThinkingBlock implements OpenBlock {
  readonly #context: ReplyContext
  readonly #state: MessageState
  readonly #progress = new Progress()
  raw = ""

  constructor(context: ReplyContext, state: MessageState) {
    this.#context = context
    this.#state = state
  }

  push(text: string): ReadonlyArray<ReplyStep> {
    this.raw += text
    return thinkingSteps(this.#progress.push(text), this.#context)
  }

  end() {
    const steps = thinkingSteps(this.#progress.end(), this.#context)
    return { steps: [...steps, ...reasoningBlock(this.raw, this.#context)], state: this.#state }
  }
}

export class TextBlock implements OpenBlock {
  readonly #context: ReplyContext
  readonly #before: MessageState
  readonly #text: ReplyText
  readonly #progress: Progress
  readonly #blocks: BlockReplies
  #thought: { readonly progress: Progress; text: string } | null = null
  readonly #held = new PieceBuffer()
  #shown: string
  raw = ""

  constructor(context: ReplyContext, before: MessageState) {
    const { settings } = context
    this.#context = context
    this.#before = before
    this.#text = new ReplyText({ finalOnly: settings.enforceFinalTag === true })
    this.#progress = new Progress(before.shown)
    this.#shown = before.shown
    this.#blocks = new BlockReplies({
      chunking: settings.blockReplyChunking,
      currentId: settings.currentMessageId,
      target: before.target,
    })
  }

  push(text: string): ReadonlyArray<ReplyStep> {
    this.raw += text
    return this.#steps(this.#text.push(text))
  }

  end() {
    const steps = [
      ...this.#steps(this.#text.end()),
      ...this.#endThought(),
      ...this.#progressSteps(this.#progress.end()),
      ...blockSteps(this.#blocks.flush(), this.#context),
      ...this.#record(),
    ]
    const { target } = this.#blocks
    return {
      steps,
      state: { shown: this.#shown.trimEnd(), target, held: [...this.#before.held, ...this.#held.take()] },
    }
  }

  #steps(pieces: ReadonlyArray<Piece>): ReadonlyArray<ReplyStep> {
    const steps: Array<ReplyStep> = []
    for (const piece of pieces) {
      if (piece.kind === "thinking") {
        this.#thought ??= { progress: new Progress(), text: "" }
        this.#thought.text += piece.text
        steps.push(...thinkingSteps(this.#thought.progress.push(piece.text), this.#context))
        continue
      }
      steps.push(...this.#endThought())
      if (piece.kind === "media") this.#progress.media(piece.url)
      if (piece.kind !== "text") steps.push(...this.#grow(piece))
      // Character by character, so that the order of steps and blocks depends on the text alone.
      else for (const letter of piece.text) steps.push(...this.#grow({ kind: "text", text: letter }))
    }
    return steps
  }

  #grow(piece: Piece): ReadonlyArray<ReplyStep> {
    const steps = piece.kind === "text" ? this.#show(piece.text) : NOTHING
    if (this.#context.settings.blockReplyBreak === "message_end") {
      this.#hold(piece)
      return steps
    }
    const blocks = this.#blocks.push(piece)
    return blocks.length === 0 ? steps : [...steps, ...blockSteps(blocks, this.#context)]
  }

  /** Appends to the visible text. The second and later texts of a message start on a new line. */
  #show(text: string): ReadonlyArray<ReplyStep> {
    const more = this.#shown !== "" && this.#shown === this.#before.shown ? `\n${text}` : text
    this.#shown += more
    const steps = this.#progress.push(more)
    return steps.length === 0 ? NOTHING : this.#progressSteps(steps)
  }

  #hold(piece: Piece): void {
    const isNext = this.#before.held.length > 0 && this.#held.isEmpty
    if (isNext) this.#held.addText("text", "\n")
    if (piece.kind === "text") this.#held.addText("text", piece.text)
    else this.#held.add(piece)
  }

  #progressSteps(steps: ReadonlyArray<ProgressStep>): ReadonlyArray<ReplyStep> {
    return steps.flatMap(({ text, delta, mediaUrls }) => {
      const media = mediaUrls === undefined ? {} : { mediaUrls }
      return [agentStep("assistant", { text, delta, ...media }), { kind: "partial_reply" as const, text, ...media }]
    })
  }

  #endThought(): ReadonlyArray<ReplyStep> {
    const thought = this.#thought
    if (thought === null) return []
    this.#thought = null
    return [...thinkingSteps(thought.progress.end(), this.#context), ...reasoningBlock(thought.text, this.#context)]
  }

  /** If the model is silent because a tool has sent its message, that message is reported as its reply. */
  #record(): ReadonlyArray<ReplyStep> {
    const sent = this.#text.silent && this.#shown === "" ? this.#context.sends.texts.at(-1) : undefined
    return sent === undefined ? [] : [agentStep("assistant", { text: sent, delta: sent })]
  }
}

/** The blocks of a message that was held back until its end. */
export const heldBlocks = ({ held }: MessageState, context: ReplyContext): ReadonlyArray<ReplyStep> => {
  const { blockReplyChunking: chunking, currentMessageId: currentId } = context.settings
  const blocks = new BlockReplies({ chunking, currentId, target: NO_TARGET })
  for (const piece of held) blocks.push(piece, true)
  return blockSteps(blocks.flush(), context)
}

/** The block steps, without texts and media that a tool has already sent. */
const blockSteps = (blocks: ReadonlyArray<BlockReply>, { settings, sends }: ReplyContext): ReadonlyArray<ReplyStep> =>
  blocks.flatMap((block) => {
    if (block.text !== undefined && sends.repeats(block.text, settings.route)) return []
    const { mediaUrl, mediaUrls = [], ...rest } = block
    const unsent = sends.unsent(mediaUrls, settings.route)
    if (unsent.length === mediaUrls.length) return [{ kind: "block_reply" as const, ...block }]
    const [first] = unsent
    if (first === undefined && block.text === undefined) return []
    return [
      { kind: "block_reply" as const, ...rest, ...(first === undefined ? {} : { mediaUrl: first, mediaUrls: unsent }) },
    ]
  })
