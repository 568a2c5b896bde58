// The page "New session".
export const NewSession = () => <h1>New session</h1>
