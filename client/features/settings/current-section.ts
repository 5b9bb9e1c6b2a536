/** The current section of a long page: the one at the upper edge of the viewport. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'

/** A section that begins up to so far below the edge is the current one. */
const edgePx = 96

/** The current one of these elements, by id; follows scrolling and changes of the ids. */
export function createCurrentSection(ids: Accessor<readonly string[]>): Accessor<string | undefined> {
  const [current, setCurrent] = createSignal<string>()
  let asked = 0
  const look = () => {
    asked = 0
    const found = ids().flatMap((id) => document.getElementById(id) ?? [])
    const page = found[0]?.closest('.page')
    if (!page) return
    const { top } = page.getBoundingClientRect()
    // At the end of the page the last one counts, however short it is.
    const atEnd = page.scrollTop > 0 && page.scrollTop + page.clientHeight >= page.scrollHeight - 2
    const begun = found.filter((section) => section.getBoundingClientRect().top <= top + edgePx)
    setCurrent((atEnd ? found.at(-1) : (begun.at(-1) ?? found[0]))?.id)
  }
  const soon = () => {
    asked ||= requestAnimationFrame(look)
  }
  createEffect(on(() => ids().join(), soon))
  // Scroll events do not bubble; listen in the capture phase.
  addEventListener('scroll', soon, { capture: true, passive: true })
  addEventListener('resize', soon)
  onCleanup(() => {
    cancelAnimationFrame(asked)
    removeEventListener('scroll', soon, { capture: true })
    removeEventListener('resize', soon)
  })
  return current
}
