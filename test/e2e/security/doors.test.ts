// The open ports of `npm start`: every listening port of its process group, and what a client without a key receives there.
import fs from "node:fs"
import path from "node:path"
import { describe, expect, inject, it } from "vitest"
import { groupMembers } from "../../support/server/process/group-members.mjs"
import { listenersOf, probe, probesOf, rawAnswer } from "../../support/server/ports.ts"

const { url, key, state, pgid } = inject("shared")
const own = Number(new URL(url).port)

/** A client without a key may receive a page of public/, or a refusal that reveals nothing. */
const isHarmless = (status: number, body: string): boolean => {
  if (status === 200) return body.startsWith("<!doctype html>") && body.includes("<title>Perch</title>")
  if (status === 307) return body === ""
  if ([400, 401, 403, 404, 405].includes(status)) return !/\bat .*:\d+:\d+|node_modules|\/work\//.test(body)
  // A page can't read the status of a handshake: it is accepted and closed at once with the reason.
  if (status === 101) return /^closed 4(400|401|403|404)$/.test(body)
  return status === 500 && body === "Internal Server Error"
}

describe("the ports of npm start", () => {
  it("are the API's and one of Miniflare's, both on loopback", () => {
    const listeners = listenersOf(pgid)
    expect(listeners.map(({ address }) => address)).toEqual(["127.0.0.1", "127.0.0.1"])
    expect(listeners.filter(({ port }) => port === own).map(({ command }) => command)).toEqual(["workerd"])
  })

  it("return nothing to a client without a key, for any path, host, origin or upgrade", async () => {
    for (const { address, port } of listenersOf(pgid)) {
      const probes = probesOf(port)
      expect(probes.length).toBeGreaterThan(190)
      const answers = await Promise.all(probes.map(async (one) => ({ ...one, ...(await probe(address, port, one)) })))
      expect(answers.filter(({ status, body }) => !isHarmless(status, body))).toEqual([])
      if (port !== own) expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]))
      const named = answers.filter(({ name }) => name.startsWith("Host: evil") || name.includes("X-Forwarded-Host"))
      expect(new Set(named.map(({ status }) => status))).toEqual(new Set([403]))
    }
  })

  it("answer over no other protocol: an inspector, a debug port or a registry would answer", async () => {
    for (const { address, port } of listenersOf(pgid)) {
      const answer = await rawAnswer(address, port, "\0\0\0\0\x01\0\0\0\0\0\0\0")
      expect(answer === "" || /^HTTP\/1\.1 (400|501)/.test(answer)).toBe(true)
    }
  })
})

/** SQLite creates and deletes helper files while the server runs. */
const stillThere = (file: string) => fs.statSync(file, { throwIfNoEntry: false })

/** The bytes of a file; undefined of a folder, and of a file that was deleted in the meantime. */
const bytesOf = (file: string): Buffer | undefined => {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EISDIR"))
      return undefined
    throw error
  }
}

describe("the secrets of npm start", () => {
  it("are in no command line, in no child's environment and in no file of the state folder", () => {
    const members = groupMembers(pgid)
    expect(members.length).toBeGreaterThan(2)
    for (const { pid } of members) {
      expect(fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(key)
      if (pid !== pgid) expect(fs.readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(key)
    }
    let files = 0
    for (const name of fs.readdirSync(state, { recursive: true, encoding: "utf8" })) {
      const bytes = bytesOf(path.join(state, name))
      if (bytes === undefined) continue
      files += 1
      expect([name, bytes.includes(key)]).toEqual([name, false])
    }
    expect(files).toBeGreaterThan(2)
  })

  it("and only the owner can read the state itself", () => {
    const folder = path.join(state, "v3")
    for (const name of ["", ...fs.readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
      const mode = stillThere(path.join(folder, name))?.mode ?? 0
      expect([name, mode & 0o077]).toEqual([name, 0])
    }
  })
})

describe("the pages of a running server", () => {
  const paths = [
    ["/", 200, "script-src 'self'"],
    ["/index.html", 200, "script-src 'self'"],
    ["/nowhere.html", 404, "default-src 'none'"],
    ["/docs", 200, "script-src 'self'"],
  ] as const
  it.each(paths)("%s answers %i with a content policy", async (at, status, policy) => {
    const { status: got, headers } = await fetch(`${url}${at}`)
    expect(got).toBe(status)
    expect(headers.get("content-security-policy")).toContain(policy)
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
  })
})
