// Receives frames that a client sends by HTTP; returns how many were accepted.
import type { Actor } from "../../schemas/access.ts"
import { clientName } from "../feed/listener.ts"
import type { Control } from "./control.ts"

export const takeFrames = (
  control: Pick<Control, "take">,
  client: string,
  frames: ReadonlyArray<Readonly<Record<string, unknown>>>,
  actor?: Actor,
): { readonly accepted: number } => {
  const name = clientName(client, actor)
  return { accepted: frames.filter((frame) => control.take(name, frame, crypto.randomUUID(), actor)).length }
}
