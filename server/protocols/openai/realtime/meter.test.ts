import { describe, expect, spyOn, test } from 'bun:test'
import type { RealtimeMeter } from '#canonical/operation/realtime'
import { createRealtimeMeter } from './meter.ts'

const limits = { maxOutput: 1000, context: 32_000, dearest: 'audio' } as const
const meterOf = (more: Partial<Parameters<typeof createRealtimeMeter>[0]> = {}) => createRealtimeMeter({ ...limits, ...more })
const asked = (meter: RealtimeMeter, event: object) => meter.asked(JSON.stringify(event))
const answered = (meter: RealtimeMeter, event: object) => meter.answered(JSON.stringify(event))

const created = (id: string) => ({ type: 'response.created', response: { id } })
const done = (id: string, more: object = { usage: { input_tokens: 100, output_tokens: 20 } }) => ({
  type: 'response.done',
  response: { id, conversation_id: 'c', status: 'completed', ...more },
})
/** A second of sound as the session begins with it: 24 kHz, 16 bits, in base64. */
const second = 'A'.repeat(64_000)

describe('what is paid', () => {
  test('each response once, by its own figures', () => {
    const meter = meterOf()
    answered(meter, created('a'))
    expect(answered(meter, done('a'))).toMatchObject({ in: { fresh: 100 }, out: { total: 20 }, provenance: 'provider' })
    expect(answered(meter, done('a'))).toBeUndefined()
    expect(answered(meter, done('b'))).toMatchObject({ in: { fresh: 100 } })
  })

  test('a response without figures by its output, and one without output not at all', () => {
    const meter = meterOf()
    answered(meter, created('a'))
    answered(meter, { type: 'response.output_text.delta', response_id: 'a', delta: 'x'.repeat(40) })
    answered(meter, { type: 'response.output_audio.delta', response_id: 'a', delta: second })
    answered(meter, { type: 'response.audio_transcript.delta', response_id: 'a', delta: 'beta' })
    expect(answered(meter, done('a', { usage: null }))).toMatchObject({
      in: { fresh: 1024 },
      out: { total: 31, audio: 20 },
      provenance: 'estimated',
    })
    answered(meter, created('b'))
    expect(answered(meter, done('b', { usage: null, status: 'failed' }))).toBeUndefined()
  })

  test('responses that will never end, by their output', () => {
    const meter = meterOf()
    answered(meter, created('a'))
    expect(meter.unfinished()).toBeUndefined()
    answered(meter, { type: 'response.output_text.delta', response_id: 'a', delta: 'x'.repeat(8) })
    expect(meter.unfinished()).toMatchObject({ in: { fresh: 1024 }, out: { total: 2 }, units: { requests: 1 }, provenance: 'estimated' })
    answered(meter, done('a'))
    expect(meter.unfinished()).toBeUndefined()
  })

  test('a transcription once, beside the responses', () => {
    const meter = meterOf()
    const event = { type: 'conversation.item.input_audio_transcription.completed', item_id: 'i', content_index: 0 }
    const usage = { type: 'tokens', input_tokens: 12, output_tokens: 3, input_token_details: { audio_tokens: 12 } }
    expect(answered(meter, { ...event, usage })).toMatchObject({ in: { audio: 12 }, out: { total: 3 }, units: { requests: 0 } })
    expect(answered(meter, { ...event, usage })).toBeUndefined()
    expect(answered(meter, { ...event, item_id: 'other' })).toBeUndefined()
  })

  test('output before the event that starts the response', () => {
    const meter = meterOf()
    const words = (id: string | undefined) => ({
      type: 'response.output_text.delta',
      response_id: id,
      output_index: 0,
      delta: 'x'.repeat(400),
    })
    answered(meter, words('a'))
    expect(meter.running()).toBe(1)
    expect(meter.unfinished()).toMatchObject({ out: { total: 100 }, units: { requests: 1 } })
    answered(meter, created('a'))
    answered(meter, words('a'))
    expect(answered(meter, done('a', { usage: null }))).toMatchObject({ out: { total: 200 }, provenance: 'estimated' })
    // Too late to belong to a response.
    answered(meter, words('a'))
    expect(meter.unfinished()).toBeUndefined()
    answered(meter, words(undefined))
    expect(answered(meter, done('b', { usage: null }))).toMatchObject({ out: { total: 100 } })
    expect(meter.running()).toBe(0)
  })

  test('what only the end of a part, an item or a response tells', () => {
    const reported = [
      { type: 'response.output_text.done', response_id: 'a', output_index: 0, text: 'x'.repeat(40) },
      { type: 'response.content_part.done', response_id: 'a', output_index: 0, part: { type: 'text', text: 'x'.repeat(40) } },
      { type: 'response.output_item.done', response_id: 'a', output_index: 0, item: { content: [{ transcript: 'x'.repeat(40) }] } },
      { type: 'response.function_call_arguments.done', response_id: 'a', output_index: 0, arguments: 'x'.repeat(40) },
    ]
    for (const event of reported) {
      const meter = meterOf()
      answered(meter, event)
      answered(meter, { ...event, type: 'response.output_text.delta', delta: 'x'.repeat(36) })
      expect(answered(meter, done('a', { usage: null }))?.out.total).toBe(10)
    }
    const output = [{ type: 'function_call', name: 'look', arguments: 'x'.repeat(36) }]
    expect(answered(meterOf(), done('a', { usage: null, output }))).toMatchObject({ out: { total: 10 }, provenance: 'estimated' })
  })

  test('figures of zero count as missing if there was output', () => {
    const figures = (input_tokens: number, output_tokens: number) => {
      const meter = meterOf()
      answered(meter, created('a'))
      answered(meter, { type: 'response.output_text.delta', response_id: 'a', delta: 'x'.repeat(400) })
      const usage = answered(meter, done('a', { usage: { input_tokens, output_tokens } }))
      return [usage?.in.fresh, usage?.out.total, usage?.provenance]
    }
    expect(figures(0, 0)).toEqual([1024, 100, 'estimated'])
    expect(figures(50, 0)).toEqual([50, 100, 'partial'])
    expect(figures(0, 7)).toEqual([1024, 7, 'partial'])
    expect(figures(50, 7)).toEqual([50, 7, 'provider'])
  })

  test('impossible figures count as missing', () => {
    const meter = meterOf({ isPlausible: ({ out }) => out.total < 1000 })
    answered(meter, created('a'))
    answered(meter, { type: 'response.output_text.delta', response_id: 'a', delta: 'x'.repeat(400) })
    expect(answered(meter, done('a', { usage: { input_tokens: 5, output_tokens: 1000 } }))).toMatchObject({
      in: { fresh: 1024 },
      out: { total: 100 },
      provenance: 'estimated',
    })
    expect(answered(meter, done('b', { usage: { input_tokens: 5, output_tokens: 999 } }))).toMatchObject({ provenance: 'provider' })
  })

  test('a response without an id, once for each time that something happened', () => {
    const meter = meterOf()
    expect(answered(meter, done(''))).toMatchObject({ in: { fresh: 100 } })
    expect(answered(meter, done(''))).toBeUndefined()
    asked(meter, { type: 'response.create' })
    expect(answered(meter, done(''))).toMatchObject({ in: { fresh: 100 } })
    answered(meter, { type: 'response.created', response: {} })
    expect(answered(meter, done(''))).toMatchObject({ in: { fresh: 100 } })
    answered(meter, { type: 'response.output_text.delta', delta: 'x' })
    expect(answered(meter, done(''))).toMatchObject({ in: { fresh: 100 } })
    expect(answered(meter, done(''))).toBeUndefined()
    expect(meter.running()).toBe(0)
  })

  test('a transcription without figures by its text', () => {
    const meter = meterOf()
    const event = {
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: 'i',
      content_index: 0,
      transcript: 'x'.repeat(60),
    }
    const usage = { in: { fresh: 0, audio: 40 }, out: { total: 15 }, units: { requests: 0 }, provenance: 'estimated' }
    expect(answered(meter, event)).toMatchObject(usage)
    expect(answered(meter, event)).toBeUndefined()
    expect(answered(meter, { ...event, item_id: 'j', usage: { type: 'duration', seconds: 0 } })).toMatchObject(usage)
    expect(answered(meter, { ...event, item_id: 'k', usage: { type: 'duration', seconds: 4 } })).toMatchObject({ units: { seconds: 4 } })
  })

  test('what is no event costs nothing and breaks nothing', () => {
    const meter = meterOf()
    for (const frame of ['', 'null', '[]', '{', '{"type":7}']) {
      expect(meter.answered(frame)).toBeUndefined()
      // An upstream may read what Parley cannot.
      expect(meter.asked(frame)).toMatchObject({ refusal: { status: 400 } })
    }
    for (const frame of ['{"type":"response.done"}', '{"type":"response.done","response":7}']) {
      expect(meter.answered(frame)).toBeUndefined()
      expect(meter.asked(frame)).toEqual({})
    }
    expect(meter.running()).toBe(0)
  })
})

