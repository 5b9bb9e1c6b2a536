import { expect, test } from 'bun:test'
import { changesOf } from './changes.ts'

const loss = (field: string) => ({ field, what: 'dropped' as const, reason: 'The upstream has no such field.' })

test('a loss is shown at the dropped line, whatever else changed', () => {
  const asked = '{"model":"a","logit_bias":{"1":2},"messages":[{"role":"user","name":"ann"}]}'
  const sent = '{"model":"b","messages":[{"role":"user"}]}'
  const found = changesOf(asked, sent, [loss('logit_bias'), loss('messages[0].name'), loss('n')])
  expect(found?.lines.filter(({ is }) => is === 'new').map(({ text }) => text.trim())).toEqual(['"model": "b",', '"role": "user"'])
  expect(found?.lines.flatMap(({ is, text, losses }) => losses.map(({ field }) => [is, text.trim(), field]))).toEqual([
    ['gone', '"logit_bias": {', 'logit_bias'],
    ['gone', '"name": "ann"', 'messages[0].name'],
  ])
  expect(found?.elsewhere.map(({ field }) => field)).toEqual(['n'])
})

test('identical bytes have no changes', () => {
  expect(changesOf('{"a":1}', '{ "a": 1 }', [])?.lines.every(({ is }) => is === 'same')).toBe(true)
})
