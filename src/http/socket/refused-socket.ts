// Receives the error of a WebSocket's handshake; returns a socket that is closed at once with that error.
// A page can't read the status or the body of a refused handshake: to it every refusal is a close with 1006.
import { ApiError } from "../errors/errors.ts"
import { closeCodeOf, closeIfOpen } from "./first-line.ts"

/** A handshake's answer: accepted, then closed with 4000 plus the error's HTTP status and its message as the reason. */
export const refusedSocket = (error: ApiError): Response => {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket] // a pair has two
  server.accept()
  closeIfOpen(server, closeCodeOf(error), error.message)
  return new Response(null, { status: 101, webSocket: client })
}
