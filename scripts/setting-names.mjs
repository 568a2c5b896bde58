// The settings of a local server, by name. Imports nothing, because the doctor loads it on a Node that is too old.

/** Environment variables that override `.dev.vars`. An empty one removes the value. */
export const FROM_ENVIRONMENT = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_MODEL",
  "PERCH_ROOT_KEY",
  "PERCH_BACKUP_KEY",
  "PERCH_LOG",
  "PERCH_CORS_ORIGINS",
  "PERCH_ALLOW_PRIVATE_HOOKS",
  "PERCH_FETCH_ALLOW",
  "PERCH_FETCH_RESOLVER",
  "PERCH_INVOCATION_SECONDS",
  "PERCH_LIMITS",
  "PERCH_PUBLIC_URL",
  "PERCH_RUNTIME",
  "PERCH_WORKSPACE_LIMITS",
]

/** The variables that no other program may receive. */
export const SECRETS = ["PERCH_ROOT_KEY", "PERCH_BACKUP_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"]
