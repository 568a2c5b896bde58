// Every answer of the OpenAPI document, from a real server: each operation with each success status, in each of its content
// types. The client compares every answer with the document.
import { describe, expect, it } from "vitest"
import { clientArea, runArea } from "./client-area.ts"
import { definitionArea } from "./definition-area.ts"
import { fileArea } from "./file-area.ts"
import { hookArea } from "./hook-area.ts"
import { recordingArea, workflowArea } from "./recording-area.ts"
import { serverArea } from "./server-area.ts"
import { questionArea, sessionArea } from "./session-area.ts"
import { unanswered } from "./tour.ts"

const AREAS = {
  "the server and its tenants": serverArea,
  "stored definitions": definitionArea,
  sessions: sessionArea,
  questions: questionArea,
  files: fileArea,
  hooks: hookArea,
  recordings: recordingArea,
  workflows: workflowArea,
  "runs of chat channels": runArea,
  "other clients": clientArea,
}

describe("the answers match the document", () => {
  it.each(Object.entries(AREAS))("of %s", (_, area) => area())

  it("and none of the document is missing", () => expect(unanswered()).toEqual([]))
})
