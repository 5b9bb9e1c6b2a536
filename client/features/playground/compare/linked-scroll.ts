/** Columns that are read side by side move together, each by the same share of its own length. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

export interface LinkedScroll {
  on: Accessor<boolean>
  toggle(): void
  /** Takes a column in until it goes; to be called while the column is made. */
  join(column: HTMLElement): void
}

export function createLinkedScroll(): LinkedScroll {
  const [on, setOn] = createSignal(readLocalStorage('scroll-together') !== 'off')
  const columns = new Set<HTMLElement>()
  /** Where a column was put by its neighbour: the event that follows is nobody's reading. */
  const put = new WeakMap<HTMLElement, number>()

  const follow = (leader: HTMLElement) => {
    const own = put.get(leader)
    put.delete(leader)
    if (!on() || (own !== undefined && Math.abs(own - leader.scrollTop) < 1)) return
    const share = leader.scrollTop / Math.max(1, room(leader))
    for (const column of columns) {
      if (column === leader) continue
      const before = column.scrollTop
      column.scrollTop = share * room(column)
      // A place that did not change sends no event.
      if (column.scrollTop !== before) put.set(column, column.scrollTop)
    }
  }
  return {
    on,
    toggle() {
      setOn(!on())
      writeLocalStorage('scroll-together', on() ? null : 'off')
    },
    join(column) {
      const onScroll = () => follow(column)
      columns.add(column)
      column.addEventListener('scroll', onScroll, { passive: true })
      onCleanup(() => {
        columns.delete(column)
        column.removeEventListener('scroll', onScroll)
      })
    },
  }
}

const room = (column: HTMLElement): number => column.scrollHeight - column.clientHeight
