/** HTML templates: inserted values are escaped unless they are HTML themselves. */

/** Text that is HTML already and must not be escaped again. */
export interface Html {
  readonly html: string
}

/** A part of the reference. */
export interface Section {
  id: string
  title: string
  content: Html
  /** Subsections in the table of contents. */
  deep?: readonly { id: string; title: string }[]
}

type Piece = string | number | Html | readonly Html[]

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

function written(piece: Piece): string {
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece))
  return 'html' in piece ? piece.html : piece.map(({ html }) => html).join('')
}

/** A template of HTML: strings and numbers are escaped, `Html` values are inserted as they are. */
export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: texts.reduce((all, text, index) => all + written(pieces[index - 1] ?? '') + text) }
}

/** Placeholder for code while the rest is processed; no text contains it. */
const held = '\uE000'

/** A line of Markdown with `code`, **strong** and *emphasis*, and nothing else. Nothing inside code is processed. */
export function prose(text: string): Html {
  const code: string[] = []
  const marked = escaped(text)
    .replace(/`([^`]+)`/g, (_, inside: string) => `${held}${code.push(inside) - 1}${held}`)
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
    .replace(/\uE000(\d+)\uE000/g, (_, at: string) => `<code>${code[Number(at)]}</code>`)
  return { html: marked }
}

/**
 * A table that scrolls on its own when it is wider than the page, also by keyboard. The first cell of a row is its header. `anchorOf`: the
 * anchor of a row by its number, where it has one.
 */
export function table(
  label: string,
  head: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
  anchorOf: (row: number) => string | undefined = () => undefined,
): Html {
  const cell = (content: string | Html) => (typeof content === 'string' ? prose(content) : content)
  const open = (anchor: string | undefined) => (anchor === undefined ? html`<tr>` : html`<tr id="${anchor}">`)
  const row = ([first = '', ...more]: readonly (string | Html)[], number: number) =>
    html`${open(anchorOf(number))}<th scope="row">${cell(first)}</th>${more.map((one) => html`<td>${cell(one)}</td>`)}</tr>\n`
  return html`<div class="wide" role="group" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((title) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}</th>`))}</tr></thead>
<tbody>
${rows.map(row)}</tbody></table></div>`
}

/** A code listing. Like tables, a group rather than a landmark, because there are too many of them. */
export const listing = (label: string, text: string): Html =>
  html`<pre role="group" aria-label="${label}" tabindex="0"><code>${text}</code></pre>`
