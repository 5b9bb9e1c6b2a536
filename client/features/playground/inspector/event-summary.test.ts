import { expect, test } from 'bun:test'
import { createTrace, kindOf, maxEvents } from '#client/features/playground/reply/trace.ts'
import type { Frame } from '#shared/sse'
import { asSse, contentOf, filterEvents, medianGap } from './event-summary.ts'

const frame = (data: string): Frame => ({ raw: new TextEncoder().encode(`data: ${data}\n\n`), event: undefined, data })

test('the log is numbered, timed and bounded', () => {
  let now = 0
  let changes = 0
  const { trace, observer } = createTrace(
    () => now,
    () => {
      changes += 1
    },
  )
  observer.sent('{}')
  for (let index = 1; index <= maxEvents + 10; index += 1) {
    now += index === 1 ? 400 : 10
    observer.frame(frame(`{"n":${index}}`), { n: index })
  }
  observer.ended('complete')
  const events = trace.events()
  expect(events).toHaveLength(maxEvents)
  expect([events[0]?.number, events.at(-1)?.number, trace.count]).toEqual([11, maxEvents + 10, maxEvents + 10])
  expect(medianGap(events)).toBe(10)
  expect(changes).toBe(maxEvents + 12)
  expect(asSse(events.slice(0, 1))).toBe('data: {"n":11}\n\n')
})

test('events have a kind and a content in short', () => {
  const delta = { choices: [{ delta: { content: 'Hi' } }] }
  expect(kindOf(JSON.stringify(delta), delta)).toBe('delta')
  expect(kindOf('[DONE]', undefined)).toBe('done')
  expect(kindOf(undefined, undefined)).toBe('comment')
  expect(kindOf('{"error":{}}', { error: { message: 'x' } })).toBe('error')
  expect(kindOf('{bad', undefined)).toBe('unknown')
  const event = { number: 1, gapMs: 1, bytes: 1, kind: 'delta', data: JSON.stringify(delta) }
  expect(contentOf(event)).toBe('"Hi"')
  expect(filterEvents([event], 'HI')).toEqual([event])
  expect(filterEvents([event], 'role')).toEqual([])
})
