/**
 * The table of every list. Sorting, filtering and paging are the caller's (the server's); the table shows rows, their state, moves the
 * focus between rows by arrow keys, and shows, on
 * phones, each row as a card: the column `title` first, `lead` before it, `figure` at its right, `under` and `state` below these two, then
 * a line for each other cell.
 */
import { createComputed, createMemo, For, type JSX, Show } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { whenGone } from '#client/ui/keep-focus.ts'
import { tc } from './messages.ts'
import { createFits, createNearRows } from './near-rows.ts'
import { controlOf, moveBetweenRows, rememberRowFocus } from './row-keys.ts'
import { Skeleton } from './states.tsx'
import { TableMenu } from './view/table-menu.tsx'
import { compact, createTableView } from './view/table-view.ts'

/** A column. */
export interface Column<Row> {
  id: string
  label: string
  cell(row: Row): JSX.Element
  right?: boolean
  /** Left out below 1180 pixels. */
  wide?: boolean
  /** Left out below 1400 pixels. */
  roomy?: boolean
  /** Left out beside an open drawer, which has it too. */
  inDrawer?: boolean
  /** Shown only if the user chose it. */
  extra?: boolean
  /** Its place in a card; a labelled line when absent. */
  card?: 'lead' | 'title' | 'figure' | 'under' | 'state' | 'whole' | 'none'
  /** Whether a click on its head sorts by it. */
  sorts?: boolean
  /** No visible head: actions. */
  bare?: boolean
}

/** By which column a table is sorted. */
export interface Sort {
  column: string
  down: boolean
}

/** Loading of further rows. */
export interface MoreRows {
  read(): void
  busy: boolean
  /** The error of the last attempt. */
  problem?: string | undefined
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  /** The table's name, under which this browser stores the chosen columns; without it all columns are shown. */
  view?: string
  rows: readonly Row[] | undefined
  rowId(row: Row): string
  /** The height of every row in pixels, for lists that may become long: only rows near the viewport are mounted. */
  rowPx?: number
  /** Whether newer rows are loading; the old ones stay, dimmed. */
  stale?: boolean
  sort?: Sort
  onSort?: (sort: Sort) => void
  /** The row that is open beside the table. */
  selected?: string
  /** Rows that lack something, such as a price: they are tinted. */
  unfinished?: (row: Row) => boolean
  /** A heading over a row, where it differs from that of the row above: the day, for example. */
  heading?: (row: Row) => string
  /** An extra line below a row: a problem with its remedy. */
  below?: (row: Row) => JSX.Element | undefined
  /** Shown in place of rows when there are none. */
  empty?: JSX.Element
  /** A row of totals for the visible columns. */
  total?: ((columns: readonly Column<Row>[]) => JSX.Element) | undefined
  foot?: JSX.Element
  footEnd?: JSX.Element
  more?: MoreRows | undefined
}

/** Heights of rows in pixels: default, in dense tables (the log), and compact by the user's choice. */
const [usualPx, densePx, compactPx] = [44, 36, 38]

