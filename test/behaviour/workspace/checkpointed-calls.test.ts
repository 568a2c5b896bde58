// Tool calls as the loop makes them, with checkpoints in between: every tree can be restored, and every diff applied.
import { Exit } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bashTool } from "../../../src/tools/bash/bash.ts"
import { editTool } from "../../../src/tools/files/edit.ts"
import { readTool } from "../../../src/tools/files/read.ts"
import { writeTool } from "../../../src/tools/files/write.ts"
import { openContext, runAndCommit } from "../../tools/tool-context.ts"
import { applied, shown, sorted } from "../../workspace/patched.ts"

const file = fc.constantFrom("a", "b", "d/a", "d/e/b")
const line = fc.constantFrom("x", "y", "z")
const script = fc.oneof(
  fc.tuple(file, line).map(([path, text]) => `echo ${text} >> ${path}`),
  fc.tuple(file, file).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(file, file).map(([from, to]) => `cp ${from} ${to}; chmod 755 ${to}`),
  fc.tuple(file, line).map(([path, text]) => `sed -i s/x/${text}/ ${path}`),
  fc.constantFrom("rm -rf d", "mkdir -p d/e && touch d/e/b", "rm -f a b", "ln -s a l", "exit 3"),
)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("bash" as const), script }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("write" as const), file, line }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit" as const), file, line }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("checkpoint" as const) }) },
)

describe("whatever Write, Edit and Bash do", () => {
  it("a rewind to any checkpoint restores its tree, and the diff of any two applied to one produces the other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const { context, workspace } = openContext()
        const trees = [] as Array<{ readonly nodes: unknown; readonly files: ReturnType<typeof shown> }>
        const nodes = () => workspace.nodes.below("/").map(([path, node]) => [path, node])
        const mark = () => {
          workspace.checkpoint(`${trees.length}`)
          trees.push({ nodes: nodes(), files: shown(workspace) })
        }
        // A call that a tool rejects changes nothing, which is one of the cases.
        const attempt = (call: Promise<unknown>) => call.then(Exit.succeed, Exit.fail)
        mark()
        for (const one of steps) {
          if (one.kind === "checkpoint") mark()
          if (one.kind === "bash") await runAndCommit(bashTool, { command: one.script }, context)
          const path = "file" in one ? `/workspace/${one.file}` : ""
          if (one.kind === "write" || one.kind === "edit")
            await attempt(runAndCommit(readTool, { file_path: path }, context))
          if (one.kind === "write")
            await attempt(runAndCommit(writeTool, { file_path: path, content: `${one.line}\n` }, context))
          if (one.kind === "edit") {
            const change = { file_path: path, old_string: "x", new_string: one.line, replace_all: true }
            await attempt(runAndCommit(editTool, change, context))
          }
        }
        mark()
        for (const [to, tree] of [...trees.entries()].toReversed()) {
          const diff = workspace.diff("0", `${to}`)
          if ("missing" in diff) throw new Error("a checkpoint is missing")
          expect(sorted(applied(trees[0]!.files, diff.unified))).toEqual(sorted(tree.files))
          expect(workspace.rewind(`${to}`)).toMatchObject({ canRewind: true })
          expect(nodes()).toEqual(tree.nodes)
        }
      }),
      { numRuns: 40 },
    )
  })
})
