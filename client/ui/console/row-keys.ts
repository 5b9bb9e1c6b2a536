/** The focus in a table: arrow keys move it between rows, and it survives a row being rendered again. */

/** Focusable elements in a row. */
const focusable = 'a[href], button, input, select'
const controls = 'a[href], button, input[type="checkbox"]'

/**
 * Handles a key that was pressed in the body of a table. Up and down go to the same place of the nearest row that has it, Home and End
 * to the first and the last. Fields, buttons of menus and an open drawer keep their own keys.
 */
export function moveBetweenRows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const { key, target, currentTarget: body } = event
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  if (!(target instanceof HTMLElement) || !target.matches(controls) || target.matches('[aria-haspopup]')) return
  const [row, cell] = [target.closest('tr'), target.closest('td')]
  if (!row || !cell || document.querySelector('.drawer')) return
  const rows = [...body.querySelectorAll<HTMLTableRowElement>('tr[data-row]')]
  const place = [...cell.querySelectorAll(controls)].indexOf(target)
  const next = placesFrom(key, rows.indexOf(row), rows.length)
    .map((at) => rows[at]?.cells[cell.cellIndex]?.querySelectorAll<HTMLElement>(controls)[place])
    .find((control) => control !== undefined)
  if (!next) return
  event.preventDefault()
  next.focus()
}

/** The places of rows that a key leads to from row `at` of `count`, the best first; none for other keys. */
export function placesFrom(key: string, at: number, count: number): number[] {
  const all = Array.from({ length: count }, (_, place) => place)
  if (key === 'ArrowDown') return all.slice(at + 1)
  if (key === 'ArrowUp') return all.slice(0, Math.max(at, 0)).reverse()
  if (key === 'Home') return all
  if (key === 'End') return all.reverse()
  return []
}

/**
 * Remembers which control of a table has the focus. The returned function focuses the one in the same place if its row was rendered again
 * meanwhile, or the table if the row is gone; anything else that has the focus keeps it.
 */
export function rememberRowFocus(body: HTMLElement | undefined): () => void {
  const control = document.activeElement
  const [row, cell] = [control?.closest<HTMLElement>('tr[data-row]'), control?.closest('td')]
  if (!body || !control || !row || !cell || !body.contains(row)) return () => {}
  const id = row.dataset.row ?? ''
  const place = [...cell.querySelectorAll(focusable)].indexOf(control)
  return () => {
    if (control.isConnected || document.activeElement !== document.body) return
    const same = rowOf(body, id)?.cells[cell.cellIndex]?.querySelectorAll<HTMLElement>(focusable)[place]
    const next = same ?? body.closest<HTMLElement>('.table-scroll')
    next?.focus({ preventScroll: true })
  }
}

/** The main control of the row `id`: its first link, or else its first button or checkbox. */
export function controlOf(body: HTMLElement | undefined, id = ''): HTMLElement | null | undefined {
  const row = body && rowOf(body, id)
  return row?.querySelector<HTMLElement>('a[href]') ?? row?.querySelector<HTMLElement>(controls)
}

const rowOf = (body: HTMLElement, id: string) => body.querySelector<HTMLTableRowElement>(`tr[data-row="${CSS.escape(id)}"]`)
