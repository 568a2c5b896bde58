// The running turn: its options, its first and its last events, and the prompts that are part of it.
// Invariant: a turn's result, its prompt's row and its open asks change in one transaction.
import { overlaid } from "../../schemas/sdk/options/variants.ts"
import * as Schema from "effect/Schema"
import { echoedCommand } from "../../agent/commands/called-command.ts"
import { joinedPrompt } from "../../agent/messages/prompt-text.ts"
import { agentNamed } from "../../agent/subagents/definition.ts"
import { patchEvents } from "../../agent/snapshots.ts"
import { type EchoForm, promptEcho } from "../../agent/messages/sdk-messages.ts"
import type { PromptReach } from "../../agent/turn-parts.ts"
import type { TurnJoined, TurnQueued } from "../../schemas/log/event-payloads.ts"
import { isTurnResult, type NewEvent } from "../../schemas/log/events.ts"
import { withAppended } from "../definitions/appended-prompt.ts"
import { Effort, type SessionOptions } from "../../schemas/sdk/options/options.ts"
import { bridgeFacts } from "../../tools/bridge/bridge-tools.ts"
import type { SessionCore } from "../core.ts"
import { isAcknowledged } from "../prompts/prompts.ts"
import { asAgent } from "../definitions/main-agent.ts"
import { LanePlace } from "../lanes/lane-place.ts"
import { Routing } from "./routing.ts"
import { AgentRuns } from "../runs/agent-runs.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import type { StoredEvent } from "../storage/log.ts"

const isEffort = Schema.is(Effort)

export class RunningTurn {
  readonly #core: SessionCore
  /** Turns that the router gives to one of two agents. */
  readonly routing: Routing
  /** Turns that are runs, with a runtime and a time limit. */
  readonly runs: AgentRuns
  /** The turn's place in its tenant's lane. */
  readonly lane: LanePlace
  #options: SessionOptions | null = null
  /** The model with which the turn goes on although hooks of its prompt set another one. */
  #heldModel: string | undefined

  constructor(core: SessionCore) {
    this.#core = core
    this.routing = new Routing(core)
    this.runs = new AgentRuns(core)
    this.lane = new LanePlace(core)
  }

  /** Call it after each write. */
  wrote(events: ReadonlyArray<StoredEvent>): void {
    this.runs.wrote(events)
    this.#core.turnWaits.changed()
  }

  /** The turn's own options; null when none runs. */
  get options(): SessionOptions | null {
    return this.#options
  }

