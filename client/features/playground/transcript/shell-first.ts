/** Where it takes long to make a conversation's turns, the page shows first that it has changed: the title, and the row in the list. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'

/** Milliseconds from a press to its paint that nobody takes for waiting. */
const unnoticedMs = 50

/**
 * `wanted`, at once as long as what it makes is painted soon; else one paint later. How long it takes is measured each time. Undefined while
 * the page is painted without it.
 */
export function shellFirst(wanted: Accessor<string | undefined>): Accessor<string | undefined> {
  const [painted, setPainted] = createSignal<string>()
  let isSlow = false
  let began = 0
  const made = createMemo(() => {
    const id = wanted()
    began = performance.now()
    return isSlow && painted() !== id ? undefined : id
  })
  createEffect(
    on([wanted, made], ([id, now]) => {
      const painting = () => {
        if (now !== id) setPainted(id)
        else if (id !== undefined) isSlow = performance.now() - began > unnoticedMs
      }
      onCleanup(afterPaint(painting))
    }),
  )
  return made
}

/** Calls `act` in the first task after the next frame. The returned function takes it back. */
function afterPaint(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}
