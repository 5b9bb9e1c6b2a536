/** Math and footnotes for Markdown. A dollar sign before a figure is money, not math. */
import type { MarkedExtension, Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'

const span = (math: 'inline' | 'block', text: string) => `<span data-math="${math}">${escapeHtml(text)}</span>`

/** `$…$` needs no space inside and no digit behind, `\(…\)` and `\[…\]` are always math. */
const inline = /^(?:\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<![\s\\])\$(?!\d)|\\\((.+?)\\\)|\\\[([\s\S]+?)\\\])/
const block = /^(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\])(?:\n|$)/

/** Extensions for `marked`. */
export const markdownExtensions: MarkedExtension = {
  extensions: [
    {
      name: 'mathBlock',
      level: 'block',
      start: (source) => source.match(/\$\$|\\\[/)?.index,
      tokenizer(source) {
        const match = block.exec(source)
        return match ? { type: 'mathBlock', raw: match[0], text: (match[1] ?? match[2] ?? '').trim() } : undefined
      },
      renderer: (token) => `<p>${span('block', String(token.text))}</p>`,
    },
    {
      name: 'mathInline',
      level: 'inline',
      start: (source) => source.match(/\$|\\[([]/)?.index,
      tokenizer(source) {
        const match = inline.exec(source)
        const text = match?.[1] ?? match?.[2] ?? match?.[3]
        return match && text !== undefined ? { type: 'mathInline', raw: match[0], text: text.trim() } : undefined
      },
      renderer: (token) => span('inline', String(token.text)),
    },
    {
      name: 'footnote',
      level: 'block',
      start: (source) => source.match(/^\[\^/m)?.index,
      tokenizer(source) {
        const match = /^\[\^([^\]\s]{1,40})\]:[ \t]+([^\n]+(?:\n(?!\[\^|\n)[^\n]+)*)(?:\n|$)/.exec(source)
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
