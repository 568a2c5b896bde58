// Receives the error of a WebSocket's handshake; returns a socket that is closed at once with that error.
// A page can't read the status or the body of a refused handshake: it only sees a close with code 1006.
import { ApiError } from "../errors/errors.ts"
import { closeSocket } from "./feed-socket.ts"
import { closeCodeOf } from "./first-line.ts"

/** Returns a handshake's response whose socket is closed with 4000 plus the error's HTTP status, and its message as the reason. */
export const refusedSocket = (error: ApiError): Response => {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket] // a pair has two
  server.accept()
  closeSocket(server, closeCodeOf(error), error.message)
  return new Response(null, { status: 101, webSocket: client })
}
