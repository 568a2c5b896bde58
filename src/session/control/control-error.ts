// Why a control request can't be executed, as it is sent to the client.
import type { Refusal } from "../refusal.ts"

export class ControlError extends Error {
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** Throws a refusal of the session as the answer to the request. */
export const permitted = (refused: Refusal | undefined): void => {
  if (refused !== undefined) throw new ControlError(refused.refused.message, refused.refused.type)
}
