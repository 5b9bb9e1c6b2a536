import { describe, expect, test } from 'bun:test'
import type { ConversationRequest, Part, Turn } from '#canonical/conversation'
import { conversation, named, result, user as said, text } from '#testing/conversions/conversation'
import { writeRequest } from './request-write.ts'

const user = said()
const base = conversation()
type Capabilities = Record<string, boolean | number>
const write = (fields: Partial<ConversationRequest>, capabilities: Capabilities = {}) => {
  const { body, losses, memo } = writeRequest({ ...base, ...fields }, { model: 'up', capabilities, stream: false })
  return { body, memo, losses: named(losses) }
}
const output = (fields: Partial<ConversationRequest['output']>) => ({ output: { ...base.output, ...fields } })
const refusal = (param: string) => expect.objectContaining({ code: 'unsupported_value', status: 400, param })
const call = (callId: string, name = 'f', argsText = '{"a":1}'): Part => ({
  kind: 'call',
  callId,
  name,
  form: 'json',
  argsText,
  path: `at ${callId}`,
})
const image: Extract<Part, { kind: 'media' }> = { kind: 'media', media: 'image', source: { data: 'iVBORw0KGgo=' }, path: 'at image' }
const contentsOf = (turns: Turn[], capabilities: Capabilities = {}) => write({ turns }, capabilities).body.contents

test('a plain request has nothing but its contents', () => {
  expect(write({})).toEqual({
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    losses: [],
    memo: { toolNames: {}, toolSpaces: {}, wrappedTools: [] },
  })
})

describe('2.1 instructions and turns', () => {
  test('instructions keep their blocks, and one kind', () => {
    const written = write({
      instructions: [
        { role: 'system', text: 'a' },
        { role: 'developer', text: 'b' },
      ],
    })
    expect(written.body.systemInstruction).toEqual({ parts: [{ text: 'a' }, { text: 'b' }] })
    expect(written.losses).toEqual(['instructions.role:adapted'])
  })

  test('instructions inside the conversation stay where they are, marked', () => {
    const turns: Turn[] = [user, { role: 'system', parts: [text('be kind')] }, { role: 'assistant', parts: [text('ok')] }, user]
    const written = write({ turns })
    expect(written.body.contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }, { text: '<system>be kind</system>' }] },
      { role: 'model', parts: [{ text: 'ok' }] },
      { role: 'user', parts: [{ text: 'hi' }] },
    ])
    expect(written.losses).toEqual(['turns.system:adapted'])
  })

  test('neighbours merge, empty parts are dropped, and an empty message is refused', () => {
    expect(contentsOf([user, user, { role: 'assistant', parts: [text('')] }, user])).toEqual([
      { role: 'user', parts: [{ text: 'hi' }, { text: 'hi' }, { text: 'hi' }] },
    ])
    expect(() => contentsOf([{ role: 'user', parts: [text('')], path: 'messages[0]' }])).toThrow(refusal('messages[0]'))
    expect(() => contentsOf([])).toThrow(refusal('turns'))
    expect(() => contentsOf([{ role: 'assistant', parts: [text('x')], path: 'messages[0]' }, user])).toThrow(refusal('messages[0]'))
  })

  test('a last message of the model', () => {
    const turns: Turn[] = [user, { role: 'assistant', parts: [text('So')] }]
    expect(write({ turns }).losses).toEqual(['turns.prefill:adapted'])
    expect(() => write({ turns }, { prefillRefused: true })).toThrow(refusal('turns'))
  })
})

