// Sessions whose conversations are reverted, for the tests of one file: runs turns against a scripted Messages API, and returns
// what the model, the readers and D1 then have of them.
import type { Message } from "../../../src/schemas/parts.ts"
import type { RevertArgs, UnrevertArgs } from "../../../src/schemas/rpc/revert.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { messagesPage } from "../../../src/session/pages/messages-page.ts"
import { isRefusal } from "../../../src/session/refusal.ts"
import { revertSession, unrevertSession } from "../../../src/session/revert/reverts.ts"
import type { ScriptedApi } from "../../support/session/scripted-api.mjs"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName } from "../../support/session/scripts.ts"
import { type Booted, prompt } from "../../support/session/session-harness.ts"

export const BYPASS: SessionOptions = { permissionMode: "bypassPermissions" }

export type Script = Parameters<ScriptedApi["set"]>[1]

export const write = (path: string, content: string) => call("Write", { file_path: path, content })
export const todos = (...contents: ReadonlyArray<string>) =>
  call("TodoWrite", {
    todos: contents.map((content) => ({ content, status: "pending", activeForm: content })),
  })

export const messagesOf = ({ session }: Booted): ReadonlyArray<Message> => {
  const page = messagesPage(session, session.id, { limit: 1000 })
  if (isRefusal(page)) throw new Error(page.refused.message)
  return page.messages
}

/** The files of the workspace with their contents. */
export const filesOf = ({ workspace }: Booted): Readonly<Record<string, string>> =>
  Object.fromEntries(
    workspace
      .list("/workspace", null, 1000)
      .files.filter(({ type }) => type === "file")
      .map(({ path }) => [path, workspace.readText(path)]),
  )

export const revert = ({ session }: Booted, args: RevertArgs) => revertSession(session, args)
export const unrevert = ({ session }: Booted, args: UnrevertArgs = {}) => unrevertSession(session, args)

/** The message of an error; undefined if there was none. */
export const refusalOf = (outcome: ReturnType<typeof revert>) => outcome?.refused

/** Registers the API of a test file; call it once, at the top. */
export const reverting = () => {
  const sessions = loop()

  const started = (options = BYPASS) => {
    const harness = sessions.harnessOf(options)
    return { harness, booted: harness.boot() }
  }

  /** Runs a prompt with a script. */
  const run = async (booted: Booted, script: Script, words = ""): Promise<string> => {
    const name = scriptName("revert")
    sessions.api.set(name, script)
    const turn = prompt(booted.session, `${promptFor(name)} ${words}`)
    await booted.idle()
    return turn
  }

  /** What the model was last sent. */
  const lastRequest = () =>
    sessions.api.log.at(-1)?.body as {
      readonly messages: ReadonlyArray<{
        readonly role: string
        readonly content: ReadonlyArray<Record<string, unknown>>
      }>
    }

  return {
    get api() {
      return sessions.api
    },
    started,
    run,
    lastRequest,
  }
}
