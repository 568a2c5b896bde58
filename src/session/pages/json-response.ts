// Receives the JSON of an answer, with marks of media; returns the answer with the media in it.
// Invariant: media are streamed as the client reads, with one step of them in memory at a time.
import { byteStream } from "../../net/byte-stream.ts"
import { hasMarks } from "../../schemas/log/media-mark.ts"
import type { Media } from "../media/media.ts"

const HEADERS = { "content-type": "application/json" }

export const jsonResponse = (json: string, media: Media): Response =>
  new Response(hasMarks(json) ? byteStream(media.bytes(json)) : json, { headers: HEADERS })
