import { expect, test } from 'bun:test'
import { readWhole } from './response-meter.ts'

const usage = '"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":7 }'
const body = `{ "id":"m", "type":"message", "model" : "up", "content":[{"type":"text","text":"12345678","model":"up"}], "stop_reason":"end_turn", ${usage}, "new":1.0 }`

test('the bytes pass, or only the name changes', () => {
  expect(readWhole(body, {}, 8).body).toBe(body)
  expect(readWhole(body, { model: 'asked' }, 8).body).toBe(body.replace('"model" : "up"', '"model" : "asked"'))
})

test('SPECIFICATION 2.2: all four figures are there, whatever the upstream leaves out', () => {
  const named = (figures: string) => readWhole(body.replace(usage, `"usage":${figures}`), {}, 8).body
  expect(named('{"input_tokens":5,"output_tokens":7}')).toContain(
    '{"input_tokens":5,"output_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}',
  )
  expect(named('{"cache_read_input_tokens":null,"input_tokens":5,"cache_creation_input_tokens":1,"output_tokens":7}')).toContain(
    '{"cache_read_input_tokens":0,"input_tokens":5,"cache_creation_input_tokens":1,"output_tokens":7}',
  )
  for (const none of ['null', '{}', '[]']) expect(Object.keys(JSON.parse(named(none)).usage)).toHaveLength(4)
  expect(JSON.parse(readWhole('{"content":[]}', {}, 8).body).usage.output_tokens).toBe(0)
})

test('figures that the upstream omits are filled in as charged', () => {
  const reported = (figures: string) => {
    const answer = readWhole(body.replace(usage, figures), {}, 12)
    const { input_tokens: input, output_tokens: output } = JSON.parse(answer.body).usage
    return [input, output, answer.usage.in.fresh, answer.usage.out.total, answer.usage.provenance]
  }
  for (const none of ['"x":1', '"usage":null', '"usage":{}', '"usage":[]', '"usage":{"input_tokens":null}']) {
    expect([none, ...reported(none)]).toEqual([none, 3, 2, 3, 2, 'estimated'])
  }
  expect(reported('"usage":{"input_tokens":100}')).toEqual([100, 2, 100, 2, 'partial'])
  expect(reported('"usage":{"output_tokens":50}')).toEqual([3, 50, 3, 50, 'partial'])
})

test('usage from the upstream, else counted', () => {
  expect(readWhole(body, {}, 9).usage).toMatchObject({ in: { fresh: 5, cacheRead: 2 }, out: { total: 7 }, provenance: 'provider' })
  expect(readWhole(body.replace(usage, '"x":1'), {}, 9).usage).toMatchObject({
    in: { fresh: 3 },
    out: { total: 2 },
    provenance: 'estimated',
  })
})

test('an answer that met its limit', () => {
  expect(readWhole(body, {}, 8).end).toBe('complete')
  expect(readWhole(body.replace('"end_turn"', '"max_tokens"'), {}, 8).end).toBe('length')
})

test('a body that is not an answer is an upstream error, whatever the status', () => {
  for (const text of ['', '<html>no</html>', '[]', 'null', '"x"', '{}', '{"content":{}}', '{"content":"x"}', '{"content":[]'])
    expect(() => readWhole(text, {}, 8)).toThrow(expect.objectContaining({ code: 'upstream_error', blame: 'upstream' }))
  const coded = (type: string) => () => readWhole(JSON.stringify({ type: 'error', error: { type, message: 'Bad.' } }), {}, 8)
  expect(coded('rate_limit_error')).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }))
  expect(coded('invalid_request_error')).toThrow(expect.objectContaining({ code: 'upstream_rejected', status: 400, message: 'Bad.' }))
})

test('its texts go to the estimator only where they have to be counted', () => {
  const heardOf = (usage: unknown) => {
    const heard: string[] = []
    const estimator = { input: () => 0, output: () => 7, addText: (text: string) => heard.push(text) }
    const body = JSON.stringify({ type: 'message', content: [{ type: 'text', text: 'Everest' }], stop_reason: 'end_turn', usage })
    return { heard, output: readWhole(body, {}, 10, estimator).usage.out.total }
  }
  expect(heardOf({ input_tokens: 10, output_tokens: 3 })).toEqual({ heard: [], output: 3 })
  expect(heardOf({ input_tokens: 10, output_tokens: 0 })).toEqual({ heard: ['Everest'], output: 7 })
  expect(heardOf(undefined)).toEqual({ heard: ['Everest'], output: 7 })
})
