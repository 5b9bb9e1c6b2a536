/**
 * What changes on the server, for pages that show it. All pages of a tab share one stream, which is open while the tab is visible and
 * somebody listens. Where it breaks off or cannot be had, pages read again as it comes back, or every half minute.
 */
import { onCleanup } from 'solid-js'
import { type Change, type Topic, topics } from '#shared/console/overview'

interface Listener {
  to: ReadonlySet<Topic>
  react(): void
}

/** Milliseconds after which the first stream of a page opens, so that it delays nothing that the page shows. */
const firstMs = 3_000
/** Milliseconds for which a stream stays open when nobody listens. */
const leaveMs = 2_000
/** Milliseconds until a stream that was refused is asked for again. */
const againMs = 30_000

const listeners = new Set<Listener>()
let source: EventSource | undefined
let timer: ReturnType<typeof setTimeout> | undefined
/** Whether something may have changed that nobody was told: from the start, and while there is no stream. */
let broken = true
let leaving: ReturnType<typeof setTimeout> | undefined

/** Calls `react` after any of these changed, until the calling component is gone. */
export function onChange(to: readonly Topic[], react: () => void): void {
  const listener = { to: new Set(to), react }
  listeners.add(listener)
  clearTimeout(leaving)
  plan(firstMs)
  onCleanup(() => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    // The next page usually listens at once.
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
    // Whatever changed meanwhile was not told.
    if (broken) tell(topics)
    broken = false
  }
  stream.onerror = () => {
    broken = true
    if (stream.readyState !== EventSource.CLOSED) return
    stop()
    // The session may be over: whoever reads finds out.
    tell(topics)
    plan(againMs)
  }
  stream.addEventListener('change', (event) => tell((JSON.parse(event.data) as Change).what))
}

function tell(what: readonly Topic[]): void {
  for (const { to, react } of [...listeners]) if (what.some((topic) => to.has(topic))) react()
}
