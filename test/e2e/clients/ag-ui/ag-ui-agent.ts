// The unmodified HttpAgent of `@ag-ui/client`, with everything that its pipeline reports: its events, and each of its warnings.
import { type BaseEvent, HttpAgent, type Message, type RunAgentParameters } from "@ag-ui/client"
import { vi } from "vitest"

export interface AgUiRun {
  readonly events: ReadonlyArray<BaseEvent>
  readonly warnings: ReadonlyArray<string>
  /** Why the run failed for the client; null if it did not. */
  readonly failure: Error | null
}

/** An agent of one thread. `run` resolves when the client has the whole run. */
export const agUiAgent = (perch: { readonly url: string; readonly key: string }, threadId: string) => {
  const agent = new HttpAgent({
    url: `${perch.url}/v1/ag-ui`,
    headers: { authorization: `Bearer ${perch.key}` },
    threadId,
  })
  const run = async (parameters: RunAgentParameters = {}): Promise<AgUiRun> => {
    const events: Array<BaseEvent> = []
    const warnings: Array<string> = []
    const warn = vi.spyOn(console, "warn").mockImplementation((...texts) => void warnings.push(texts.join(" ")))
    const error = vi.spyOn(console, "error").mockImplementation((...texts) => void warnings.push(texts.join(" ")))
    try {
      await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) })
      return { events, warnings, failure: null }
    } catch (cause) {
      return { events, warnings, failure: cause instanceof Error ? cause : new Error(String(cause)) }
    } finally {
      warn.mockRestore()
      error.mockRestore()
    }
  }
  const say = (content: string): void => {
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content })
  }
  const give = (toolCallId: string, content: string): void => {
    const result: Message = { id: crypto.randomUUID(), role: "tool", toolCallId, content }
    agent.addMessage(result)
  }
  return { agent, run, say, give }
}

export const typesOf = (events: ReadonlyArray<BaseEvent>): ReadonlyArray<string> => events.map(({ type }) => type)

/** The last event of a run. */
export const endOf = ({ events }: AgUiRun): BaseEvent | undefined => events.at(-1)
