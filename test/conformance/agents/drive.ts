// Runs one scenario through the official SDK and returns what happened: messages, callbacks, requests, and how it ended. It
// runs at a venue: the recorded software on this machine, or a Perch server.
import {
  HOOK_EVENTS,
  type HookCallbackMatcher,
  type HookEvent,
  type Options,
  query,
} from "@anthropic-ai/claude-agent-sdk"
import { eventually } from "../../support/server/client.ts"
import type { ApiLog } from "../../support/session/api-log.ts"
import { type Event, type Fields, type RawMessage, type Recording, type StepRecording } from "./digest/recording.ts"
import { Sources } from "./digest/texts.ts"
import type { RunContext, Scenario, Script, Step } from "./scenario.ts"

const MODEL = "claude-sonnet-4-5"
const LIMIT_MS = 40_000

/** Where scenarios run. `open` creates a workspace with the files; `options` make the SDK use it. */
export interface Venue {
  readonly api: ApiLog
  open(files: Readonly<Record<string, string>>): Promise<{
    readonly cwd: string
    readonly options: Options
    close(): Promise<void>
  }>
}

export const drive = async (scenario: Scenario, venue: Venue): Promise<Recording> => {
  const workspace = await venue.open(scenario.files ?? {})
  try {
    const { cwd } = workspace
    const { script } = scenario
    const main: Script = typeof script === "function" ? script({ cwd }) : script
    const others = typeof scenario.scripts === "function" ? scenario.scripts({ cwd }) : (scenario.scripts ?? {})
    const scripts = { [scenario.name]: main, ...others }
    const sources = new Sources()
    sources.add(scripts)
    for (const content of Object.values(scenario.files ?? {})) sources.add(content, "content")
    for (const [name, turns] of Object.entries(scripts)) await venue.api.set(name, turns)
    const run = new ScenarioRun(scenario, venue.api, cwd, workspace.options, sources, Object.keys(scripts))
    for (const step of scenario.steps ?? [scenario]) await run.step(step)
    return { cwd, lanes: scenario.lanes === true, sources, steps: run.steps }
  } finally {
    await workspace.close()
  }
}

class ScenarioRun {
  readonly scenario: Scenario
  readonly api: ApiLog
  readonly cwd: string
  readonly base: Options
  readonly sources: Sources
  readonly scripts: ReadonlyArray<string>
  readonly steps: Array<StepRecording> = []
  readonly previous: Array<RunContext["previous"][number]> = []
  #requests = 0

  constructor(
    scenario: Scenario,
    api: ApiLog,
    cwd: string,
    base: Options,
    sources: Sources,
    scripts: ReadonlyArray<string>,
  ) {
    this.scenario = scenario
    this.api = api
    this.cwd = cwd
    this.base = base
    this.sources = sources
    this.scripts = scripts
  }

  async step(step: Step): Promise<void> {
    const timeline: Array<Event> = []
    const waiting: Array<() => void> = []
    const release = () => waiting.splice(0).forEach((resolve) => resolve())
    const context: RunContext = {
      cwd: this.cwd,
      name: this.scenario.name,
      previous: this.previous,
      note: (name, facts = {}) => void timeline.push({ kind: "note", name, facts }),
      set: (script, turns) => this.api.set(script, turns),
      release: (gate) => this.api.release(gate),
      requested: (script, count = 1) => until(async () => (await this.api.requests(script)).length >= count),
      summaryRequested: () =>
        until(async () => (await this.api.requestsOf(this.scripts)).some(({ kind }) => kind === "compact")),
      called: (label) =>
        until(async () =>
          timeline.some(
            (event) =>
              event.kind === "hook" && event.event === "PreToolUse" && event.input["tool_use_id"] === `toolu_${label}`,
          ),
        ),
      nextResult: () => new Promise((resolve) => waiting.push(resolve)),
    }
    const asked = typeof step.options === "function" ? step.options(context) : (step.options ?? {})
    this.sources.add({ options: asked.systemPrompt, agents: asked.agents })
    const prompt = step.prompt ?? `[[script:${this.scenario.name}]] go`
    this.sources.add(prompt, "prompt")
    const abort = new AbortController()
    const options: Options = {
      cwd: this.cwd,
      model: MODEL,
      settingSources: [],
      abortController: abort,
      hooks: this.#hooks(step, timeline),
      ...this.#permission(step, timeline),
      ...this.base,
      ...asked,
    }
    const timer = setTimeout(() => {
      timeline.push({ kind: "note", name: "timed out", facts: {} })
      abort.abort()
      release()
    }, LIMIT_MS)
    const running = query({ prompt: step.input ? step.input(context) : prompt, options })
    let ends = "normally"
    const messages = []
    try {
      for await (const message of running) {
        // Recordings have more fields than the SDK's types.
        timeline.push({ kind: "message", message: message as unknown as RawMessage })
        messages.push(message)
        const stop = await step.during?.(running, message, context)
        if (message.type === "result") release()
        if (stop === true) break
      }
    } catch (error) {
      ends = `throws ${error instanceof Error ? error.name : "something"}`
    }
    clearTimeout(timer)
    release()
    const requests = await this.api.requestsOf(this.scripts)
    this.steps.push({
      timeline,
      requests: requests.slice(this.#requests),
      prompts: promptsOf(asked),
      namesTools: asked.tools !== undefined,
      limited: Object.values(asked.agents ?? {}).flatMap(({ tools, prompt: own }) =>
        tools === undefined ? [] : [own],
      ),
      ends,
    })
    this.#requests = requests.length
    this.previous.push({ session: messages.at(-1)?.session_id ?? "", messages })
  }

  /** Callbacks for every event: they record the call, and return the scenario's answer. */
  #hooks(step: Step, timeline: Array<Event>): Partial<Record<HookEvent, Array<HookCallbackMatcher>>> {
    const events = HOOK_EVENTS.filter((event) => !UNHOOKED.has(event))
    return Object.fromEntries(
      events.map((event) => {
        const matcher: HookCallbackMatcher = {
          hooks: [
            async (input) => {
              const output = step.hooks?.[event]?.(input) ?? {}
              this.sources.add(output)
              timeline.push({ kind: "hook", event, input: input as unknown as Fields, output })
              return output
            },
          ],
        }
        return [event, [matcher]]
      }),
    )
  }

  #permission(step: Step, timeline: Array<Event>): Options {
    const { canUseTool } = step
    if (canUseTool === undefined) return {}
    return {
      canUseTool: async (tool, input, options) => {
        const event: Event = {
          kind: "permission",
          tool,
          input,
          options: { ...options },
          signal: options.signal !== undefined,
        }
        timeline.push(event)
        const result = await canUseTool(tool, input, options)
        this.sources.add(result)
        event.result = result
        return result
      },
    }
  }
}

const until = (holds: () => Promise<boolean>): Promise<void> =>
  eventually(async () => ((await holds()) ? true : undefined)).then(() => undefined)

/** Displaying text is the terminal's task, and worktrees are the machine's. */
const UNHOOKED = new Set<HookEvent>(["WorktreeCreate", "WorktreeRemove", "MessageDisplay"])

const promptsOf = ({ systemPrompt, agents = {} }: Options): ReadonlyArray<string> => {
  const own = typeof systemPrompt === "object" && "append" in systemPrompt ? systemPrompt.append : systemPrompt
  const all = [own, ...Object.values(agents).map((agent) => agent.prompt)]
  return all.filter((value): value is string => typeof value === "string" && value !== "")
}
