// Receives the events of subagents in order; keeps the conversation of each running one, and how the others ended.
// Invariant: a pure fold. An agent's conversation is folded as a session's is, from the events that have the agent's thread
// as their parent; when the agent ends, the conversation is dropped, and read from the log again if the agent is resumed.
import type { AgentEnded, AgentMessaged, AgentStarted } from "../../schemas/log/agent-events.ts"
import type { TaskItem } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { isToolUseBlock } from "../../schemas/sdk/messages/type-guards.ts"
import type { PermissionDenial } from "./turn-tally.ts"
import { addCalledLines, type ChangedLines } from "./changed-lines.ts"
import { Conversation, type TurnMemory } from "./conversation.ts"

/** What an agent shares with its session. */
type Shared = Pick<TurnMemory, "tasks" | "lastTask" | "accounting" | "transcript">

/** A run of a subagent: its conversation while it runs, its end afterwards. */
export class Subagent implements TurnMemory {
  #started: AgentStarted
  /** The turn in which the run started. */
  readonly turn: string | null
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** That of the run's `agent:started`. */
  readonly seq: number
  /** That of the last event of its conversation that is progress. */
  lastSeq: number
  readonly #shared: Shared
  readonly #own: Conversation
  #ended: AgentEnded | null = null
  /** True once the prompt of this run is in its conversation. */
  prompted = false
  /** Messages to the agent that have not been delivered yet. */
  messages: ReadonlyArray<AgentMessaged> = []
  /** Number of calls by the name of the tool. */
  readonly #tools = new Map<string, number>()
  readonly #lines = { linesAdded: 0, linesRemoved: 0 }

  constructor(event: LogEvent<"agent:started">, shared: Shared, own: Conversation) {
    this.#started = event.payload
    this.turn = event.turn
    this.startedAt = event.at
    this.seq = event.seq
    this.lastSeq = event.seq
    this.#shared = shared
    this.#own = own
    own.accounting.begin(this.key, event.at, shared.accounting.tally?.refused)
  }

  get started(): AgentStarted {
    return this.#started
  }

  /** Detaches the run from its turn: it continues in the background, or inside an agent that does. */
  move(background: boolean): void {
    this.#started = { ...this.#started, background, detached: true }
  }

  get id(): string {
    return this.started.agent_id
  }

  /** The run's id, which serves as the turn's id in its conversation. */
  get key(): string {
    return this.started.run_id
  }

  get ended(): AgentEnded | null {
    return this.#ended
  }

  get conversation(): Conversation {
    return this.#own
  }

  get transcript() {
    return this.#own.transcript
  }

  get accounting() {
    return this.#own.accounting
  }

  get knownFiles() {
    return this.#own.knownFiles
  }

  get project() {
    return this.#own.project
  }

  get plan() {
    return this.#own.plan
  }

  get todos() {
    return this.#own.todos
  }

  set todos(todos) {
    this.#own.todos = todos
  }

  get cwd(): string {
    return this.#own.cwd
  }

  get tasks(): ReadonlyArray<TaskItem> {
    return this.#shared.tasks
  }

  get lastTask(): number {
    return this.#shared.lastTask
  }

  /** Number of the run's calls by the name of the tool. */
  get toolUses(): ReadonlyMap<string, number> {
    return this.#tools
  }

  /** Lines that its Write and Edit calls were to add and remove. */
  get lines(): Readonly<ChangedLines> {
    return this.#lines
  }

