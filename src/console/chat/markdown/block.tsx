// Receives a block of Markdown from marked's lexer; renders it. The levels of headings start below those of the page.
// Invariant: a block, an item of a list or a row of a table is rendered again only when it is another object or has become complete.
import type { MarkedToken, Token, Tokens } from "marked"
import { Component, type ComponentChildren } from "preact"
import { CodeBlock } from "./code-block.tsx"
import { Checkbox, inline } from "./inline.tsx"

interface BlockProps {
  readonly block: Token
  /** True when no more text will be appended to it. */
  readonly isComplete: boolean
}

export class Block extends Component<BlockProps> {
  override shouldComponentUpdate(next: BlockProps): boolean {
    return next.block !== this.props.block || next.isComplete !== this.props.isComplete
  }

  override render({ block, isComplete }: BlockProps): ComponentChildren {
    return show(block, isComplete, 0)
  }
}

/** Lists in lists and quotes in quotes beyond this depth are shown as their source. */
const MAX_DEPTH = 30
const HEADINGS = ["h3", "h4", "h5", "h6"] as const

const showAll = (tokens: ReadonlyArray<Token> | undefined, isComplete: boolean, depth: number): ComponentChildren =>
  tokens?.map((token) => show(token, isComplete, depth + 1))

const show = (given: Token, isComplete: boolean, depth: number): ComponentChildren => {
  if (depth > MAX_DEPTH) return <pre>{given.raw}</pre>
  // Only extensions of the lexer produce other types of tokens, and it has none.
  const token = given as MarkedToken
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "heading": {
      const Heading = HEADINGS[token.depth - 1] ?? "h6"
      return <Heading>{inline(token.tokens)}</Heading>
    }
    case "paragraph":
      return <p>{inline(token.tokens)}</p>
    case "text":
      return token.tokens === undefined ? token.text : inline(token.tokens)
    case "code":
      return <CodeBlock code={token.text} language={token.lang ?? ""} isComplete={isComplete} />
    case "blockquote":
      return <blockquote dir="auto">{showAll(token.tokens, isComplete, depth)}</blockquote>
    case "hr":
      return <hr />
    case "list":
      return <List list={token} isComplete={isComplete} depth={depth} />
    case "table":
      return <Table table={token} />
    case "html":
      return <p class="source">{token.raw}</p>
    default:
      return inline([token])
  }
}

interface ListProps {
  readonly list: Tokens.List
  readonly isComplete: boolean
  readonly depth: number
}

const List = ({ list, isComplete, depth }: ListProps) => {
  const last = list.items.length - 1
  const items = list.items.map((item, index) => (
    <Item key={index} item={item} isComplete={isComplete || index < last} depth={depth} />
  ))
  // With dir="auto", the list's markers are on the side where its text starts.
  return list.ordered ? (
    <ol dir="auto" start={list.start === "" ? 1 : list.start}>
      {items}
    </ol>
  ) : (
    <ul dir="auto">{items}</ul>
  )
}

interface ItemProps {
  readonly item: Tokens.ListItem
  readonly isComplete: boolean
  readonly depth: number
}

class Item extends Component<ItemProps> {
  override shouldComponentUpdate(next: ItemProps): boolean {
    return next.item !== this.props.item || next.isComplete !== this.props.isComplete
  }

  override render({ item, isComplete, depth }: ItemProps): ComponentChildren {
    const isMarked = item.tokens.some(({ type }) => type === "checkbox") || hasCheckbox(item)
    return (
      <li class={item.task ? "task" : undefined}>
        {item.task && !isMarked ? <Checkbox isChecked={item.checked === true} /> : null}
        {showAll(item.tokens, isComplete, depth)}
      </li>
    )
  }
}

/** In a loose list, the checkbox of an item is inside its first paragraph. */
const hasCheckbox = ({ tokens }: Tokens.ListItem): boolean => {
  const [first] = tokens
  return first !== undefined && "tokens" in first && (first.tokens ?? []).some(({ type }) => type === "checkbox")
}

// With dir="auto", the first column is on the side where its text starts.
const Table = ({ table }: { readonly table: Tokens.Table }) => (
  <div class="table" dir="auto" role="group" aria-label="Table" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {table.header.map((cell, index) =>
            // A cell without a text is no heading.
            cell.text === "" ? (
              <td key={index} />
            ) : (
              <th key={index} scope="col" class={alignment(cell.align)}>
                {inline(cell.tokens)}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </tbody>
    </table>
  </div>
)

interface RowProps {
  readonly row: ReadonlyArray<Tokens.TableCell>
}

class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return next.row !== this.props.row
  }

  override render({ row }: RowProps): ComponentChildren {
    return (
      <tr>
        {row.map((cell, column) => (
          <td key={column} class={alignment(cell.align)}>
            {inline(cell.tokens)}
          </td>
        ))}
      </tr>
    )
  }
}

const alignment = (align: Tokens.TableCell["align"]): string | undefined =>
  align === null ? undefined : `align-${align}`
