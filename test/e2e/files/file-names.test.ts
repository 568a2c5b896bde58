// Files with difficult names on a real server: each is written, listed, read, archived, compared and removed over REST, and
// created and found by tools.
import { expect, inject, it } from "vitest"
import { PerchClient, blocksOf } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { FILE_NAMES, REFUSED_NAMES } from "../../support/values/file-names.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const OPTIONS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
const NAMES = FILE_NAMES.map(([, name]) => name)

/** As the official SDK, Read and Write ignore white space around a path. */
const TRIMMED = NAMES.filter((name) => name === name.trimEnd())

const urlOf = (id: string, name: string) => `/v1/sessions/${id}/files/workspace/${encodeURIComponent(name)}`

const namesIn = async (id: string): Promise<ReadonlyArray<string>> => {
  const page = await perch.json<{ files: ReadonlyArray<{ path: string; type: string }> }>(
    "GET",
    `/v1/sessions/${id}/files?prefix=${encodeURIComponent("/workspace/")}`,
  )
  return page.files.map(({ path }) => path.slice("/workspace/".length))
}

const quoted = (name: string): string => `'${name.replaceAll("'", "'\\''")}'`

it(`${NAMES.length} names are reachable over every route`, async () => {
  const id = await perch.createSession(OPTIONS)
  for (const name of NAMES) {
    const put = await perch.request("PUT", urlOf(id, name), { body: `in ${name}` })
    expect([name, put.status, ((await put.json()) as { path: string }).path]).toEqual([name, 201, `/workspace/${name}`])
  }
  for (const name of NAMES) expect(await (await perch.request("GET", urlOf(id, name))).text()).toBe(`in ${name}`)
  expect([...(await namesIn(id))].toSorted()).toEqual(NAMES.toSorted())
  const archive = await perch.request("GET", `/v1/sessions/${id}/archive?format=tar&path=/workspace`)
  const other = await perch.createSession(OPTIONS)
  const body = new Uint8Array(await archive.arrayBuffer())
  const put = await perch.request("PUT", `/v1/sessions/${other}/archive?path=/workspace`, { body })
  expect([put.status, await put.json()]).toMatchObject([200, { files: NAMES.length }])
  expect([...(await namesIn(other))].toSorted()).toEqual(NAMES.toSorted())
  for (const name of NAMES) {
    expect(await (await perch.request("GET", urlOf(other, name))).text()).toBe(`in ${name}`)
    expect([name, (await perch.request("DELETE", urlOf(other, name))).status]).toEqual([name, 204])
  }
  expect(await namesIn(other)).toEqual([])
  // A slash of the path may also be written as `%2F`.
  const encoded = await perch.request("GET", `/v1/sessions/${id}/files/${encodeURIComponent(`workspace/${NAMES[0]}`)}`)
  expect(await encoded.text()).toBe(`in ${NAMES[0]}`)
  for (const [what, name] of REFUSED_NAMES.filter(([, refused]) => refused.isWellFormed())) {
    expect([what, (await perch.request("PUT", urlOf(id, name), { body: "x" })).status]).toEqual([what, 400])
  }
})

it("tools create, find, read and change them, in lists of one line each, and a rewind undoes that", async () => {
  const id = await perch.createSession(OPTIONS)
  const name = scriptName("names")
  const made = NAMES.map((file) => `echo made > ./${quoted(file)}`).join("\n")
  const turns = [
    { content: [call("Bash", { command: made })] },
    {
      content: [call("Bash", { command: "find . -type f -exec cat {} + | sort | uniq -c" })],
    },
    { content: [call("Glob", { pattern: "*" })] },
    { content: [call("Grep", { pattern: "made", output_mode: "content" })] },
    { content: [call("LS", { path: "." })] },
    { content: TRIMMED.map((file) => call("Read", { file_path: `/workspace/${file}` })) },
    {
      content: TRIMMED.map((file) => call("Write", { file_path: `/workspace/${file}`, content: `changed ${file}\n` })),
    },
    textAnswer("Done."),
  ]
  await api.set(name, turns)
  await perch.query(id, promptFor(name))
  const events = await perch.events(id)
  const results = events.flatMap(({ name: kind, payload }) =>
    kind === "sdk:user" ? blocksOf(payload).filter(({ type }) => type === "tool_result") : [],
  )
  expect(results.filter(({ is_error: failed }) => failed === true)).toEqual([])
  const lines = results.slice(0, 5).map(({ content }) => String(content).split("\n"))
  expect(lines[1]?.at(-1)?.trim()).toBe(`${NAMES.length} made`)
  expect(lines[2]).toHaveLength(NAMES.length)
  expect(lines[2]).toContain('"new\\nline.txt"')
  expect(lines[3]).toHaveLength(NAMES.length)
  expect(lines[3]).toContain('"new\\nline.txt":1:made')
  expect(lines[4]).toHaveLength(NAMES.length)
  expect(results).toHaveLength(5 + 2 * TRIMMED.length)
  for (const file of NAMES) {
    const content = TRIMMED.includes(file) ? `changed ${file}\n` : "made\n"
    expect(await (await perch.request("GET", urlOf(id, file))).text()).toBe(content)
  }
  const diff = await perch.json<{ files: ReadonlyArray<{ file: string }>; unified: string }>(
    "GET",
    `/v1/sessions/${id}/diff`,
  )
  expect(diff.files.map(({ file }) => file).toSorted()).toEqual(NAMES.map((file) => `/workspace/${file}`).toSorted())
  expect(diff.unified.split("\n").filter((line) => line.startsWith("+++ "))).toHaveLength(NAMES.length)
  const { checkpoints } = await perch.json<{ checkpoints: ReadonlyArray<string> }>(
    "GET",
    `/v1/sessions/${id}/checkpoints`,
  )
  const rewound = await perch.request("POST", `/v1/sessions/${id}/rewind`, {
    json: { user_message_id: checkpoints[0] },
  })
  expect(rewound.status).toBe(200)
  expect(await namesIn(id)).toEqual([])
})
