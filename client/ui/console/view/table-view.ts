/** The columns of tables and their row height, stored in this browser. */
import { type Accessor, createMemo, createSignal } from 'solid-js'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

const [compact, setCompact] = createSignal(readLocalStorage('table-rows') === 'compact')

/** Whether rows are compact: one choice for all tables. */
export { compact }

/** Sets compact rows for all tables. */
export function chooseCompact(low: boolean): void {
  setCompact(low)
  writeLocalStorage('table-rows', low ? 'compact' : null)
}

/** The parts of a column needed here. */
export interface ViewColumn {
  id: string
  label: string
  wide?: boolean
  roomy?: boolean
  extra?: boolean
  bare?: boolean
  card?: string
}

/** The columns of a table, chosen or default. */
export interface TableView<Column extends ViewColumn> {
  columns: Accessor<readonly Column[]>
  /** Those that can be hidden. */
  offered: Accessor<readonly Column[]>
  shows(id: string): boolean
  show(id: string, shown: boolean): void
  /** Whether the defaults apply: wide windows show more. */
  isUsual: Accessor<boolean>
  reset(): void
}

/** Always shown: the row's name, checkbox and actions. */
const isFixed = ({ bare, card }: ViewColumn) => bare === true || card === 'title' || card === 'lead'

/** The fixed columns and the chosen ones; chosen ones are shown at any width. */
export const chosenColumns = <Column extends ViewColumn>(columns: readonly Column[], chosen: ReadonlySet<string>): Column[] =>
  columns.flatMap((column) => {
    if (isFixed(column)) return [column]
    return chosen.has(column.id) ? [{ ...column, wide: false, roomy: false }] : []
  })

/** The view of the table `name`; without a name all columns, always. */
export function createTableView<Column extends ViewColumn>(name: string | undefined, all: Accessor<readonly Column[]>): TableView<Column> {
  const place = `columns.${name}`
  const [chosen, setChosen] = createSignal(name === undefined ? null : readLocalStorage(place))
  const wide = createMediaQuery('(min-width: 1180px)')
  const roomy = createMediaQuery('(min-width: 1400px)')
  const ids = createMemo(() => {
    const text = chosen()
    return text === null ? null : new Set(text.split(','))
  })
  const offered = createMemo(() => all().filter((column) => !isFixed(column)))
  const shows = (id: string) =>
    ids()?.has(id) ?? all().some((column) => column.id === id && !column.extra && (!column.wide || wide()) && (!column.roomy || roomy()))
  const choose = (next: string | null) => {
    setChosen(next)
    writeLocalStorage(place, next)
  }
  return {
    columns: createMemo(() => {
      const only = ids()
      return only === null ? all().filter(({ extra }) => !extra) : chosenColumns(all(), only)
    }),
    offered,
    shows,
    show(id, shown) {
      const next = offered().flatMap((column) => ((column.id === id ? shown : shows(column.id)) ? [column.id] : []))
      choose(next.join(','))
    },
    isUsual: () => ids() === null,
    reset: () => choose(null),
  }
}
