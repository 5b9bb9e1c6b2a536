import { describe, expect, test } from 'bun:test'
import { callIdIn, readBreach, readCallSession, writeCallSession } from './call.ts'

describe('the session of a call', () => {
  test.each([
    ['{"type":"realtime","model":"m","voice":"alloy"}', {}, 'm', { type: 'realtime', voice: 'alloy', model: 'up' }],
    ['', { instructions: 'Be brief.' }, undefined, { type: 'realtime', instructions: 'Be brief.', model: 'up' }],
    [
      '{"instructions":"Mine."}',
      { instructions: 'Be brief.', type: 'realtime' },
      undefined,
      { type: 'realtime', instructions: 'Mine.', model: 'up' },
    ],
    [
      '{"type":"transcription","audio":{"input":{"transcription":{"model":"m","language":"de"}}}}',
      {},
      'm',
      { type: 'transcription', audio: { input: { transcription: { model: 'up', language: 'de' } } } },
    ],
    ['{"type":"transcription"}', {}, undefined, { type: 'transcription', audio: { input: { transcription: { model: 'up' } } } }],
  ])('%s over %j', (text, before, model, sent) => {
    const read = readCallSession(text, before)
    expect(read.model).toBe(model as string)
    expect(JSON.parse(writeCallSession(read, 'up'))).toEqual(sent)
  })

  test.each(['realtime', 'transcription'])('keeps the numbers of its client: %s', (type) => {
    const tools = '[{"parameters":{"maximum":9223372036854775807,"minimum":1.0}}]'
    const read = readCallSession(`{"type":"${type}","tools":${tools}}`, { speed: 1 })
    expect(writeCallSession(read, 'up')).toContain(tools)
  })

  test.each([
    ['{"type":"translation"}', 'invalid_value'],
    ['{"model":3}', 'invalid_value'],
    ['{"model":"a","model":"b"}', 'ambiguous_field'],
    ['[]', 'invalid_request'],
  ])('%s is refused', (text, code) => {
    expect(() => readCallSession(text)).toThrow(expect.objectContaining({ code }))
  })
})

test.each([
  ['/v1/realtime/calls/rtc_123', 'rtc_123'],
  ['https://host.example/v1/realtime/calls/rtc-1/?x=1', 'rtc-1'],
  ['/v1/realtime/calls/a b', undefined],
  [null, undefined],
])('the id in the location %p', (location, id) => expect(callIdIn(location)).toBe(id as string))

test.each([
  [{ type: 'session.updated', session: { prompt: { id: 'pmpt_1' } } }, undefined, 'not_found'],
  [
    { event_id: 'e', type: 'session.created', session: { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] } },
    undefined,
    'not_found',
  ],
  [{ type: 'session.updated', session: { audio: { output: { voice: { id: 'voice_1' } } } } }, undefined, 'not_found'],
  [{ type: 'session.updated', session: { audio: { input: { transcription: { model: 'b' } } } } }, 'a', 'model_not_found'],
  [{ type: 'session.updated', session: { audio: { input: { transcription: { model: 'a' } } } } }, 'a', undefined],
  [{ type: 'session.updated', session: { prompt: null, voice: 'alloy', tools: [{ type: 'function', name: 'f' }] } }, undefined, undefined],
  [{ type: 'response.done', response: { prompt: { id: 'pmpt_1' } } }, undefined, undefined],
])('%j of a call that transcribes with %p', (event, transcriber, code) => {
  expect(readBreach(JSON.stringify(event), transcriber)?.code as string | undefined).toBe(code)
})
