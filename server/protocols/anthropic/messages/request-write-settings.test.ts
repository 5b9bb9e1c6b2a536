/**
 * The settings of conversations of other dialects, as Messages requests: thinking, output, sampling, identity, row by row of the mapping
 * tables.
 */
import { describe, expect, test } from 'bun:test'
import type { ConversationRequest, Part, Turn } from '#canonical/conversation'
import { assistant, call, conversation, look, named, result, text, user } from '#testing/conversions/conversation'
import { messagesCodec as codec } from './codec.ts'

function write(fields: Partial<ConversationRequest> = {}, capabilities: Record<string, boolean | number> = {}) {
  const { body, losses, memo, headers } = codec.writeRequest(conversation(fields), { model: 'up', capabilities, stream: false })
  return { body, losses: named(losses), memo, headers }
}
const refusal = (param: string) => expect.objectContaining({ code: 'unsupported_value', status: 400, param })
const output = (fields: Partial<ConversationRequest['output']>) => ({ output: { ...conversation().output, ...fields } })
const at = (list: unknown, index: number): unknown => (list as unknown[])[index]
const contentOf = (list: unknown, index: number): unknown[] => (at(list, index) as { content: unknown[] }).content

describe('2.4 reasoning', () => {
  const thinking = (
    reasoning: ConversationRequest['reasoning'],
    capabilities = {},
    maxTokens?: number,
    more: Partial<ConversationRequest> = {},
  ) => {
    const { body, losses } = write({ reasoning, ...(maxTokens && output({ maxTokens })), ...more }, capabilities)
    return { thinking: body.thinking as unknown, config: body.output_config as unknown, losses }
  }

  test('effort, by the table', () => {
    const plain = (effort: 'minimal' | 'low' | 'max') => thinking({ effort })
    expect(plain('low')).toEqual({ thinking: { type: 'adaptive' }, config: { effort: 'low' }, losses: [] })
    expect(plain('max')).toMatchObject({ config: { effort: 'max' } })
    expect(plain('minimal')).toMatchObject({ config: { effort: 'low' }, losses: ['reasoning.effort:adapted'] })
    expect(thinking({ effort: 'none' })).toEqual({ thinking: { type: 'disabled' }, config: undefined, losses: [] })
    expect(thinking({ effort: 'none' }, { thinkingAlwaysOn: true })).toMatchObject({
      config: { effort: 'low' },
      losses: ['reasoning:adapted!'],
    })
    expect(thinking({})).toEqual({ thinking: undefined, config: undefined, losses: [] })
  })

  test('models that take budgets only', () => {
    const budget = (effort: 'low' | 'high' | 'max', cap: number, maxTokens?: number) =>
      thinking({ effort }, { budgetOnly: true, maxOutputTokens: cap }, maxTokens)
    expect(budget('low', 64000)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 1024 },
      config: undefined,
      losses: ['reasoning.effort:adapted'],
    })
    expect(budget('high', 64000).thinking).toMatchObject({ budget_tokens: 16384 })
    expect(budget('max', 200000).thinking).toMatchObject({ budget_tokens: 63999 })
    expect(budget('max', 32000).thinking).toMatchObject({ budget_tokens: 16000 })
    expect(budget('high', 64000, 3000).thinking).toMatchObject({ budget_tokens: 1500 })
    expect(budget('high', 64000, 1024)).toMatchObject({ thinking: undefined, losses: ['reasoning.effort:adapted', 'reasoning:adapted!'] })
  })

  test('a budget never reaches the limit on the answer', () => {
    for (const budget of [1, 1024, 5000, 100000]) {
      for (const maxTokens of [1, 1024, 1025, 4000, 200000]) {
        const { thinking: written } = thinking({ budget }, { budgetOnly: true }, maxTokens)
        const tokens = (written as { budget_tokens: number } | undefined)?.budget_tokens
        if (tokens !== undefined) expect(tokens >= 1024 && tokens < maxTokens).toBe(true)
        else expect(maxTokens).toBeLessThanOrEqual(1024)
      }
    }
    expect(thinking({ budget: 2000, visible: 'none' }, {}, 9000)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2000, display: 'omitted' },
      config: undefined,
      losses: [],
    })
    expect(thinking({ budget: -1 })).toMatchObject({ thinking: { type: 'adaptive' }, losses: [] })
    expect(thinking({ budget: 0 })).toMatchObject({ thinking: { type: 'disabled' } })
    expect(thinking({ budget: 9000 }, { adaptiveOnly: true })).toMatchObject({
      thinking: { type: 'adaptive' },
      config: { effort: 'high' },
      losses: ['reasoning.budget:adapted'],
    })
  })

  const own: Part = { kind: 'reasoning', text: ['hm'], form: 'full', opaque: [{ dialect: 'messages', kind: 'signature', value: 'sig' }] }
  const foreign: Part = {
    kind: 'reasoning',
    text: ['hm'],
    form: 'summary',
    opaque: [{ dialect: 'gemini', kind: 'thought-signature', value: 'x' }],
  }
  const loop = (thought: Part): Turn[] => [user(), assistant(thought, call('c')), { role: 'tool', parts: [result('c')] }]

  test('T32, T35: thoughts go back with their seal or not at all', () => {
    const redacted: Part = {
      kind: 'reasoning',
      text: [],
      form: 'hidden',
      opaque: [{ dialect: 'messages', kind: 'redacted', value: 'blob' }],
    }
    const content = (thought: Part) => contentOf(write({ turns: loop(thought), tools: [look] }).body.messages, 1)
    expect(content(own)[0]).toEqual({ type: 'thinking', thinking: 'hm', signature: 'sig' })
    expect(content(redacted)[0]).toEqual({ type: 'redacted_thinking', data: 'blob' })
    expect(content(foreign)).toHaveLength(1)
    expect(write({ turns: loop(foreign), tools: [look] }).losses).toEqual(['turns.reasoning:dropped'])
  })

  test('a tool loop whose thoughts are missing continues without thinking', () => {
    expect(thinking({ budget: 2000 }, {}, 9000, { turns: loop(own), tools: [look] }).thinking).toMatchObject({ type: 'enabled' })
    expect(thinking({ budget: 2000 }, {}, 9000, { turns: loop(foreign), tools: [look] })).toMatchObject({
      thinking: undefined,
      losses: ['turns.reasoning:dropped', 'reasoning:adapted!'],
    })
    const over = [...loop(foreign), assistant(text('done')), user()]
    expect(thinking({ budget: 2000 }, {}, 9000, { turns: over, tools: [look] }).thinking).toMatchObject({ type: 'enabled' })
  })

  test('an answer that has begun is not thought about', () => {
    const turns = [user(), assistant(text('The answer is'))]
    expect(thinking({ effort: 'high' }, {}, undefined, { turns })).toMatchObject({ thinking: undefined, losses: ['reasoning:adapted!'] })
  })

  test('a model that must call a tool cannot think first', () => {
    const forced = { tools: [look], toolPolicy: { mode: 'required' as const } }
    expect(thinking({ effort: 'high' }, {}, undefined, forced)).toMatchObject({
      thinking: undefined,
      config: { effort: 'high' },
      losses: ['reasoning:adapted!'],
    })
    expect(write({ ...forced, reasoning: { effort: 'high' } }, { thinkingAlwaysOn: true })).toMatchObject({
      body: { system: 'Answer by calling at least one of your tools.' },
      losses: ['toolPolicy.mode:dropped!'],
    })
  })
})

