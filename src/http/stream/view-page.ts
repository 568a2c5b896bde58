// Receives a page of a session's facts; returns the frames that a view sends for it, as JSON.
// Invariant: the frames are those that a stream from the same seq would send, without the ephemeral ones.
import { decodeFeedLine } from "../../schemas/log/feed-line.ts"
import type { Frame } from "../../views/sdk.ts"
import { ClientStream } from "./client-stream.ts"
import type { MediaSource } from "./media-source.ts"
import type { FactsView } from "./views.ts"

/** `page` is the object's response to `GET /facts`. */
export const viewPage = async (page: Response, facts: FactsView, media: MediaSource): Promise<Response> => {
  const frames: Array<string> = []
  let after = 0
  let place = ""
  for (const text of (await page.text()).split("\n")) {
    if (text === "") continue
    const line = decodeFeedLine(text)
    if (line.name === "feed:base") after = facts.base(line).after
    else if (line.name === "feed:page") place = line.json.slice(1)
    else if (line.seq !== null && line.seq <= after) facts.behind(line)
    else frames.push(...facts.view(line).map(frameJson))
  }
  // A client that has disconnected needs nothing more.
  const body = new ClientStream({ drained: () => undefined, gone: () => undefined }, media)
  body.write(`{"frames":[${frames.join(",")}],${place}`)
  body.close()
  return new Response(body.readable, { headers: { "content-type": "application/json" } })
}

/** Encodes a frame; its data is JSON already. */
const frameJson = ({ id, event, data }: Frame): string =>
  `{"id":${id},${event === undefined ? "" : `"event":${JSON.stringify(event)},`}"data":${data}}`
