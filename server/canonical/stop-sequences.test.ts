/** An answer ends before the first stop sequence, however it was cut into pieces. */
import { expect, test } from 'bun:test'
import type { StreamReader } from './codec.ts'
import type { ConversationEvent } from './conversation-event.ts'
import { cutReader, cutResponse } from './stop-sequences.ts'
import { noUsage } from './usage.ts'

const frame = { raw: new Uint8Array(), data: '' } as Parameters<StreamReader['push']>[0]
const at = { choice: 0, at: 0 }
const opened: ConversationEvent = { kind: 'open', ...at, part: { kind: 'text' } }
const piece = (text: string): ConversationEvent => ({ kind: 'delta', ...at, delta: { text } })
const closing: ConversationEvent[] = [
  { kind: 'close', ...at },
  { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'completed' } },
  { kind: 'end' },
]

/** The output, and the piece after which it ended. */
function streamed(pieces: string[], sequences: string[]) {
  const script = [[opened], ...pieces.map((text) => [piece(text)]), closing]
  let asked = 0
  const reader = cutReader({ push: () => script[asked++] ?? [], end: () => [] }, sequences)
  const events: ConversationEvent[] = []
  while (events.at(-1)?.kind !== 'end' && asked < script.length) events.push(...reader.push(frame))
  const text = events.map((event) => (event.kind === 'delta' && 'text' in event.delta ? event.delta.text : '')).join('')
  const finish = events.find(({ kind }) => kind === 'finish')
  return {
    text,
    finish: finish?.kind === 'finish' && finish.finish,
    asked,
    kinds: events.map(({ kind }) => kind),
    rest: reader.push(frame),
  }
}

const cut = (sequence: string) => ({ reason: 'stop-sequence', stopSequence: sequence })

test.each([
  [['one END two'], 'one '],
  [['one E', 'ND two'], 'one '],
  [[...'one END two'], 'one '],
  [['END'], ''],
])('%j', (pieces, text) => {
  expect(streamed(pieces, ['STOP', 'END'])).toMatchObject({ text, finish: cut('END'), rest: [] })
})

test('nothing is asked of the upstream after a match, and open parts are closed', () => {
  const { asked, kinds } = streamed(['a END', 'b', 'c'], ['END'])
  expect([asked, kinds]).toEqual([2, ['open', 'delta', 'close', 'finish', 'end']])
})

test('text that only began like a sequence is not lost, and text that cannot begin one is not held', () => {
  expect(streamed(['an EN', 'emy E'], ['END'])).toMatchObject({ text: 'an ENemy E', finish: { reason: 'stop' } })
  const reader = cutReader({ push: () => [opened, piece('abc')], end: () => [] }, ['END'])
  expect(reader.push(frame)).toEqual([opened, piece('abc')])
})

test('the earliest match counts, the longer one of two that begin together', () => {
  expect(streamed(['x b a'], ['a', 'b']).finish).toMatchObject(cut('b'))
  expect(streamed(['x ab'], ['a', 'ab']).finish).toMatchObject(cut('ab'))
})

test('a whole answer likewise: what comes after the match is not there', () => {
  const answer = {
    id: 'a',
    model: 'm',
    created: 1,
    usage: noUsage(),
    choices: [
      {
        index: 0,
        parts: [
          { kind: 'text' as const, text: 'one END two' },
          { kind: 'text' as const, text: 'three' },
        ],
        finish: { reason: 'stop' as const, raw: 'completed' },
      },
    ],
  }
  expect(cutResponse(answer, ['END']).choices[0]).toMatchObject({ parts: [{ text: 'one ' }], finish: cut('END') })
  expect(cutResponse(answer, ['END']).choices[0]?.parts).toHaveLength(1)
  expect(cutResponse(answer, ['FIN'])).toEqual(answer)
})
