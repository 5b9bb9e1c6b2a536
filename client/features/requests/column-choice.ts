/** Which columns the list of requests has, as this browser remembers it. */
import { type Accessor, createSignal } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

/** Every column that can be chosen, in the order of the table. Time and model are always shown. */
export const columnNames = [
  'key',
  'user',
  'group',
  'status',
  'end',
  'error',
  'endpoint',
  'stream',
  'channel',
  'upstreamModel',
  'losses',
  'tokens',
  'first',
  'total',
  'charged',
  'cost',
] as const
/** The name of a column that can be chosen. */
export type ColumnName = (typeof columnNames)[number]

/** Columns that only administrators have. */
export const adminColumns: readonly ColumnName[] = ['user', 'channel', 'upstreamModel']

/** The default columns. */
export const usualColumns: readonly ColumnName[] = ['key', 'user', 'status', 'channel', 'tokens', 'first', 'total', 'cost']

/** The chosen columns, and how to choose others. */
export function createColumnChoice(): [Accessor<readonly ColumnName[]>, (chosen: readonly ColumnName[]) => void] {
  const stored = readLocalStorage('request-columns')
  const known = stored === null ? usualColumns : columnNames.filter((name) => stored.split(',').includes(name))
  const [chosen, setChosen] = createSignal<readonly ColumnName[]>(known)
  return [
    chosen,
    (next) => {
      const inOrder = columnNames.filter((name) => next.includes(name))
      setChosen(inOrder)
      writeLocalStorage('request-columns', inOrder.join() === usualColumns.join() ? null : inOrder.join())
    },
  ]
}
