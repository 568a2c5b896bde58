// An overlay that checks the rules of its tool call before each use of a file. Receives the shell's file operations; throws
// EACCES for those that a rule refuses, and records why.
// Invariant: a file is checked under every name that its path has at that moment, and a tree that is moved or removed, file
// by file; a refused operation changes nothing.
import { type FileRules, type FileUse, NO_FILE_RULES } from "../file-rules.ts"
import { childOf, nameOf, normalizePath, parentOf } from "../paths.ts"
import { Overlay } from "./overlay.ts"
import type { Change } from "./node-store.ts"
import type { Workspace } from "../workspace.ts"
import { WorkspaceError } from "../workspace-error.ts"

type Arguments<Name extends keyof Overlay> = Overlay[Name] extends (...args: infer Args) => unknown ? Args : never
type Answer<Name extends keyof Overlay> = Overlay[Name] extends (...args: never) => infer Result ? Result : never

/** The most refusals that are recorded for the report. */
const MAX_REFUSALS = 10
const MAX_REFUSED_PATHS = 1000

/** Files of the shell itself, to which no rules apply. */
const DEVICE = /^\/dev\/(?:fd(?:\/\d+)?|null|zero|full|tty|stdin|stdout|stderr|u?random)$/

/** A change that is no longer allowed when it is about to be applied; `message` names it and the reason. */
export class CommitRefused extends Error {
  override readonly name = "CommitRefused"
}

export class GuardedOverlay extends Overlay {
  readonly #workspace: Workspace
  readonly #rules: FileRules
  readonly #refusals = new Set<string>()
  readonly #refusedPaths = new Set<string>()
  /** The number of running programs to which a rule for commands opens every file. A job that waits has its own. */
  opened = 0
  #wasOpen = false
  /** The session's own files that are among the changes. */
  readonly #own = new Set<string>()

  constructor(workspace: Workspace, cwd: string, rules: FileRules = NO_FILE_RULES) {
    super(workspace, cwd)
    this.#workspace = workspace
    this.#rules = rules
  }

