/** Synchronised scrolling of columns, each by the same share of its own length. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'

/** Linked scrolling, which can be switched off. */
export interface LinkedScroll {
  on: Accessor<boolean>
  toggle(): void
  /** Adds a column until its owner is disposed; to be called during its creation. */
  join(column: HTMLElement): void
}

/** Linked scrolling for the columns that join. The switch is remembered in this browser. */
export function createLinkedScroll(): LinkedScroll {
  const [on, setOn] = createSignal(readLocalStorage('scroll-together') !== 'off')
  const columns = new Set<HTMLElement>()
  /** Positions set by this code, whose scroll events do not come from the user. */
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
      // An unchanged position fires no event.
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
