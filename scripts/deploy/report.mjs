// What a deployment prints: the plan, each step when it is done, and what was done so far when it ends early.
// Invariant: every change that was made is in `done`, so that nothing is half-written without being named.

const ROWS = { create: "create", keep: "keep", set: "set", none: "skip", apply: "apply", deploy: "deploy" }

export class Report {
  /** @param {(line: string) => void} print */
  constructor(print) {
    this.print = print
    this.done = []
  }

  plan(account, rows) {
    this.print(`Account ${account}`)
    for (const { action, what } of rows) this.print(`  ${ROWS[action].padEnd(7)} ${what}`)
    this.print("")
  }

  /** Something that can take a while begins. */
  begin(text) {
    this.print(`${text} …`)
  }

  /** Something in the account was changed. */
  changed(text) {
    this.done.push(text)
    this.print(`✓ ${text}`)
  }

  passed(text) {
    this.print(`✓ ${text}`)
  }

  failed(error) {
    this.print("")
    this.print(error.message)
    if (error.advice !== undefined) this.print(error.advice)
    if (this.done.length > 0)
      this.print(`\nDone before that, and kept: ${this.done.join(", ")}. The next run goes on from there.`)
  }
}

/** The rows of the plan. */
export const planRows = ({ deployment, found, secrets, subdomain, url }) => {
  const { worker, database, queues } = { ...deployment, queues: found.queues }
  const count = found.database?.missing.length
  return [
    ...(found.subdomain === undefined && subdomain !== undefined
      ? [{ action: "create", what: `workers.dev subdomain ${subdomain}` }]
      : []),
    {
      action: found.database === undefined ? "create" : "keep",
      what: `D1 database ${found.database?.name ?? database.name}`,
    },
    ...queues.map(({ name, exists }) => ({ action: exists ? "keep" : "create", what: `queue ${name}` })),
    {
      action: count === 0 ? "keep" : "apply",
      what: count === 0 ? "migrations: all are applied" : `migrations: ${count ?? "all"} to apply`,
    },
    {
      action: secrets.rootKey.action,
      what: `secret PERCH_ROOT_KEY${secrets.rootKey.action === "create" ? " (256 random bits)" : ""}`,
    },
    {
      action: secrets.modelKey.action,
      what: `secret ANTHROPIC_API_KEY${secrets.modelKey.action === "none" ? " (none: the offline model answers)" : ""}`,
    },
    {
      action: "deploy",
      what: `Worker ${worker}${found.worker === undefined ? "" : " (a new version)"} at ${url ?? "its workers.dev address"}`,
    },
  ]
}
