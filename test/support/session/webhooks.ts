// Webhook objects without a Durable Object: the real book and deliverer over SQLite in memory, on a clock that the test moves.
import type { WebhookNamespace, WebhookRpc } from "../../../src/schemas/api/webhooks.ts"

/** Tenants without webhooks: nothing is wanted, and offers would be a mistake. */
export class NoWebhooks implements WebhookNamespace {
  getByName(): WebhookRpc {
    // Sessions call nothing but these two.
    return { patterns: async () => [], forget: async () => undefined } as unknown as WebhookRpc
  }
}
