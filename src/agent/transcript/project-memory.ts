// Receives the log's events about a project's files; keeps which of them the model has received, and with what content.
// Invariant: the memory of a session that reads none of its project's files is empty.
import { createHash } from "node:crypto"
import * as Schema from "effect/Schema"
import { Effort } from "../../schemas/sdk/options/options.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { alreadyLoaded, loadedAgain } from "../../tools/skills/skill.ts"
import type { InstructionsLoaded, ProjectNoticed, SkillsListed } from "../../schemas/log/project-events.ts"
import { textOf } from "../../schemas/json/text-field.ts"

/** A file that the model has received: `hash` is that of its content then; `nested`: it was sent because of a file below it. */
export interface KnownInstructions {
  readonly hash: string
  readonly nested: boolean
}

const isEffort = Schema.is(Effort)

/** The memory in the form in which it is stored. */
export interface SavedProject {
  readonly instructions: ReadonlyArray<readonly [string, KnownInstructions]>
  readonly skills: SkillsListed["skills"] | null
  readonly notices: ProjectNoticed["notices"]
  readonly granted: ReadonlyArray<string>
  readonly denied?: ReadonlyArray<string>
  readonly effort: Effort | null
  readonly used?: ReadonlyArray<UsedSkill>
  readonly followed?: ReadonlyArray<FollowedSkill>
  readonly loaded?: ReadonlyArray<readonly [string, string]>
}

/** A skill that the model has called, and the turn of the call. */
export interface UsedSkill {
  readonly name: string
  readonly turn: string | null
}

/** A skill whose text the conversation was sent, with the arguments of the last call. */
export interface FollowedSkill {
  readonly name: string
  readonly args: string
}

const NONE: ReadonlyArray<string> = []
const NOT_USED: ReadonlyArray<UsedSkill> = []
/** The most characters of arguments that are kept: about as many as a compaction sends again of a skill. */
const MAX_ARGS = 20_000
const NOT_FOLLOWED: ReadonlyArray<FollowedSkill> = []

