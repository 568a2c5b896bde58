// The response headers that a client may read, each with a description and an example.

const SESSION = "01a2006d-24c2-7fca-854d-a012e7f6351c"

export const HEADERS = {
  "request-id": ["Identifies the request in errors and in the server's log.", "req_0199a000f2c17e0fa1b2c3d4e5f60718"],
  ratelimit: [
    "The key's remaining requests (`r`), and the seconds until the count resets (`t`).",
    '"requests";r=59;t=42',
  ],
  "ratelimit-policy": ["How many requests (`q`) the key may send in a window of `w` seconds.", '"requests";q=60;w=60'],
  "retry-after": ["Seconds after which the same request may succeed.", "5"],
  location: ["The path of the created or accepted resource.", `/v1/sessions/${SESSION}`],
  "perch-session-id": ["The session that the prompt runs in.", SESSION],
  "perch-turn-id": ["The turn that the prompt started: the prompt's uuid.", "01a2006d-2d10-7b3e-9c55-5b1d0c1f7a20"],
  "idempotent-replayed": ["`true` when the request was executed before and this is its outcome.", "true"],
  "preference-applied": ["The `Prefer` that was applied.", "respond-async"],
  "perch-files-at": [
    "With `at`: the event after which the file is known to have been in this state. Between turns it is `at`; within a turn the last snapshot before it, or the turn's start.",
    "42",
  ],
  etag: [
    "Identifies this content of the file; for `If-Match` and `If-None-Match`.",
    '"5d41402abc4b2a76b9719d911017c592"',
  ],
  "content-range": ["The range of the returned bytes, and the total size.", "bytes 0-99/2048"],
  "accept-ranges": ["Ranges can be requested in bytes.", "bytes"],
  "content-disposition": ["The name to save the archive under.", 'attachment; filename="workspace.tar"'],
  "www-authenticate": ["How to authenticate.", "Bearer"],
  allow: ["The methods that the path accepts.", "GET, POST"],
  upgrade: ["The protocol to upgrade to.", "websocket"],
} as const satisfies Readonly<Record<string, readonly [description: string, example: string]>>

export type HeaderName = keyof typeof HEADERS
