// Receives frames that a client sends by HTTP; returns how many were accepted, and why the others were refused.
import type { Actor } from "../../schemas/access.ts"
import type { TakenFrames } from "../../schemas/api/api.ts"
import { clientName } from "../feed/listener.ts"
import type { Control } from "./control.ts"

export const takeFrames = (
  control: Pick<Control, "take">,
  client: string,
  frames: ReadonlyArray<Readonly<Record<string, unknown>>>,
  actor?: Actor,
): TakenFrames => {
  const name = clientName(client, actor)
  const refused = frames.flatMap((frame, index) => {
    const message = control.take(name, frame, crypto.randomUUID(), actor)
    return message === undefined ? [] : [{ index, message }]
  })
  return { accepted: frames.length - refused.length, ...(refused.length === 0 ? {} : { refused }) }
}
