/** A model's markdown as HTML: unsafe until sanitised. Also runs in a worker. */
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { markdownExtensions } from './extensions.ts'

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    // Text, not checkboxes: nothing in a reply is interactive.
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
    // Headings of a reply start below the page's own.
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(depth + 2, 6)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
    },
  },
})
marked.use(markdownExtensions)

/** Undefined if it nests deeper than the parser can handle. */
export function htmlOf(source: string): string | undefined {
  try {
    return marked.parse(source) as string
  } catch {
    return undefined
  }
}
