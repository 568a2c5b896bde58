// Receives lines and the commands of a sed script; executes the commands.
// Invariant: work is counted, so an endless script is stopped.
import type { RE2JS } from "re2js"
import { searchOf, type SpendReads } from "../../syntax/search.ts"
import { UsageError } from "../program.ts"
import type { Address, Pattern, SedCommand } from "./sed-script.ts"
import { filled, listed, type Output } from "./sed-text.ts"

/** The most work of a run: a unit for each command, and for each 64 characters that a pattern reads. */
const MAX_WORK = 4_000_000
const CHARACTERS_PER_WORK = 64

export interface Line {
  readonly text: string
  /** False for the last line of a file without a newline at its end. */
  readonly ended: boolean
  /** The name of its file. */
  readonly file: string
}

export interface Running {
  readonly lines: ReadonlyArray<Line>
  readonly commands: ReadonlyArray<SedCommand>
  readonly quiet: boolean
  /** The character at the end of a line. */
  readonly end: string
  /** The contents of the files that `r` and `R` read, by name. */
  readonly given: ReadonlyMap<string, string>
  /** The outputs that `w` writes, by name. */
  readonly files: ReadonlyMap<string, Output>
  readonly out: Output
  readonly spend: SpendReads
}

/** One run of a script on a list of lines. */
export class SedRun {
  exitCode = 0
  quit = false
  readonly #running: Running
  /** The pattern space, and the hold space. */
  #space = ""
  #hold = ""
  /** The number of the current line; 0 before the first one. */
  #line = 0
  /** True if `s` has replaced something since the line was read, or since the last `t`. */
  #made = false
  #work = 0
  /** What `a`, `r` and `R` print after the line. */
  #appended: Array<readonly [text: string, end: string]> = []
  /** The pattern that was used last, which an empty pattern means. */
  #last: RE2JS | null = null
  /** By command with a range: the line at which the range ends, 0 if a pattern ends it, -1 outside of the range. */
  readonly #ranges = new Map<SedCommand, number>()
  /** How many lines `R` has read of each file. */
  readonly #read = new Map<string, number>()

  constructor(running: Running) {
    this.#running = running
  }

  run(): void {
    let again = false
    while (!this.quit && (again || this.#next())) again = this.#cycle()
    this.#flush()
  }

  /** How many lines have been read. */
  get line(): number {
    return this.#line
  }

  get #end(): string {
    return this.#running.lines[this.#line - 1]?.ended === false ? "" : this.#running.end
  }

  #next(): boolean {
    const line = this.#running.lines[this.#line]
    if (line === undefined) return false
    this.#flush()
    this.#line += 1
    this.#space = line.text
    this.#made = false
    return true
  }

