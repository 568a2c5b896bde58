import { expect, it } from "vitest"
import { pageTitle } from "../../../src/console/app/page-title.ts"

it("names the page, and begins with the number of pending asks", () => {
  expect(pageTitle("Fix the build")).toBe("Fix the build · Perch")
  expect(pageTitle("Fix the build", 2)).toBe("(2) Fix the build · Perch")
})
