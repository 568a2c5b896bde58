// Decides what a tool call may do with a file of the workspace, at the moment when the call uses it.
// Receives a use and a function for every name by which links lead to the file, called when a rule needs the names; returns
// why this use is refused, or null.
// Invariant: a use is allowed only if it is allowed for each of the file's names.

/** `change` is any change to what is at the path: its content, name, mode, time or existence. */
export type FileUse = "read" | "change"

export interface FileRules {
  /** `isByRule`: the use is by a program to which a rule for commands opens every file. */
  readonly refusal: (use: FileUse, names: () => ReadonlyArray<string>, isByRule?: boolean) => string | null
}

/** Allows every use: for the owner of the workspace. */
export const NO_FILE_RULES: FileRules = { refusal: () => null }
