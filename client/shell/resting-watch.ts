import { onCleanup } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { createSoon } from '#client/console/soon.ts'
import type { ChannelHealthRow } from '#shared/console/channel'
import type { Page } from '#shared/console/model'
import { setResting } from './resting.ts'

/** Milliseconds between two readings at least, and at most: a rest ends by itself. */
const [leastMs, mostMs] = [5_000, 60_000]

/** Keeps the count of resting channels while the console is open. For administrators; shows nothing. */
export function RestingWatch() {
  const read = async () => {
    if (document.hidden) return
    try {
      const { data } = await callApi<Page<ChannelHealthRow>>('GET', '/api/health')
      setResting(new Set(data.map(({ channelId }) => channelId)).size)
    } catch {
      // The page itself says what is wrong.
    }
  }
  const soon = createSoon(leastMs, () => void read())
  void read()
  onChange(['channels', 'requests'], soon)
  const timer = setInterval(soon, mostMs)
  onCleanup(() => clearInterval(timer))
  return null
}
