import { onCleanup } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import type { ChannelHealthRow } from '#shared/console/channel'
import type { Page } from '#shared/console/model'
import { setResting } from './resting.ts'

/** Milliseconds from a change to the load, which batches changes, and the maximum between two loads: a rest ends by itself. */
const [soonMs, mostMs] = [3_000, 60_000]

/** Keeps the count of resting channels while the console is open. For administrators; shows nothing. */
export function RestingWatch() {
  const read = async () => {
    if (document.hidden) return
    try {
      const { data } = await callApi<Page<ChannelHealthRow>>('GET', '/api/health')
      setResting(new Set(data.map(({ channelId }) => channelId)).size)
    } catch {
      // The page itself shows the error.
    }
  }
  let planned: ReturnType<typeof setTimeout> | undefined
  const soon = () => {
    planned ??= setTimeout(() => {
      planned = undefined
      void read()
    }, soonMs)
  }
  void read()
  onChange(['channels', 'requests'], soon)
  const timer = setInterval(soon, mostMs)
  onCleanup(() => {
    clearTimeout(planned)
    clearInterval(timer)
  })
  return null
}
