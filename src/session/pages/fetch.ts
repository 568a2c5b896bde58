// Receives a request of the Worker to a session's object; returns a socket, a page, media or files.
// Invariant: a session that does not exist answers 404, and a refusal is JSON `RpcError` with its status.
import * as Schema from "effect/Schema"
import { Actor, ACTOR_HEADER } from "../../schemas/access.ts"
import type { SocketWatch } from "../access/socket-watch.ts"
import type { SessionCore } from "../core.ts"
import type { ClientSockets } from "../control/client-sockets.ts"
import { formOf } from "../feed/listener.ts"
import { answerArchiveRequest, answerFileRequest } from "../files/files.ts"
import { type FileReporter, reportChanges } from "../files/changed-files.ts"
import { pastFile } from "../files/past-files.ts"
import type { SessionLife } from "../life.ts"
import { isRefusal, noSession, type Refusal, refusalResponse, refuse } from "../refusal.ts"
import { ErasedError } from "../storage/tables.ts"
import { eventsPage } from "./events-page.ts"
import { factsPage } from "./facts-page.ts"
import { mediaResponse } from "./media-response.ts"
import { messagesResponse } from "./messages-response.ts"

export interface FetchParts {
  readonly life: SessionLife
  readonly sockets: ClientSockets
  readonly watch: SocketWatch
}

export const answerFetch = async (parts: FetchParts, request: Request): Promise<Response> => {
  try {
    return await answer(parts, request)
  } catch (error) {
    if (error instanceof ErasedError) return answered(noSession)
    throw error
  }
}

const answer = async ({ life, sockets, watch }: FetchParts, request: Request): Promise<Response> => {
  const { session } = life
  if (session === null) return answered(noSession)
  const { core } = session
  const url = new URL(request.url)
  if (url.pathname === "/feed") return sockets.open(url, "feed", actorOf(request))
  if (url.pathname === "/socket") {
    const actor = actorOf(request)
    if (actor !== undefined) watch.opened(actor)
    return sockets.open(url, formOf(url), actor)
  }
  if (url.pathname.startsWith("/files/") && request.method === "GET" && url.searchParams.has("at"))
    return pastFile(core, request, url)
  if (url.pathname.startsWith("/files/"))
    return announcing(core, request, url, await answerFileRequest(core.workspace, request, url))
  if (url.pathname === "/run") return runPage(core, url)
  if (url.pathname === "/events") return eventsPage(core.log, url)
  if (url.pathname === "/facts") return factsPage(core, url)
  if (url.pathname === "/messages") return answered(messagesResponse(core, core.id, url))
  if (url.pathname.startsWith("/media/")) return mediaResponse(core.log.media, url)
  if (url.pathname === "/archive")
    return announcing(core, request, url, await answerArchiveRequest(core.workspace, request, url))
  return answered(refuse("not_found_error", "no such path"))
}

/** `GET /run?turn=UUID&wait=MS`: the `AgentRunStatus` of a run, once it is over or after `wait` milliseconds. */
const runPage = async ({ runningTurn }: Pick<SessionCore, "runningTurn">, { searchParams }: URL): Promise<Response> => {
  const status = await runningTurn.runs.wait(searchParams.get("turn") ?? "", Number(searchParams.get("wait")))
  return isRefusal(status) ? refusalResponse(status) : Response.json(status)
}

/** Returns the response of a change of files, and announces it: the files may be commands. */
const announcing = (
  core: FileReporter & Pick<SessionCore, "commands">,
  { method }: Request,
  { pathname, searchParams }: URL,
  response: Response,
): Response => {
  if (method === "GET" || !response.ok) return response
  const isFile = pathname.startsWith("/files/")
  const path = isFile ? decodeURIComponent(pathname.slice("/files".length)) : (searchParams.get("path") ?? "/")
  reportChanges(core, [path], response.status === 201)
  if (core.commands.isAwaited) core.commands.announce()
  return response
}

/** The actor of a socket, as the Worker, the only sender of requests here, names it. */
const actorOf = ({ headers }: Request): Actor | undefined => {
  const text = headers.get(ACTOR_HEADER)
  return text === null ? undefined : decodeActor(text)
}

const decodeActor = Schema.decodeUnknownSync(Schema.fromJsonString(Actor))

/** An answer, or the refusal as JSON. */
const answered = (page: Response | Refusal): Response => (isRefusal(page) ? refusalResponse(page) : page)