describe('2.2 media', () => {
  const media = (part: Partial<Extract<Part, { kind: 'media' }>>, capabilities: Capabilities = {}) => {
    const written = write({ turns: [{ role: 'user', parts: [{ ...image, ...part }] }] }, capabilities)
    return { parts: (written.body.contents as { parts: unknown[] }[])[0]?.parts, losses: written.losses }
  }

  test('bytes, with the kind they are', () => {
    expect(media({}).parts).toEqual([{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }])
    expect(media({ mimeType: 'audio/wav', media: 'audio' }).parts).toEqual([
      { inlineData: { mimeType: 'audio/wav', data: 'iVBORw0KGgo=' } },
    ])
    expect(() => media({ source: { data: 'AAAA' } })).toThrow(refusal('at image'))
  })

  test('only addresses that Google opens itself', () => {
    expect(media({ source: { url: 'https://www.youtube.com/watch?v=x' }, media: 'video' }).parts).toEqual([
      { fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } },
    ])
    for (const url of ['https://example.com/a.png', 'https://youtube.com.evil.example/x', 'http://www.youtube.com/x']) {
      expect(() => media({ source: { url } })).toThrow(refusal('at image'))
    }
    expect(() => media({ source: { fileId: 'file-1', dialect: 'chat' } })).toThrow(refusal('at image'))
  })

  test('a detail becomes a resolution; a text document is text; sound of another vendor its words', () => {
    expect(media({ detail: 'original' })).toMatchObject({
      parts: [{ mediaResolution: { level: 'MEDIA_RESOLUTION_ULTRA_HIGH' } }],
      losses: ['turns.media.detail:adapted'],
    })
    expect(media({ detail: 'high' }, { olderSchema: true }).losses).toEqual(['turns.media.detail:dropped'])
    expect(media({ media: 'document', source: { text: 'body' }, title: 'T' })).toEqual({
      parts: [{ text: 'T\n\nbody' }],
      losses: ['turns.document:adapted'],
    })
    expect(media({ media: 'audio', source: { fileId: 'a', dialect: 'chat' }, transcript: 'said' })).toEqual({
      parts: [{ text: 'said' }],
      losses: ['turns.media:adapted'],
    })
  })
})

