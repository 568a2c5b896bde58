// Why a control request can't be carried out, as its sender gets it.
import type { Refusal } from "../refusal.ts"

export class ControlError extends Error {
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }
}

/** A refusal of the session is the request's answer. */
export const permitted = (refused: Refusal | undefined): void => {
  if (refused !== undefined) throw new ControlError(refused.refused.message, refused.refused.type)
}
