// Clients that connect and disconnect while sessions work: streams, streamed answers and sockets, cut at random moments.
// Invariant: a client that disconnects stops nothing, and one that resumes with its cursor reads what the log contains.
import { setTimeout as delay } from "node:timers/promises"
import WebSocket from "ws"
import { PerchClient } from "../support/server/client.ts"
import { bodyOf, drive, isDone, type Job, makeJob, type World } from "./jobs.ts"

export interface DisconnectReport {
  readonly jobs: ReadonlyArray<Job>
  readonly cuts: Readonly<Record<"stream" | "answer" | "socket", number>>
  readonly problems: ReadonlyArray<string>
}

/** Opens one connection and cuts it after a while. */
const cut = async (perch: PerchClient, kind: "stream" | "answer" | "socket", job: Job, ms: number): Promise<void> => {
  if (kind === "socket") {
    const url = `${perch.url.replace("http", "ws")}/v1/sessions/${job.session}/socket`
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${perch.key}` } })
    socket.on("error", () => undefined)
    await delay(ms)
    socket.terminate()
    return
  }
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), ms)
  const [turn] = job.turns
  const request =
    kind === "stream"
      ? perch.request("GET", `/v1/sessions/${job.session}/events/stream?after=0`, { signal: abort.signal })
      : perch.request("POST", `/v1/sessions/${job.session}/query`, {
          json: bodyOf(turn!), // every job has one
          headers: { accept: "text/event-stream" },
          signal: abort.signal,
        })
  try {
    const response = await request
    for await (const chunk of response.body ?? []) if (abort.signal.aborted || chunk.length === 0) break
  } catch (error) {
    if (!abort.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
}

const KINDS = ["stream", "answer", "socket"] as const

export const disconnect = async (
  perch: PerchClient,
  world: World,
  { count, atOnce, say }: { readonly count: number; readonly atOnce: number; readonly say: (line: string) => void },
): Promise<DisconnectReport> => {
  const { random } = world
  const jobs: Array<Job> = []
  const cuts = { stream: 0, answer: 0, socket: 0 }
  const problems: Array<string> = []
  let made = 0
  const lane = async (): Promise<void> => {
    while (made < count) {
      const job = makeJob(world, random() < 0.5 ? "text" : "write")
      jobs.push(job)
      const driven = drive(perch, job, AbortSignal.timeout(180_000))
      while (made < count && !isDone(job)) {
        made += 1
        const kind = KINDS[Math.floor(random() * KINDS.length)]! // not empty
        // A prompt before its session exists is a 404, which would count as a cut.
        if (!job.made) {
          await delay(20)
          made -= 1
          continue
        }
        await cut(perch, kind, job, 5 + random() * 120)
        cuts[kind] += 1
        if ((cuts.stream + cuts.answer + cuts.socket) % 250 === 0) say(`${made} connections cut`)
      }
      await driven.catch((error: unknown) => problems.push(`${job.kind} ${job.session}: ${String(error)}`))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return { jobs, cuts, problems }
}

/** Reads a stream in several connections of a few events each, resuming at the last cursor; returns what differs from the log. */
export const compareStream = async (
  perch: PerchClient,
  { session }: Job,
  piece: number,
): Promise<ReadonlyArray<string>> => {
  const events = await perch.events(session)
  // The stream's view sends only the SDK's messages.
  const wanted = events.filter(({ name }) => name.startsWith("sdk:")).map(({ seq }) => seq)
  const last = wanted.at(-1) ?? 0
  const seen: Array<number> = []
  while ((seen.at(-1) ?? 0) < last) {
    let taken = 0
    const received = await perch.stream(session, {
      lastEventId: String(seen.at(-1) ?? 0),
      until: (_message, seq) => seq !== undefined && ((taken += 1) >= piece || seq >= last),
    })
    const seqs = received.flatMap(({ seq }) => seq ?? [])
    if (seqs.length === 0) break
    seen.push(...seqs)
  }
  return JSON.stringify(seen) === JSON.stringify(wanted)
    ? []
    : [`${session}: a stream in pieces gave ${seen.length} events and not ${wanted.length}`]
}
