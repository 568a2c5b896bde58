// Gives every test file inside workerd a D1 database with the tables of `migrations/`.
import { applyD1Migrations } from "cloudflare:test"
import { env } from "cloudflare:workers"

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
