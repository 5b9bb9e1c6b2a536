/** If rendering a conversation's turns is slow, the page first shows the change of title and list row. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'

/** Delays up to this, in milliseconds from press to paint, feel instant. */
const unnoticedMs = 50

/**
 * `wanted`, at once as long as its content is painted soon; else one paint later. The duration is measured each time. Undefined while
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

/** Calls `act` in the first task after the next frame. The returned function cancels it. */
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
