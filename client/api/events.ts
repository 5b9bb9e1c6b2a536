/**
 * Server change events for pages that show live data. All pages of a tab share one stream, which is open while the tab is visible and
 * there are listeners. While it is broken or unavailable, pages reload their data when it reconnects, or every half minute.
 */
import { onCleanup } from 'solid-js'
import { type Change, type Topic, topics } from '#shared/console/overview'

interface Listener {
  to: ReadonlySet<Topic>
  react(): void
}

/** Delay of the first stream of a page in milliseconds, so that it does not slow down the first load. */
const firstMs = 3_000
/** Milliseconds for which a stream without listeners stays open. */
const leaveMs = 2_000
/** Milliseconds until a refused stream is retried. */
const againMs = 30_000

const listeners = new Set<Listener>()
let source: EventSource | undefined
let timer: ReturnType<typeof setTimeout> | undefined
/** Whether changes may have been missed: at the start, and while there is no stream. */
let broken = true
let leaving: ReturnType<typeof setTimeout> | undefined

/** Calls `react` after any of these changed, until the calling component is disposed. */
export function onChange(to: readonly Topic[], react: () => void): void {
  const listener = { to: new Set(to), react }
  listeners.add(listener)
  clearTimeout(leaving)
  plan(firstMs)
  onCleanup(() => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    // The next page usually subscribes at once.
    leaving = setTimeout(() => {
      stop()
      broken = true
    }, leaveMs)
  })
}

document.addEventListener('visibilitychange', () => {
  if (listeners.size === 0) return
  if (document.hidden) {
    stop()
    broken = true
  } else plan(0)
})

function plan(ms: number): void {
  if (source !== undefined || timer !== undefined || document.hidden) return
  timer = setTimeout(open, ms)
}

function stop(): void {
  clearTimeout(timer)
  timer = undefined
  source?.close()
  source = undefined
}

function open(): void {
  timer = undefined
  const stream = new EventSource('/api/events')
  source = stream
  stream.onopen = () => {
    // Changes in the meantime were missed.
    if (broken) notify(topics)
    broken = false
  }
  stream.onerror = () => {
    broken = true
    if (stream.readyState !== EventSource.CLOSED) return
    stop()
    // The session may have ended; the reload finds out.
    notify(topics)
    plan(againMs)
  }
  stream.addEventListener('change', (event) => notify((JSON.parse(event.data) as Change).what))
}

function notify(what: readonly Topic[]): void {
  for (const { to, react } of [...listeners]) if (what.some((topic) => to.has(topic))) react()
}
