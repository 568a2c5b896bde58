// File names that are difficult in URLs, lines, shells, archives, diffs and rules.

export const FILE_NAMES: ReadonlyArray<readonly [what: string, name: string]> = [
  ["a newline", "new\nline.txt"],
  ["a newline at its end", "end\n"],
  ["a carriage return", "carriage\r\nreturn"],
  ["a tab", "tab\there"],
  ["an escape sequence", "\u001b[2Jcleared"],
  ["a line separator", "line\u2028separator"],
  ["a next line", "next\u0085line"],
  ["an encoded slash", "a%2Fb"],
  ["an encoded slash in small letters", "a%2fb"],
  ["an encoded percent", "a%252Fb"],
  ["a percent sign", "100%"],
  ["a broken escape", "a%zz%"],
  ["an encoded newline, literally", "a%0Ab"],
  ["a question mark", "what?.txt"],
  ["a number sign", "a#b"],
  ["an ampersand and plus", "a&b=c+d"],
  ["spaces", " a  b "],
  ["quotes", `it's "quoted"`],
  ["a backslash", "a\\b\\n"],
  ["three dots", "..."],
  ["two dots and more", "..more.txt"],
  ["a leading dash", "-rf"],
  ["composed", "caf\u00e9"],
  ["decomposed", "cafe\u0301"],
  ["an emoji", "\u{1f469}\u200d\u{1f680}.md"],
  ["a trailing dot", "dot."],
  ["a trailing space", "space "],
  ["glob characters", "[a]*{b,c}?"],
  ["a dollar and backticks", "$HOME`id`"],
  ["255 bytes", "n".repeat(255)],
  ["255 bytes in 85 characters", "\u8a9e".repeat(85)],
]

/** Invalid file names, and why. */
export const REFUSED_NAMES: ReadonlyArray<readonly [what: string, name: string]> = [
  ["a NUL", "a\0b"],
  ["half a character", "a\ud800b"],
  ["256 bytes", "n".repeat(256)],
  ["256 bytes in 86 characters", `${"\u8a9e".repeat(85)}n`],
]
