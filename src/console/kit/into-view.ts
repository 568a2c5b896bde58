// A Preact ref that scrolls its element into view when it appears, such as a new key above a long list whose end is shown.

export const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" })
