// The payload of the event about what the shell kept a script from.

/** `sandbox:violated`: a call of Bash tried what its shell does not let it do; at most ten sentences. */
export interface SandboxViolated {
  readonly tool_use_id: string
  readonly violations: ReadonlyArray<string>
}
