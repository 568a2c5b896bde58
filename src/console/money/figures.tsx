// Figures of costs with their names, in a row.

export const Figures = ({ figures }: { readonly figures: ReadonlyArray<readonly [name: string, value: string]> }) => (
  <dl class="figures">
    {figures.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
