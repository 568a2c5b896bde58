// The hooks of the skills and commands that the running turn uses: those that its prompt calls, and those that the model
// calls.
// Invariant: a file is read at the first event after it was used, and the hooks that it had at that time apply until the turn
// ends. A session that uses no skill and no command with hooks reads nothing.
import { mergedHooks } from "../../agent/project/project-settings.ts"
import { hookIssues } from "../../hooks/http-hook-rules.ts"
import { hookFetchSettings } from "../../net/guarded-fetch.ts"
import type { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import type { SessionCore } from "../core.ts"
import { projectSkills } from "./project-files.ts"

interface WithHooks {
  readonly name: string
  readonly hooks?: HttpHookMatchers
}

const NO_HOOKS: HttpHookMatchers = {}

export class SkillHooks {
  readonly #core: SessionCore
  #turn: string | undefined
  readonly #read = new Map<string, HttpHookMatchers>()
  #last = { key: "", hooks: NO_HOOKS }

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** The hooks that apply now; the same object while they are the same. */
  get now(): HttpHookMatchers {
    const { inbox, memory } = this.#core
    const turn = inbox.head()?.turn
    const { tally } = memory.accounting
    // A command that runs as a subagent has no hooks.
    const called =
      turn !== undefined && tally?.turn === turn && tally.command?.fork === undefined ? tally.command : null
    const own = memory.project.used.filter((one) => one.turn === turn)
    const used = [...own, ...memory.subagents.running.flatMap(({ project }) => project.used)]
    if (used.length === 0 && called === null) return NO_HOOKS
    if (turn !== this.#turn) this.#read.clear()
    this.#turn = turn
    const ofPrompt = called?.source === "skill" ? [called.name] : []
    const command = called?.source === "workspace" ? called.name : undefined
    const skills = Array.from(new Set([...ofPrompt, ...used.map(({ name }) => name)]))
    const key = JSON.stringify([turn, command, skills])
    if (key === this.#last.key) return this.#last.hooks
    const commands = command === undefined ? [] : [this.#once(`/${command}`, () => this.#command(command))]
    const hooks = mergedHooks([...commands, ...skills.map((name) => this.#once(name, () => this.#skill(name)))])
    this.#last = { key, hooks }
    return hooks
  }

  /** Notices of wrong URLs and headers of hooks in the session's files. */
  notices(): ReadonlyArray<string> {
    const commands = this.#core.commands.book.all.filter(({ source }) => source === "workspace")
    const skills = projectSkills(this.#core)
    return [...skills.map((one) => ["skill", one] as const), ...commands.map((one) => ["command", one] as const)]
      .flatMap(([kind, one]) => this.#issues(one).map((issue) => ({ kind, name: one.name, ...issue })))
      .map(
        ({ kind, name, field, message }) =>
          `The hooks of the ${kind} ${name} are left out: ${field} ${message.replace(/\.$/, "")}.`,
      )
  }

  #once(key: string, read: () => WithHooks | undefined): HttpHookMatchers {
    const known = this.#read.get(key)
    if (known !== undefined) return known
    const found = read()
    const hooks = found === undefined || this.#issues(found).length > 0 ? NO_HOOKS : (found.hooks ?? NO_HOOKS)
    this.#read.set(key, hooks)
    return hooks
  }

  #command(name: string): WithHooks | undefined {
    return this.#core.commands.book.find(name)
  }

  #skill(name: string): WithHooks | undefined {
    return projectSkills(this.#core).find((one) => one.name === name)
  }

  #issues({ hooks }: WithHooks): ReturnType<typeof hookIssues> {
    return hooks === undefined ? [] : hookIssues(hooks, hookFetchSettings(this.#core.context.env))
  }
}