describe('2.5 output', () => {
  test('limits: the client’s, the model’s, or what a hold assumes', () => {
    expect(write({}, { maxOutputTokens: 64000 }).body.max_tokens).toBe(64000)
    expect(write(output({ maxTokens: 5 }), { maxOutputTokens: 64000 }).body.max_tokens).toBe(5)
    expect(write(output({ maxTokens: 70000 }), { maxOutputTokens: 64000 })).toMatchObject({
      body: { max_tokens: 64000 },
      losses: ['output.maxTokens:adapted'],
    })
  })

  test('JSON in words, schemas in the subset', () => {
    expect(write(output({ format: { kind: 'json' } }))).toMatchObject({
      body: { system: expect.stringContaining('JSON') },
      losses: ['output.format:dropped!'],
    })
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 5, format: 'ipv4' }, b: { oneOf: [{ type: 'null' }, { $ref: '#/$defs/x' }] } },
      $schema: 'x',
      $defs: { x: { type: 'array', items: { type: 'number', multipleOf: 2 }, minItems: 1, maxItems: 3 } },
    }
    expect(write(output({ format: { kind: 'schema', schema, name: 'n', strict: true } }))).toMatchObject({
      body: {
        output_config: {
          format: {
            type: 'json_schema',
            schema: {
              type: 'object',
              additionalProperties: false,
              properties: {
                a: { type: 'string', format: 'ipv4', description: '{maxLength: 5}' },
                b: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/x' }] },
              },
              $defs: {
                x: { type: 'array', minItems: 1, items: { type: 'number', description: '{multipleOf: 2}' }, description: '{maxItems: 3}' },
              },
            },
          },
        },
      },
      losses: ['output.format.name:dropped', 'output.format.schema:adapted'],
    })
  })

  test('stop sequences', () => {
    expect(write(output({ stop: ['a', ' \n', 'b'] }))).toMatchObject({
      body: { stop_sequences: ['a', 'b'] },
      losses: ['output.stop:dropped!'],
    })
  })

  test('refused: several answers, probabilities, other media, token ids', () => {
    expect(() => write({ ...output({ n: 2 }), paths: { 'output.n': 'n' } })).toThrow(refusal('n'))
    expect(() => write(output({ logprobs: 0 }))).toThrow(refusal('output.logprobs'))
    for (const modality of ['audio', 'image'] as const)
      expect(() => write(output({ modalities: [modality] }))).toThrow(refusal('output.modalities'))
    expect(() => write({ sampling: { logitBias: { 5: 1 } } })).toThrow(refusal('sampling.logitBias'))
    expect(write({ sampling: { logitBias: {} } }).losses).toEqual([])
  })
})

