// The verifiers of docs/webhooks.md, unchanged.
import fs from "node:fs"
import path from "node:path"

const DOCS = path.join(import.meta.dirname, "../../../docs/webhooks.md")

/** Throws or rejects unless the headers sign the body. */
export type Verify = (secret: string, headers: unknown, body: string) => unknown

/** `node` accepts headers as Node provides them, `web` a `Headers`. */
export const verifierOf = async (name: "node" | "web"): Promise<Verify> => {
  const docs = fs.readFileSync(DOCS, "utf8")
  const code = new RegExp(`<!-- verifier: ${name} -->\\s+\`\`\`js verifier\\n(.*?)\`\`\``, "s").exec(docs)?.[1] ?? ""
  const url = `data:text/javascript,${encodeURIComponent(code)}`
  return ((await import(/* @vite-ignore */ url)) as { verifyWebhook: Verify }).verifyWebhook // the document's own export
}
