import { expect, test } from 'bun:test'
import type { RealtimeMeter } from '#canonical/operation/realtime'
import { readSetup, withHandle, writeSetup } from './frame.ts'
import { createLiveMeter } from './meter.ts'

const meter = (): RealtimeMeter => {
  const made = createLiveMeter({ model: 'm', maxOutput: 1000, context: 32_000, dearest: 'audio' })
  made.asked('{"setup":{"model":"models/m"}}')
  return made
}
const said = (text: string) => JSON.stringify({ serverContent: { modelTurn: { parts: [{ text }] } } })
const over = '{"serverContent":{"turnComplete":true}}'
const figures = (prompt: number, response: number, more: object = {}) =>
  JSON.stringify({ ...more, usageMetadata: { promptTokenCount: prompt, responseTokenCount: response } })
const asks = '{"clientContent":{"turns":[{"parts":[{"text":"hi"}]}],"turnComplete":true}}'

/** Input and output of every charge, in order, and of the rest at the end. */
function charged(frames: readonly string[], made = meter()) {
  const all = frames.map((frame) => (frame.startsWith('> ') ? void made.asked(frame.slice(2)) : made.answered(frame)))
  const pairs = [...all, made.unfinished()].flatMap((usage) => (usage ? [[usage.in.fresh + usage.in.audio, usage.out.total]] : []))
  return { pairs, running: made.running() }
}

test.each([
  ['with the end of a turn', [`> ${asks}`, said('a'), figures(10, 5, { serverContent: { turnComplete: true } })], [[10, 5]]],
  ['behind the end of a turn', [said('a'), over, figures(10, 5), figures(10, 5)], [[10, 5]]],
  ['growing within a turn', [said('a'), figures(10, 2), said('b'), figures(10, 5), over], [[10, 5]]],
  [
    'of two turns',
    [said('a'), figures(10, 5), over, said('b'), figures(20, 6), over],
    [
      [10, 5],
      [20, 6],
    ],
  ],
  [
    'of a call and of what is said to its result',
    [
      '{"toolCall":{"functionCalls":[{"name":"f"}]}}',
      figures(10, 5),
      '> {"toolResponse":{"functionResponses":[{"name":"f"}]}}',
      said('b'),
      figures(20, 6),
      over,
    ],
    [
      [10, 5],
      [20, 6],
    ],
  ],
  ['of a turn that breaks off', [said('a'), figures(10, 5)], [[10, 5]]],
])('figures %s count once', (_, frames, wanted) => {
  expect(charged(frames).pairs).toEqual(wanted)
})

test('a turn without figures is paid by what was delivered, when the next begins or the session ends', () => {
  const { pairs } = charged([said('x'.repeat(400)), over, said('y'.repeat(40)), over])
  expect(pairs.map(([, out]) => out)).toEqual([100, 10])
  const sound = { serverContent: { modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm', data: 'A'.repeat(64_000) } }] } } }
  expect(charged([JSON.stringify(sound)]).pairs[0]?.[1]).toBe(25)
})

test('a turn runs from what asks for it to its end', () => {
  expect(charged([]).running).toBe(0)
  expect(charged([`> ${asks}`]).running).toBe(1)
  expect(charged([`> ${asks}`, said('a')]).running).toBe(1)
  expect(charged([`> ${asks}`, said('a'), over]).running).toBe(0)
  expect(charged(['> {"clientContent":{"turns":[]}}']).running).toBe(0)
})

test('the next turn includes all input since, at its highest price', () => {
  const made = meter()
  const before = made.next()
  made.asked(JSON.stringify({ realtimeInput: { audio: { mimeType: 'audio/pcm', data: 'A'.repeat(42_700) } } }))
  made.asked(JSON.stringify({ realtimeInput: { video: { mimeType: 'image/jpeg', data: 'A'.repeat(1000) } } }))
  const { in: input, out } = made.next()
  expect([input.audio, out]).toMatchObject([33, { total: 1000, audio: 1000 }])
  expect(input.fresh - before.in.fresh).toBeGreaterThanOrEqual(258)
})

test.each([
  ['{"setup":{"model":"models/m"}}', 'invalid_value'],
  ['{"clientContent":{},"realtimeInput":{}}', 'invalid_value'],
  ['{"clientContent":{},"client_content":{}}', 'ambiguous_field'],
  ['{"what":{}}', 'invalid_value'],
  ['[]', 'invalid_request'],
  [
    '{"clientContent":{"turns":[{"parts":[{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/a"}}]}]}}',
    'not_found',
  ],
])('%s is not forwarded', (frame, code) => {
  expect(meter().asked(frame).refusal).toMatchObject({ code })
})

test('a set-up is sent with the upstream’s names, in its own spelling', () => {
  expect(writeSetup('{"setup": {"model":"models/m", "x":1}}', 'u')).toBe('{"setup": {"model":"models/u", "x":1}}')
  const resumed = '{"setup":{"model":"m","session_resumption":{"handle":"sealed"}}}'
  expect(readSetup(resumed)).toEqual({ model: 'm', handle: 'sealed' })
  expect(writeSetup(resumed, 'tunedModels/u', 'own')).toBe('{"setup":{"model":"tunedModels/u","session_resumption":{"handle":"own"}}}')
  expect(withHandle('{"sessionResumptionUpdate":{"newHandle":"own","resumable":true}}', (handle) => `<${handle}>`)).toBe(
    '{"sessionResumptionUpdate":{"newHandle":"<own>","resumable":true}}',
  )
  expect(withHandle('{"sessionResumptionUpdate":{}}', () => 'x')).toBeUndefined()
})
