// A ref for an element that must be seen when it appears, although what caused it may be far below on the page.

export const intoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: "nearest" })
