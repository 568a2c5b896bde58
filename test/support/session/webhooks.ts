// Webhook objects without a Durable Object: the real book and deliverer over SQLite in memory, with a clock that the test
// advances.
import type { WebhookNamespace, WebhookRpc } from "../../../src/schemas/api/webhooks.ts"

/** Tenants without webhooks: no event is wanted, and an offer would be an error. */
export class NoWebhooks implements WebhookNamespace {
  getByName(): WebhookRpc {
    // Sessions call only these two.
    return { patterns: async () => [], forget: async () => undefined } as unknown as WebhookRpc
  }
}