  /** The first ten reasons why files were refused, each once. */
  refusals(): ReadonlyArray<string> {
    return Array.from(this.#refusals)
  }

  /** True when a path that ends with `name` was refused. */
  wasRefused(name: string): boolean {
    const end = normalizePath(name)
    return Array.from(this.#refusedPaths).some((path) => path.endsWith(end))
  }

  /** Runs a program to which a rule for commands opens every file. */
  async openTo<A>(run: () => Promise<A>): Promise<A> {
    this.opened += 1
    this.#wasOpen = true
    try {
      return await run()
    } finally {
      this.opened -= 1
    }
  }

  /** Writes one of the session's own files without checking rules. Throws WorkspaceError when it can't be written there. */
  note(path: string, bytes: Uint8Array): void {
    const before = new Set(this.changes().map(([changed]) => changed))
    this.writeOwn(path, bytes)
    for (const [changed] of this.changes()) if (!before.has(changed)) this.#own.add(changed)
  }

  /**
   * Returns the changes after checking each of them again, because rules and links may have changed since it was made.
   * Throws CommitRefused.
   */
  committed(): ReadonlyArray<Change> {
    const changes = this.changes()
    refuseUnallowed(
      this.#workspace,
      this.#rules,
      changes.filter(([path]) => !this.#own.has(path)),
      this.#wasOpen,
    )
    return changes
  }

  override flush(): void {
    this.#workspace.apply(this.committed())
  }

  override async readFile(...args: Arguments<"readFile">): Answer<"readFile"> {
    this.#check("read", args[0], "open")
    return super.readFile(...args)
  }

  override async readFileBytes(path: string): Answer<"readFileBytes"> {
    this.#check("read", path, "open")
    return super.readFileBytes(path)
  }

  override async readFileBuffer(path: string): Answer<"readFileBuffer"> {
    this.#check("read", path, "open")
    return super.readFileBuffer(path)
  }

  override async writeFile(...args: Arguments<"writeFile">): Answer<"writeFile"> {
    this.#check("change", args[0], "open")
    return super.writeFile(...args)
  }

  override async appendFile(...args: Arguments<"appendFile">): Answer<"appendFile"> {
    this.#check("change", args[0], "open")
    return super.appendFile(...args)
  }

  override async mkdir(...args: Arguments<"mkdir">): Answer<"mkdir"> {
    if (!(await super.exists(args[0]))) this.#check("change", args[0], "mkdir")
    return super.mkdir(...args)
  }

  override async rm(...args: Arguments<"rm">): Answer<"rm"> {
    const [path, options] = args
    this.#checkPlace("change", path, "rm")
    if (options?.recursive === true) this.#checkTree(path, "rm", ["change"])
    return super.rm(...args)
  }

  override async cp(...args: Arguments<"cp">): Answer<"cp"> {
    const [source, target, options] = args
    this.#check("change", target, "cp")
    const recursive = options?.recursive === true
    const type = this.typeAt(source)
    if (type !== "directory" || !recursive) {
      // A recursive copy copies a link as a link; other copies follow it.
      if (type !== "symlink" || !recursive) this.#check("read", source, "cp")
      return super.cp(...args)
    }
    let left: WorkspaceError | undefined
    this.copyPart(source, target, (from, to) => {
      try {
        if (this.typeAt(from) === "file") this.#checkPlace("read", from, "cp")
        this.#check("change", to, "cp")
        return true
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error
        left ??= error
        return false
      }
    })
    // As cp does: the rest is copied, and the command fails.
    if (left !== undefined) throw left
  }

  /** Moving a file also needs permission to read it, since it could be read at its new path. */
  override async mv(...args: Arguments<"mv">): Answer<"mv"> {
    const [source, target] = args
    this.#checkPlace("change", source, "rename")
    this.#checkPlace("change", target, "rename")
    if (this.typeAt(source) === "file") this.#checkPlace("read", source, "rename")
    this.#checkTree(source, "rename", ["change", "read"], target)
    return super.mv(...args)
  }

  override async chmod(...args: Arguments<"chmod">): Answer<"chmod"> {
    this.#check("change", args[0], "chmod")
    return super.chmod(...args)
  }

  override async utimes(...args: Arguments<"utimes">): Answer<"utimes"> {
    this.#check("change", args[0], "utime")
    return super.utimes(...args)
  }

  override async symlink(...args: Arguments<"symlink">): Answer<"symlink"> {
    this.#checkPlace("change", args[1], "symlink")
    return super.symlink(...args)
  }

  /** A hard link needs permission to read and change the file, since both are possible by its new name. */
  override async link(...args: Arguments<"link">): Answer<"link"> {
    const [existing, path] = args
    this.#check("read", existing, "link")
    this.#check("change", existing, "link")
    this.#checkPlace("change", path, "link")
    return super.link(...args)
  }

  /** Checks the file that a path leads to. Unreadable paths and unresolvable links are left to the operation, which fails. */
  #check(use: FileUse, path: string, operation: string): void {
    if (use === "read" && !this.isFile(path)) return
    this.#ask(use, path, operation, () => this.names(path))
  }

  /** Checks what is at a path itself, which may be a link. */
  #checkPlace(use: FileUse, path: string, operation: string): void {
    this.#ask(use, path, operation, () => {
      const normal = normalizePath(path)
      const above = this.names(parentOf(normal))
      return above === null ? null : [normal, ...above.map((directory) => childOf(directory, nameOf(normal)))]
    })
  }

  /** Checks everything below a directory, and each path that it would get below `target`. */
  #checkTree(path: string, operation: string, uses: ReadonlyArray<FileUse>, target?: string): void {
    if (this.#rules === NO_FILE_RULES || this.typeAt(path) !== "directory") return
    const place = this.placeOf(path)
    const to = target === undefined ? null : this.placeOf(target)
    for (const [below, { type }] of this.below(place)) {
      for (const use of uses) if (use === "change" || type === "file") this.#checkPlace(use, below, operation)
      if (to !== null) this.#checkPlace("change", to + below.slice(place.length), operation)
    }
  }

  #ask(use: FileUse, path: string, operation: string, names: () => ReadonlyArray<string> | null): void {
    if (this.#rules === NO_FILE_RULES) return
    // A device's path may be a link, or go through one: the names that it leads to are checked like any others.
    const why = this.#rules.refusal(use, () => (names() ?? []).filter((name) => !DEVICE.test(name)), this.opened > 0)
    if (why === null) return
    const normal = normalizePath(path)
    if (this.#refusals.size < MAX_REFUSALS) this.#refusals.add(why)
    if (this.#refusedPaths.size < MAX_REFUSED_PATHS) this.#refusedPaths.add(normal)
    throw new WorkspaceError("EACCES", operation, normal)
  }
}

/** Throws CommitRefused when a rule refuses one of the changes, or when its path meanwhile leads through a link. */
export const refuseUnallowed = (
  workspace: Workspace,
  rules: FileRules,
  changes: ReadonlyArray<Change>,
  isByRule = false,
): void => {
  const changed = new Set(changes.map(([path]) => path))
  const links = workspace.totals().links > 0
  const judged = new Set<string>()
  for (const [path] of changes) {
    const why = rules.refusal("change", () => [path], isByRule)
    if (why !== null) throw new CommitRefused(`${why}. The changes of this call were discarded.`)
    for (let above = parentOf(path); links && above !== "/" && !judged.has(above); above = parentOf(above)) {
      judged.add(above)
      if (!changed.has(above) && workspace.nodes.get(above)?.type === "symlink")
        throw new CommitRefused(
          `${above} has become a link while the call ran. The changes of this call were discarded.`,
        )
    }
  }
}
