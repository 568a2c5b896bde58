// The page "Tenants".
export const Tenants = () => <h1>Tenants</h1>