/** The hash by which a text that the model was sent is known. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64")

export class ProjectMemory {
  readonly #instructions = new Map<string, KnownInstructions>()
  /** The hash of the text with which each skill was last loaded into the conversation. */
  readonly #loaded = new Map<string, string>()
  /** The skill whose text is the next message. */
  #loading: string | null = null
  /** The skill that the last command calls; null for another command. Its text is known once its scripts have run. */
  #invoked: string | null = null

  save(): SavedProject {
    const { skills, notices, granted, denied, effort, used, followed } = this
    const [instructions, loaded] = [[...this.#instructions], [...this.#loaded]]
    return { instructions, skills, notices, granted, denied, effort, used, followed, loaded }
  }

  /** Restores the stored state. */
  take(saved: SavedProject): void {
    const { instructions, skills, notices, granted, denied = NONE, effort, used = NOT_USED, loaded = [] } = saved
    for (const [path, known] of instructions) this.#instructions.set(path, known)
    this.followed = saved.followed ?? NOT_FOLLOWED
    for (const [name, hash] of loaded) this.#loaded.set(name, hash)
    this.skills = skills
    this.notices = notices
    this.granted = granted
    this.denied = denied
    this.effort = effort
    this.used = used
  }

  /** The instruction files by path. */
  get instructions(): ReadonlyMap<string, KnownInstructions> {
    return this.#instructions
  }

  /** The skills in the last list for the model; null before the first list. */
  skills: SkillsListed["skills"] | null = null
  /** The last list of notices for clients. */
  notices: ProjectNoticed["notices"] = []
  /** Allow rules of the skills that this turn has used. */
  granted: ReadonlyArray<string> = NONE
  /** Deny rules of the skills that this turn has used. */
  denied: ReadonlyArray<string> = NONE

  /** The effort that a skill of this turn sets. */
  effort: Effort | null = null
  /** Skills that the conversation itself has used since the turn started, without those that run as subagents. */
  used: ReadonlyArray<UsedSkill> = NOT_USED
  /** The skills that the conversation has used since it began or was cleared, the latest last. */
  followed: ReadonlyArray<FollowedSkill> = NOT_FOLLOWED

  apply(event: LogEvent): void {
    if (event.name === EventNames.instructionsLoaded) this.#load(event.payload)
    if (event.name === EventNames.skillsListed) this.skills = event.payload.skills
    if (event.name === EventNames.projectNoticed) this.notices = event.payload.notices
    if (event.name === "sdk:system/init") {
      this.granted = NONE
      this.denied = NONE
      this.used = NOT_USED
      this.effort = null
    }
    if (event.name === EventNames.commandInvoked) {
      const { name, arguments: args, source, fork, answer, prompt } = event.payload
      const isSkill = source === "skill" && fork === undefined && answer === undefined
      this.#invoked = isSkill ? name : null
      if (isSkill) {
        this.#follow({ name, args })
        this.#loadSkill(name, prompt)
      }
    }
    if (event.name === EventNames.commandExpanded && this.#invoked !== null)
      this.#loadSkill(this.#invoked, event.payload.prompt)
    if (event.name === EventNames.conversationRestarted && event.payload.cause !== "media") this.#forget()
    // As the official SDK: a session that is resumed or forked loads the texts of skills again.
    if (
      event.name === EventNames.sessionForked ||
      (event.name === EventNames.sessionChanged && event.payload.reopened === true)
    )
      this.#loaded.clear()
    if (event.name === EventNames.conversationRestarted && event.payload.cause === "clear") this.followed = NOT_FOLLOWED
    // As in the official SDK: a skill whose text was sent again after a summary is not sent once more.
    if (event.name === EventNames.conversationReminded)
      for (const { name, hash } of event.payload.skills ?? []) this.#loaded.set(name, hash)
    if (this.#loading !== null && event.name === "sdk:user" && event.payload.isSynthetic === true)
      this.#loadSkill(this.#loading, event.payload.message?.content)
  }

  #follow({ name, args }: FollowedSkill): void {
    this.followed = [...this.followed.filter((known) => known.name !== name), { name, args: args.slice(0, MAX_ARGS) }]
  }

  /**
   * The messages that load this text of a skill. As in the official SDK: the text that was loaded last is not repeated, and
   * before another one there is a note.
   */
  textsLoading(skill: string, text: string): ReadonlyArray<string> {
    const known = this.#loaded.get(skill)
    if (known === undefined) return [text]
    return known === hashOf(text) ? [alreadyLoaded(skill)] : [loadedAgain(skill), text]
  }

  /** After a restart, the conversation contains none of these texts. */
  #forget(): void {
    this.#instructions.clear()
    this.#loaded.clear()
    this.skills = null
  }

  /** To be called with the structured result of a call of the Skill tool, and the call's input. */
  usedSkill(result: object, turn: string | null, input: unknown): void {
    const name: unknown = Reflect.get(result, "commandName")
    if (typeof name === "string" && !("status" in result)) {
      this.used = [...this.used, { name, turn }]
      this.#loading = name
      const args: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "args") : undefined
      this.#follow({ name, args: textOf(args) })
    }
    const effort: unknown = Reflect.get(result, "effort")
    if (isEffort(effort)) this.effort = effort
    const [allowed, disallowed] = [rulesAt(result, "allowedTools"), rulesAt(result, "disallowedTools")]
    if (allowed.length > 0) this.granted = [...this.granted, ...allowed]
    if (disallowed.length > 0) this.denied = [...this.denied, ...disallowed]
  }

  /** A message after the result of a call, or a command's prompt: the skill's text at its end, or a note about it. */
  #loadSkill(name: string, content: unknown): void {
    const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
    const block = blocks.at(-1)
    const text = isPlainObject(block) ? block["text"] : undefined
    if (text === loadedAgain(name)) return
    this.#loading = null
    if (typeof text === "string" && text !== alreadyLoaded(name)) this.#loaded.set(name, hashOf(text))
  }

  #load({ files, gone = [] }: InstructionsLoaded): void {
    // The imports of a nested file are nested, too.
    const nested = files.every(({ load_reason: reason }) => reason !== "session_start") && files.some(isTriggered)
    for (const { path, hash } of files) this.#instructions.set(path, { hash, nested })
    for (const path of gone) this.#instructions.delete(path)
  }
}

const rulesAt = (result: object, key: string): ReadonlyArray<string> => {
  const rules: unknown = Reflect.get(result, key)
  return Array.isArray(rules) ? rules.filter((rule) => typeof rule === "string") : NONE
}

const isTriggered = ({ trigger_file_path: trigger }: InstructionsLoaded["files"][number]): boolean =>
  trigger !== undefined
