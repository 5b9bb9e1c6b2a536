/** Row selection for bulk actions. The bar replaces the filters, so that nothing moves. */
import { type Accessor, createMemo, createSignal, type JSX } from 'solid-js'
import { announce } from '#client/ui/announcer.tsx'
import { Button } from '#client/ui/button.tsx'
import { tc } from './messages.ts'
import type { Column } from './table.tsx'

/** The selected rows. */
export interface Picks<Row> {
  /** Those of the rows that are shown. Tracks. */
  rows: Accessor<readonly Row[]>
  clear(): void
  all(): void
  /** The column of checkboxes, the first of the table. */
  column: Column<Row>
}

/** Starts empty; the number of selected rows is announced. `shown` are the rows of the table; `name` is the label of a row. */
export function createPicks<Row>(shown: Accessor<readonly Row[]>, id: (row: Row) => string, name: (row: Row) => string): Picks<Row> {
  const [ids, setIds] = createSignal<ReadonlySet<string>>(new Set())
  const choose = (next: ReadonlySet<string>) => {
    setIds(next)
    announce(tc('chosen', { count: rows().length }))
  }
  const rows = createMemo(() => shown().filter((row) => ids().has(id(row))))
  const turn = (row: Row, on: boolean) => {
    const next = new Set(ids())
    if (on) next.add(id(row))
    else next.delete(id(row))
    choose(next)
  }
  return {
    rows,
    clear: () => choose(new Set<string>()),
    all: () => choose(new Set(shown().map(id))),
    column: {
      id: 'pick',
      label: tc('choose'),
      bare: true,
      card: 'none',
      cell: (row) => (
        <label class="pick">
          <input
            type="checkbox"
            aria-label={tc('chooseRow', { name: name(row) })}
            checked={ids().has(id(row))}
            onChange={(event) => turn(row, event.currentTarget.checked)}
          />
        </label>
      ),
    },
  }
}

/** Actions on the selected rows. */
export function BulkBar<Row>(props: { picks: Picks<Row>; children: JSX.Element }) {
  return (
    <div class="filters" role="toolbar" aria-label={tc('chosen', { count: props.picks.rows().length })}>
      <b class="num text-[13px] font-medium">{tc('chosen', { count: props.picks.rows().length })}</b>
      {props.children}
      <span class="flex-1" />
      <Button look="ghost" onClick={() => props.picks.all()}>
        {tc('chooseAll')}
      </Button>
      <Button look="ghost" onClick={() => props.picks.clear()}>
        {tc('chooseNone')}
      </Button>
    </div>
  )
}