describe('2.3 tools', () => {
  const tool = { kind: 'function', name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } as const
  const declared = (fields: Partial<ConversationRequest>, capabilities: Capabilities = {}) => {
    const { body, losses, memo } = write(fields, capabilities)
    const [first] = (body.tools ?? []) as { functionDeclarations?: Record<string, unknown>[] }[]
    return { list: first?.functionDeclarations ?? [], config: body.toolConfig, losses, memo, tools: body.tools }
  }

  test('the whole schema goes along, in the older kind where the model wants that', () => {
    const parameters = { $schema: 'x', type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false }
    expect(declared({ tools: [{ ...tool, parameters }] }).list[0]).toEqual({
      name: 'f',
      description: 'd',
      parametersJsonSchema: { type: 'object', properties: { a: { type: ['string', 'null'] } }, additionalProperties: false },
    })
    const older = declared(
      {
        tools: [
          { ...tool, parameters },
          { ...tool, name: 'g' },
        ],
      },
      { olderSchema: true },
    )
    expect(older.list).toEqual([
      { name: 'f', description: 'd', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } } },
      { name: 'g', description: 'd' },
    ])
    expect(older.losses).toEqual(['tools.parameters:adapted'])
  })

  test('names that are not allowed are changed, and the memo knows the way back', () => {
    const written = declared({
      tools: [
        { ...tool, name: '9 lives' },
        { ...tool, name: 'run', namespace: 'web' },
      ],
    })
    expect(written.list.map(({ name }) => name)).toEqual(['_9_lives', 'web__run'])
    expect(written.memo).toEqual({ toolNames: { _9_lives: '9 lives', web__run: 'run' }, toolSpaces: { web__run: 'web' }, wrappedTools: [] })
    expect(() => declared({ tools: [tool, tool] })).toThrow(refusal('tools'))
  })

  test('a tool that takes free text is wrapped, in the history too', () => {
    const custom = { kind: 'custom', name: 'patch', grammar: { syntax: 'lark', definition: 'x' } } as const
    const turns: Turn[] = [
      user,
      { role: 'assistant', parts: [{ kind: 'call', callId: 'c', name: 'patch', form: 'text', argsText: 'free' }] },
      { role: 'tool', parts: [result('c')] },
    ]
    const written = write({ tools: [custom], turns })
    expect(written.losses).toEqual(['tools.custom:adapted', 'tools.custom.grammar:dropped!'])
    expect(written.memo.wrappedTools).toEqual(['patch'])
    expect(written.body.contents).toMatchObject([
      {},
      { parts: [{ functionCall: { args: { input: 'free' } } }] },
      { parts: [{ functionResponse: { response: { output: '(no output)' } } }] },
    ])
  })

  test('who may be called', () => {
    const tools = [tool, { ...tool, name: 'g' }]
    const policy = (toolPolicy: ConversationRequest['toolPolicy'], capabilities: Capabilities = {}) =>
      declared({ tools, toolPolicy }, capabilities)
    expect(policy({ mode: 'auto' }).config).toBeUndefined()
    expect(policy({ mode: 'none' })).toMatchObject({ config: { functionCallingConfig: { mode: 'NONE' } }, list: [{}, {}] })
    expect(policy({ mode: 'required', only: ['g'] }).config).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] },
    })
    expect(() => policy({ mode: 'required', only: ['nobody'] })).toThrow(refusal('toolPolicy.only'))
    expect(policy({ mode: 'auto', only: ['g'] })).toMatchObject({
      config: undefined,
      list: [{ name: 'g' }],
      losses: ['toolPolicy.only:adapted'],
    })
    expect(policy({ mode: 'auto', parallel: false }).losses).toEqual(['toolPolicy.parallel:adapted!'])
    expect(policy({ mode: 'required' }, { forcedToolRefused: true }).losses).toEqual(['toolPolicy.mode:dropped!'])
    expect(declared({ tools: [{ ...tool, strict: true }] }).config).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } })
    expect(write({ toolPolicy: { mode: 'required' } }).body).not.toHaveProperty('toolConfig')
  })

  test('web search is the one hosted tool that all have', () => {
    const search: ConversationRequest['tools'][number] = {
      kind: 'web-search',
      allowedDomains: ['a'],
      blockedDomains: ['b'],
      contextSize: 'low',
      raw: {},
      dialect: 'chat',
    }
    const written = declared({ tools: [tool, search, { kind: 'native', dialect: 'responses', name: 'code_interpreter', raw: {} }] })
    expect(written.tools).toMatchObject([{}, { googleSearch: { excludeDomains: ['b'] } }])
    expect(written.config).toEqual({ includeServerSideToolInvocations: true })
    expect(written.losses).toEqual([
      'tools.web-search.allowedDomains:dropped!',
      'tools.web-search.contextSize:dropped',
      'tools.code_interpreter:dropped!',
    ])
  })

  test('a search that was only listed does not fail a model that takes it alone', () => {
    const search: ConversationRequest['tools'][number] = { kind: 'web-search', raw: {}, dialect: 'chat' }
    const beside = declared({ tools: [tool, search] }, { searchBesideToolsRefused: true })
    expect(beside.tools).toHaveLength(1)
    expect(beside).toMatchObject({ config: undefined, losses: ['tools.web-search:dropped!'] })
    expect(declared({ tools: [search] }, { searchBesideToolsRefused: true }).tools).toEqual([{ googleSearch: {} }])
  })

  test('T28: results stand together in the order of their calls, media inside them or, on older models, after', () => {
    const turns: Turn[] = [
      user,
      { role: 'assistant', parts: [call('x'), call('y', 'g')] },
      { role: 'tool', parts: [{ ...result('y', text('no')), isError: true } as Part] },
      { role: 'tool', parts: [result('x', text('a'), image, text('b'))] },
      user,
    ]
    const png = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
    const [x, y] = [
      { id: 'x', name: 'f', response: { output: 'a\nb' } },
      { id: 'y', name: 'g', response: { error: 'no' } },
    ]
    expect(contentsOf(turns)).toMatchObject([
      {},
      {},
      { role: 'user', parts: [{ functionResponse: { ...x, parts: [png] } }, { functionResponse: y }, { text: 'hi' }] },
    ])
    expect(contentsOf(turns, { olderSchema: true })).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: x }, { functionResponse: y }, png, { text: 'hi' }] },
    ])
  })

  test('T29: a result without content is sent; T30: arguments that are no object are refused where they stand', () => {
    const turns = (args: string): Turn[] => [
      user,
      { role: 'assistant', parts: [call('x', 'f', args)] },
      { role: 'tool', parts: [result('x')] },
    ]
    expect(contentsOf(turns(''))).toMatchObject([
      {},
      { parts: [{ functionCall: { args: {} } }] },
      { parts: [{ functionResponse: { response: { output: '(no output)' } } }] },
    ])
    for (const args of ['{"a":', '[]', '5', 'null', 'x']) expect(() => contentsOf(turns(args))).toThrow(refusal('at x'))
  })

  test('calls without results and results without calls are refused', () => {
    const assistant: Turn = { role: 'assistant', parts: [call('x')], path: 'messages[1]' }
    expect(() => contentsOf([user, assistant, user])).toThrow(refusal('messages[1]'))
    expect(() => contentsOf([user, { role: 'tool', parts: [result('z')], path: 'messages[1]' }])).toThrow(refusal('turns'))
    expect(() => contentsOf([user, assistant, { role: 'tool', parts: [result('z')], path: 'messages[2]' }])).toThrow(refusal('messages[2]'))
    expect(contentsOf([user, assistant])).toHaveLength(2)
  })
})

