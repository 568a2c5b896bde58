// The server's count of the model's context window, with the fields that the console reads.

export interface Counted {
  readonly name: string
  readonly tokens: number
}

export interface ContextUse {
  readonly model: string
  readonly totalTokens: number
  readonly rawMaxTokens: number
  readonly percentage: number
  readonly autoCompactThreshold?: number
  readonly categories: ReadonlyArray<Counted & { readonly kind: "used" | "free" | "buffer" | "deferred" }>
  readonly mcpTools?: ReadonlyArray<Counted & { readonly serverName?: string }>
  readonly systemTools?: ReadonlyArray<Counted>
  readonly memoryFiles?: ReadonlyArray<{ readonly path: string; readonly tokens: number }>
  readonly agents?: ReadonlyArray<{ readonly agentType: string; readonly tokens: number }>
  readonly skills?: { readonly skillFrontmatter?: ReadonlyArray<Counted> } | ReadonlyArray<Counted>
}
