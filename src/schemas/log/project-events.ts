// The payloads of what a session has read of its project: instructions and skills that the model was sent.

/** A file of instructions as the model was sent it. `hash` names its content at that time. */
export interface LoadedInstructions {
  readonly path: string
  readonly hash: string
  readonly text: string
  readonly memory_type: "Project" | "Local"
  readonly load_reason: "session_start" | "include" | "nested_traversal" | "path_glob_match"
  readonly parent_file_path?: string
  readonly trigger_file_path?: string
  readonly globs?: ReadonlyArray<string>
}

/** `instructions:loaded`: the model reads these files from here on; `gone` are paths that it read and that hold no more. */
export interface InstructionsLoaded {
  readonly files: ReadonlyArray<LoadedInstructions>
  readonly gone?: ReadonlyArray<string>
}
