// Receives the frames that a client of the control protocol sends; answers each control request exactly once, queues prompts,
// and delivers answers to what waits for them.
// Invariant: an invalid frame has no effect but an error answer.
import * as Result from "effect/Result"
import type { RefusedField } from "../../schemas/errors/rpc-error.ts"
import type { Actor } from "../../schemas/access.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { decodeControlFrame } from "../../schemas/sdk/control/control.ts"
import { failureResult } from "../../schemas/sdk/messages/failure-result.ts"
import { decodeSdkMessage } from "../../schemas/sdk/messages/messages.ts"
import { promptIssues } from "../../schemas/sdk/status/prompt-status.ts"
import { requestIssues, subtypeRefusal } from "../../schemas/sdk/status/request-status.ts"
import { elicitationFields, permissionFields } from "./answer-fields.ts"
import { noAnswer } from "../asks/ask-answers.ts"
import { ControlError } from "./control-error.ts"
import type { Answer, ControlParts } from "./control-parts.ts"
import { frameFault, MAX_ID, NOT_JSON } from "./frame-faults.ts"
import { ANSWERED_FIRST, type ControlHandlers, controlHandlers, withdrawAsks } from "./control-requests.ts"
import { requestRefusal, roleRefusal } from "../access/frame-roles.ts"
import { logLine } from "../server-log.ts"
import { promptOf } from "../prompts/prompt-frame.ts"
import type { Refusal } from "../refusal.ts"
import type { SubmitArgs } from "../../schemas/rpc/turns.ts"
import type { SessionCore } from "../core.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"

type Fields = Readonly<Record<string, unknown>>

const FAILED = "the request failed inside the server"

/** Maximum number of clients whose refused `initialize` is remembered. */
const MAX_REFUSED = 1000

export class Control {
  readonly #core: SessionCore
  readonly #runner: ControlParts["runner"]
  readonly #handlers: ControlHandlers
  /** Settles when the last prompt that waits for admission is queued or refused. */
  #gate: Promise<void> | null = null
  /** Clients whose last `initialize` was refused, and why. */
  readonly #refused = new Map<string, string>()

  constructor(parts: ControlParts) {
    this.#core = parts.core
    this.#runner = parts.runner
    this.#handlers = controlHandlers(parts)
  }

  /**
   * Processes one frame; returns why it is refused, if its sender may not send it, or it can't be read. `turn` is the id of the
   * prompt that it may contain, so that a frame sent twice is one prompt.
   */
  take(client: string, frame: unknown, turn: string, by?: Actor): string | undefined {
    const fault = frameFault(frame)
    if (fault !== undefined || !isPlainObject(frame)) return this.#unreadable(client, fault ?? NOT_JSON)
    switch (frame["type"]) {
      case "control_request":
        return this.#request(client, frame, by)
      case "control_response":
        return this.#response(client, frame, by)
      case "user":
        return this.#prompt(client, frame, turn, by)
      default:
        // Nothing to do for keep_alive, auth, a cancel of a request that is answered at once, and types that are newer.
        return undefined
    }
  }

  /** Refuses a line that is not JSON. */
  refuseLine(client: string): void {
    this.#unreadable(client, NOT_JSON)
  }