describe('2.4 reasoning', () => {
  const signed = (value: string) => [{ dialect: 'gemini' as const, kind: 'thought-signature' as const, value }]
  const loop = (opaque: Extract<Part, { kind: 'call' }>['opaque']): Turn[] => [
    user,
    { role: 'assistant', parts: [{ ...(call('x') as Extract<Part, { kind: 'call' }>), ...(opaque && { opaque }) }, call('y')] },
    { role: 'tool', parts: [result('x'), result('y')] },
  ]

  test('T31: a signature goes back on its call; without one the first call of a step is marked', () => {
    const kept = write({ turns: loop(signed('sig')) }, { thoughtSignatureRequired: true })
    expect(kept.body.contents).toMatchObject([{}, { parts: [{ thoughtSignature: 'sig' }, {}] }, {}])
    expect(kept.losses).toEqual([])
    const lost = write({ turns: loop([{ dialect: 'messages', kind: 'signature', value: 'x' }]) }, { thoughtSignatureRequired: true })
    const [, model] = lost.body.contents as { parts: Record<string, unknown>[] }[]
    expect(model?.parts.map(({ thoughtSignature }) => thoughtSignature)).toEqual(['skip_thought_signature_validator', undefined])
    expect(lost.losses).toEqual(['turns.thoughtSignature:adapted'])
    expect(write({ turns: loop(undefined) }).losses).toEqual([])
  })

  test('thoughts of another model stay behind, own ones keep their place', () => {
    const thoughts = (opaque: Extract<Part, { kind: 'reasoning' }>['opaque'], words = ['a', 'b']): Turn[] => [
      user,
      { role: 'assistant', parts: [{ kind: 'reasoning', text: words, form: 'summary', opaque }, text('ok')] },
      user,
    ]
    expect(write({ turns: thoughts([]) })).toMatchObject({
      body: { contents: [{}, { parts: [{ text: 'ok' }] }, {}] },
      losses: ['turns.reasoning:dropped'],
    })
    expect(contentsOf(thoughts(signed('s')))).toMatchObject([
      {},
      { parts: [{ text: 'a\n\nb', thought: true, thoughtSignature: 's' }, {}] },
      {},
    ])
    expect(contentsOf(thoughts(signed('s'), []))).toMatchObject([{}, { parts: [{ text: '', thoughtSignature: 's' }, {}] }, {}])
  })

  test('effort, budget and what is shown', () => {
    const thinking = (reasoning: ConversationRequest['reasoning'], capabilities: Capabilities = {}) =>
      (write({ reasoning }, capabilities).body.generationConfig as { thinkingConfig?: unknown } | undefined)?.thinkingConfig
    expect(thinking({})).toBeUndefined()
    expect(thinking({ effort: 'none' })).toEqual({ thinkingBudget: 0 })
    expect(thinking({ effort: 'none' }, { thinkingAlwaysOn: true })).toEqual({ thinkingLevel: 'MINIMAL' })
    expect(thinking({ effort: 'max', visible: 'summary' })).toEqual({ thinkingLevel: 'HIGH', includeThoughts: true })
    expect(thinking({ effort: 'medium' }, { budgetOnly: true })).toEqual({ thinkingBudget: 4096 })
    expect(thinking({ budget: 2000, effort: 'low' })).toEqual({ thinkingBudget: 2000 })
    expect(thinking({ effort: 'none' }, { thinkingAlwaysOn: true, minimalRefused: true })).toEqual({ thinkingLevel: 'LOW' })
    expect(thinking({ effort: 'minimal' }, { minimalRefused: true })).toEqual({ thinkingLevel: 'LOW' })
    expect(thinking({ effort: 'max' }, { budgetOnly: true, maxThinkingBudget: 24_576 })).toEqual({ thinkingBudget: 24_576 })
    expect(thinking({ budget: 31_999 }, { maxThinkingBudget: 24_576 })).toEqual({ thinkingBudget: 24_576 })
    expect(write({ reasoning: { budget: 31_999 } }, { maxThinkingBudget: 24_576 }).losses).toEqual(['reasoning.budget:adapted'])
    expect(thinking({ adaptive: true })).toBeUndefined()
    expect(thinking({ adaptive: true }, { budgetOnly: true })).toEqual({ thinkingBudget: -1 })
  })
})

