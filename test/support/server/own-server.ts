// Starts a server and a scripted Messages API that only one test file uses, because the file kills the server.
// Invariants: both end when the file's tests have ended, even if the other one could not be started. A crash that the tests of
// a suite share happens once, when each of them waits for it or has ended.
import { afterAll, type TestContext } from "vitest"
import { ApiLog } from "../session/api-log.ts"
import { createFakeApi } from "../session/scripted-api.mjs"
import { PerchClient } from "./client.ts"
import { startServer } from "./server.ts"

/** Call it at the top level of a test file. */
export const startOwnServer = async () => {
  const fake = await createFakeApi()
  afterAll(() => fake.close())
  const server = await startServer({ apiUrl: fake.url })
  afterAll(() => server.dispose())
  /** Ends the server like a power failure, and starts it again. */
  const crash = async () => {
    await server.kill9()
    await server.restart()
  }
  return { fake, server, sharedCrash: shareCrash(crash), perch: new PerchClient(server), api: new ApiLog(fake.url) }
}

/** Vitest's default: of a suite's concurrent tests, it starts no more before one has ended. */
const AT_ONCE = 5

export interface SharedCrash {
  /**
   * Resolves when all tests but `last`, this one included, wait for the crash: for a test whose moment would pass meanwhile.
   * Each test of a suite that awaits it has another number, from 1.
   */
  readonly others: (last: number) => Promise<void>
  /** Waits for the crash; resolves when the server runs again. */
  readonly crash: () => Promise<void>
}

interface Meeting {
  missing: number
  readonly arrivals: EventTarget
  readonly over: PromiseWithResolvers<void>
}

/** Call the returned function at the start of every test of a suite whose tests are all concurrent. */
const shareCrash = (crash: () => Promise<void>): ((context: TestContext) => SharedCrash) => {
  const meetings = new Map<unknown, Meeting>()

  const meetingOf = (suite: TestContext["task"]["suite"]): Meeting => {
    const known = meetings.get(suite)
    if (known !== undefined) return known
    const running = suite?.tasks.filter(({ mode }) => mode !== "skip" && mode !== "todo") ?? []
    if (running.length > AT_ONCE) throw new Error(`at most ${AT_ONCE} tests can share a crash, not ${running.length}`)
    const meeting = { missing: running.length, arrivals: new EventTarget(), over: Promise.withResolvers<void>() }
    // A test that has failed does not wait for it.
    meeting.over.promise.catch(() => undefined)
    meetings.set(suite, meeting)
    return meeting
  }

  return ({ task, onTestFinished }) => {
    const meeting = meetingOf(task.suite)
    let arrived = false
    const arrive = () => {
      if (arrived) return
      arrived = true
      meeting.missing -= 1
      meeting.arrivals.dispatchEvent(new Event("arrival"))
      if (meeting.missing === 0) void crash().then(meeting.over.resolve, meeting.over.reject)
    }
    onTestFinished(arrive)
    return {
      others: async (last) => {
        while (meeting.missing > last) {
          await new Promise((resolve) => meeting.arrivals.addEventListener("arrival", resolve, { once: true }))
        }
      },
      crash: () => {
        arrive()
        return meeting.over.promise
      },
    }
  }
}
