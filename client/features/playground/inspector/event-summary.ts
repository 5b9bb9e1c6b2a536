/** Helpers of the event log: summaries, filtering, and the stream as text. */
import type { TracedEvent } from '#client/features/playground/reply/trace.ts'

/** The most relevant part of an event: its text, its finish reason, or its data. */
export function contentOf(event: TracedEvent): string {
  try {
    const chunk = JSON.parse(event.data) as {
      choices?: { delta?: { content?: unknown; reasoning_content?: unknown; role?: unknown }; finish_reason?: unknown }[]
    }
    const choice = chunk.choices?.[0]
    const text = choice?.delta?.content ?? choice?.delta?.reasoning_content
    if (typeof text === 'string' && text !== '') return JSON.stringify(text)
    if (event.kind === 'finish') return String(choice?.finish_reason)
    if (event.kind === 'role') return String(choice?.delta?.role)
  } catch {
    // Not JSON: shown as it is.
  }
  return event.data
}

/** Events whose type is `text` or whose data contain it, ignoring case. */
export function filterEvents(events: TracedEvent[], text: string): TracedEvent[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? events : events.filter((event) => event.kind === wanted || event.data.toLowerCase().includes(wanted))
}

/** Median gap in milliseconds, without the wait before the first event. */
export function medianGap(events: readonly TracedEvent[]): number {
  const gaps = events.slice(1).map((event) => event.gapMs)
  return gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? 0
}

/** The raw stream without comments. */
export const asSse = (events: readonly TracedEvent[]): string =>
  events
    .filter((event) => event.kind !== 'comment')
    .map((event) => `data: ${event.data}\n\n`)
    .join('')
