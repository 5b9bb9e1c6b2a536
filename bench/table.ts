/** Results as Markdown, for the terminal and for docs/performance.md alike. */
import type { Column, Figures, Scene } from './scenes/scene.ts'
import { median } from './statistics.ts'

/** The figures of every round, by the subject's name, in the order of the table. */
export type Results = ReadonlyMap<string, readonly Figures[]>

/** A scene's title, remark and table. Multiples are of the row named nginx; without one those columns are left out. */
export function sceneTable(scene: Pick<Scene, 'title' | 'remark' | 'columns'>, results: Results): string {
  const rows = new Map([...results].map(([name, rounds]) => [name, settled(scene.columns, rounds)]))
  const base = rows.get('nginx')
  const columns = scene.columns.filter(({ key }) => [...rows.values()].some((figures) => !Number.isNaN(figures[key])))
  const head = ['', ...columns.flatMap((column) => [column.title, ...(column.beside && base ? [besideTitle[column.beside]] : [])])]
  const lines = [...rows].map(([name, figures]) => [name, ...columns.flatMap((column) => cells(name, column, figures, base))])
  return `### ${scene.title}\n\n${scene.remark}\n\n${markdown([head, ...lines])}\n`
}

/** The row of the provider without a subject in between: the ceiling of the load generator, and the provider's own cost. */
export const directly = 'provider, directly'

const besideTitle = { times: 'x nginx', more: 'more than nginx' }

/** One figure for all rounds: the minimum or the median. */
function settled(columns: readonly Column[], rounds: readonly Figures[]): Figures {
  const one = ({ key, least }: Column) => {
    const values = rounds.map((round) => round[key] ?? Number.NaN).filter((value) => !Number.isNaN(value))
    return least && values.length > 0 ? Math.min(...values) : median(values)
  }
  return Object.fromEntries(columns.map((column) => [column.key, one(column)]))
}

function cells(name: string, { key, digits, beside }: Column, figures: Figures, base: Figures | undefined): string[] {
  const value = figures[key] ?? Number.NaN
  const own = shown(value, digits)
  if (beside === undefined || base === undefined) return [own]
  if (name === directly) return [own, '']
  const nginx = base[key] ?? Number.NaN
  return [own, beside === 'times' ? shown(value / nginx, 2) : shown(value - nginx, digits)]
}

const shown = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : '')

/** Rows of cells, the head first, as a Markdown table with aligned columns. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (row[at] ?? '').padEnd(width) : (row[at] ?? '').padStart(width))).join(' | ')} |`
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  const [head = [], ...others] = rows
  return [line(head), rule, ...others.map(line)].join('\n')
}
