// Sessions whose workspace contains project files, for tests of how a session uses them.
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, type loop } from "./loop.ts"
import { call, promptFor } from "./scripts.ts"
import type { HookTable } from "./session-client.ts"
import { eventsOf, prompt } from "./session-harness.ts"

export type Files = Readonly<Record<string, string>>
type Turns = Parameters<ReturnType<typeof loop>["scripted"]>[0]

export const PROJECT: SessionOptions = { permissionMode: "bypassPermissions", settingSources: ["project", "local"] }

/** A session with these files in its workspace. */
export const projectSession = async (
  { connected, scripted, messagesSent }: ReturnType<typeof loop>,
  files: Files,
  options: SessionOptions = PROJECT,
  hooks: HookTable = {},
) => {
  const opened = await connected(hooks, options)
  const write = (more: Files) => {
    for (const [name, text] of Object.entries(more)) opened.workspace.writeBytes(`/workspace/${name}`, text)
  }
  write(files)
  /** Runs a turn; returns the last conversation that the model was sent. */
  const ask = async (turns: Turns = [DONE], more: SessionOptions = {}) => {
    const script = scripted(turns)
    prompt(opened.session, promptFor(script), more)
    await opened.idle()
    return messagesSent(script).at(-1) ?? []
  }
  const uses = (...calls: ReadonlyArray<ReturnType<typeof call>>) =>
    ask([...calls.map((one) => ({ content: [one] })), DONE])
  const read = (path: string) => uses(call("Read", { file_path: `/workspace/${path}` }))
  return { ...opened, write, ask, uses, read, events: () => eventsOf(opened.log) }
}
