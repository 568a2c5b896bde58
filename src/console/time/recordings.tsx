// The page "Recordings".
export const Recordings = () => <h1>Recordings</h1>