  /** Applies an event of the conversation; returns the denials that it adds. */
  apply(event: LogEvent, bytes: number): ReadonlyArray<PermissionDenial> {
    const own = ofConversation(event, this.key)
    const { tally } = this.accounting
    const known = tally?.denials.length ?? 0
    if (!isAnswering(own)) this.lastSeq = event.seq
    this.#own.apply(own, bytes)
    if (own.name === "sdk:user") this.prompted = true
    if (own.name === "sdk:assistant") {
      for (const block of own.payload.message.content)
        if (isToolUseBlock(block)) {
          this.#tools.set(block.name, (this.#tools.get(block.name) ?? 0) + 1)
          addCalledLines(this.#lines, block.name, block.input)
        }
    }
    return tally?.denials.slice(known) ?? []
  }

  end(ended: AgentEnded): void {
    this.#ended = ended
  }
}

/** The event in the form that it would have in a session's own conversation. */
const ofConversation = (event: LogEvent, turn: string): LogEvent => {
  const { name, payload } =
    event.name === EventNames.messageWithheld
      ? { name: event.payload.event, payload: event.payload.message }
      : { name: event.name, payload: withResult(event) }
  // The loop wrote the payload under that name.
  return { ...event, name, payload, turn, parent_tool_use_id: null } as LogEvent
}

/**
 * Whether an event is part of an answer. When the process dies, an incomplete answer is requested again, or continued if it
 * has text. The request to continue it counts as part of it: each process that dies may leave one.
 */
export const isAnswering = (event: LogEvent): boolean => {
  const name = event.name === EventNames.messageWithheld ? event.payload.event : event.name
  if (event.name === "sdk:user") return event.payload.isSynthetic === true
  if (event.name === EventNames.turnNudged) return event.payload.cause === "broken"
  return name === "sdk:assistant" || name === EventNames.callFinished
}

const withResult = (event: LogEvent): unknown => {
  if (event.name !== "sdk:user" || event.payload.subagent_tool_result === undefined) return event.payload
  return { ...event.payload, tool_use_result: event.payload.subagent_tool_result }
}

/** Events about runs, apart from those of their conversations. */
type AgentEvent = LogEvent<"agent:started" | "agent:ended" | "agent:moved" | "agent:messaged" | "agent:delivered">

const AGENT_EVENTS: ReadonlySet<string> = new Set([
  EventNames.agentStarted,
  EventNames.agentEnded,
  EventNames.agentMoved,
  EventNames.agentMessaged,
  EventNames.agentDelivered,
])

export const isAgentEvent = (event: LogEvent): event is AgentEvent => AGENT_EVENTS.has(event.name)

/** What is kept of an agent after its end: the name that its caller gave it, and the `seq` of its last `agent:started`. */
interface EndedAgent {
  readonly name?: string
  readonly seq: number
}

/** A run, of the turn in which it started. */
interface Run {
  readonly turn: string | null
  readonly started: AgentStarted
  readonly ended?: AgentEnded
}

/** Reads from the log again what is not kept of ended agents. */
export interface AgentSource {
  /** The events of a thread with a `seq` below `before`. */
  readonly thread: (thread: string, before: number) => Iterable<{ readonly event: LogEvent; readonly bytes: number }>
  /** The `agent:started` with this `seq`. */
  readonly started: (seq: number) => AgentStarted | undefined
}

export const NO_SOURCE: AgentSource = { thread: () => [], started: () => undefined }

/** The state that is stored when no agent runs. */
export interface SavedSubagents {
  readonly ended: ReadonlyArray<readonly [string, EndedAgent]>
  readonly runs: ReadonlyArray<readonly [string, Run]>
}

/** The turn id for events of an agent's earlier runs. */
const BEFORE = ""

export class Subagents {
  readonly #cwd: string
  readonly #shared: Shared
  /** Running agents by their thread. */
  readonly #running = new Map<string, Subagent>()
  /** The agents that have ended, by their ids. */
  readonly #ended = new Map<string, EndedAgent>()
  /** Runs by the id of the call that started them, at least until the call has its result. */
  readonly #runs = new Map<string, Run>()
  readonly #source: AgentSource

  constructor(cwd: string, shared: Shared, source: AgentSource) {
    this.#cwd = cwd
    this.#shared = shared
    this.#source = source
  }

