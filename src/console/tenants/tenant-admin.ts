// The admin routes for keys and limits, with their latest responses.
// Invariant: one change at a time; a failed change leaves the list unchanged and reports the reason.
import { newUuid } from "../../client/api/new-uuid.ts"
import { signal } from "@preact/signals"
import { OnceKey } from "../store/once-key.ts"
import type { Page } from "../../client/api/session-shapes.ts"
import { keepFocus } from "../app/keep-focus.ts"
import { messageOf, type Server } from "../app/server.ts"
import type { ApiKey, CreatedKey, Limits, TenantLimits } from "./tenant-shapes.ts"

export interface NewKey {
  readonly tenant: string
  readonly label?: string
  readonly scopes?: ReadonlyArray<string>
  readonly expires_at?: string
}

const PAGE = 100
const OVERLAP_SECONDS = 3600

export class TenantAdmin {
  readonly keys = signal<ReadonlyArray<ApiKey>>([])
  readonly isBusy = signal(true)
  /** The reason why the latest change failed. */
  readonly error = signal<string | null>(null)
  /** The reason why the keys could not be read. */
  readonly readError = signal<string | null>(null)
  /** A key that was just created or rolled, with its secret. */
  readonly created = signal<CreatedKey | null>(null)
  readonly #server: Server
  readonly #once = new OnceKey(newUuid)

  constructor(server: Server) {
    this.#server = server
  }

  load(): Promise<boolean> {
    return this.#attempt(() => this.#read())
  }

  /** Returns whether the key was created, although the list may not be readable after that. */
  create(key: NewKey): Promise<boolean> {
    return this.#attempt(async () => {
      this.created.value = await this.#change<CreatedKey>("", key)
      await this.#read()
    })
  }

  /** Creates a new secret; the previous one stays valid for another hour. */
  roll(id: string): Promise<boolean> {
    return this.#attempt(async () => {
      this.created.value = await this.#change<CreatedKey>(`/${id}/roll`, { overlap_seconds: OVERLAP_SECONDS })
      await this.#read()
    })
  }

  revoke(id: string): Promise<boolean> {
    return this.#attempt(async () => {
      await this.#server.transport.send("DELETE", `/v1/admin/keys/${id}`)
      // It may have been created by a request whose response was lost: the next equal request creates another one.
      this.#once.forget()
      if (this.created.value?.id === id) this.created.value = null
      await this.#read()
    })
  }

  limits(tenant: string): Promise<TenantLimits> {
    return this.#server.transport.json("GET", `/v1/admin/tenants/${encodeURIComponent(tenant)}/limits`)
  }

  setLimits(tenant: string, limits: Limits): Promise<TenantLimits> {
    return this.#server.transport.json("PUT", `/v1/admin/tenants/${encodeURIComponent(tenant)}/limits`, {
      json: limits,
    })
  }

  async #read(): Promise<void> {
    this.readError.value = null
    try {
      this.keys.value = await this.#all()
    } catch (cause) {
      this.readError.value = messageOf(cause)
    }
  }

  async #all(): Promise<ReadonlyArray<ApiKey>> {
    const keys: Array<ApiKey> = []
    let cursor: string | undefined
    do {
      const query = { limit: PAGE, cursor }
      const page = await this.#server.transport.json<Page<ApiKey>>("GET", "/v1/admin/keys", { query })
      keys.push(...page.data)
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    return keys
  }

  /** Sent again after its response was lost, it creates nothing more: the response is the same one. */
  async #change<A>(path: string, json: unknown): Promise<A> {
    const headers = this.#once.headersFor([path, json])
    const changed = await this.#server.transport.json<A>("POST", `/v1/admin/keys${path}`, { json, headers })
    this.#once.forget()
    return changed
  }

  async #attempt(work: () => Promise<void>): Promise<boolean> {
    const restoreFocus = keepFocus()
    this.isBusy.value = true
    this.error.value = null
    try {
      await work()
      return true
    } catch (cause) {
      this.error.value = messageOf(cause)
      return false
    } finally {
      this.isBusy.value = false
      restoreFocus()
    }
  }
}
