// Compares the client's plain types with the schemas that the server answers with and decodes. Nothing runs here:
// `tsc -p test` is the test. Exceptions: `options`, which the server alone judges, and contents of messages, asks' answers and
// prompts, which the client passes on as the app wrote them.
import type * as Client from "../../src/client/api/entry.ts"
import type * as Api from "../../src/schemas/api/api.ts"
import type * as Files from "../../src/schemas/api/files.ts"
import type { Turn } from "../../src/schemas/api/turns.ts"
import type { CreateTicket, Ticket } from "../../src/schemas/api/credentials.ts"
import type { Check, Fits } from "./compare.ts"

type Loose<A> = Omit<A, "options" | "history">

/** The server's answers match the client's types. */
export type Answers = Check<{
  session: Fits<Loose<typeof Api.Session.Type>, Loose<Client.Session>>
  ask: Fits<typeof Api.PendingAsk.Type, Client.Ask>
  file: Fits<typeof Files.FileInfo.Type, Client.WorkspaceFile>
  limits: Fits<typeof Files.FileLimits.Type, Client.WorkspaceLimits>
  used: Fits<typeof Files.FilesUsed.Type, Client.FilePage["used"]>
  imported: Fits<typeof Files.ImportReport.Type, Client.ImportReport>
  event: Fits<typeof Api.Event.Type, Client.LogEvent>
  todo: Fits<typeof Api.TodoEntry.Type, Client.Todo>
  rewind: Fits<typeof Files.RewindReport.Type, Client.RewindReport>
  turn: Fits<Omit<typeof Turn.Type, "result">, Omit<Client.Turn, "result">>
  ticket: Fits<typeof Ticket.Type, Client.Ticket>
}>

/** The server accepts what the client sends. */
export type Requests = Check<{
  create: Fits<Loose<Client.CreateSession>, Loose<typeof Api.CreateSession.Type>>
  fork: Fits<Loose<Client.ForkSession>, Loose<typeof Api.ForkSession.Type>>
  query: Fits<Omit<Loose<Client.Query>, "prompt">, Omit<Loose<typeof Api.QuerySession.Type>, "prompt">>
  first: Fits<Omit<Loose<Client.FirstQuery>, "prompt">, Omit<Loose<typeof Api.Query.Type>, "prompt">>
  roles: Fits<Client.TicketRole, NonNullable<(typeof CreateTicket.Type)["roles"]>[number]>
}>

/** Neither side lacks a field of a request. */
export type Fields = Check<{
  create: Fits<keyof typeof Api.CreateSession.Type, keyof Client.CreateSession>
  fork: Fits<keyof typeof Api.ForkSession.Type, keyof Client.ForkSession>
  patch: Fits<keyof typeof Api.PatchSession.Type, keyof Client.PatchSession>
  query: Fits<keyof typeof Api.QuerySession.Type, keyof Client.Query>
  first: Fits<keyof typeof Api.Query.Type, keyof Client.FirstQuery>
}>
