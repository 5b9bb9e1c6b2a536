import { describe, expect, test } from 'bun:test'
import type { Message } from '#client/features/playground/conversation/conversation.ts'
import {
  clamp,
  defaultSettings,
  fieldOf,
  isRefused,
  rangeOf,
  readNumber,
  sliderNames,
} from '#client/features/playground/conversation/settings.ts'
import { buildBody } from '#client/features/playground/reply/request-body.ts'
import type { ModelRow } from '#shared/console/model'
import { checkSchema, checkTools, exampleSchema, exampleTools } from './json-fields.ts'
import { outputHold } from './output-hold.ts'

const model = (more: Partial<ModelRow> = {}): ModelRow => ({
  id: 'm',
  operations: ['generate'],
  dialects: ['chat'],
  price: { input: '0.25', output: '2' },
  contextTokens: null,
  maxOutputTokens: null,
  capabilities: {},
  ...more,
})
const ask: Message = { id: 'a', conversation: 'c', parent: null, at: 1, role: 'user', text: 'hi' }
const values = { temperature: 0.7, topP: 0.9, frequencyPenalty: -1.25, presencePenalty: 2, maxTokens: 77 }

describe('what is sent', () => {
  test('all 32 switch combinations send exactly the fields that are on, as numbers', () => {
    for (let bits = 0; bits < 32; bits += 1) {
      const settings = defaultSettings()
      const expected: Record<string, number> = {}
      sliderNames.forEach((name, index) => {
        const on = (bits & (1 << index)) !== 0
        settings[name] = { on, value: values[name] }
        if (on) expected[fieldOf[name]] = values[name]
      })
      const {
        group,
        model: name,
        messages,
        stream,
        stream_options,
        ...rest
      } = buildBody({ group: 'g', model: 'm' }, settings, [ask], model())
      expect(rest).toEqual(expected)
      expect({ group, name, messages, stream, stream_options }).toEqual({
        group: 'g',
        name: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        stream_options: { include_usage: true },
      })
    }
  })

  test('the rest is sent only when it was chosen', () => {
    const settings = {
      ...defaultSettings(),
      stream: false,
      system: 'Be brief.',
      effort: 'low' as const,
      seed: 0,
      stop: ['END'],
      output: 'json' as const,
      tools: exampleTools,
    }
    expect(buildBody({ group: 'g', model: 'm' }, settings, [ask], undefined)).toEqual({
      group: 'g',
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      reasoning_effort: 'low',
      seed: 0,
      stop: ['END'],
      response_format: { type: 'json_object' },
      tools: JSON.parse(exampleTools),
    })
  })

  test('a model that says so gets the newer name of Max tokens, and no more than it takes', () => {
    const settings = { ...defaultSettings(), maxTokens: { on: true, value: 100_000 } }
    const newer = model({ maxOutputTokens: 8_000, capabilities: { maxCompletionTokens: true } })
    const body = buildBody({ group: 'g', model: 'm' }, settings, [ask], newer)
    expect(body.max_completion_tokens).toBe(8_000)
    expect('max_tokens' in body).toBe(false)
  })
})

describe('typed values', () => {
  const range = rangeOf('temperature', undefined)
  test('are brought into range and onto the step, and say so', () => {
    expect(readNumber('0.7', range)).toEqual({ value: 0.7, corrected: false })
    expect(readNumber('0,7', range)).toEqual({ value: 0.7, corrected: false })
    expect(readNumber('3', range)).toEqual({ value: 2, corrected: true })
    expect(readNumber('-1', range)).toEqual({ value: 0, corrected: true })
    expect(readNumber('0.123', range)).toEqual({ value: 0.12, corrected: true })
    for (const wrong of ['', 'abc', '1e3', '--1', 'NaN', 'Infinity']) expect(readNumber(wrong, range)).toBeUndefined()
  })

  test('stay what they are when clamped twice', () => {
    for (const name of sliderNames) {
      const one = rangeOf(name, undefined)
      for (let value = one.min; value <= Math.min(one.max, one.min + 5); value += one.step * 7) {
        const once = clamp(value, one)
        expect(clamp(once, one)).toBe(once)
        expect(String(once).length).toBeLessThan(7)
      }
    }
  })

  test('the model narrows the range', () => {
    expect(rangeOf('maxTokens', model({ maxOutputTokens: 2_000 }))).toMatchObject({ max: 2_000, first: 2_000 })
    expect(rangeOf('temperature', model({ dialects: ['messages'] })).max).toBe(1)
    expect(isRefused('topP', model({ capabilities: { sampling: false } }))).toBe(true)
    expect(isRefused('maxTokens', model({ capabilities: { sampling: false } }))).toBe(false)
    expect(isRefused('temperature', model({ capabilities: { temperature: false } }))).toBe(true)
  })
})

test('the hold is exact and rounded up', () => {
  expect(outputHold(model(), 4_096, '1')).toBe('0.008192')
  expect(outputHold(model({ price: { output: '0.0000001' } }), 1, '0.8')).toBe('0.000000001')
  expect(outputHold(model({ price: {} }), 1, '1')).toBeUndefined()
})

test('tools and schemas are checked where they are typed', () => {
  expect(checkTools(exampleTools)).toBeUndefined()
  expect(checkTools('[')).toBe('json')
  expect(checkTools('{}')).toBe('list')
  expect(checkTools('[{"type":"function"}]')).toBe('shape')
  expect(checkTools('[{"type":"function","function":{"name":"a b"}}]')).toBe('shape')
  expect(checkSchema(exampleSchema)).toBeUndefined()
  expect(checkSchema('[]')).toBe('object')
})
