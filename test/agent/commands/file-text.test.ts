// The scripts in the files of commands and skills, as the official SDK was recorded to find them.
import { expect, it } from "vitest"
import { splitScripts } from "../../../src/agent/commands/file-text.ts"

it.each<[body: string, texts: ReadonlyArray<string>, scripts: ReadonlyArray<string>]>([
  ["a !`echo 1` b !`echo 2` c", ["a ", " b ", " c"], ["echo 1", "echo 2"]],
  ["!`echo 1`", ["", ""], ["echo 1"]],
  ["a!`echo 1` `!echo 2`", ["a!`echo 1` `!echo 2`"], []],
  ["a !`echo 1\necho 2` b", ["a ", " b"], ["echo 1\necho 2"]],
  ["a\n```!\necho 1\necho 2\n```\nb", ["a\n", "\nb"], ["echo 1\necho 2"]],
  ["a\n  ```!\necho 1\n  ```\nb", ["a\n  ", "\nb"], ["echo 1"]],
  ["```! echo 1\necho 2\n```", ["", ""], ["echo 1\necho 2"]],
  ["```!\necho `date` !`x`\n```", ["", ""], ["echo `date` !`x`"]],
  ["```!\n```", ["```!\n```"], []],
  ["a ```!\necho", ["a ```!\necho"], []],
  ["a !` b", ["a !` b"], []],
])("%j has the texts %j and the scripts %j", (body, texts, scripts) => {
  expect(splitScripts(body)).toEqual({ texts, scripts })
})
