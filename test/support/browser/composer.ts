// What tests of the console's composer share: the page's prompt, messages and queue, and the prompts that a session has.
import type { Page } from "playwright-core"
import type { PerchClient } from "../server/client.ts"
import type { ApiLog } from "../session/api-log.ts"
import { scriptName } from "../session/scripts.ts"

export const prompt = (page: Page) => page.getByRole("textbox", { name: "Prompt" })
export const messages = (page: Page) => page.getByRole("log", { name: "Messages" })
export const queue = (page: Page) => page.getByRole("region", { name: "Queued prompts" })

/** Scripts the model's answers to one prompt; returns the script's name. */
export const scripted = async (
  api: ApiLog,
  name: string,
  ...turns: ReadonlyArray<Readonly<Record<string, unknown>>>
): Promise<string> => {
  const script = scriptName(name)
  await api.set(script, turns)
  return script
}

/** The text of each prompt in the pages of messages. */
export const promptsOf = async (client: PerchClient, id: string): Promise<ReadonlyArray<string | undefined>> => {
  const { messages: all } = await client.json<{
    messages: ReadonlyArray<{ info: { role: string }; parts: ReadonlyArray<{ text?: string }> }>
  }>("GET", `/v1/sessions/${id}/messages`, {})
  return all.flatMap(({ info, parts }) => (info.role === "user" ? [parts[0]?.text] : []))
}