  /** Answers what has no id of its own to be answered under. Official clients ignore an answer to an id that they did not send. */
  #unreadable(client: string, message: string): string {
    this.#fail(client, "", new ControlError(message, "unreadable_frame"))
    return message
  }

  /** Refuses a frame that exceeds a limit on JSON, which `problem` names, so that only its outer levels were read. */
  refuse(client: string, frame: unknown, problem: string, by?: Actor): void {
    if (!isPlainObject(frame) || frameFault(frame) !== undefined) {
      return void this.#unreadable(client, `the line ${problem}`)
    }
    switch (frame["type"]) {
      case "control_request":
        // Can't fail: `frameFault` has checked it.
        return this.#failRequest(
          client,
          frame["request_id"] as string,
          frame,
          new ControlError(`the request ${problem}`),
        )
      case "control_response": {
        const refused = this.#responseRefusal(frame, by)
        if (refused === undefined) return this.#badResponse(client, frame, `the answer ${problem}`, by)
        return this.#fail(client, refused.id, new ControlError(refused.message, "permission_error"))
      }
      case "user":
        return void this.#failPrompt(client, `the user message ${problem}`)
      default:
    }
  }

  #request(client: string, frame: Fields, by: Actor | undefined): string | undefined {
    const id = frame["request_id"] as string // `frameFault` has checked it
    const refused = isPlainObject(frame["request"]) ? requestRefusal(frame["request"], by) : undefined
    if (refused !== undefined) this.#failRequest(client, id, frame, new ControlError(refused, "permission_error"))
    else this.#handle(client, id, frame, by)
    return refused
  }

  #handle(client: string, id: string, frame: Fields, by: Actor | undefined): void {
    const decoded = decodeControlFrame(frame)
    if (Result.isFailure(decoded)) {
      const { member, issues } = decoded.failure
      const [, name = "request"] = member.split("/")
      const texts = issues.map(({ path, message }) => `${fieldPath([name, ...path.slice(1)])}: ${message}`)
      return this.#failRequest(client, id, frame, new ControlError(cut(texts.join("; "))))
    }
    // Can't fail: a frame with the type of a request decodes only with an object that has a subtype.
    const request = frame["request"] as { readonly subtype: string }
    const { subtype } = request
    const handler = Object.hasOwn(this.#handlers, subtype) ? this.#handlers[subtype] : undefined
    if (decoded.success.member === undefined || handler === undefined) {
      return this.#fail(client, id, new ControlError(subtypeRefusal(subtype) ?? "", "unsupported_request"))
    }
    const issues = requestIssues(subtype, request)
    if (issues.length > 0) {
      return this.#failRequest(client, id, frame, new ControlError(sentences(issues), "unsupported_field"))
    }
    if (subtype === "initialize") this.#refused.delete(client)
    const release = ANSWERED_FIRST.has(subtype) ? this.#core.feed.hold() : undefined
    try {
      // The handler belongs to the subtype whose schema accepted the request.
      const answer = handler(frame["request"] as never, client, by)
      if (!(answer instanceof Promise)) return this.#succeed(client, id, answer)
      void answer.then(
        (value) => this.#succeed(client, id, value),
        (error: unknown) => this.#fail(client, id, error),
      )
    } catch (error) {
      this.#failRequest(client, id, frame, error)
    } finally {
      release?.()
    }
  }

  /**
   * Answers with an error, and remembers a refused `initialize`: the SDK's query() sends its prompt without waiting for its
   * answer. Prompts of a client whose hooks, servers or system prompt were refused do not run without them.
   */
  #failRequest(client: string, id: string, frame: Fields, error: unknown): void {
    if (isPlainObject(frame["request"]) && frame["request"]["subtype"] === "initialize") {
      const [oldest] = this.#refused.keys()
      if (oldest !== undefined && this.#refused.size >= MAX_REFUSED) this.#refused.delete(oldest)
      this.#refused.set(client, error instanceof ControlError ? error.message : FAILED)
    }
    this.#fail(client, id, error)
  }

  #succeed(client: string, id: string, { pending, after, ...response }: Answer): void {
    const pendingRequests = pending === undefined ? {} : { pending_permission_requests: pending }
    this.#core.clients.reply(client, {
      type: "control_response",
      response: { subtype: "success", request_id: id, response, ...pendingRequests },
    })
    if (after === undefined) return
    const work = after().then(
      () => undefined,
      (error: unknown) => {
        logLine("error", "what a control request asked for failed after its answer", {
          session: this.#core.record.id,
          error,
        })
      },
    )
    this.#core.context.keepAlive(work)
  }

  #fail(client: string, id: string, error: unknown): void {
    const known = error instanceof ControlError
    if (!known) logLine("error", "a control request failed", { session: this.#core.record.id, error })
    const message = known ? error.message : FAILED
    const code = known && error.code !== undefined ? { error_code: error.code } : {}
    this.#core.clients.reply(client, {
      type: "control_response",
      response: { subtype: "error", request_id: id, error: message, ...code },
    })
  }

  #response(client: string, frame: Fields, by: Actor | undefined): string | undefined {
    const refused = this.#responseRefusal(frame, by)
    if (refused === undefined) this.#settle(client, frame, by)
    else this.#fail(client, refused.id, new ControlError(refused.message, "permission_error"))
    return refused?.message
  }

  /** Why a response is refused: asks need the role `answer`, requests to a client's hooks and MCP servers the role `control`. */
  #responseRefusal(
    frame: Fields,
    by: Actor | undefined,
  ): { readonly id: string; readonly message: string } | undefined {
    const named = isPlainObject(frame["response"]) ? frame["response"]["request_id"] : undefined
    // A response without a request id answers nothing.
    if (typeof named !== "string") return undefined
    const id = named.slice(0, MAX_ID)
    const isAsk = this.#core.askStore.find(id) !== undefined
    const message = isAsk ? roleRefusal("an answer", "answer", by) : roleRefusal("a response", "control", by)
    return message === undefined ? undefined : { id, message }
  }

  #settle(client: string, frame: Fields, by: Actor | undefined): void {
    if (Result.isFailure(decodeControlFrame(frame))) {
      return this.#badResponse(client, frame, "the answer is not valid", by)
    }
    // Can't fail: decoded just above.
    const {
      subtype,
      request_id: id,
      response,
      error,
    } = frame["response"] as {
      readonly subtype: "success" | "error"
      readonly request_id: string
      readonly response?: Fields
      readonly error?: string
    }
    const ask = this.#core.askStore.open.find((open) => open.requestId === id)
    if (ask === undefined) {
      this.#core.clients.respond(client, id, subtype === "success" ? { value: response ?? {} } : { error: error ?? "" })
      return
    }
    const { kind } = ask.ask
    if (subtype === "error") {
      const message = `The permission request failed: ${cut(error ?? "")}`
      this.#core.asks.settle([ask], { by: "failure", answer: noAnswer(kind, message) }, { client, actor: by })
      return
    }
    const given = response ?? {}
    const answer = kind === "elicitation" ? elicitationFields(given) : permissionFields(given)
    const refused = this.#core.asks.answer(id, answer, { client, actor: by })
    // An answer that its sender may not send settles nothing: another client may still answer.
    if (refused?.refused.type === "permission_error") {
      return this.#fail(client, id, new ControlError(refused.refused.message, "permission_error"))
    }
    // An answer that can't be read denies the ask: a call never runs by mistake.
    if (refused !== undefined) {
      const message = "The answer to the permission request could not be understood, so it was denied."
      this.#core.asks.settle([ask], { by: "failure", answer: noAnswer(kind, message) }, { client, actor: by })
    }
  }

  /** For an answer that can't be read: fails the request or denies the ask that waits for it. */
  #badResponse(client: string, frame: Fields, error: string, by: Actor | undefined): void {
    const id = isPlainObject(frame["response"]) ? frame["response"]["request_id"] : undefined
    if (typeof id !== "string") return
    const ask = this.#core.askStore.open.find((open) => open.requestId === id)
    if (ask === undefined) return this.#core.clients.respond(client, id, { error })
    // A call never runs by mistake.
    this.#core.asks.settle([ask], { by: "failure", answer: noAnswer(ask.ask.kind, error) }, { client, actor: by })
  }

  #prompt(client: string, frame: Fields, turn: string, by: Actor | undefined): string | undefined {
    const read = roleRefusal("a user message", "prompt", by) ?? this.#readPrompt(client, frame, turn, by)
    return typeof read === "string" ? this.#failPrompt(client, read) : this.#admit(client, read)
  }

  /**
   * Queues a prompt once it is admitted. While one waits for admission, later ones wait behind it, so that they stay in
   * order. Returns why it is refused if that is known at once.
   */
  #admit(client: string, args: SubmitArgs): string | undefined {
    const admit = () => this.#core.admit()
    const admission = this.#gate === null ? admit() : this.#gate.then(admit)
    if (!(admission instanceof Promise)) return this.#submit(client, args, admission)
    const gate = admission
      .then((refused) => void this.#submit(client, args, refused))
      .catch((error: unknown) => {
        logLine("error", "a prompt could not be accepted", { session: this.#core.record.id, error })
        this.#failPrompt(client, FAILED)
      })
    this.#gate = gate
    this.#core.context.keepAlive(
      gate.then(() => {
        if (this.#gate === gate) this.#gate = null
      }),
    )
    return undefined
  }

  #submit(client: string, args: SubmitArgs, refused: Refusal | null): string | undefined {
    const submitted = refused ?? this.#core.prompts.submit(args, client)
    const message = "refused" in submitted ? this.#failPrompt(client, submitted.refused.message) : undefined
    if (message === undefined && args.manner?.now === true) this.#replaceTurn()
    if ("replayed" in submitted && submitted.replayed && submitted.status !== "queued") this.#echo(client, args)
    this.#core.releaseUnused()
    return message
  }

  /** Echoes a prompt whose uuid belongs to a turn that has started. As the official SDK: with the content that came now. */
  #echo(client: string, { turn, prompt, manner }: SubmitArgs): void {
    if (manner?.acknowledge !== true) return
    for (const { payload } of this.#core.runningTurn.echo(turn, turn, prompt, { early: true }))
      this.#core.clients.reply(client, { ...payload })
  }

  /** Ends the running turn, once its commands have ended, for the next prompt, or stops it if that was put before it. */
  #replaceTurn(): void {
    const { inbox, memory, background, askStore } = this.#core
    const running = this.#runner.current?.turn ?? inbox.head()?.turn
    if (!inbox.isReplaced && running === inbox.head()?.turn) return
    if (askStore.open.length === 0 && background.foreground.onlyCommands(memory.transcript.openCalls())) return
    withdrawAsks(this.#core)
    // A turn that runs nowhere was started when the prompt was queued, and ends at once.
    this.#core.context.keepAlive(this.#runner.interrupt())
  }

  #failPrompt(client: string, refused: string): string {
    const { id } = this.#core
    this.#core.clients.reply(client, { ...failureResult(id, refused, this.#core.context.newUuid()) })
    return refused
  }

  /** The prompt, or the sentence that refuses it. */
  #readPrompt(client: string, frame: Fields, turn: string, by: Actor | undefined): SubmitArgs | string {
    const refused = this.#refused.get(client)
    if (refused !== undefined) return `initialize was refused, so the prompt does not run: ${refused}`
    const issues = promptIssues(frame)
    if (issues.length > 0) return `the user message is not supported: ${sentences(issues)}`
    // As the official CLI: the field may be left out.
    const decoded = decodeSdkMessage({ parent_tool_use_id: null, ...frame })
    if (Result.isFailure(decoded)) return `the user message is not valid: ${cut(decoded.failure.message)}`
    const read = promptOf(frame, turn)
    return typeof read === "string" || by === undefined ? read : { ...read, actor: by }
  }
}

/** Maximum number of issues that one error lists. */
const SHOWN = 20

const sentences = (issues: ReadonlyArray<RefusedField>): string =>
  issues
    .slice(0, SHOWN)
    .map(({ message }) => message)
    .join("; ")

const cut = (text: string): string => shortened(text, 500)
