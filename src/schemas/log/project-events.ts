// The payloads of what a session has read of its project: instructions and skills that the model was sent.

/** A file of instructions as the model was sent it. `hash` names its content at that time. */
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

/** `skills:listed`: the skills that the model can use from here on, instead of those that were listed before. */
export interface SkillsListed {
  readonly skills: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

/** A file or folder that a prompt mentions, with what the model was sent of it: as the call of a tool, and its result. */
export interface MentionedFile {
  readonly path: string
  readonly tool: "Read" | "Bash" | "ReadMcpResourceTool"
  readonly input: Readonly<Record<string, unknown>>
  readonly content: string | ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The structured result of Read. */
  readonly output?: unknown
}

/** `files:mentioned`: the prompt that follows mentions these. */
export interface FilesMentioned {
  readonly files: ReadonlyArray<MentionedFile>
}

/** What a prompt names with `@`: `source` is where, in the text of its blocks that lines join. */
export type PromptMention = {
  readonly source: { readonly value: string; readonly start: number; readonly end: number }
} & (
  | {
      readonly kind: "file" | "directory"
      readonly path: string
      readonly mime: string
      /** Counted from 1. */
      readonly lines?: { readonly first: number; readonly last: number }
    }
  | { readonly kind: "agent"; readonly name: string }
  | { readonly kind: "resource"; readonly server: string; readonly uri: string; readonly mime: string }
)

/** `prompt:mentioned`: what the prompt with this uuid names; an agent that it names is one that the model may call. */
export interface PromptMentioned {
  readonly prompt: string
  readonly mentions: ReadonlyArray<PromptMention>
}

/** `settings:taken`: the settings files of the project as the session takes them; of variables the names alone. */
export interface SettingsTaken {
  readonly sources: ReadonlyArray<string>
  readonly settings: Readonly<Record<string, unknown>>
}

/** `project:noticed`: what is wrong with the project's files, or not honoured, as clients were sent it. */
export interface ProjectNoticed {
  readonly notices: ReadonlyArray<string>
}

/** `instructions:loaded`: the model reads these files from here on; `gone` are paths that it read and that hold no more. */
export interface InstructionsLoaded {
  readonly files: ReadonlyArray<LoadedInstructions>
  readonly gone?: ReadonlyArray<string>
}
