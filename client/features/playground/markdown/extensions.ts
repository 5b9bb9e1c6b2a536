/** Math and footnotes for Markdown. A dollar sign before a figure is money, not math. */
import { type MarkedExtension, Tokenizer, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'

const span = (math: 'inline' | 'block', text: string) => `<span data-math="${math}">${escapeHtml(text)}</span>`

/**
 * Maximum length of a formula in characters. A model may write thousands of unclosed ones: without a bound each of them would
 * be searched to the end of the text.
 */
const longestInline = 1_000
const longestBlock = 8_000

/** `$…$` must have no space just inside and no digit after it. */
const dollars = /^\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<![\s\\])\$(?!\d)/

/** The text between `opens`, at the beginning, and the first `closes` after it. */
function between(source: string, opens: string, closes: string, longest: number): { raw: string; text: string } | undefined {
  if (!source.startsWith(opens)) return undefined
  const near = source.slice(0, longest)
  const end = near.indexOf(closes, opens.length + 1)
  return end < 0 ? undefined : { raw: near.slice(0, end + closes.length), text: near.slice(opens.length, end).trim() }
}

function inlineMath(source: string): { raw: string; text: string } | undefined {
  const money = source.startsWith('$') ? dollars.exec(source.slice(0, longestInline)) : null
  if (money?.[1] !== undefined) return { raw: money[0], text: money[1].trim() }
  // Text between `\(` and `\)` or `\[` and `\]` is always math.
  const round = between(source, '\\(', '\\)', longestInline)
  return round && !round.text.includes('\n') ? round : between(source, '\\[', '\\]', longestInline)
}

function blockMath(source: string): { raw: string; text: string } | undefined {
  const found = between(source, '$$', '$$', longestBlock) ?? between(source, '\\[', '\\]', longestBlock)
  const after = found && source[found.raw.length]
  if (!found || (after !== undefined && after !== '\n')) return undefined
  return after === '\n' ? { ...found, raw: `${found.raw}\n` } : found
}

/** Maximum number of unclosed marks to skip: a text with thousands of them has no formulas. */
const mostTries = 64

/** Where the first formula begins; undefined if there is none, or too many marks come before it. */
function startOf(source: string, marks: RegExp, longest: number, read: (source: string) => unknown): number | undefined {
  marks.lastIndex = 0
  for (let tries = 0; tries < mostTries; tries++) {
    const at = marks.exec(source)?.index
    if (at === undefined) return undefined
    if (read(source.slice(at, at + longest + 1))) return at
    marks.lastIndex = at + 1
  }
  return undefined
}

const note = /^\[\^([^\]\s]{1,40})\]:[ \t]+([^\n]+(?:\n(?!\[\^|\n)[^\n]+)*)(?:\n|$)/

/**
 * Maximum length of emphasis in characters. Otherwise the end of each opening mark would be searched to the end of the text, and a text
 * may have thousands of unclosed ones.
 */
const longestEmphasis = 2_000

/**
 * Maximum nesting of quotes and lists; anything deeper is text. Each level reads the rest of its text again, and a text may consist of
 * nothing but their marks.
 */
const mostNested = 32
/** The current nesting level; the parser is synchronous. */
let nested = 0

function withNesting<Found>(read: () => Found): Found | undefined {
  if (nested === mostNested) return undefined
  nested += 1
  try {
    return read()
  } finally {
    nested -= 1
  }
}

/** Extensions for `marked`. */
export const markdownExtensions: MarkedExtension = {
  tokenizer: {
    blockquote(source) {
      return withNesting(() => Tokenizer.prototype.blockquote.call(this, source))
    },
    list(source) {
      return withNesting(() => Tokenizer.prototype.list.call(this, source))
    },
    emStrong(source, masked, before) {
      const near = masked.slice(masked.length - source.length).slice(0, longestEmphasis)
      return Tokenizer.prototype.emStrong.call(this, source.slice(0, longestEmphasis), near, before)
    },
  },
  extensions: [
    {
      name: 'mathBlock',
      level: 'block',
      start: (source) => startOf(source, /\$\$|\\\[/g, longestBlock, blockMath),
      tokenizer(source) {
        const found = blockMath(source)
        return found && { type: 'mathBlock', ...found }
      },
      renderer: (token) => `<p>${span('block', String(token.text))}</p>`,
    },
    {
      name: 'mathInline',
      level: 'inline',
      start: (source) => startOf(source, /\$|\\[([]/g, longestInline, inlineMath),
      tokenizer(source) {
        const found = inlineMath(source)
        return found && { type: 'mathInline', ...found }
      },
      renderer: (token) => span('inline', String(token.text)),
    },
    {
      name: 'footnote',
      level: 'block',
      start: (source) => source.match(/^\[\^/m)?.index,
      tokenizer(source) {
        const match = source.startsWith('[^') ? note.exec(source) : null
        if (!match?.[2]) return undefined
        return { type: 'footnote', raw: match[0], label: match[1], tokens: this.lexer.inlineTokens(match[2]) }
      },
      renderer(token) {
        return `<p class="footnote"><sup>${escapeHtml(String(token.label))}</sup> ${this.parser.parseInline((token as Tokens.Generic).tokens ?? [])}</p>`
      },
    },
    {
      name: 'footnoteMark',
      level: 'inline',
      start: (source) => source.indexOf('[^'),
      tokenizer(source) {
        const match = /^\[\^([^\]\s]{1,40})\](?!:)/.exec(source)
        return match ? { type: 'footnoteMark', raw: match[0], label: match[1] } : undefined
      },
      renderer: (token) => `<sup>${escapeHtml(String(token.label))}</sup>`,
    },
  ],
}