/** A table with a sticky head. */
export function DataTable<Row>(props: TableProps<Row>) {
  // Evaluated once, not for each row.
  const all = createMemo(() => props.columns)
  const view = createTableView(props.view, all)
  const { columns } = view
  const rowPx = () => (props.rowPx === usualPx && compact() ? compactPx : props.rowPx)
  const ids = createMemo(() => props.rows?.map(props.rowId))
  /** A reloaded row with the same content keeps its DOM, with its open menu and its focus. */
  const unlessSame = (row: Row, before: ReadonlyMap<string, Row>): Row => {
    const old = before.get(props.rowId(row))
    return old !== undefined && old !== row && JSON.stringify(old) === JSON.stringify(row) ? old : row
  }
  const byId = createMemo(
    (before: ReadonlyMap<string, Row>) => new Map(props.rows?.map((row) => [props.rowId(row), unlessSame(row, before)])),
    new Map(),
  )
  const count = () => ids()?.length ?? 0
  const [near, watchRows] = createNearRows(count, rowPx)
  const [fits, watchWidth] = createFits()
  let body: HTMLElement | undefined
  // Before rendering; the rows are rendered in the same turn.
  createComputed(() => {
    columns()
    byId()
    queueMicrotask(rememberRowFocus(body))
  })
  /** The heading over the mounted row at this index. */
  const headingOver = (at: number): string | undefined => {
    const place = near().from + at
    const [row, above] = [props.rows?.[place], props.rows?.[place - 1]]
    const text = row && props.heading?.(row)
    return text === undefined || (above && props.heading?.(above) === text) ? undefined : text
  }
  let knownBefore = 0
  /** What gets the focus when everything is loaded and the button for more is gone. */
  const firstOfNew = () => controlOf(body, ids()?.[knownBefore]) ?? body?.closest<HTMLElement>('.table-scroll')
  const whole = () => near().from === 0 && near().to === count()
  return (
    <Show when={ids()} fallback={<Skeleton lines={8} />}>
      {(shown) => (
        <Show when={shown().length > 0} fallback={<div class="table-frame">{props.empty}</div>}>
          <div class="table-frame" classList={{ stale: props.stale ?? false }} aria-busy={props.stale ? 'true' : undefined}>
            <Show when={props.view}>
              <TableMenu view={view} />
            </Show>
            {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
            <div class="table-scroll" classList={{ fits: fits() }} tabindex="0" role="region" aria-label={props.label} ref={watchWidth}>
              <table
                class="table"
                classList={{ dense: props.rowPx === densePx, compact: compact() }}
                aria-label={props.label}
                aria-rowcount={whole() ? undefined : count() + 1}
              >
                <thead>
                  <tr>
                    <For each={columns()}>{(column) => <Head column={column} sort={props.sort} onSort={props.onSort} />}</For>
                  </tr>
                </thead>
                <tbody
                  ref={(rows) => {
                    body = rows
                    watchRows(rows)
                  }}
                  onKeyDown={moveBetweenRows}
                >
                  <Gap rows={near().from} rowPx={rowPx()} columns={columns().length} />
                  <For each={whole() ? shown() : shown().slice(near().from, near().to)}>
                    {(id, at) => (
                      <Show when={byId().get(id)}>
                        {(row) => (
                          <>
                            <Show when={headingOver(at())}>
                              {(text) => (
                                <tr class="day">
                                  <th colspan={columns().length} scope="rowgroup">
                                    {text()}
                                  </th>
                                </tr>
                              )}
                            </Show>
                            <tr
                              data-row={id}
                              aria-rowindex={whole() ? undefined : near().from + at() + 2}
                              classList={{ unfinished: props.unfinished?.(row()) ?? false }}
                              aria-selected={props.selected === undefined ? undefined : props.selected === id}
                            >
                              <For each={columns()}>{(column) => <Cell column={column}>{column.cell(row())}</Cell>}</For>
                            </tr>
                            <Show when={props.below?.(row())}>
                              {(line) => (
                                <tr class="below">
                                  <td colspan={columns().length}>{line()}</td>
                                </tr>
                              )}
                            </Show>
                          </>
                        )}
                      </Show>
                    )}
                  </For>
                  <Gap rows={count() - near().to} rowPx={rowPx()} columns={columns().length} />
                </tbody>
                <Show when={props.total}>{(row) => <tfoot>{row()(columns())}</tfoot>}</Show>
              </table>
            </div>
            <TableFoot
              {...props}
              firstOfNew={firstOfNew}
              onRead={() => {
                knownBefore = count()
              }}
            />
          </div>
        </Show>
      )}
    </Show>
  )
}

function TableFoot(props: {
  foot?: JSX.Element
  footEnd?: JSX.Element
  more?: MoreRows | undefined
  onRead(): void
  firstOfNew(): HTMLElement | null | undefined
}) {
  const read = (more: MoreRows) => {
    if (more.busy) return
    props.onRead()
    more.read()
  }
  return (
    <Show when={props.foot || props.footEnd || props.more}>
      <div class="table-foot">
        <span>{props.foot}</span>
        <Show when={props.more}>
          {(more) => (
            <>
              <Button size="sm" busy={more().busy} onClick={() => read(more())} ref={(button) => whenGone(button, props.firstOfNew)}>
                {tc('loadMore')}
              </Button>
              <Show when={more().problem}>
                <span class="wrong">{more().problem}</span>
              </Show>
            </>
          )}
        </Show>
        <span class="flex-1" />
        <span>{props.footEnd}</span>
      </div>
    </Show>
  )
}

/** The space of rows that are not mounted. */
function Gap(props: { rows: number; rowPx: number | undefined; columns: number }) {
  return (
    <Show when={props.rows > 0}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row has nothing that takes the focus */}
      <tr class="gap" aria-hidden="true">
        <td colspan={props.columns} style={{ height: `${props.rows * (props.rowPx ?? 0)}px` }} />
      </tr>
    </Show>
  )
}

function Head<Row>(props: { column: Column<Row>; sort: Sort | undefined; onSort: ((sort: Sort) => void) | undefined }) {
  const sorted = () => props.sort?.column === props.column.id
  const direction = () => (sorted() ? (props.sort?.down ? 'descending' : 'ascending') : undefined)
  const turn = () => props.onSort?.({ column: props.column.id, down: sorted() ? !props.sort?.down : (props.column.right ?? false) })
  return (
    <th
      scope="col"
      classList={{
        r: props.column.right ?? false,
        w: props.column.wide ?? false,
        x: props.column.roomy ?? false,
        d: props.column.inDrawer ?? false,
      }}
      aria-sort={direction()}
    >
      <Show when={!props.column.bare} fallback={<span class="hidden-text">{props.column.label}</span>}>
        <Show when={props.column.sorts && props.onSort} fallback={props.column.label}>
          <button type="button" class="sort" title={tc('sortBy', { what: props.column.label })} onClick={turn}>
            {props.column.label}
            <Show when={sorted()}>
              <Icon name={props.sort?.down ? 'down' : 'up'} small />
            </Show>
          </button>
        </Show>
      </Show>
    </th>
  )
}

/** A cell of a row, placed as its column says. */
export function Cell<Row>(props: { column: Column<Row>; children: JSX.Element }) {
  const place = () => props.column.card
  return (
    <td
      classList={{
        r: props.column.right ?? false,
        w: props.column.wide ?? false,
        d: props.column.inDrawer ?? false,
        x: props.column.roomy ?? false,
        [`card-${place()}`]: place() !== undefined,
      }}
      data-label={place() === undefined ? props.column.label : undefined}
    >
      {props.children}
    </td>
  )
}
