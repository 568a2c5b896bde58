// What a tool call may do with the files of the workspace, asked for each file when the call comes to it.
// Receives a use and every name that the file has on its way through links, looked up when a rule needs them; returns why
// the file may not be used so, or null.
// Invariant: a file may be used only if it may be under each of its names.

/** `change` is any change to what is at the path: its content, its name, its mode and time, its being there. */
export type FileUse = "read" | "change"

export interface FileRules {
  readonly refusal: (use: FileUse, names: () => ReadonlyArray<string>) => string | null
}

/** No rules: for the owner of the workspace. */
export const NO_FILE_RULES: FileRules = { refusal: () => null }
