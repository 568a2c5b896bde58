// Perch with nothing but `fetch`: makes a session, sends a prompt, answers the question that its turn asks, reads the file.
//   PERCH_URL=http://127.0.0.1:8787 PERCH_KEY=… node examples/fetch.mjs
const base = process.env.PERCH_URL ?? "http://127.0.0.1:8787"
const headers = { authorization: `Bearer ${process.env.PERCH_KEY}`, "content-type": "application/json" }

const call = async (path, body, accept = "application/json") => {
  const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const response = await fetch(`${base}/v1/${path}`, { headers: { ...headers, accept }, ...request })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response
}

/** The messages of an event stream: one `data:` line each. */
async function* messagesOf({ body }) {
  let rest = ""
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n")
    rest = lines.pop()
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length))
  }
}

const { id } = await (await call("sessions", { title: "Plain fetch" })).json()

const prompt = "Create hello.txt with the text: hello from fetch"
for await (const message of messagesOf(await call(`sessions/${id}/query`, { prompt }, "text/event-stream"))) {
  if (message.type === "ask") {
    console.log("asked:", message.tool_name, message.input.file_path)
    await call(`sessions/${id}/permissions/${message.request_id}`, { behavior: "allow" })
  }
  if (message.type === "result") console.log("result:", message.subtype, message.result)
}

console.log("file:", await (await call(`sessions/${id}/files/workspace/hello.txt`)).text())
