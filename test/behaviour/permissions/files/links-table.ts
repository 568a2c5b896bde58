// Calls that reach a file through links. `at` is where the file really is, which decides, not its name.

export type Place =
  /** In the working directory, and no rule applies to it. */
  | "inside"
  /** Outside of every directory in which the session works. */
  | "outside"
  /** Files that git and editors execute or obey. */
  | "guarded"
  /** Covered by a deny rule. */
  | "denied"
  /** Nowhere: a loop, or more links than are followed. */
  | "nowhere"

export interface LinkCase {
  /** Each link and its target, created in this order. */
  readonly links: ReadonlyArray<readonly [path: string, target: string]>
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly does: "read" | "write"
  readonly at: Place
  /** The conversation's directory, if it is not the working directory. */
  readonly cwd?: string
  /** Directories that were added to the session's own. */
  readonly added?: ReadonlyArray<string>
}

const W = "/workspace"
const read = (file_path: string) => ({ tool: "Read", input: { file_path }, does: "read" }) as const
const write = (file_path: string) =>
  ({ tool: "Write", input: { file_path, content: "changed\n" }, does: "write" }) as const
const edit = (file_path: string) =>
  ({ tool: "Edit", input: { file_path, old_string: "keep", new_string: "gone" }, does: "write" }) as const
const notebook = (notebook_path: string) =>
  ({ tool: "NotebookEdit", input: { notebook_path, cell_id: "cell-0", new_source: "changed" }, does: "write" }) as const
const grep = (path: string) =>
  ({ tool: "Grep", input: { pattern: ".", path, output_mode: "content" }, does: "read" }) as const
const list = (path: string) => ({ tool: "LS", input: { path }, does: "read" }) as const
const glob = (path: string) => ({ tool: "Glob", input: { pattern: "*", path }, does: "read" }) as const
const reads = (command: string) => ({ tool: "Bash", input: { command }, does: "read" }) as const
const writes = (command: string) => ({ tool: "Bash", input: { command }, does: "write" }) as const

const chain = (length: number, target: string): LinkCase["links"] =>
  Array.from({ length }, (_, index) => [`${W}/c${index}`, index + 1 === length ? target : `c${index + 1}`] as const)

