// The command line of `npm start`: what it refuses, and which hosts the server then answers to.
import path from "node:path"
import { describe, expect, it } from "vitest"
import { allowedHosts, checkExposure, readArguments } from "../../../scripts/local/arguments.mjs"

const read = (...argv: ReadonlyArray<string>) => readArguments(argv, "/project")

describe("the arguments of npm start", () => {
  it("are the local server's defaults when there are none", () => {
    expect(read()).toEqual({
      port: 8787,
      state: "/project/.wrangler/state",
      ip: "127.0.0.1",
      names: [],
      protocol: "http",
      inspect: undefined,
      help: false,
    })
  })

  it("open the inspector only when it is asked for", () => {
    expect(read("--inspect-port", "9000").inspect).toBeUndefined()
    expect(read("--inspect").inspect).toBe(9229)
    expect(read("--inspect", "--inspect-port=0").inspect).toBe(0)
  })

  it.each([
    ["start", "/home/me/state"],
    ["dev", "/home/me/state"],
    ["bench", path.resolve("state")],
  ])("name a folder relative to the one in which npm's script %s was called", (script, folder) => {
    const env = { npm_lifecycle_event: script, INIT_CWD: "/home/me" }
    expect(readArguments(["--persist-to", "state"], "/project", env).state).toBe(folder)
  })

  const refused = [
    [["--inspector-port", "9229"], "Unknown option '--inspector-port'"],
    [["--remote"], "Unknown option '--remote'"],
    [["serve"], "Unexpected argument 'serve'"],
    [["--port"], "argument missing"],
    [["--port", "70000"], "--port 70000 is not a port"],
    [["--port", "-1"], "Option '--port' argument is ambiguous.\n\nnpm start -- [options]"],
    [["--port", "0x50"], "--port 0x50 is not a port"],
    [["--ip", "perch.example"], "--ip perch.example is not an IP address"],
    [["--local-protocol", "ftp"], "--local-protocol ftp is neither http nor https"],
    [["--host", "perch.test:8787"], "--host perch.test:8787 is not a host name"],
    [["--host", "http://perch.test"], "--host http://perch.test is not a host name"],
    [["--host", ""], "--host  is not a host name"],
    [["--persist-to", ""], "--persist-to is empty"],
  ] as const
  it.each(refused)("%j are refused by name", (argv, message) => expect(() => read(...argv)).toThrow(message))
})

const SHORT = "k".repeat(31)
const LONG = "k".repeat(32)
const CLOSED = [
  "127.0.0.1",
  "127.0.0.2",
  "127.255.255.254",
  "localhost",
  "LOCALHOST",
  "::1",
  "[::1]",
  "0:0:0:0:0:0:0:1",
]
const OPEN = ["0.0.0.0", "*", "::", "[::]", "10.0.0.5", "192.168.1.7", "128.0.0.1", "fe80::1", "::ffff:127.0.0.1"]

describe("the root key", () => {
  it.each(CLOSED)("may be short on %s", (ip) => expect(() => checkExposure(read("--ip", ip).ip, SHORT)).not.toThrow())

  it.each(OPEN)("needs 32 characters on %s", (ip) => {
    const address = read("--ip", ip).ip
    expect(() => checkExposure(address, SHORT)).toThrow("PERCH_ROOT_KEY has 31 characters. Give one of at least 32")
    expect(() => checkExposure(address, LONG)).not.toThrow()
  })
})

describe("the hosts of the local server", () => {
  const hosts = (...argv: ReadonlyArray<string>) => allowedHosts(read(...argv))
  it("are the loopback names, the address it listens on and the names that were given", () => {
    expect(hosts()).toBe("localhost,127.0.0.1,[::1]")
    expect(hosts("--ip", "127.0.0.5")).toBe("localhost,127.0.0.1,[::1],127.0.0.5")
    expect(hosts("--ip", "fe80:0::1", "--host", "Perch.test", "--host", "b.test")).toBe(
      "localhost,127.0.0.1,[::1],[fe80::1],perch.test,b.test",
    )
  })
  it.each([
    ["Bücher.test", "xn--bcher-kva.test"],
    ["perch.test.", "perch.test"],
    ["10.0.0.7", "10.0.0.7"],
    ["fe80:0::1", "[fe80::1]"],
  ])("have the name %s as a browser sends it", (name, sent) => {
    expect(hosts("--host", name)).toBe(`localhost,127.0.0.1,[::1],${sent}`)
  })
  it("include every address when it listens on all of them", () => {
    for (const ip of ["0.0.0.0", "*", "::"]) expect(hosts("--ip", ip)).toBe("localhost,127.0.0.1,[::1],<ip>")
  })
})
