/**
 * Cuts Markdown into top-level blocks while it streams. A complete block never changes again, so only the open tail is
 * rendered in each frame. Every line is read once. Cuts are at blank lines outside of fences, display math and lists. A tail
 * over the limit is cut early; `splitBlocks`, without early cuts, gives the final blocks.
 */
/** A tail longer than this is cut at a line end or a space, so that one frame never renders more. */
const maxTail = 4_096

/** Blocks of a growing text. */
export interface BlockStream {
  /** Takes the whole text so far; it may only have grown since the last call. */
  push(text: string): void
  /** Complete blocks, in order; the list only grows. */
  done: readonly string[]
  /** What is still open. */
  tail(): string
}

interface Fence {
  mark: string
  indent: number
}

/** A stream of blocks; with `limit` Infinity nothing is cut early. */
export function createBlockStream(limit: number = maxTail): BlockStream {
  const done: string[] = []
  let text = ''
  let start = 0
  let scanned = 0
  let fence: Fence | null = null
  let math = false
  let list = false
  let blank = false

  const cut = (end: number) => {
    const block = text.slice(start, end).replace(/^(?:[ \t]*\n)+|\s+$/g, '')
    if (block !== '') done.push(block)
    start = end
    list = false
    blank = false
  }

  const takeLine = (line: string, from: number) => {
    if (fence) {
      if (closes(line, fence)) {
        fence = null
        if (!list) cut(from + line.length + 1)
      }
      return
    }
    if (math) {
      if (line.trimEnd().endsWith('$$') || line.trimEnd().endsWith('\\]')) math = false
      return
    }
    if (line.trim() === '') {
      blank = true
      return
    }
    if (blank && !(list && goesOn(line))) cut(from)
    blank = false
    const opened = opens(line)
    if (opened) {
      if (!list && from > start) cut(from)
      fence = opened
      return
    }
    if (isItem(line)) list = true
    math = /^\s*(\$\$|\\\[)/.test(line) && !/^\s*(\$\$.+\$\$|\\\[.+\\\])\s*$/.test(line)
  }

  return {
    done,
    push(whole) {
      text = whole
      for (let end = text.indexOf('\n', scanned); end !== -1; end = text.indexOf('\n', scanned)) {
        const from = scanned
        scanned = end + 1
        takeLine(text.slice(from, end), from)
      }
      // The start of the current line already shows that the block before the blank line is complete.
      const open = text.slice(scanned, scanned + 12)
      if (blank && !fence && open.trim() !== '' && (!list || (open.trim().length > 4 && !goesOn(open)))) cut(scanned)
      // An open fence is rendered by appending, so its length costs nothing.
      while (!fence && text.length - start > limit) {
        const at = Math.max(text.lastIndexOf('\n', start + limit), text.lastIndexOf(' ', start + limit))
        cut(at > start ? at + 1 : start + limit)
        scanned = Math.max(scanned, start)
      }
    },
    tail: () => text.slice(start).replace(/^(?:[ \t]*\n)+/, ''),
  }
}

/** The final blocks of a whole text. */
export function splitBlocks(text: string): string[] {
  const stream = createBlockStream(Number.POSITIVE_INFINITY)
  stream.push(text.endsWith('\n') ? text : `${text}\n`)
  const tail = stream.tail().trimEnd()
  return tail === '' ? [...stream.done] : [...stream.done, tail]
}

/** Link and footnote definitions anywhere in a text, to be read with every block. */
export function definitionsOf(text: string): string {
  return (text.match(/^ {0,3}\[(?!\^)[^\]\n]+\]:\s*\S.*$/gm) ?? []).join('\n')
}

/** A fenced code block. */
export interface FencedCode {
  language: string
  code: string
  closed: boolean
}

/** A block that is one fenced code block, taken apart; undefined for any other block. */
export function asCode(block: string): FencedCode | undefined {
  const opened = opens(block.split('\n', 1)[0] ?? '')
  if (!opened) return undefined
  const lines = block.split('\n')
  const info = (lines[0] ?? '').trim().slice(opened.mark.length).trim()
  const closed = lines.length > 1 && closes(lines.at(-1) ?? '', opened)
  const code = lines.slice(1, closed ? -1 : undefined).map((line) => dedent(line, opened.indent))
  return { language: info.split(/[\s{]/, 1)[0] ?? '', code: code.join('\n'), closed }
}

/** Whether a line after a blank one still belongs to the list before it. */
const goesOn = (line: string): boolean => /^\s{2,}|^\t/.test(line) || isItem(line)

const isItem = (line: string): boolean => /^\s{0,3}([-*+]|\d{1,9}[.)])(\s|$)/.test(line)

function opens(line: string): Fence | null {
  const match = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/.exec(line)
  if (!match?.[2] || (match[2].startsWith('`') && match[3]?.includes('`'))) return null
  return { mark: match[2], indent: match[1]?.length ?? 0 }
}

function closes(line: string, fence: Fence): boolean {
  const text = line.trim()
  return text.length >= fence.mark.length && text === (fence.mark[0] ?? '').repeat(text.length)
}

const dedent = (line: string, indent: number): string => (indent === 0 ? line : line.replace(new RegExp(`^ {0,${indent}}`), ''))
