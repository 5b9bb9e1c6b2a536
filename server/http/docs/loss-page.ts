/** docs/losses.md as a part of the reference: what conversions change or drop. */
import { type Html, html, prose, type Section, table } from './html.ts'
import { type LossChapter, type LossTable, readLosses } from './losses.ts'
import type { Say } from './say.ts'

/** What conversions change or drop; nothing where docs/losses.md is not installed. */
export function losses(markdown: string | undefined, say: Say): Section[] {
  if (markdown === undefined) return []
  const { intro, legend, chapters } = readLosses(markdown)
  const paragraph = (text: string) => html`<p>${prose(say(text))}</p>\n`
  const content = html`${intro.slice(0, 1).map(paragraph)}<ul>${legend.map((text) => html`<li>${prose(say(text))}</li>`)}</ul>
${intro.slice(1).map(paragraph)}${chapters.map((one) => chapter(one, say))}`
  const deep = chapters.map(({ title }) => ({ id: idOf(title), title: say(title) }))
  return [{ id: 'losses', title: say('Losses'), content, deep }]
}

const idOf = (title: string) => `losses-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`

const chapter = ({ title, intro, tables }: LossChapter, say: Say): Html =>
  html`<h3 id="${idOf(title)}">${say(title)}</h3>\n${intro.map((text) => html`<p>${prose(say(text))}</p>\n`)}${tables.map((one) => lossTable(title, one, say))}`

const lossTable = (inside: string, { title, head, rows, reasons }: LossTable, say: Say): Html => html`<h4>${say(title)}</h4>
${table(
  `${say(inside)}: ${say(title)}`,
  head,
  rows.map(([feature = '', ...cells]) => [say(feature), ...cells.map((cell) => outcomes(cell, say))]),
)}
${reasons.length > 0 ? html`<details><summary>${say('Reasons')}</summary><ol>${reasons.map((text) => html`<li>${prose(say(text))}</li>`)}</ol></details>` : ''}
`

const outcome = /^(carried|changed|dropped|dropped!|left out|refused)((?: \[\d+\])*)(?: from (.+))?$/

/** A cell: `carried from Chat; dropped [3] from Gemini`. */
function outcomes(cell: string, say: Say): string {
  return cell
    .split('; ')
    .map((text) => {
      const [, word, reasons = '', dialects] = outcome.exec(text) ?? []
      if (word === undefined) return text
      const what = say(word) + reasons
      return dialects === undefined ? what : say('{what} from {dialects}', { what, dialects })
    })
    .join('; ')
}
