// Rows of the route table: the router's configuration that a tenant stores for its sessions.
import { CreateRouter, PutRouter, Router, RouterName } from "../../../schemas/api/routers.ts"
import { definitionRows } from "./definition-rows.ts"

export const routerRows = definitionRows({
  id: "Router",
  noun: "router",
  path: "routers",
  tag: "agents",
  name: RouterName,
  create: CreateRouter,
  put: PutRouter,
  shown: Router,
  about:
    "`default` applies to routed prompts where neither they nor their session set a field of `options.claudeCode`.",
  example: { name: "default", complexityThreshold: 0.7, forceMinimalLabels: ["docs"] },
})
