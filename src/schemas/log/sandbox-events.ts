// The payload of the event about operations that the shell refused to a script.

/** `sandbox:violated`: a Bash call tried operations that its shell refuses; at most ten, one sentence each. */
export interface SandboxViolated {
  readonly tool_use_id: string
  readonly violations: ReadonlyArray<string>
}