export const LINKS: ReadonlyArray<LinkCase> = [
  // Read, and the search tools.
  { links: [[`${W}/l`, ".env"]], ...read("l"), at: "denied" },
  { links: [[`${W}/l`, `${W}/.env`]], ...read(`${W}/l`), at: "denied" },
  { links: [[`${W}/l`, "./sub/../.env"]], ...read("l"), at: "denied" },
  { links: [[`${W}/sub/l`, "../.env"]], ...read("sub/l"), at: "denied" },
  { links: [[`${W}/l`, "."]], ...read("l/.env"), at: "denied" },
  { links: [[`${W}/l`, ".."]], ...read("l/workspace/.env"), at: "denied" },
  { links: [[`${W}/l`, "/"]], ...read("l/workspace/./.env"), at: "denied" },
  {
    links: [
      [`${W}/a`, "b"],
      [`${W}/b`, ".env"],
    ],
    ...read("a"),
    at: "denied",
  },
  { links: chain(40, ".env"), ...read("c0"), at: "denied" },
  { links: chain(41, ".env"), ...read("c0"), at: "nowhere" },
  {
    links: [
      [`${W}/a`, "b"],
      [`${W}/b`, "a"],
    ],
    ...read("a"),
    at: "nowhere",
  },
  { links: [[`${W}/l`, "l/l"]], ...read("l"), at: "nowhere" },
  {
    links: [
      [`${W}/.env.local`, "plain.txt"],
      [`${W}/shown`, ".env"],
    ],
    ...read("shown"),
    at: "denied",
  },
  {
    links: [
      [`${W}/via`, ".hidden"],
      [`${W}/.hidden`, "plain.txt"],
    ],
    ...read("via"),
    at: "denied",
  },
  { links: [[`${W}/l`, "/outside/f"]], ...read("l"), at: "outside" },
  { links: [[`${W}/l`, "../outside/f"]], ...read("l"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...read("l/f"), at: "outside" },
  {
    links: [
      [`${W}/l`, "/out2"],
      ["/out2", "/outside"],
    ],
    ...read("l/f"),
    at: "outside",
  },
  { links: [["/out", W]], ...read("/out/plain.txt"), at: "outside" },
  { links: [[`${W}/l`, "plain.txt"]], ...read("l"), at: "inside" },
  { links: [[`${W}/l`, "sub"]], ...read("l/inner.txt"), at: "inside" },
  { links: [[`${W}/l`, "/outside"]], ...grep("l"), at: "outside" },
  { links: [[`${W}/l`, ".env"]], ...grep("l"), at: "denied" },
  { links: [[`${W}/l`, "secrets"]], ...grep("l"), at: "denied" },
  { links: [[`${W}/l`, "secrets"]], ...glob("l"), at: "denied" },
  { links: [[`${W}/l`, "/outside"]], ...glob("l"), at: "outside" },
  { links: [[`${W}/l`, "secrets"]], ...list("l"), at: "denied" },
  { links: [[`${W}/l`, "/outside"]], ...list("l/"), at: "outside" },
  // Write, Edit and NotebookEdit.
  { links: [[`${W}/l`, ".git/hooks"]], ...write("l/post-commit"), at: "guarded" },
  { links: [[`${W}/l`, `${W}/.git/hooks/pre-commit`]], ...write("l"), at: "guarded" },
  { links: [[`${W}/l`, ".git"]], ...edit("l/hooks/pre-commit"), at: "guarded" },
  { links: [[`${W}/l`, ".GIT"]], ...write("l/config"), at: "guarded" },
  { links: [[`${W}/l`, ".claude"]], ...write("l/settings.json"), at: "guarded" },
  { links: [[`${W}/l`, ".bashrc"]], ...write("l"), at: "guarded" },
  { links: [[`${W}/.vscode`, "sub"]], ...write(".vscode/tasks.json"), at: "guarded" },
  { links: [[`${W}/l`, "new/.husky/pre-push"]], ...write("l"), at: "guarded" },
  { links: [[`${W}/l`, "/outside"]], ...write("l/new"), at: "outside" },
  { links: [[`${W}/l`, "/outside/f"]], ...edit("l"), at: "outside" },
  { links: [[`${W}/l`, "/outside/f"]], ...write("l"), at: "outside" },
  { links: [[`${W}/l`, "/nothing/yet"]], ...write("l"), at: "outside" },
  { links: [[`${W}/l`, "../nothing"]], ...write("l/deeper/file"), at: "outside" },
  { links: [[`${W}/l`, "/tmp/x"]], ...write("l"), at: "outside" },
  { links: [["/out", W]], ...write("/out/new"), at: "outside" },
  {
    links: [
      [`${W}/l`, "/outside/nb.ipynb"],
      [`${W}/n.ipynb`, "l"],
    ],
    ...notebook("n.ipynb"),
    at: "outside",
  },
  { links: [[`${W}/n.ipynb`, "locked/nb.ipynb"]], ...notebook("n.ipynb"), at: "denied" },
  { links: [[`${W}/l`, "locked"]], ...write("l/new"), at: "denied" },
  { links: [[`${W}/l`, "locked/a"]], ...edit("l"), at: "denied" },
  {
    links: [
      [`${W}/l`, "sub"],
      [`${W}/sub/up`, "../locked"],
    ],
    ...write("l/up/new"),
    at: "denied",
  },
  { links: [[`${W}/l`, `${W}/locked/../locked/./a`]], ...write("l"), at: "denied" },
  { links: [[`${W}/alias`, "sub"]], ...write("alias/new"), at: "denied" },
  {
    links: [
      [`${W}/a`, "b"],
      [`${W}/b`, "a"],
    ],
    ...write("a"),
    at: "nowhere",
  },
  { links: [[`${W}/l`, "sub"]], ...write("l/new"), at: "inside" },
  { links: [[`${W}/l`, "plain.txt"]], ...edit("l"), at: "inside" },
  // The shell.
  { links: [[`${W}/l`, ".env"]], ...reads("cat l"), at: "denied" },
  { links: [[`${W}/k`, ".env"]], ...reads("cat k*"), at: "denied" },
  { links: [[`${W}/l`, "secrets"]], ...reads("cat l/key"), at: "denied" },
  { links: [[`${W}/l`, "secrets"]], ...reads("cd l && cat key"), at: "denied" },
  { links: [[`${W}/l`, "secrets"]], ...reads("grep -R . l"), at: "denied" },
  { links: [[`${W}/l`, "/outside/f"]], ...reads("cat l"), at: "outside" },
  { links: [[`${W}/k`, "/outside/f"]], ...reads("cat k*"), at: "outside" },
  { links: [[`${W}/sub/l`, "/outside/f"]], ...reads("cat su*/l"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...reads("cat l/*"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...reads("cd l && cat f"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...reads("head < l/f"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...reads("cat f"), cwd: `${W}/l`, at: "outside" },
  { links: [[`${W}/l`, "plain.txt"]], ...reads("cat l"), at: "inside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("echo x > l/new"), at: "outside" },
  { links: [[`${W}/l`, "/outside/f"]], ...writes("sed -i s/keep/gone/ l"), at: "outside" },
  { links: [[`${W}/l`, "/outside/f"]], ...writes("cp plain.txt l"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("cp plain.txt l/"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("mv plain.txt l/"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("touch l/new"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("mkdir l/new"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("rm l/f"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("rm -r l/*"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("cd l && touch new"), at: "outside" },
  { links: [[`${W}/l`, "/outside"]], ...writes("touch new"), cwd: `${W}/l`, at: "outside" },
  { links: [[`${W}/l`, ".git/hooks"]], ...writes("cp plain.txt l/post-merge"), at: "guarded" },
  { links: [[`${W}/l`, ".git/hooks"]], ...writes("echo x > l/post-merge"), at: "guarded" },
  { links: [[`${W}/l`, ".git"]], ...writes("cd l/hooks && touch post-merge"), at: "guarded" },
  { links: [[`${W}/k`, ".git/hooks/pre-commit"]], ...writes("sed -i s/keep/gone/ k*"), at: "guarded" },
  { links: [[`${W}/l`, "locked"]], ...writes("touch l/new"), at: "denied" },
  { links: [[`${W}/l`, "locked/a"]], ...writes("echo x > l"), at: "denied" },
  { links: [[`${W}/l`, "locked"]], ...writes("cp -r sub l/"), at: "denied" },
  { links: [[`${W}/l`, "sub"]], ...writes("touch l/new"), at: "inside" },
  // Directories that are links themselves grant no access to their targets.
  { links: [["/added", "/outside"]], ...write("/added/new"), added: ["/added"], at: "outside" },
  { links: [["/added", "/outside"]], ...read("/added/f"), added: ["/added"], at: "outside" },
  { links: [["/added", "/outside"]], ...writes("touch /added/new"), added: ["/added"], at: "outside" },
  { links: [[`${W}/l`, "/added"]], ...write("l/new"), added: ["/added"], at: "inside" },
]
