// The shell's files: an overlay of the workspace that enforces the call's file rules and charges every use to the run's budget.
// Invariant: every operation that a script can repeat endlessly is charged, with the bytes that it reads or writes.
import type { FileRules } from "../workspace/file-rules.ts"
import { GuardedOverlay } from "../workspace/tree/guarded-overlay.ts"
import type { Overlay } from "../workspace/tree/overlay.ts"
import type { Workspace } from "../workspace/workspace.ts"
import type { ShellBudget } from "./budget.ts"
import { DEFAULT_UMASK } from "./compat/builtins/umask.ts"
import { CollectedOutputs } from "./compat/outputs/collected-outputs.ts"
import { SavedOutputs } from "./compat/outputs/saved-outputs.ts"
import { restoredContent } from "./raw-bytes.ts"

type Answer<Name extends keyof Overlay> = Overlay[Name] extends (...args: never) => infer Result ? Result : never
type Arguments<Name extends keyof Overlay> = Overlay[Name] extends (...args: infer Args) => unknown ? Args : never

export class ShellFiles extends GuardedOverlay {
  readonly #budget: ShellBudget
  /** The mask of the shell that is running (`umask`). */
  umask: () => number = () => DEFAULT_UMASK
  /** Changes the script that `source` reads next. */
  script: ((text: string) => string) | null = null
  /** What scripts write to copies of stdout and stderr. */
  readonly outputs = new SavedOutputs()
  /** What scripts print after `exec > >(…)`. */
  readonly collected = new CollectedOutputs()

  constructor(workspace: Workspace, cwd: string, rules: FileRules, budget: ShellBudget) {
    super(workspace, cwd, rules)
    this.#budget = budget
  }

  /** As in POSIX, an empty text is the path of nothing, and not of the directory: it stays empty, and no file has it. */
  override resolvePath(base: string, path: string): string {
    return path === "" ? "" : super.resolvePath(base, path)
  }

  override async exists(path: string): Answer<"exists"> {
    this.#budget.file(path)
    return path !== "" && super.exists(path)
  }

  override async stat(path: string): Answer<"stat"> {
    this.#budget.file(path)
    return super.stat(path)
  }

  override async lstat(path: string): Answer<"lstat"> {
    this.#budget.file(path)
    return super.lstat(path)
  }

  override async readdir(path: string): Answer<"readdir"> {
    const names = await super.readdir(path)
    this.#budget.file(path, names.length)
    return names
  }

  override async readFile(...args: Arguments<"readFile">): Answer<"readFile"> {
    const content = await super.readFile(...args)
    this.#budget.file(args[0], content.length)
    const { script } = this
    this.script = null
    return script === null ? content : script(content)
  }

  override async readFileBytes(path: string): Answer<"readFileBytes"> {
    const content = await super.readFileBytes(path)
    this.#budget.file(path, (await super.stat(path)).size)
    return content
  }

  override async readFileBuffer(path: string): Answer<"readFileBuffer"> {
    const content = await super.readFileBuffer(path)
    this.#budget.file(path, content.length)
    return content
  }

  override async writeFile(...args: Arguments<"writeFile">): Answer<"writeFile"> {
    const [path, content, options] = args
    this.#budget.file(path, content.length)
    return this.#creating(path, 0o666, () => super.writeFile(path, restoredContent(content, options), options))
  }

  override async mkdir(...args: Arguments<"mkdir">): Answer<"mkdir"> {
    return this.#creating(args[0], 0o777, () => super.mkdir(...args))
  }

  /** Gives what is created the permissions that the shell's mask leaves. The workspace itself applies the default mask. */
  async #creating(path: string, mode: number, create: () => Promise<void>): Promise<void> {
    const mask = this.umask()
    if (mask === DEFAULT_UMASK || (await super.exists(path))) return create()
    await create()
    await super.chmod(path, mode & ~mask)
  }

  /** An append rewrites the whole file, so it costs the size of the file. */
  override async appendFile(...args: Arguments<"appendFile">): Answer<"appendFile"> {
    const [path, content, encoding] = args
    if (this.outputs.append(path, content, encoding) || this.collected.append(path, content, encoding))
      return this.#budget.file(path, content.length)
    await this.#creating(path, 0o666, () => super.appendFile(path, restoredContent(content, encoding), encoding))
    this.#budget.file(args[0], (await super.stat(args[0])).size)
  }
}
