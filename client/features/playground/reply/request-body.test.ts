import { describe, expect, test } from 'bun:test'
import { emptyReply, type Message } from '#client/features/playground/conversation/conversation.ts'
import { defaultSettings, fieldOf, sliderNames } from '#client/features/playground/conversation/settings.ts'
import type { ModelRow } from '#shared/console/model'
import { beginningOf, buildBody, laterHalf, sentMessages } from './request-body.ts'

const model = (more: Partial<ModelRow> = {}): ModelRow => ({
  id: 'm',
  operations: ['generate'],
  dialects: ['chat'],
  price: { input: '0.25', output: '2' },
  priceChangedAt: null,
  contextTokens: null,
  maxOutputTokens: null,
  capabilities: {},
  ...more,
})
const ask: Message = { id: 'a', conversation: 'c', parent: null, at: 1, role: 'user', text: 'hi' }
const values = { temperature: 0.7, topP: 0.9, frequencyPenalty: -1.25, presencePenalty: 2, maxTokens: 77 }
const exampleTools = JSON.stringify([{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }])

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

  test('a model that needs it gets the newer name of Max tokens, limited to its maximum', () => {
    const settings = { ...defaultSettings(), maxTokens: { on: true, value: 100_000 } }
    const newer = model({ maxOutputTokens: 8_000, capabilities: { samplingRefused: true } })
    const body = buildBody({ group: 'g', model: 'm' }, settings, [ask], newer)
    expect(body.max_completion_tokens).toBe(8_000)
    expect('max_tokens' in body).toBe(false)
  })
})

describe('what is left out of a request', () => {
  const user = (id: string): Message => ({ ...ask, id, text: id })
  const said = (id: string, more: Partial<Extract<Message, { role: 'assistant' }>> = {}): Message => ({
    ...emptyReply('c', null, { group: 'g', model: 'm' }, 1),
    id,
    state: 'complete',
    ...more,
  })
  const result = (callId: string): Message => ({
    id: `of ${callId}`,
    conversation: 'c',
    parent: null,
    at: 1,
    role: 'tool',
    callId,
    text: '1',
  })
  const call = (id: string) => ({ id, name: 'f', arguments: '{}' })
  const idsOf = (path: Message[]) => sentMessages(path).map((message) => message.id)

  test('an earlier question without an answer, but never the last one', () => {
    expect(idsOf([user('a'), said('b'), user('c')])).toEqual(['c'])
    expect(idsOf([user('a'), said('b', { text: 'yes' }), user('c'), said('d', { state: 'failed' }), user('e')])).toEqual(['a', 'b', 'e'])
    expect(idsOf([user('a')])).toEqual(['a'])
  })

  test('what the user has cut off: the older half of the questions, until one is left', () => {
    const path = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, n) => (n % 2 === 0 ? user(id) : said(id, { text: id })))
    expect(laterHalf(path)?.id).toBe('e')
    const cut = path.map((message) => (message.id === 'c' && message.role === 'user' ? { ...message, begins: true } : message))
    expect(idsOf(cut)).toEqual(['c', 'd', 'e', 'f'])
    expect(laterHalf(cut)?.id).toBe('e')
    expect(laterHalf(cut.slice(4))).toBeUndefined()
    expect(laterHalf([])).toBeUndefined()
  })

  test('calls that lack a result, with the results that are there; their text stays', () => {
    const calls = [call('1'), call('2')]
    expect(idsOf([user('a'), said('b', { calls }), result('1'), user('c')])).toEqual(['c'])
    expect(idsOf([user('a'), said('b', { calls }), result('1'), result('2')])).toEqual(['a', 'b', 'of 1', 'of 2'])
    const kept = sentMessages([user('a'), said('b', { calls, text: 'Let me look.' }), user('c')])
    expect(kept[1]).toMatchObject({ text: 'Let me look.', calls: [] })
  })
})

test('the beginning of a long body reads like the body, with few of its messages', () => {
  const messages = Array.from({ length: 100 }, (_, at) => ({ role: 'user', content: `${at}`.repeat(50) }))
  const body = { group: 'g', model: 'm', messages, stream: true }
  const [whole, begins] = [body, beginningOf(body, 1_000)].map((one) => JSON.stringify(one, null, 2))
  expect(begins?.slice(0, 1_000)).toBe(whole?.slice(0, 1_000))
  expect(beginningOf(body, 1_000)?.messages.length).toBeLessThan(20)
  expect(beginningOf(body, 1e6)).toEqual(body)
  expect(beginningOf(undefined, 1)).toBeUndefined()
})
