// The official SDK's in-process MCP server, with one tool for each outcome of a call.
import { createSdkMcpServer, tool } from "@anthropic-ai/claude-agent-sdk"
import * as z from "zod"

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const says = (text: string) => ({ content: [{ type: "text" as const, text }] })

export interface Calls {
  readonly seen: Array<unknown>
  /** Resolves when `wait` was cancelled. */
  readonly cancelled: Promise<void>
}

export const calculator = () => {
  const seen: Array<unknown> = []
  const { promise: cancelled, resolve } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const server = createSdkMcpServer({
    name: "calc",
    version: "1.0.0",
    tools: [
      tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async (input, extra) => {
        seen.push({ input, meta: Object(extra)._meta })
        return says(String(input.a + input.b))
      }),
      tool("boom", "Throws", { x: z.string().optional() }, async () => {
        throw new Error("tool exploded")
      }),
      tool("iserr", "Says that it failed", {}, async () => ({ ...says("bad thing"), isError: true })),
      tool("pic", "Gives an image", {}, async () => ({
        content: [...says("see it").content, { type: "image" as const, data: PNG, mimeType: "image/png" }],
      })),
      tool("struct", "Gives structured content", {}, async () => ({
        ...says("for people"),
        structuredContent: { k: 1, list: ["a"] },
      })),
      tool(
        "wait",
        "Waits until it is cancelled",
        {},
        (_, extra) =>
          new Promise((done) => {
            begin()
            const { signal } = extra as { readonly signal: AbortSignal } // the SDK passes it
            signal.addEventListener("abort", () => {
              resolve()
              done(says("late"))
            })
          }),
        { annotations: { readOnlyHint: true } },
      ),
    ],
  })
  return { server: server.instance, seen, begun, cancelled }
}
