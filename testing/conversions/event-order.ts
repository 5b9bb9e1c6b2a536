/** Checks the order of events that ConversationEvent promises. */
import type { ConversationEvent } from '#canonical/conversation-event'

/** The violations of that order, by the index of the event; empty if there are none. */
export function brokenRules(events: readonly ConversationEvent[]): string[] {
  const open = new Set<string>()
  const used = new Set<string>()
  const finished = new Set<number>()
  const broken: string[] = []
  for (const [index, event] of events.entries()) {
    const rule = brokenBy(event, index, events.length)
    if (rule !== undefined) broken.push(`${index} ${event.kind}: ${rule}`)
  }
  const last = events.at(-1)?.kind
  if (last !== 'end' && last !== 'error') broken.push('no end')
  return broken

  function brokenBy(event: ConversationEvent, index: number, count: number): string | undefined {
    const place = 'at' in event ? `${event.choice}/${event.at}` : ''
    switch (event.kind) {
      case 'start':
        return index === 0 ? undefined : 'not first'
      case 'end':
      case 'error':
        return index === count - 1 ? undefined : 'not last'
      case 'usage':
        return index > 0 ? undefined : 'before the start'
      case 'open': {
        const isFresh = !used.has(place)
        used.add(place)
        open.add(place)
        return isFresh ? undefined : 'its place was used'
      }
      case 'delta':
        return open.has(place) ? undefined : 'not open'
      case 'close':
        return open.delete(place) ? undefined : 'not open'
      case 'finish': {
        if (finished.has(event.choice)) return 'a second time'
        finished.add(event.choice)
        return [...open].some((one) => one.startsWith(`${event.choice}/`)) ? 'parts are open' : undefined
      }
    }
  }
}
