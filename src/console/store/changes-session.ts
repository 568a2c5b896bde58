// Receives a frame of the stream; returns whether the session's own fields (cost, title, model) may have changed with it.
import type { Frame, Part } from "./frames.ts"

/** The cost grows with every model request, which a part of the type `step-finish` ends, long before its turn may end. */
export const changesSession = ({ type, properties }: Frame): boolean =>
  type === "message.part.updated"
    ? (properties["part"] as Part).type === "step-finish" // the format's own shape
    : /^session\.(updated|idle|created|compacted)$/.test(type)
