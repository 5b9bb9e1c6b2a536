import { expect, test } from 'bun:test'
import { readWhole } from './response-meter.ts'

const body =
  '{ "id":"c", "model" : "up", "choices":[{"index":0,"message":{"content":"12345678"},"finish_reason":"stop","model":"up"}], "new":1.0 }'

test('the bytes pass, or only the name changes', () => {
  expect(readWhole(body, {}, 8).body).toBe(body)
  expect(readWhole(body, { model: 'asked', hideUsage: true }, 8).body).toBe(body.replace('"model" : "up"', '"model" : "asked"'))
  expect(readWhole('{"choices":[]}', { model: 'asked' }, 8).body).toBe('{"choices":[]}')
})

test('usage from the upstream, else counted', () => {
  expect(readWhole(body, {}, 9).usage).toMatchObject({ in: { fresh: 3 }, out: { total: 2 }, provenance: 'estimated', raw: null })
  const said = { prompt_tokens: 5, completion_tokens: 7 }
  const usage = readWhole(JSON.stringify({ ...JSON.parse(body), usage: said }), {}, 9).usage
  expect(usage).toMatchObject({ in: { fresh: 5 }, out: { total: 7 }, provenance: 'provider', raw: said })
})

test('a choice that met its limit', () => {
  expect(readWhole(body, {}, 8).end).toBe('complete')
  expect(readWhole(body.replace('"stop"', '"length"'), {}, 8).end).toBe('length')
})

test('a body that is not an answer is an upstream error, whatever the status', () => {
  const texts = [
    '',
    '<html>no</html>',
    '[]',
    'null',
    '"x"',
    '{}',
    '{"choices":{}}',
    '{"choices":null}',
    '{"choices":[]',
    '{"error":{"message":"x"},"choices":[]}',
  ]
  for (const text of texts)
    expect(() => readWhole(text, {}, 8)).toThrow(expect.objectContaining({ code: 'upstream_error', blame: 'upstream' }))
  expect(readWhole('{"choices":[],"error":null}', {}, 8).end).toBe('complete')
})

test('an error object tells its own kind', () => {
  const coded = (error: unknown) => () => readWhole(JSON.stringify({ error }), {}, 8)
  expect(coded({ message: 'x', code: 429 })).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }))
  expect(coded({ message: 'x', type: 'invalid_request_error' })).toThrow(
    expect.objectContaining({ code: 'upstream_rejected', status: 400 }),
  )
  expect(coded('boom')).toThrow(expect.objectContaining({ code: 'upstream_error' }))
})

test('its texts go to the estimator only where they have to be counted', () => {
  const heardOf = (usage: unknown, isPlausible = true) => {
    const heard: string[] = []
    const estimator = { input: () => 0, output: () => 7, addText: (text: string) => heard.push(text), isPlausible: () => isPlausible }
    const body = JSON.stringify({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Everest' }, finish_reason: 'stop' }],
      usage,
    })
    return { heard, output: readWhole(body, {}, 10, estimator).usage.out.total }
  }
  const reported = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 }
  expect(heardOf(reported)).toEqual({ heard: [], output: 3 })
  expect(heardOf(reported, false)).toEqual({ heard: ['Everest'], output: 7 })
  expect(heardOf({ ...reported, completion_tokens: 0 })).toEqual({ heard: ['Everest'], output: 7 })
  expect(heardOf(undefined)).toEqual({ heard: ['Everest'], output: 7 })
})