  /** Call it when a client sets the session's model: the turn's next request uses that one. */
  releaseModel(): void {
    if (this.#options === null || this.#heldModel === undefined) return
    const { model, ...others } = this.#options
    if (model === this.#heldModel) this.#options = others
    this.#heldModel = undefined
  }

  /** The MCP server with which a routed turn that runs communicates with its app; empty for other turns. */
  get bridgeFacts(): ReadonlyArray<ReturnType<typeof bridgeFacts>> {
    const tools = this.#options === null ? [] : this.routing.bridge
    return tools.length === 0 ? [] : [bridgeFacts(tools)]
  }

  /** The options with which the turn of `entry` will run. */
  optionsOf(entry: InboxEntry): SessionOptions {
    const { prompts, record, turnSecrets } = this.#core
    return overlaid(record.options, turnSecrets.unmasked(entry.turn, prompts.queued(entry).options))
  }

  /** Resolves when what the turn of `entry` needs is ready: a playback, the tenant's definitions, and the MCP servers. */
  async prepare(entry: InboxEntry): Promise<void> {
    const { asks, capture, definitions, mcp, prompts, remoteMcp } = this.#core
    const { turn } = entry
    await capture?.prepare(turn)
    await definitions.prepare(turn, asks.hasBegun(turn) ? undefined : prompts.queued(entry).definitions)
    await mcp.ready
    await remoteMcp.prepare(this.optionsOf(entry))
  }

  /** What the session and the turn may cost, in USD. */
  get budgets(): { readonly session?: number; readonly turn?: number } {
    const session = this.#core.record.options.maxBudgetUsd
    const turn = this.#options?.maxBudgetUsd
    return { ...(session === undefined ? {} : { session }), ...(turn === undefined ? {} : { turn }) }
  }

  /**
   * Starts the turn of `entry`: its options apply from now on, and prompts behind it that may share its turn join it. Returns
   * the prompt with those that joined.
   */
  beginTurn(entry: InboxEntry): TurnQueued {
    const { prompts, turnSecrets } = this.#core
    prompts.gather(entry)
    const queued = prompts.queued(entry)
    const asked = this.#commanded(entry, turnSecrets.unmasked(entry.turn, queued.options as SessionOptions))
    // Set first, because the agents of the turn include those of its own options.
    this.#options = asked
    const own = this.#asAgent(asked)
    this.#options = this.#appended(queued, this.routing.begin(entry, queued, own))
    return { ...queued, prompt: this.#whole(entry, queued) }
  }

  /** The content of the turn's prompt and of the prompts that joined it before it started. */
  #whole(entry: InboxEntry, { prompt }: TurnQueued): TurnQueued["prompt"] {
    return this.#gathered(entry).reduce((whole, other) => joinedPrompt(whole, other.prompt), prompt)
  }

  /** The turn's options, with the text that its sender appends to the system prompt of the turn or the session. */
  #appended({ appendSystemPrompt: text }: TurnQueued, own: SessionOptions): SessionOptions {
    if (text === undefined) return own
    return { ...own, systemPrompt: withAppended(own.systemPrompt ?? this.#core.record.options.systemPrompt, text) }
  }

  /**
   * The turn's options, with those of the agent that the main thread runs as. An agent that does not exist ends the turn
   * later.
   */
  #asAgent(own: SessionOptions): SessionOptions {
    const { definitions, record } = this.#core
    const name = own.agent ?? record.options.agent
    const agent = name === undefined ? undefined : agentNamed(definitions.agents, name)
    return agent === undefined ? own : asAgent(agent, record.options, own)
  }

  /** Writes events that precede the turn's first ones; before them, once, the state `running` and the start of its prompt. */
  announce(entry: InboxEntry, events: ReadonlyArray<NewEvent>): void {
    const state = this.#core.stateEvents(entry.turn, "running")
    this.#core.append([...state, ...this.#started(entry), ...events])
  }

  /** Writes the turn's first events, and the state `running`. */
  writeStart(
    entry: InboxEntry,
    events: ReadonlyArray<NewEvent>,
    { sendsPrompt, model, beforeEcho }: PromptReach = { sendsPrompt: true },
  ): void {
    const { resumption, workspace } = this.#core
    const started = this.#started(entry)
    const begins = resumption.begins(events)
    const state = this.#core.stateEvents(entry.turn, "running")
    const run = this.runs.startEvents(entry, events)
    // As there: the state `started` of a prompt comes before its turn's `system/init`.
    this.#core.append([...run, ...started, ...events, ...state], () => {
      workspace.checkpoint(entry.turn)
      if (begins) resumption.forgetStarting()
    })
    if (model !== undefined) this.#options = { ...this.#options, model }
    this.#heldModel = model
    const echoes = this.promptEcho(entry, sendsPrompt)
    if (echoes.length > 0 && beforeEcho?.() !== "later") this.#core.append(echoes)
    if (begins) resumption.begun()
    if (this.#options !== null) this.#options = this.#commanded(entry, this.#options)
  }

  /** The turn's options with the model, effort and allowed tools of its prompt's slash command. */
  #commanded(entry: InboxEntry, options: SessionOptions): SessionOptions {
    const { record } = this.#core
    const { model, effort, allowed_tools: allowed } = this.#tally(entry)?.command ?? {}
    if (model === undefined && effort === undefined && allowed === undefined) return options
    const allowedTools = options.allowedTools ?? record.options.allowedTools ?? []
    return {
      ...options,
      ...(model === undefined ? {} : { model }),
      ...(isEffort(effort) ? { effort } : {}),
      ...(allowed === undefined ? {} : { allowedTools: [...allowedTools, ...allowed] }),
    }
  }