describe('2.6 sampling', () => {
  const sampling = (fields: ConversationRequest['sampling'], capabilities = {}, more = {}) => {
    const { body, losses } = write({ sampling: fields, ...more }, capabilities)
    return { temperature: body.temperature as unknown, top_p: body.top_p as unknown, top_k: body.top_k as unknown, losses }
  }

  test('never rescaled, clamped at one', () => {
    expect(sampling({ temperature: 0.7, topP: 0.9, topK: 40.4 })).toEqual({
      temperature: 0.7,
      top_p: 0.9,
      top_k: 40,
      losses: ['sampling.topK:adapted'],
    })
    expect(sampling({ temperature: 1.5 })).toMatchObject({ temperature: 1, losses: ['sampling.temperature:adapted!'] })
  })

  test('where the model refuses it', () => {
    expect(sampling({ temperature: 0.5, topP: 1, topK: 5 }, { samplingRefused: true })).toEqual({
      temperature: undefined,
      top_p: undefined,
      top_k: undefined,
      losses: ['sampling.temperature:dropped!', 'sampling.topK:dropped!'],
    })
    expect(sampling({ temperature: 0.5, topP: 0.5 }, { topPWithTemperatureRefused: true })).toMatchObject({
      temperature: 0.5,
      top_p: undefined,
      losses: ['sampling.topP:dropped!'],
    })
    expect(sampling({ temperature: 0.5, topP: 0.97, topK: 5 }, {}, { reasoning: { effort: 'low' } })).toEqual({
      temperature: undefined,
      top_p: 0.97,
      top_k: undefined,
      losses: ['sampling.temperature:dropped', 'sampling.topK:dropped'],
    })
  })

  test('penalties and seeds are lost with meaning, unless they are zero or absent', () => {
    expect(sampling({ frequencyPenalty: 1, presencePenalty: -1, seed: 0 }).losses).toEqual([
      'sampling.frequencyPenalty:dropped!',
      'sampling.presencePenalty:dropped!',
      'sampling.seed:dropped!',
    ])
    expect(sampling({ frequencyPenalty: 0, presencePenalty: 0 }).losses).toEqual([])
  })
})

describe('2.8 identity, cache, tier, extensions', () => {
  test('the end user, labels, tiers', () => {
    expect(write({ identity: { endUser: 'u', metadata: { a: 'b' } } })).toMatchObject({
      body: { metadata: { user_id: 'u' } },
      losses: ['identity.metadata:dropped'],
    })
    const tier = (name: ConversationRequest['tier'] & string) => write({ tier: name })
    expect([tier('auto'), tier('priority'), tier('default')].map(({ body }) => body.service_tier as unknown)).toEqual([
      'auto',
      'auto',
      'standard_only',
    ])
    for (const name of ['flex', 'fast'] as const) expect(tier(name)).toMatchObject({ losses: ['tier:dropped'] })
    expect(write({ ...output({ verbosity: 'low' }) }).losses).toEqual(['output.verbosity:dropped'])
  })

  test('the last four cache breakpoints stay', () => {
    const marked = (words: string): Part => ({ kind: 'text', text: words, cache: { ttl: '12h' } })
    const { body, losses } = write({
      instructions: [{ role: 'system', text: 'S', cache: { ttl: '30m' } }],
      turns: [user(marked('a'), marked('b'), marked('c'), marked('d'))],
    })
    expect(losses).toEqual(['cache:dropped', 'cache.ttl:adapted'])
    expect(body.system).toBe('S')
    const marks = contentOf(body.messages, 0).map((block) => (block as { cache_control: unknown }).cache_control)
    expect(marks).toEqual(Array.from({ length: 4 }, () => ({ type: 'ephemeral', ttl: '1h' })))
  })

  test('own fields come back, those of others are recorded', () => {
    const own = conversation({ dialect: 'messages', tier: 'fast', extensions: { messages: { container: 'c', 'document.context': true } } })
    const { body, losses } = codec.writeRequest(own, { model: 'up', capabilities: {}, stream: true })
    expect([body.container, body.speed, body.stream, 'document.context' in body, losses]).toEqual(['c', 'fast', true, false, []])
    expect(write({ extensions: { chat: { moderation: {} } } }).losses).toEqual(['moderation:dropped!'])
  })
})
