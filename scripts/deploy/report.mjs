// The output of a deployment: the plan, each step when it is done, and what was done so far if it ends early.
// Invariant: every change is in `done`, so that an interrupted deployment lists all of its changes.

export class Report {
  /** @param {(line: string) => void} print */
  constructor(print) {
    this.print = print
    this.done = []
    this.unknown = undefined
  }

  plan(account, rows) {
    this.print(`Account ${account}`)
    for (const { action, what } of rows) this.print(`  ${action.padEnd(7)} ${what}`)
    this.print("")
  }

  /** Reports the start of a step that can take a while. */
  begin(text) {
    this.print(`${text} …`)
  }

  /** Reports a change of the account. */
  changed(text) {
    this.done.push(text)
    this.print(`✓ ${text}`)
  }

  /**
   * Makes a change that may fail after it had its effect, as a request whose answer is lost, and reports it when it is made.
   * @param {string} what  "creating queue perch-hooks"
   * @param {() => Promise<unknown>} work
   * @param {(value: unknown) => string} text  "created queue perch-hooks"
   */
  async change(what, work, text) {
    const value = await work().catch((error) => {
      if (error.outcomeUnknown !== false) this.unknown = what
      throw error
    })
    this.changed(text(value))
    return value
  }

  passed(text) {
    this.print(`✓ ${text}`)
  }

  failed(error) {
    this.print("")
    this.print(error.message)
    if (error.advice !== undefined) this.print(error.advice)
    if (this.done.length > 0)
      this.print(`\nDone before that, and kept: ${this.done.join(", ")}. The next run continues from there.`)
    if (this.unknown !== undefined)
      this.print(
        `\nIt is unknown whether this was completed: ${this.unknown}. The next run checks, and does what is missing.`,
      )
  }
}

/** An action as the plan names it: `skip` for a secret that is not going to be set. */
const shown = (action) => (action === "none" ? "skip" : action)

/** The rows of the plan. `asks`: the user is asked for the model's key if there is none. */
export const planRows = ({ deployment, found, secrets, subdomain, url, asks }) => {
  const { worker, database } = deployment
  const { rootKey, modelKey } = secrets
  const model = modelKey.action === "none" && asks ? "ask" : modelKey.action
  const count = found.database?.missing.length
  return [
    ...(found.subdomain === undefined && subdomain !== undefined
      ? [{ action: "create", what: `workers.dev subdomain ${subdomain}` }]
      : []),
    {
      action: found.database === undefined ? "create" : "keep",
      what: `D1 database ${found.database?.name ?? database.name}`,
    },
    ...found.queues.map(({ name, exists }) => ({ action: exists ? "keep" : "create", what: `queue ${name}` })),
    {
      action: count === 0 ? "keep" : "apply",
      what: count === 0 ? "migrations: all are applied" : `migrations: ${count ?? "all"} to apply`,
    },
    {
      action: shown(rootKey.action),
      what: `secret PERCH_ROOT_KEY${rootKey.action === "create" ? " (256 random bits)" : ""}`,
    },
    {
      action: shown(model),
      what: `secret ANTHROPIC_API_KEY${model === "none" ? " (none: the offline model answers)" : ""}`,
    },
    {
      action: "deploy",
      what: `Worker ${worker}${found.worker === undefined ? "" : " (a new version)"} at ${url}`,
    },
  ]
}