describe('2.5 and 2.6 limits, form, sampling', () => {
  const config = (fields: Partial<ConversationRequest>, capabilities: Capabilities = {}) =>
    write(fields, capabilities).body.generationConfig

  test('what has a place', () => {
    expect(
      config({
        ...output({ maxTokens: 9, stop: ['x'], n: 2, logprobs: 3, modalities: ['image'] }),
        sampling: { temperature: 0.7, topP: 0.5, topK: 4, seed: 1, presencePenalty: 1 },
      }),
    ).toEqual({
      maxOutputTokens: 9,
      stopSequences: ['x'],
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      responseModalities: ['TEXT', 'IMAGE'],
      temperature: 0.7,
      topP: 0.5,
      topK: 4,
      presencePenalty: 1,
      seed: 1,
    })
    expect(config(output({ logprobs: 0, modalities: ['audio'] }))).toEqual({ responseLogprobs: true, responseModalities: ['AUDIO'] })
  })

  test('schemas', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    expect(config(output({ format: { kind: 'json' } }))).toEqual({ responseMimeType: 'application/json' })
    expect(config(output({ format: { kind: 'schema', schema, name: 'n' } }))).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    })
    expect(config(output({ format: { kind: 'schema', schema } }), { olderSchema: true })).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    })
    const circle = { properties: { a: { $ref: '#' + '/properties/a' } } }
    expect(() => config(output({ format: { kind: 'schema', schema: circle } }))).toThrow(refusal('output.format'))
  })

  test('refused, in the caller’s words', () => {
    const paths = { 'output.stop': 'stop', 'output.n': 'n', 'sampling.logitBias': 'logit_bias' }
    expect(() => write({ ...output({ n: 9 }), paths })).toThrow(refusal('n'))
    expect(() => write({ sampling: { logitBias: { 1: 2 } }, paths })).toThrow(refusal('logit_bias'))
    expect(() => write(output({ logprobs: 21 }))).toThrow(refusal('output.logprobs'))
  })

  test('adapted and left out, and reported', () => {
    expect(write({ ...output({ maxTokens: 100 }) }, { maxOutputTokens: 50 })).toMatchObject({
      body: { generationConfig: { maxOutputTokens: 50 } },
      losses: ['output.maxTokens:adapted'],
    })
    expect(write({ sampling: { temperature: 1, topP: 1, seed: 2 ** 40 } }, { samplingRefused: true }).losses).toEqual([
      'sampling.temperature:dropped!',
      'sampling.topP:dropped!',
      'sampling.seed:dropped!',
    ])
    expect(write({ sampling: { temperature: 1, topP: 1 } }, { topPWithTemperatureRefused: true }).losses).toEqual([
      'sampling.topP:dropped!',
    ])
    expect(write({ sampling: { frequencyPenalty: 2 } })).toMatchObject({
      body: { generationConfig: { frequencyPenalty: 1.99 } },
      losses: ['sampling.frequencyPenalty:adapted'],
    })
    expect(
      write({
        tier: 'fast',
        cache: { key: 'k' },
        identity: { endUser: 'u', metadata: { a: 'b' } },
        ...output({ verbosity: 'low' }),
      }).losses.every((loss) => loss.endsWith(':dropped')),
    ).toBe(true)
    expect(write({ tier: 'default' }).body.serviceTier).toBe('standard')
  })
})

describe('fields that one dialect knows', () => {
  test('own ones are restored to their places, foreign ones are reported', () => {
    const gemini = {
      safetySettings: [1],
      'generationConfig.speechConfig': { a: 1 },
      'toolConfig.retrievalConfig': { b: 1 },
      'toolConfig.functionCallingConfig': { mode: 'VALIDATED' },
    }
    const tools: ConversationRequest['tools'] = [{ kind: 'function', name: 'f', parameters: {}, extra: { response: { a: 1 } } }]
    expect(write({ dialect: 'gemini', tools, extensions: { gemini } })).toMatchObject({
      body: {
        safetySettings: [1],
        generationConfig: { speechConfig: { a: 1 } },
        toolConfig: { retrievalConfig: { b: 1 }, functionCallingConfig: { mode: 'VALIDATED' } },
        tools: [{ functionDeclarations: [{ response: { a: 1 } }] }],
      },
      losses: [],
    })
    expect(write({ tools, extensions: { chat: { prediction: {}, moderation: {} } } }).losses).toEqual([
      'prediction:dropped',
      'moderation:dropped!',
      'tools.response:dropped',
    ])
  })
})
