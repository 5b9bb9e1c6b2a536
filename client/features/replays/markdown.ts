/** A request and its replays as Markdown: the figures as a table, and the answers if they were loaded. */
import type { ReplayAnswer } from '#shared/console/replay'
import type { FigureLine } from './figure-lines.ts'

/** An answer under a heading. */
export interface NamedAnswer {
  name: string
  answer: ReplayAnswer | null
}

/** `names`: the column headings: the first column's, the original's, then the replays'. */
export function asMarkdown(names: readonly string[], lines: readonly FigureLine[], answers: readonly NamedAnswer[]): string {
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  const table = [
    row(names),
    row(names.map(() => '---')),
    ...lines.map(({ label, original, replays }) =>
      row([label, original, ...replays.map(({ text, note }) => [text, note && `(${note})`].filter(Boolean).join(' '))]),
    ),
  ].join('\n')
  const said = answers.flatMap(({ name, answer }) => (answer ? [`## ${name}`, ...partsOf(answer)] : []))
  return `${[table, ...said].join('\n\n')}\n`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function partsOf({ text, calls, error }: ReplayAnswer): string[] {
  return [text, error?.message ?? '', ...calls.map(({ name, args }) => fenced(`${name} ${args}`))].filter((part) => part !== '')
}

/** In a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
