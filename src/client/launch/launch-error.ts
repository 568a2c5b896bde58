// Why a session can't be opened: the SDK receives it as the one result of a process that then exits with 1.
// Invariant: the message names the option, the variable or the address that it is about, for the app's author.

export class LaunchError extends Error {
  override readonly name = "LaunchError"
  /** The HTTP status of the response to the request for the session; undefined without one, or if the session exists. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}
