// Three kinds of tests: `node` for pure logic, `workers` inside workerd with real bindings, `e2e` against a real server.
// None reaches beyond loopback: a developer's own settings in `.dev.vars` are overruled here and in test/support/server/server.ts.
// package.json has it as an alias of @cloudflare/vitest-plugin, its name since its makers renamed it.
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers"
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/longest-first.ts"
import { useTemporaryFolder } from "./test/temporary-folder.ts"

useTemporaryFolder()

/** Twice the cores of a small machine: with one worker a core, a core is idle while its test waits for a timer or a program. */
const WORKERS = 4

/**
 * Node strips the types of the sources by itself and loads them as they are. Transformed by Vite, they
 * would be sent to each worker anew, and each use of an import would be a property access.
 */
const NATIVE = { viteModuleRunner: false, nodeLoader: false }

export default defineConfig(async () => ({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workers/**", "test/e2e/**", "test/faults/**"],
          // Loading the modules anew for each file took as long as the tests. No test replaces a module or keeps state in one.
          isolate: false,
          experimental: NATIVE,
          setupFiles: ["./test/setup-node.ts"],
          maxWorkers: WORKERS,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations("./migrations"),
                PERCH_ROOT_KEY: "test-root-key-of-at-least-32-characters",
                ANTHROPIC_API_KEY: "",
                ANTHROPIC_BASE_URL: "",
                OPENAI_API_KEY: "",
                OPENAI_BASE_URL: "",
                PERCH_LOG: "quiet",
                PERCH_CORS_ORIGINS: "",
              },
            },
          }),
        ],
        test: {
          name: "workers",
          // A second workerd would be sent all modules in one message, which may not hold so many: one worker runs all files,
          // when no other worker is left that could take one. Tests share no ids.
          isolate: false,
          // A line that an object logs after the last test is sent to Vitest with the runner's next message. There is none,
          // and the runner would wait for its answer forever. Workerd prints the lines itself.
          disableConsoleIntercept: true,
          include: ["test/workers/**/*.test.ts"],
          setupFiles: ["./test/setup-workers.ts"],
          maxWorkers: 1,
          testTimeout: 30_000,
          hookTimeout: 30_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", "test/faults/**/*.test.ts"],
          // As in the Node project.
          isolate: false,
          experimental: NATIVE,
          globalSetup: ["./test/support/server/shared-server.ts"],
          // The longest tests check twenty screens in a browser: a minute on a busy machine.
          testTimeout: 180_000,
          // Conditions are awaited as long as Playwright waits for elements: the default is one second.
          expect: { poll: { timeout: 30_000 } },
          hookTimeout: 120_000,
          maxWorkers: WORKERS,
          // Beside the Node project: while a file waits for a server or a timer, another computes.
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
}))
