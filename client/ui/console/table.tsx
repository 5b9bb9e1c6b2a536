/**
 * The table of every list. Sorting, filtering and paging are the caller's (the server's); the table shows rows, their state, and, on
 * phones, each row as a card: the column `title` first, then `figure` at its right, then a line for each other cell.
 */
import { createMemo, For, type JSX, Show } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { tc } from './messages.ts'
import { Skeleton } from './states.tsx'

/** A column. */
export interface Column<Row> {
  id: string
  label: string
  cell(row: Row): JSX.Element
  right?: boolean
  /** Left out below 1180 pixels. */
  wide?: boolean
  /** Its place in a card; a labelled line when absent. */
  card?: 'title' | 'figure' | 'whole' | 'none'
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

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  rowId(row: Row): string
  /** Whether newer rows are on their way; the old ones stay, dimmed. */
  stale?: boolean
  sort?: Sort
  onSort?: (sort: Sort) => void
  /** The row that is open beside the table. */
  selected?: string
  /** Rows that lack something, such as a price: they are tinted. */
  unfinished?: (row: Row) => boolean
  /** A line of its own under a row: a problem with its remedy. */
  below?: (row: Row) => JSX.Element | undefined
  /** Shown in place of rows when there are none. */
  empty?: JSX.Element
  total?: JSX.Element
  foot?: JSX.Element
  footEnd?: JSX.Element
  onMore?: (() => void) | undefined
  loadingMore?: boolean
}

/** A table with a sticky head. */
export function DataTable<Row>(props: TableProps<Row>) {
  const ids = createMemo(() => props.rows?.map(props.rowId))
  const byId = createMemo(() => new Map(props.rows?.map((row) => [props.rowId(row), row])))
  return (
    <Show when={ids()} fallback={<Skeleton lines={8} />}>
      {(shown) => (
        <Show when={shown().length > 0} fallback={<div class="table-frame">{props.empty}</div>}>
          <div class="table-frame" classList={{ stale: props.stale ?? false }} aria-busy={props.stale ? 'true' : undefined}>
            {/* biome-ignore lint/a11y/useSemanticElements: a named region that scrolls, reachable by keyboard */}
            <div class="table-scroll" tabindex="0" role="region" aria-label={props.label}>
              <table class="table" aria-label={props.label}>
                <thead>
                  <tr>
                    <For each={props.columns}>{(column) => <Head column={column} sort={props.sort} onSort={props.onSort} />}</For>
                  </tr>
                </thead>
                <tbody>
                  <For each={shown()}>
                    {(id) => (
                      <Show when={byId().get(id)}>
                        {(row) => (
                          <>
                            <tr
                              data-row={id}
                              classList={{ unfinished: props.unfinished?.(row()) ?? false }}
                              aria-selected={props.selected === undefined ? undefined : props.selected === id}
                            >
                              <For each={props.columns}>{(column) => <Cell column={column} row={row()} />}</For>
                            </tr>
                            <Show when={props.below?.(row())}>
                              {(line) => (
                                <tr class="below">
                                  <td colspan={props.columns.length}>{line()}</td>
                                </tr>
                              )}
                            </Show>
                          </>
                        )}
                      </Show>
                    )}
                  </For>
                </tbody>
                <Show when={props.total}>
                  <tfoot>{props.total}</tfoot>
                </Show>
              </table>
            </div>
            <Show when={props.foot || props.footEnd || props.onMore}>
              <div class="table-foot">
                <span>{props.foot}</span>
                <Show when={props.onMore}>
                  {(more) => (
                    <Button size="sm" busy={props.loadingMore ?? false} onClick={() => !props.loadingMore && more()()}>
                      {tc('loadMore')}
                    </Button>
                  )}
                </Show>
                <span class="flex-1" />
                <span>{props.footEnd}</span>
              </div>
            </Show>
          </div>
        </Show>
      )}
    </Show>
  )
}

function Head<Row>(props: { column: Column<Row>; sort: Sort | undefined; onSort: ((sort: Sort) => void) | undefined }) {
  const sorted = () => props.sort?.column === props.column.id
  const direction = () => (sorted() ? (props.sort?.down ? 'descending' : 'ascending') : undefined)
  const turn = () => props.onSort?.({ column: props.column.id, down: sorted() ? !props.sort?.down : (props.column.right ?? false) })
  return (
    <th scope="col" classList={{ r: props.column.right ?? false, w: props.column.wide ?? false }} aria-sort={direction()}>
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

function Cell<Row>(props: { column: Column<Row>; row: Row }) {
  const place = () => props.column.card
  return (
    <td
      classList={{
        r: props.column.right ?? false,
        w: props.column.wide ?? false,
        'card-title': place() === 'title',
        'card-figure': place() === 'figure',
        'card-whole': place() === 'whole',
        'card-none': place() === 'none',
      }}
      data-label={place() === undefined ? props.column.label : undefined}
    >
      {props.column.cell(props.row)}
    </td>
  )
}
