// The payloads of events about what a session has read of its project, such as the instructions and skills sent to the model.
import type { Content } from "../sdk/messages/blocks.ts"

/** An instructions file as it was sent to the model. `hash` is the hash of its content at that time. */
export interface LoadedInstructions {
  readonly path: string
  readonly hash: string
  readonly text: string
  readonly memory_type: "Project" | "Local"
  readonly load_reason: "session_start" | "include" | "nested_traversal" | "path_glob_match" | "compact"
  readonly parent_file_path?: string
  readonly trigger_file_path?: string
  readonly globs?: ReadonlyArray<string>
}

/** `skills:listed`: the skills that the model can use from here on; they replace those listed before. */
export interface SkillsListed {
  readonly skills: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

/** A file or folder that a prompt mentions, with what was sent to the model: a tool call and its result. */
export interface MentionedFile {
  readonly path: string
  readonly tool: "Read" | "Bash" | "ReadMcpResourceTool"
  readonly input: Readonly<Record<string, unknown>>
  readonly content: Content
  /** The structured result of Read. */
  readonly output?: unknown
}

/** `files:mentioned`: the prompt that follows mentions these files. */
export interface FilesMentioned {
  readonly files: ReadonlyArray<MentionedFile>
}

/** What a prompt mentions with `@`. `source` is its position in the prompt's text blocks, joined by newlines. */
export type PromptMention = {
  readonly source: { readonly value: string; readonly start: number; readonly end: number }
} & (
  | {
      readonly kind: "file" | "directory"
      readonly path: string
      readonly mime: string
      /** The range of lines, counted from 1. */
      readonly lines?: { readonly first: number; readonly last: number }
    }
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "resource"; readonly server: string; readonly uri: string; readonly mime: string }
)

/** `prompt:mentioned`: what the prompt with this uuid mentions; the model may call an agent that is mentioned. */
export interface PromptMentioned {
  readonly prompt: string
  readonly mentions: ReadonlyArray<PromptMention>
}

/** `settings:taken`: the project's settings files as the session applies them; of variables, only the names. */
export interface SettingsTaken {
  readonly sources: ReadonlyArray<string>
  readonly settings: Readonly<Record<string, unknown>>
}

/** `project:noticed`: problems of the project's files, or what in them is not honoured, as sent to clients. */
export interface ProjectNoticed {
  readonly notices: ReadonlyArray<string>
}

/** `instructions:loaded`: these files apply from here on; `gone` has the paths of loaded files that no longer apply. */
export interface InstructionsLoaded {
  readonly files: ReadonlyArray<LoadedInstructions>
  readonly gone?: ReadonlyArray<string>
}