  /** Writes the turn's last events, then its result, and settles its prompt in the inbox. */
  writeEnd(entry: InboxEntry, events: ReadonlyArray<NewEvent>, result: () => NewEvent): void {
    const { turn } = entry
    const { asks, background, inbox, memory, prompts, turnSecrets, workspace } = this.#core
    // A turn that ends while the hooks of its prompt run has not begun.
    const { tally } = memory.accounting
    const begun = this.#tally(entry)?.started === true ? [] : this.#started(entry)
    const interrupted = asks.interrupted((ask) => ask.turn === turn)
    const more = inbox.open.length > 1 || background.hasAgents
    const files = patchEvents(turn, workspace, tally)
    this.#core.append(
      [...begun, ...interrupted.events, ...events, ...files],
      (written) => {
        const seq = written.findLast(isTurnResult)?.seq
        if (seq === undefined) throw new Error("a turn was finished without its result")
        interrupted.commit()
        inbox.settle(turn, seq)
        turnSecrets.forget(turn, prompts.queued(entry).options)
        asks.forgetParked()
      },
      () => {
        const last = result()
        const state = endStateOf(last.payload)
        // As the official SDK: prompts that joined while the turn ran end before its result, all others after it.
        const joined = this.#joined(entry).flatMap((one) => prompts.lifecycle(one, one.turn, state))
        return [...joined, last, ...this.lifecycle(entry, state), ...(more ? [] : this.#core.stateEvents(turn, "idle"))]
      },
    )
    interrupted.committed()
    asks.unparked()
    this.#options = null
  }

  /** The prompts of the turn whose senders are sent their state. */
  acknowledged(entry: InboxEntry): ReadonlyArray<string> {
    const own = isAcknowledged(this.#core.prompts.queued(entry)) ? [entry.turn] : []
    return [...own, ...this.#gathered(entry).flatMap((joined) => (isAcknowledged(joined) ? [joined.turn] : []))]
  }

  /** How often the turn has fired a hook event; null when none runs. */
  fired(event: string): { readonly turn: string; readonly count: number } | null {
    const head = this.#core.inbox.head()
    if (head === undefined) return null
    return { turn: head.turn, count: this.#tally(head)?.hookCounts.get(event) ?? 0 }
  }

  /** The prompt as a message with `isReplay`, if the option `replay_user_messages` is set. */
  echo(
    turn: string,
    uuid: string,
    prompt: TurnQueued["prompt"],
    form: EchoForm = {},
  ): ReadonlyArray<NewEvent<"sdk:user">> {
    const { context, id, runningOptions } = this.#core
    if (runningOptions.replay_user_messages !== true) return []
    return [promptEcho({ sessionId: id, turn, uuid, at: context.now() }, prompt, form)]
  }

  /** Prompts that joined the turn before it started. */
  #gathered(entry: InboxEntry): ReadonlyArray<TurnJoined> {
    return this.#tally(entry)?.gathered ?? []
  }

  /** Prompts that joined the turn while it ran, and whose senders are sent their state. */
  #joined(entry: InboxEntry): ReadonlyArray<TurnJoined> {
    return this.#tally(entry)?.joined ?? []
  }

  /** What the turn has done so far; undefined before its first event. */
  #tally({ turn }: InboxEntry) {
    return this.#core.memory.accounting.tallyOf(turn)
  }

  /**
   * The echo of the turn's prompt to clients that want it. As the official SDK: if several prompts became one turn, it has the uuid
   * of the last one and the content of all; a prompt that is not sent to the model is echoed only if it is a command whose sender
   * is sent its state.
   */
  promptEcho(entry: InboxEntry, sendsPrompt = true): ReadonlyArray<NewEvent> {
    const queued = this.#core.prompts.queued(entry)
    const { synthetic } = queued
    const command = this.#tally(entry)?.command ?? null
    // As the official SDK: a synthetic prompt is echoed when it joins a turn, but not when it starts one.
    if (synthetic === true || !(sendsPrompt || (command?.local === true && isAcknowledged(queued)))) return []
    const echoed = command && echoedCommand(command)
    if (echoed !== null) return this.echo(entry.turn, entry.turn, echoed)
    const { turn } = this.#gathered(entry).at(-1) ?? entry
    return this.echo(entry.turn, turn, this.#whole(entry, queued))
  }

  /** The state `started` of the turn's prompts, unless it was written before its first events. */
  #started(entry: InboxEntry): ReadonlyArray<NewEvent> {
    return this.#tally(entry)?.announced === true ? [] : this.lifecycle(entry, "started")
  }

  /** The state of every prompt that is in the turn, for their senders. */
  lifecycle(entry: InboxEntry, state: string): ReadonlyArray<NewEvent> {
    const { prompts } = this.#core
    const own = prompts.lifecycle(prompts.queued(entry), entry.turn, state)
    return [...own, ...this.#gathered(entry).flatMap((one) => prompts.lifecycle(one, one.turn, state))]
  }
}

/**
 * The last state of a turn's prompts. As the official SDK: `cancelled` if the turn was interrupted or failed, but not when it
 * reached the option `maxTurns`.
 */
const endStateOf = (result: NewEvent["payload"]): "completed" | "cancelled" => {
  const { is_error: isError, terminal_reason: reason } = result as Readonly<Record<string, unknown>>
  if (reason === "max_turns") return "completed"
  return isError === true || reason === "aborted_streaming" || reason === "aborted_tools" ? "cancelled" : "completed"
}
