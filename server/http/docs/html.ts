/** HTML as values: what is put into a template is escaped unless it is HTML itself. */

export interface Html {
  readonly html: string
}

type Piece = string | number | Html | readonly Html[]

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

function written(piece: Piece): string {
  if (typeof piece === 'string' || typeof piece === 'number') return escaped(String(piece))
  return 'html' in piece ? piece.html : piece.map(({ html }) => html).join('')
}

export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: texts.reduce((all, text, index) => all + written(pieces[index - 1] ?? '') + text) }
}

/** A line of prose with `code`, **strong** and *stressed* words, as Markdown has them. */
export function prose(text: string): Html {
  const marked = escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>')
  return { html: marked }
}

/** A table that scrolls by itself where it is wider than the page, by keyboard too. The first cell of a row is its head. */
export function table(label: string, head: readonly string[], rows: readonly (readonly (string | Html)[])[]): Html {
  const cell = (content: string | Html) => (typeof content === 'string' ? prose(content) : content)
  const row = ([first = '', ...more]: readonly (string | Html)[]) =>
    html`<tr><th scope="row">${cell(first)}</th>${more.map((one) => html`<td>${cell(one)}</td>`)}</tr>\n`
  return html`<div class="wide" role="group" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((title) => (title === '' ? html`<td></td>` : html`<th scope="col">${title}</th>`))}</tr></thead>
<tbody>
${rows.map(row)}</tbody></table></div>`
}

/** Text as it is typed. A group and no landmark, like a table: there are too many of them. */
export const listing = (label: string, text: string): Html =>
  html`<pre role="group" aria-label="${label}" tabindex="0"><code>${text}</code></pre>`
