// The harness for the built-in model: no network, and the same prompt gets the same answer.
// Invariant: it never pretends to be Claude.
import * as Layer from "effect/Layer"
import { OFFLINE_MODEL } from "../../model/catalogue/models.ts"
import { offlineModel } from "../../model/offline/offline-model.ts"
import type { HarnessService } from "../harness.ts"
import { messagesHarness } from "./messages-harness.ts"

export const OfflineHarness = (): Layer.Layer<HarnessService> =>
  Layer.provide(messagesHarness("The offline model", { model: OFFLINE_MODEL }), offlineModel)
