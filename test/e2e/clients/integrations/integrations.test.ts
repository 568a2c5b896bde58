// Third-party software built on the SDK, against a real server: its recorded command line and lines, in their order, receive
// the lines that the official process sent. docs/integrations.md has the versions and the whole comparison.
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../../support/session/api-log.ts"
import { scriptName } from "../../../support/session/scripts.ts"
import { conversation, nameOf, play, recordedNames, RECORDINGS } from "./recorded-run.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)

const PACKAGES = [...new Set(RECORDINGS.map((recording) => recording.package))]

describe.each(PACKAGES)("%s", (name) => {
  const runs = RECORDINGS.filter((recording) => recording.package === name)

  it.each(runs.map((recording) => [recording.scenario, recording] as const))("%s", async (scenario, recording) => {
    const script = scriptName(`integration-${scenario}`)
    await api.set(script, recording.script as Parameters<typeof api.set>[1])
    const lines = await play(recording, shared, script)
    const refused = lines.filter(({ type, response }) => {
      return type === "control_response" && (response as { subtype: string }).subtype === "error"
    })
    expect(refused).toEqual([])
    expect(conversation(lines.map(nameOf))).toEqual(conversation(recordedNames(recording)))
  })
})
