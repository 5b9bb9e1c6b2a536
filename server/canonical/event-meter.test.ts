import { expect, test } from 'bun:test'
import type { ConversationEvent, PartHead } from './conversation-event.ts'
import { eventMeter } from './event-meter.ts'
import { roughly } from './token-estimator.ts'
import { noUsage, type Usage } from './usage.ts'

const start: ConversationEvent = { kind: 'start', id: 'x', model: 'x', created: 1 }
const open = (part: PartHead, at = 0): ConversationEvent => ({ kind: 'open', choice: 0, at, part })
const words = (text: string, at = 0): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: { text } })
const finish: ConversationEvent = { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } }
const end: ConversationEvent = { kind: 'end' }
const text: PartHead = { kind: 'text' }
const said = (fresh: number, total: number, provenance: Usage['provenance'] = 'provider'): ConversationEvent => {
  const usage = { ...noUsage(), provenance }
  usage.in.fresh = fresh
  usage.out.total = total
  return { kind: 'usage', usage }
}

/** Each list is one frame. */
function used(...frames: ConversationEvent[][]): unknown[] {
  const meter = eventMeter({ addText: () => undefined })
  for (const frame of frames) meter.add(frame)
  const { in: input, out, provenance } = meter.used(12, roughly)
  return [input.fresh, out.total, provenance]
}

const hundred = words('x'.repeat(400))

test('the upstream’s figures, where it has any', () => {
  expect(used([start, open(text)], [hundred], [said(9, 7)], [finish, end])).toEqual([9, 7, 'provider'])
  expect(used([start, open(text)], [hundred], [finish, end])).toEqual([3, 100, 'estimated'])
  expect(used([start, open(text)], [hundred], [said(9, 0)], [finish, end])).toEqual([9, 100, 'partial'])
  expect(used([start, open(text)], [hundred], [said(0, 7)], [finish, end])).toEqual([3, 7, 'partial'])
})

test('what came after the figures is added, but not what a reader held back until the end', () => {
  expect(used([start, open(text), hundred, said(9, 7)], [hundred], [finish, end])).toEqual([9, 107, 'partial'])
  expect(used([start, open(text), said(9, 7), hundred], [finish, end])).toEqual([9, 7, 'provider'])
  expect(used([start, open(text)], [said(9, 7)], [hundred, finish, end])).toEqual([9, 7, 'provider'])
})

test('an answer that broke off is no less than what came of it', () => {
  expect(used([start, open(text), hundred, hundred, said(9, 1)])).toEqual([9, 200, 'partial'])
  expect(used([start, open(text), hundred, hundred, said(9, 1), finish])).toEqual([9, 1, 'provider'])
})

test('a guess of the output that a codec adds to the input it was told is counted here', () => {
  expect(used([start, said(9, 4, 'partial')], [open(text), hundred], [finish, end])).toEqual([9, 100, 'partial'])
  expect(used([start, open(text), hundred, said(9, 50)], [said(9, 70, 'partial'), words('x'.repeat(8))], [finish, end])).toEqual([
    9,
    52,
    'partial',
  ])
  expect(used([start, said(9, 4, 'estimated')], [open(text), hundred], [finish, end])).toEqual([3, 100, 'estimated'])
})

test('every kind of part', () => {
  const meter = eventMeter({ addText: () => undefined })
  meter.add([
    start,
    open({ kind: 'reasoning', form: 'full' }, 0),
    words('12345678', 0),
    open({ kind: 'call', callId: 'c', name: 'look', form: 'json' }, 1),
    words('{"a":1}x', 1),
    open({ kind: 'media', media: 'image', mimeType: 'image/png' }, 2),
    { kind: 'delta', choice: 0, at: 2, delta: { data: 'A'.repeat(4000) } },
    open({ kind: 'media', media: 'audio' }, 3),
    { kind: 'delta', choice: 0, at: 3, delta: { data: 'A'.repeat(64_000) } },
    words('hey!', 3),
    finish,
    end,
  ])
  expect(meter.used(0, roughly).out).toEqual({ total: 6 + 1290 + 20, reasoning: 2, audio: 20, image: 1290 })
})