  #print(): void {
    this.#running.out.write(this.#space, this.#end)
  }

  #flush(): void {
    for (const [text, end] of this.#appended) this.#running.out.write(text, end)
    this.#appended = []
  }

  #count(units: number): void {
    this.#work += units
    if (this.#work > MAX_WORK)
      throw new UsageError("the script exceeded the maximum iterations (is there an endless loop?)")
  }

  #patternOf(pattern: Pattern): RE2JS {
    this.#count(this.#space.length / CHARACTERS_PER_WORK)
    const used = pattern ?? this.#last
    if (used === null) throw new UsageError("no previous regular expression")
    this.#last = used
    return used
  }

  #fits(address: Address): boolean {
    switch (address.kind) {
      case "line":
        return this.#line === address.line
      case "step":
        return address.step === 0
          ? this.#line === address.first
          : this.#line >= address.first && (this.#line - address.first) % address.step === 0
      case "last":
        return this.#line === this.#running.lines.length
      case "match":
        return this.#patternOf(address.pattern).matcher(this.#space).find()
      default:
        return false
    }
  }

  /** The line at which a range that starts here ends; 0 if the end is not given as a line number. */
  #endOf(to: Address): number {
    if (to.kind === "line") return Math.max(to.line, this.#line)
    if (to.kind === "more") return this.#line + to.lines
    if (to.kind === "multiple") return to.of < 1 ? this.#line : Math.ceil(this.#line / to.of) * to.of
    return 0
  }

  #selects(command: SedCommand): boolean {
    const { from, to } = command
    if (from === undefined) return true
    if (to === undefined) return this.#fits(from)
    const fromZero = from.kind === "line" && from.line === 0
    const open = this.#ranges.get(command) ?? (fromZero && this.#line === 1 ? 0 : -1)
    if (open === -1) {
      if (!this.#fits(from)) return false
      const end = this.#endOf(to)
      if (to.kind === "last" ? !this.#fits(to) : end === 0 || end > this.#line) this.#ranges.set(command, end)
      return true
    }
    const over = open > 0 ? this.#line >= open : this.#fits(to)
    this.#ranges.set(command, over ? -1 : open)
    // Another command, such as `n`, has read past the last line of the range.
    if (open > 0 && this.#line > open) return this.#fits(from)
    return true
  }

  /** Runs the script on the pattern space. Returns true if it must run again without reading another line. */
  #cycle(): boolean {
    const { commands, quiet } = this.#running
    for (let at = 0; at < commands.length; at += 1) {
      const command = commands[at]
      if (command === undefined) break
      this.#count(1)
      if (this.#selects(command) === command.not) {
        if (command.name === "{") at = command.end - 1
        continue
      }
      const then = this.#execute(command)
      if (then === "end") break
      if (then === "delete") return false
      if (then === "again") return true
      if (typeof then === "number") at = then
    }
    if (!quiet) this.#print()
    return false
  }

  #target(label: string): number | "end" {
    if (label === "") return "end"
    const at = this.#running.commands.findIndex(({ name, text }) => name === ":" && text === label)
    if (at === -1) throw new UsageError(`-e expression #1: can't find label for jump to \`${label}'`)
    return at
  }

  /** Runs a command; returns where the script continues: at a command, at its end, with the next line, or null for the next command. */
  #execute(command: SedCommand): number | "end" | "delete" | "again" | null {
    const { end, quiet } = this.#running
    switch (command.name) {
      case "d":
        return "delete"
      case "D": {
        const cut = this.#space.indexOf("\n")
        if (cut === -1) return "delete"
        this.#space = this.#space.slice(cut + 1)
        this.#flush()
        return "again"
      }
      case "n":
        if (this.#line === this.#running.lines.length) return this.#stop("end")
        if (!quiet) this.#print()
        this.#next()
        return null
      case "N": {
        const before = this.#space
        if (!this.#next()) return this.#stop("end")
        this.#space = `${before}${end}${this.#space}`
        this.#count(before.length / CHARACTERS_PER_WORK / CHARACTERS_PER_WORK)
        return null
      }
      case "q":
      case "Q":
        this.exitCode = command.code
        return this.#stop(command.name === "q" ? "end" : "delete")
      case "c":
        if (
          command.to === undefined ||
          command.not ||
          this.#ranges.get(command) === undefined ||
          this.#ranges.get(command) === -1
        )
          this.#running.out.write(command.text, "\n")
        return "delete"
      case "b":
        return this.#target(command.text)
      case "t":
      case "T": {
        const jumps = this.#made === (command.name === "t")
        this.#made = false
        return jumps ? this.#target(command.text) : null
      }
      default:
        this.#edit(command)
        this.#write(command)
        return null
    }
  }

  /** The commands that change the pattern space or the hold space. */
  #edit(command: SedCommand): void {
    const { end } = this.#running
    switch (command.name) {
      case "s":
        return this.#substitute(command)
      case "y": {
        const to = Array.from(command.second)
        const from = Array.from(command.text)
        this.#space = Array.from(this.#space, (letter) => to[from.indexOf(letter)] ?? letter).join("")
        return
      }
      case "g":
        this.#space = this.#hold
        return
      case "G":
        this.#space += end + this.#hold
        return
      case "h":
        this.#hold = this.#space
        return
      case "H":
        this.#hold += end + this.#space
        return
      case "x":
        ;[this.#space, this.#hold] = [this.#hold, this.#space]
        return
      case "z":
        this.#space = ""
        return
    }
  }

  /** The commands that print, append text to the output of the line, or write files. */
  #write(command: SedCommand): void {
    const { out, end, files, given } = this.#running
    const cut = this.#space.indexOf("\n")
    const firstLine = cut === -1 ? this.#space : this.#space.slice(0, cut)
    switch (command.name) {
      case "p":
        return this.#print()
      case "P":
        return out.write(firstLine, cut === -1 ? this.#end : end)
      case "=":
        return out.write(String(this.#line), "\n")
      case "l":
        return out.write(listed(this.#space, command.code === 0 ? 70 : command.code), "\n")
      case "F":
        return out.write(this.#running.lines[this.#line - 1]?.file ?? "-", "\n")
      case "i":
        return out.write(command.text, "\n")
      case "a":
        this.#appended.push([command.text, command.text === "" ? "" : "\n"])
        return
      case "r": {
        const text = given.get(command.text) ?? ""
        if (text !== "") this.#appended.push([text, ""])
        return
      }
      case "R": {
        const lines = (given.get(command.text) ?? "").replace(/\n$/, "").split("\n")
        const at = this.#read.get(command.text) ?? 0
        const line = lines[at]
        if (given.has(command.text) && line !== undefined) this.#appended.push([line, "\n"])
        this.#read.set(command.text, at + 1)
        return
      }
      case "w":
        files.get(command.text)?.write(this.#space, end)
        return
      case "W":
        files.get(command.text)?.write(firstLine, end)
        return
    }
  }

  #stop(then: "end" | "delete"): "end" | "delete" {
    this.quit = true
    return then
  }

  #substitute({ pattern, parts, flags }: SedCommand): void {
    const space = this.#space
    const matcher = searchOf(this.#patternOf(pattern), space, this.#running.spend)
    let [result, copied, found, last] = ["", 0, 0, -1]
    for (let from = 0; from <= space.length && matcher.find(from);) {
      const [start, stop] = [matcher.start(), matcher.end()]
      from = stop > start ? stop : stop + 1
      // An empty match directly after a match does not count.
      if (stop === start && start === last) continue
      last = stop
      found += 1
      if (found < flags.nth) continue
      const replacement = filled(parts, (group) => matcher.group(group) ?? "")
      result += space.slice(copied, start) + replacement
      this.#count(1)
      copied = stop
      if (!flags.all) break
    }
    if (found < flags.nth) return
    this.#made = true
    this.#space = result + space.slice(copied)
    if (flags.print) this.#print()
    if (flags.file !== "") this.#running.files.get(flags.file)?.write(this.#space, this.#running.end)
  }
}
