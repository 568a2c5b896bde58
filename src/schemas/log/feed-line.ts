// The lines that the log's feed sends on its internal socket: one per event, as text.
// Invariant: a line is passed on unchanged: its payload's JSON is neither parsed nor serialized again on the way.

/**
 * A line of the feed. The feed has SDK messages and, for viewers, asks (`ask:opened` without seq while an ask is open,
 * `ask:settled`), the end of a withdrawn prompt (`turn:cancelled`), and waits in a tenant's lane (`lane:waiting`,
 * `lane:entered`); none of Perch's other facts. A text frame has one or more lines, joined by newlines. Header fields are joined
 * by tabs, then comes the payload's JSON, which may be passed on unchanged:
 * `seq \t at \t turn \t name \t json`. `seq` is empty for ephemeral events; `turn` may be empty.
 * A feed of facts (`facts=1`) has every event, ephemeral ones too, with the json `{uuid, parent, payload}`, and begins with the
 * line `feed:base`: the reader's cursor and the session before the feed's first event. A feed of signals (`signals=PATTERN`)
 * has only the events whose signal's name matches, with the signal's JSON.
 * The names `feed:live` (the replay is complete; json `{"last_seq":N}`), `feed:page` (the reader sends `MORE` for the rest),
 * `feed:base` and `feed:truncated` (the cursor is too old or ahead) are the feed's own.
 * `control:frame` (only on a feed with `client`, without seq) contains a whole frame of the control protocol for that client:
 * each as it is sent, and after `feed:live` those that still wait for an answer.
 */
export interface FeedLine {
  readonly seq: number | null
  readonly at: number
  readonly turn: string | null
  readonly name: string
  readonly json: string
}

/** The message with which the reader of a feed requests the next page of a replay. */
export const MORE = "more"

export const encodeFeedLine = (line: FeedLine): string =>
  `${line.seq ?? ""}\t${line.at}\t${line.turn ?? ""}\t${line.name}\t${line.json}`

export const decodeFeedLine = (text: string): FeedLine => {
  const cuts: Array<number> = []
  for (let from = 0; cuts.length < 4;) {
    const cut = text.indexOf("\t", from)
    cuts.push(cut)
    from = cut + 1
  }
  // The loop has found exactly four.
  const [a, b, c, d] = cuts as [number, number, number, number]
  const seq = text.slice(0, a)
  const turn = text.slice(b + 1, c)
  return {
    seq: seq === "" ? null : Number(seq),
    at: Number(text.slice(a + 1, b)),
    turn: turn === "" ? null : turn,
    name: text.slice(c + 1, d),
    json: text.slice(d + 1),
  }
}
