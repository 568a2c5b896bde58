// Receives the hash of media that a line of the feed refers to; streams their base64 as the client reads it.
import { byteStream } from "../../net/byte-stream.ts"
import { errorResponse } from "../../schemas/errors/rpc-error.ts"
import type { Media } from "../media/media.ts"

/** `GET /media/HASH`. */
export const mediaResponse = (media: Media, { pathname }: URL): Response => {
  const hash = pathname.slice("/media/".length)
  if (hash !== "" && media.has(hash)) return new Response(byteStream(media.base64(hash)))
  return errorResponse({ type: "not_found_error", message: "there are no such media in this session" })
}
