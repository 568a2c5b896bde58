// Places where the answers of the scripted API wait until enough requests are there, or until a test opens them.

/** Gates at which answers wait. */
export class Gates {
  waiting = new Map()
  opened = new Set()

  /** Resolves when `until` requests wait here together, when the gate is opened, or when the client has disconnected. */
  pass(gate, until, response) {
    if (this.opened.has(gate) || response.destroyed) return Promise.resolve()
    const here = this.waiting.get(gate) ?? new Set()
    this.waiting.set(gate, here)
    return new Promise((resolve) => {
      here.add(resolve)
      response.once("close", () => {
        here.delete(resolve)
        resolve()
      })
      if (here.size >= until) this.open(gate)
    })
  }

  open(gate) {
    this.opened.add(gate)
    const here = this.waiting.get(gate) ?? new Set()
    this.waiting.delete(gate)
    for (const resolve of here) resolve()
  }

  openAll() {
    for (const gate of this.waiting.keys()) this.open(gate)
  }

  closeOf(script) {
    for (const gate of this.opened) {
      if (gate.startsWith(`${script}#`)) this.opened.delete(gate)
    }
  }

  counts() {
    return Object.fromEntries([...this.waiting].map(([gate, here]) => [gate, here.size]))
  }
}
