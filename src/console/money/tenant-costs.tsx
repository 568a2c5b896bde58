// The page "Costs".
export const TenantCosts = () => <h1>Costs</h1>