  /** Null while an agent runs. */
  save(): SavedSubagents | null {
    if (this.#running.size > 0) return null
    return { ended: [...this.#ended], runs: [...this.#runs] }
  }

  /** Restores the stored state. */
  take({ ended, runs }: SavedSubagents): void {
    for (const [id, agent] of ended) this.#ended.set(id, agent)
    for (const [call, run] of runs) this.#runs.set(call, run)
  }

  /** About how many bytes of memory the conversations take. */
  get size(): number {
    return this.running.reduce((sum, agent) => sum + agent.transcript.size, 0)
  }

  /** Running agents in the order of their start. */
  get running(): ReadonlyArray<Subagent> {
    return [...this.#running.values()]
  }

  /** The running agent with this id. */
  runningOf(id: string): Subagent | undefined {
    return this.running.find((agent) => agent.id === id)
  }

  hasEnded(id: string): boolean {
    return this.#ended.has(id)
  }

  /** The last run of an agent that has ended, by its id or by the name that its caller gave it. */
  endedOf(idOrName: string): AgentStarted | undefined {
    const known = this.#ended.get(idOrName) ?? [...this.#ended.values()].findLast(({ name }) => name === idOrName)
    return known && this.#source.started(known.seq)
  }

  /** The running agent with this id or name. */
  readonly named = (idOrName: string): Subagent | undefined =>
    this.running.find(({ id, started }) => id === idOrName || started.name === idOrName)

  /** The run that a call started. */
  runOf(toolUseId: string): AgentStarted | undefined {
    return this.#runs.get(toolUseId)?.started
  }

  /** How the run that a call started has ended; undefined while it runs. */
  endOf(toolUseId: string): AgentEnded | undefined {
    return this.#runs.get(toolUseId)?.ended
  }

  /** A run that is part of the conversation is folded to its end, even where the conversation was cut after its start. */
  note(event: AgentEvent, onPath: boolean): void {
    if (event.name === EventNames.agentStarted) return onPath ? this.#start(event) : undefined
    const run = this.running.find(({ key }) => key === event.payload.run_id)
    if (run === undefined) return
    if (event.name === EventNames.agentMoved) return this.#move(run)
    if (event.name === EventNames.agentMessaged) {
      run.messages = [...run.messages, event.payload]
      return
    }
    if (event.name === EventNames.agentDelivered) {
      run.messages = run.messages.slice(event.payload.count)
      return
    }
    const { id, seq, turn, started } = run
    run.end(event.payload)
    this.#running.delete(started.thread)
    this.#ended.set(id, { seq, ...(started.name === undefined ? {} : { name: started.name }) })
    this.#runs.set(started.tool_use_id, { turn, started, ended: event.payload })
  }

  /** Moves a run to the background, and detaches the agents that it started with it. */
  #move(run: Subagent): void {
    run.move(true)
    this.#runs.set(run.started.tool_use_id, { turn: run.turn, started: run.started })
    const below = new Set([run.id])
    for (const other of this.running) {
      if (!below.has(other.started.parent_agent_id ?? "")) continue
      below.add(other.id)
      other.move(other.started.background)
    }
  }

  #start(event: LogEvent<"agent:started">): void {
    const { agent_id: id, thread, tool_use_id: call } = event.payload
    const own = new Conversation(this.#cwd)
    if (this.#ended.has(id))
      for (const { event: earlier, bytes } of this.#source.thread(thread, event.seq))
        own.apply(ofConversation(earlier, BEFORE), bytes)
    this.#running.set(thread, new Subagent(event, this.#shared, own))
    this.#forgetRuns()
    this.#runs.set(call, { turn: event.turn, started: event.payload })
  }

  /** Forgets the runs that have ended and whose call has its result; the run of a prompt's command, once its turn is over. */
  #forgetRuns(): void {
    const { transcript, accounting } = this.#shared
    const open = new Set(
      [transcript, ...this.running.map((agent) => agent.transcript)].flatMap((one) =>
        one.openCalls().map(({ id }) => id),
      ),
    )
    for (const [call, { turn, started, ended }] of this.#runs) {
      const isNeeded = started.fork === "prompt" ? turn === accounting.tally?.turn : open.has(call)
      if (ended !== undefined && !isNeeded) this.#runs.delete(call)
    }
  }

  /** Applies the event if it belongs to a running subagent's conversation; returns the denials that it adds. */
  apply(event: LogEvent, bytes: number): ReadonlyArray<PermissionDenial> {
    if (isAgentEvent(event)) return []
    const agent = event.parent_tool_use_id === null ? undefined : this.#running.get(event.parent_tool_use_id)
    return agent?.apply(event, bytes) ?? []
  }
}