test('a large item that comes back is not read, whatever else is large is', () => {
  const parse = spyOn(JSON, 'parse')
  const meter = meterOf()
  const item = { type: 'message', content: [{ type: 'input_audio', audio: second.repeat(2) }] }
  for (const type of ['created', 'added', 'done', 'retrieved']) {
    expect(answered(meter, { event_id: 'event_1', type: `conversation.item.${type}`, item })).toBeUndefined()
    expect(answered(meter, { type: `conversation.item.${type}`, item })).toBeUndefined()
  }
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(400_000) }] }]
  expect(answered(meter, done('a', { usage: null, output }))).toMatchObject({ out: { total: 100_000 } })
})

describe('what the next one may come to', () => {
  test('grows with input and output, and follows the upstream’s own count', () => {
    const meter = meterOf()
    expect(meter.next()).toMatchObject({ in: { fresh: 1024, audio: 0 }, out: { total: 1000, audio: 1000 } })
    asked(meter, { type: 'input_audio_buffer.append', audio: second })
    expect(meter.next().in.audio).toBe(10)
    asked(meter, { type: 'conversation.item.create', item: { content: [{ type: 'input_audio', audio: second.repeat(3) }] } })
    expect(meter.next().in.audio).toBe(40)
    answered(meter, created('a'))
    answered(meter, done('a', { usage: { input_tokens: 500, output_tokens: 60, output_token_details: { audio_tokens: 50 } } }))
    expect(meter.next().in).toMatchObject({ fresh: 510, audio: 50 })
  })

  test('what came while a response was made belongs to the next', () => {
    const meter = meterOf()
    answered(meter, created('a'))
    asked(meter, { type: 'input_audio_buffer.append', audio: second })
    answered(meter, done('a'))
    expect(meter.next().in).toMatchObject({ fresh: 120, audio: 10 })
  })

  test('a response beside the conversation does not shorten it', () => {
    const meter = meterOf()
    answered(meter, done('a', { usage: { input_tokens: 5000, output_tokens: 0 } }))
    answered(meter, done('b', { conversation_id: null, usage: { input_tokens: 5, output_tokens: 1 } }))
    expect(meter.next().in.fresh).toBe(5000)
  })

  test('telephone sound is fewer bytes for as many tokens', () => {
    for (const session of [{ audio: { input: { format: { type: 'audio/pcmu' } } } }, { input_audio_format: 'g711_ulaw' }]) {
      const meter = meterOf()
      answered(meter, { type: 'session.updated', session })
      asked(meter, { type: 'input_audio_buffer.append', audio: second })
      expect([60, 61]).toContain(meter.next().in.audio)
    }
  })

  test('an image is not counted by its bytes, and nothing beyond the context', () => {
    const meter = meterOf()
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(1_000_000)}` }
    asked(meter, { type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [image] } })
    expect(meter.next().in.fresh).toBeLessThan(3000)
    asked(meter, { type: 'session.update', session: { instructions: 'x'.repeat(1_000_000) } })
    expect(meter.next().in.fresh).toBe(32_000)
  })

  test('text where text is the dearer output', () => {
    expect(meterOf({ dearest: 'text' }).next().out).toMatchObject({ total: 1000, audio: 0 })
  })
})

describe('what is running', () => {
  test('from the request to the end, or to its refusal', () => {
    const meter = meterOf()
    asked(meter, { type: 'response.create' })
    expect(meter.running()).toBe(1)
    answered(meter, created('a'))
    expect(meter.running()).toBe(1)
    asked(meter, { type: 'response.create' })
    expect(meter.running()).toBe(2)
    answered(meter, { type: 'error', error: {} })
    answered(meter, done('a'))
    expect(meter.running()).toBe(0)
    answered(meter, { type: 'error', error: {} })
    expect(meter.running()).toBe(0)
  })
})

test('prompts kept in the upstream’s account are not the caller’s', () => {
  const meter = meterOf()
  const refused = asked(meter, { type: 'session.update', event_id: 'e', session: { prompt: { id: 'pmpt_x' } } })
  expect(refused).toMatchObject({ refusal: { code: 'not_found', param: 'session.prompt' }, eventId: 'e' })
  expect(asked(meter, { type: 'response.create', response: { prompt: { id: 'p' } } }).refusal?.param).toBe('response.prompt')
  expect(meter.running()).toBe(0)
})
