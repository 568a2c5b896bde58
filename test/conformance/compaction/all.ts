// Every scenario of compactions and of cleared conversations.
import { ANNOUNCED } from "./announced.ts"
import { AUTOMATIC } from "./automatic.ts"
import { HOOKED } from "./hooked.ts"
import { CLEARED, MANUAL } from "./manual.ts"
import { REFILLED } from "./refilled.ts"

export const COMPACTIONS = [...MANUAL, ...CLEARED, ...HOOKED, ...AUTOMATIC, ...REFILLED, ...ANNOUNCED]
