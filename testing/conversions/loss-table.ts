/** The loss matrix as text: one line per feature and dialect for review, and a page of tables for readers. */

import { type Dialect, dialects } from '#shared/ids'
import type { Cell } from './loss-matrix.ts'
import type { LossRule, Verdict } from './loss-rules.ts'
import { answerRules } from './loss-rules-answers.ts'
import { settingRules } from './loss-rules-settings.ts'
import { turnRules } from './loss-rules-turns.ts'

export const lossRules: readonly LossRule[] = [...turnRules, ...settingRules, ...answerRules]

/** Every reason for a cell: one rule for each of its fields, or undefined where there is none. */
export function rulesFor(cell: Cell): (LossRule | undefined)[] {
  return namesOf(cell).map((name) => lossRules.find((rule) => covers(rule, cell, name)))
}

/** Whether the rule explains what happens in this cell to the field or feature of this name. */
export function covers(rule: LossRule, cell: Cell, name: string): boolean {
  const isSame = rule.way === cell.way && rule.verdict === cell.verdict && rule.rows.includes(cell.row)
  return isSame && rule.to.includes(cell.to) && rule.of.includes(name)
}

/** The names by which rules must list it. */
export function namesOf({ verdict, fields, feature }: Cell): string[] {
  if (verdict === 'carried') return []
  return verdict === 'unsaid' ? [feature] : fields
}

const marks: Readonly<Record<Verdict, string>> = { carried: '=', changed: '~', dropped: '-', unsaid: '?', refused: 'x' }

/** The matrix for review: a line shows what happens to one feature of one dialect in each of the others. `!` = strict mode refuses it. */
export function matrixText(cells: readonly Cell[]): string {
  const lines = grouped(cells, ({ way, row, feature, from }) => `${way} ${row} ${feature} | ${from}:`).map(([head, group]) => {
    const inOrder = [...group].sort((a, b) => dialects.indexOf(a.to) - dialects.indexOf(b.to))
    return [head, ...inOrder.map(cellText)].join(' ')
  })
  return `${lines.join('\n')}\n`
}

function cellText(cell: Cell): string {
  const names = cell.verdict === 'carried' || cell.verdict === 'unsaid' ? '' : `(${cell.fields.join(', ')})`
  return `${cell.to} ${marks[cell.verdict]}${cell.meaning && cell.verdict !== 'refused' ? '!' : ''}${names};`
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups]
}

const titles: Readonly<Record<string, string>> = {
  '2.1': 'Instructions and turns',
  '2.2': 'Parts of a message',
  '2.3': 'Tools',
  '2.4': 'Reasoning',
  '2.5': 'Output and limits',
  '2.6': 'Sampling',
  '2.7': 'Why an answer ends',
  '2.8': 'Identity, cache, tiers and other fields',
  '1.2': 'Completions',
  '1.10': 'Usage',
}
const names: Readonly<Record<Dialect, string>> = {
  chat: 'Chat',
  completions: 'Completions',
  responses: 'Responses',
  messages: 'Messages',
  gemini: 'Gemini',
}

const intro = `# What is lost between dialects

Where a client and a channel speak the same dialect, the bytes pass through and nothing on this page applies. Where they differ,
Parley reads the request and writes it anew, and does the same with the answer. This page says what becomes of each feature. It is
made by running the program's own readers and writers (\`node tasks/losses.mjs\`), so it says what they do, not what they should.

- **carried**: the same is said in the other dialect.
- **changed**: the information is there in another form. Reported.
- **dropped**: it is gone. Reported; where the answer may differ, strict mode (\`x-parley-strict: true\`) refuses the request instead: *dropped!*
- **left out**: it is gone and nobody will miss it: the other dialect has no word for it, or does it anyway.
- **refused**: this channel is not asked. If no other can take the request, the client gets a 400 that names the field.
- –: no client of another dialect can say it.

What a request loses, and what its answer loses on the way back, is reported in the header \`x-parley-losses\` and in the usage row.
The header of a stream leaves before the answer is known, so it tells the request's losses and those of the answer's first piece;
the row tells all of them. Strict mode refuses a request, never an answer: what a model has said is not withheld for what it lost,
and its losses are in the row. A model may refuse more than its dialect does; such facts are part of a channel's configuration.
Numbers lead to the reasons below each table.
`

/** The published page. */
export function matrixPage(cells: readonly Cell[]): string {
  const ways = [
    ['request', 'Requests', 'What becomes of what a client asks, by the dialect of the channel.'],
    ['answer', 'Answers', 'What becomes of what a model answers, by the dialect of the client.'],
  ] as const
  const parts = ways.map(([way, title, words]) => {
    const own = cells.filter((cell) => cell.way === way)
    const sections = grouped(own, ({ row }) => row).map(([row, group]) => section(titles[row] ?? row, group))
    return [`## ${title}`, words, ...sections].join('\n\n')
  })
  return `${[intro.trim(), ...parts].join('\n\n')}\n`
}

function section(title: string, cells: readonly Cell[]): string {
  const columns = dialects.filter((dialect) => cells.some((cell) => cell.to === dialect))
  const rules: LossRule[] = []
  const rows = grouped(cells, ({ feature }) => feature).map(([feature, group]) => {
    const told = columns.map((dialect) =>
      summary(
        group.filter((cell) => cell.to === dialect),
        rules,
      ),
    )
    return `| ${[feature, ...told].join(' | ')} |`
  })
  const head = [`| | ${columns.map((dialect) => names[dialect]).join(' | ')} |`, `| --- |${' --- |'.repeat(columns.length)}`]
  const reasons = rules.map((rule, index) => `${index + 1}. ${rule.why}`)
  const table = [...head, ...rows].join('\n')
  return [`### ${title}`, table, ...(reasons.length > 0 ? [reasons.join('\n')] : [])].join('\n\n')
}

/** One word if it is the same from every dialect, otherwise one for each group of them. */
function summary(cells: readonly Cell[], rules: LossRule[]): string {
  if (cells.length === 0) return '–'
  const verdicts = grouped(cells, (cell) => verdictText(cell, rules))
  if (verdicts.length === 1) return verdicts[0]?.[0] ?? ''
  return verdicts.map(([word, group]) => `${word} from ${group.map(({ from }) => names[from]).join(', ')}`).join('; ')
}

function verdictText(cell: Cell, rules: LossRule[]): string {
  const isSevere = cell.way === 'request' && cell.verdict === 'dropped' && cell.meaning
  const word = cell.verdict === 'unsaid' ? 'left out' : `${cell.verdict}${isSevere ? '!' : ''}`
  const numbers = rulesFor(cell).flatMap((rule) => (rule ? [numberOf(rule, rules)] : []))
  return numbers.length > 0 ? `${word} [${[...new Set(numbers)].join(', ')}]` : word
}

function numberOf(rule: LossRule, rules: LossRule[]): number {
  const index = rules.findIndex(({ why }) => why === rule.why)
  return index === -1 ? rules.push(rule) : index + 1
}
