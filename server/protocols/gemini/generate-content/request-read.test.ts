import { describe, expect, test } from 'bun:test'
import type { ConversationRequest } from '#canonical/conversation'
import { seeded } from '#testing/seeded'
import { readRequest } from './request-read.ts'

const contents = [{ parts: [{ text: 'hi' }] }]
const read = (fields: Record<string, unknown> = {}) => readRequest(JSON.stringify({ contents, ...fields }), 'm:generateContent')
const parts = (...list: unknown[]) => read({ contents: [{ role: 'user', parts: list }] }).turns[0]?.parts
const refusal = (param: string) => expect.objectContaining({ status: 400, blame: 'client', param })

describe('two spellings of one request', () => {
  const camel = {
    systemInstruction: { parts: [{ text: 's' }] },
    contents: [
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk_' }, videoMetadata: { fps: 1 } }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: { some_arg: 1 } }, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { some_key: 1 } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object', properties: { some_arg: {} } } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: {
      maxOutputTokens: 5,
      topK: 3,
      stopSequences: ['x'],
      candidateCount: 2,
      presencePenalty: 1,
      thinkingConfig: { includeThoughts: true, thinkingBudget: -1 },
      responseModalities: ['TEXT', 'IMAGE'],
      speechConfig: { voice: 1 },
    },
    safetySettings: [],
    cachedContent: 'c',
  }
  /** Names of fields change, what callers named themselves does not. */
  const own = new Set(['args', 'response', 'parametersJsonSchema', 'speechConfig'])
  const snaked = (value: unknown, key = ''): unknown => {
    if (own.has(key) || typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => snaked(item))
    const spell = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [spell(name), snaked(item, name)]))
  }
  const said = (request: ConversationRequest) =>
    JSON.parse(
      JSON.stringify({ ...request, paths: 0 }, (key, value) => (key === 'path' ? 0 : value)).replaceAll('video_metadata', 'videoMetadata'),
    )

  test('are read alike', () => {
    expect(said(readRequest(JSON.stringify(snaked(camel)), 'm:generateContent'))).toEqual(
      said(readRequest(JSON.stringify(camel), 'm:generateContent')),
    )
    expect(readRequest(JSON.stringify(camel), 'm:generateContent')).toMatchObject({
      toolPolicy: { mode: 'required', only: ['f'] },
      output: { maxTokens: 5, n: 2, stop: ['x'], modalities: ['image'] },
      sampling: { topK: 3, presencePenalty: 1 },
      reasoning: { budget: -1, visible: 'summary' },
      extensions: { gemini: { safetySettings: [], cachedContent: 'c', 'generationConfig.speechConfig': { voice: 1 } } },
    })
  })

  test('base64 of either alphabet is the standard one', () => {
    expect(parts({ inlineData: { mimeType: 'audio/wav', data: 'a-_b' } })).toMatchObject([{ media: 'audio', source: { data: 'a+/b' } }])
  })

  test('a refusal names the field as the caller wrote it', () => {
    expect(() => read({ generation_config: { top_p: 2 } })).toThrow(refusal('generation_config.top_p'))
    expect(read({ generation_config: { stop_sequences: ['x'] } }).paths?.['output.stop']).toBe('generation_config.stop_sequences')
  })
})

test('numbers as texts', () => {
  expect(
    read({ generationConfig: { maxOutputTokens: '100', temperature: '0.5', topK: '40', seed: '7', candidateCount: '1' } }),
  ).toMatchObject({
    output: { maxTokens: 100, n: 1 },
    sampling: { temperature: 0.5, topK: 40, seed: 7 },
  })
})

describe('T23: calls and results without ids', () => {
  const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } })
  const result = (name: string, output: string, id?: string) => ({ functionResponse: { name, response: { output }, ...(id && { id }) } })
  const matched = (model: unknown[], user: unknown[]) => {
    const { turns } = read({ contents: [...contents, { role: 'model', parts: model }, { role: 'user', parts: user }] })
    const calls = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === 'call')
    const results = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === 'result')
    return {
      ids: calls.map(({ callId }) => callId),
      of: results.map(({ callId, parts: [said] }) => [callId, said?.kind === 'text' && said.text]),
    }
  }

  test('are made distinct and matched in order', () => {
    expect(matched([call('f'), call('f'), call('g')], [result('g', 'c'), result('f', 'a'), result('f', 'b')])).toEqual({
      ids: ['call_1', 'call_2', 'call_3'],
      of: [
        ['call_3', 'c'],
        ['call_1', 'a'],
        ['call_2', 'b'],
      ],
    })
  })

  test('an id wins over the order; a missing one falls back to the name', () => {
    expect(matched([call('f', 'x'), call('f', 'y')], [result('f', 'b', 'y'), result('f', 'a', 'x')]).of).toEqual([
      ['y', 'b'],
      ['x', 'a'],
    ])
    expect(matched([call('f')], [result('f', 'a', 'made-by-the-client')]).of).toEqual([['call_1', 'a']])
    expect(matched([call('f', 'call_1'), call('f')], [result('f', 'a', 'call_1'), result('f', 'b')]).ids).toEqual(['call_1', 'call_2'])
  })

  test('a result that answers nothing is refused', () => {
    expect(() => matched([call('f')], [result('g', 'x')])).toThrow(refusal('contents[2].parts[0].functionResponse'))
    expect(() => matched([call('f')], [result('f', 'x'), result('f', 'y')])).toThrow(refusal('contents[2].parts[1].functionResponse'))
    expect(() => matched([call('f', 'x')], [result('f', 'a', 'z')])).toThrow(refusal('contents[2].parts[0].functionResponse'))
  })

  test('what a function gave, and what went wrong', () => {
    const outcome = (response: unknown) => {
      const { turns } = read({
        contents: [
          ...contents,
          { role: 'model', parts: [call('f')] },
          { role: 'function', parts: [{ functionResponse: { name: 'f', response } }] },
        ],
      })
      return turns[2]
    }
    const said = (text: string, isError = false) => ({ role: 'tool', parts: [{ isError, parts: [{ kind: 'text', text }] }] })
    expect(outcome({ output: 'x' })).toMatchObject(said('x'))
    expect(outcome({ error: 'x' })).toMatchObject(said('x', true))
    expect(outcome({ error: { code: 1 } })).toMatchObject(said('{"code":1}', true))
    // The AI SDK repeats the function's name next to its result.
    expect(outcome({ name: 'f', error: 'x' })).toMatchObject(said('x', true))
    expect(outcome({ name: 'other', error: 'x' })).toMatchObject(said('{"name":"other","error":"x"}'))
    expect(outcome({ name: 'f', content: 'x' })).toMatchObject(said('{"name":"f","content":"x"}'))
    expect(outcome({ output: 'x', more: 1 })).toMatchObject(said('{"output":"x","more":1}'))
    expect(outcome({ output: [1] })).toMatchObject(said('[1]'))
    for (const nothing of [{}, null, undefined]) expect(outcome(nothing)?.parts).toMatchObject([{ isError: false, parts: [] }])
  })
})

describe('parts', () => {
  test('text, thoughts and signatures', () => {
    expect(parts({ text: '' }, {}, { thought: true }, { text: null })).toEqual([])
    // A streamed thought is sent back in its pieces, with the signature on the last one.
    const pieces = [
      { text: 'a', thought: true },
      { text: 'b', thought: true },
      { text: '', thoughtSignature: 's' },
    ]
    expect(parts(...pieces, { text: 'c', thought: true })).toMatchObject([
      { kind: 'reasoning', text: ['ab'], form: 'summary', opaque: [{ dialect: 'gemini', kind: 'thought-signature', value: 's' }] },
      { kind: 'reasoning', text: ['c'], form: 'summary', opaque: [] },
    ])
  })

  test('media', () => {
    expect(
      parts({ fileData: { fileUri: 'https://youtu.be/x' } }, { fileData: { fileUri: 'gs://b/x', mimeType: 'application/pdf' } }),
    ).toMatchObject([
      { media: 'video', source: { url: 'https://youtu.be/x' } },
      { media: 'document', source: { fileId: 'gs://b/x', dialect: 'gemini' } },
    ])
    expect(() => parts({ inlineData: { data: 'x' } })).toThrow(refusal('contents[0].parts[0].inlineData.mimeType'))
    expect(() => parts({ inline_data: { mime_type: 'image/png' } })).toThrow(refusal('contents[0].parts[0].inline_data.data'))
    expect(() => parts({ fileData: {} })).toThrow(refusal('contents[0].parts[0].fileData.fileUri'))
  })

  test('unknown kinds are kept', () => {
    expect(parts({ later: 1 }, { toolCall: { id: 'x' } })).toMatchObject([
      { kind: 'native', raw: { later: 1 } },
      { kind: 'native', raw: { toolCall: { id: 'x' } } },
    ])
  })
})

describe('settings', () => {
  test('answers of a form', () => {
    const format = (generationConfig: unknown) => read({ generationConfig }).output.format
    expect(format({ responseMimeType: 'application/json' })).toEqual({ kind: 'json' })
    expect(format({ responseMimeType: 'application/json', responseSchema: { type: 'STRING' } })).toEqual({
      kind: 'schema',
      schema: { type: 'string' },
    })
    expect(format({ responseMimeType: 'application/json', responseJsonSchema: { type: 'string' } })).toEqual({
      kind: 'schema',
      schema: { type: 'string' },
    })
    const word = read({ generationConfig: { responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } } })
    expect(word.output.format).toEqual({ kind: 'text' })
    expect(word.extensions.gemini).toMatchObject({ 'generationConfig.responseMimeType': 'text/x.enum' })
  })

  test('tools that Google runs', () => {
    expect(
      read({ tools: [{ google_search: {} }, { url_context: {} }, { functionDeclarations: [{ name: 'f', behavior: 'BLOCKING' }] }] }).tools,
    ).toMatchObject([
      { kind: 'web-search', dialect: 'gemini', raw: { googleSearch: {} } },
      { kind: 'native', name: 'urlContext', raw: { urlContext: {} } },
      { kind: 'function', name: 'f', parameters: { type: 'object', properties: {} }, extra: { behavior: 'BLOCKING' } },
    ])
  })

  test('modes of calling', () => {
    const policy = (functionCallingConfig: unknown) => read({ toolConfig: { functionCallingConfig } }).toolPolicy
    expect(policy({})).toEqual({ mode: 'auto' })
    expect(policy({ mode: 'VALIDATED', allowedFunctionNames: ['f'] })).toEqual({ mode: 'auto', only: ['f'] })
    expect(policy({ mode: 'NONE', allowedFunctionNames: ['f'] })).toEqual({ mode: 'none' })
    expect(() => policy({ mode: 'SOMETIMES' })).toThrow(refusal('toolConfig.functionCallingConfig.mode'))
  })

  test('tiers', () => {
    for (const [serviceTier, tier] of [
      ['standard', 'default'],
      ['SERVICE_TIER_FLEX', 'flex'],
      ['priority', 'priority'],
      ['unspecified', undefined],
      [5, undefined],
      ['constructor', undefined],
    ]) {
      expect(read({ serviceTier }).tier).toBe(tier as 'flex')
    }
  })
})

test('what must be understood is refused by its path', () => {
  const cases: [Record<string, unknown>, string][] = [
    [{ contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role'],
    [{ contents: [{ parts: [{ text: 5 }] }] }, 'contents[0].parts[0].text'],
    [{ contents: [{ parts: 'x' }] }, 'contents[0].parts'],
    [{ contents: ['x'] }, 'contents[0]'],
    [{ contents: [] }, 'contents'],
    [{ contents: undefined }, 'contents'],
    [{ contents: [{ parts: [{ functionCall: {} }] }] }, 'contents[0].parts[0].functionCall.name'],
    [{ contents: [{ parts: [{ functionCall: { name: 'f', args: [] } }] }] }, 'contents[0].parts[0].functionCall.args'],
    [{ systemInstruction: { parts: [{ inlineData: {} }] } }, 'systemInstruction.parts[0]'],
    [{ systemInstruction: 5 }, 'systemInstruction'],
    [{ tools: [{ functionDeclarations: [{}] }] }, 'tools[0].functionDeclarations[0].name'],
    [{ tools: [{ functionDeclarations: [{ name: 'f', parameters: 5 }] }] }, 'tools[0].functionDeclarations[0].parameters'],
    [{ generationConfig: { stopSequences: [1] } }, 'generationConfig.stopSequences'],
    [{ generationConfig: { temperature: 3 } }, 'generationConfig.temperature'],
    [{ generationConfig: { candidateCount: 9 } }, 'generationConfig.candidateCount'],
    [{ generationConfig: { seed: 2 ** 40 } }, 'generationConfig.seed'],
    [{ generationConfig: { responseJsonSchema: [] } }, 'generationConfig.responseJsonSchema'],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: 'x' } } }, 'generationConfig.thinkingConfig.thinkingBudget'],
  ]
  for (const [fields, param] of cases) expect(() => read(fields)).toThrow(refusal(param))
})

test('a value of any kind anywhere is read or refused, never anything else', () => {
  const odd: unknown[] = [
    null,
    0,
    -1,
    1.5,
    '',
    'x',
    true,
    [],
    {},
    [null],
    [[]],
    [{}],
    { parts: 5 },
    { ['__proto__']: 1, constructor: 2 },
    1e308,
    '\ud800',
  ]
  const names =
    `contents systemInstruction tools toolConfig generationConfig safetySettings serviceTier labels role parts text thought inlineData mimeType data
    functionCall name args functionResponse response functionDeclarations parameters functionCallingConfig mode thinkingConfig responseSchema`.split(
      /\s+/,
    )
  for (let seed = 1; seed <= 3000; seed++) {
    const random = seeded(seed)
    const value = (depth: number): unknown => {
      if (depth === 0 || random.below(3) === 0) return odd[random.below(odd.length)]
      if (random.below(4) === 0) return [value(depth - 1), value(depth - 1)]
      return Object.fromEntries(
        Array.from({ length: 1 + random.below(4) }, () => [names[random.below(names.length)] ?? '', value(depth - 1)]),
      )
    }
    const body = { ...(value(5) as object), ...(random.below(2) === 0 && { contents: [{ parts: [value(3), value(3)] }] }) }
    try {
      readRequest(JSON.stringify(body), 'm:generateContent')
    } catch (error) {
      expect({ seed, error }).toEqual({ seed, error: expect.objectContaining({ name: 'GatewayError', status: 400 }) })
    }
  }
})

describe('fields that are not read', () => {
  const path = 'gemini-3-pro:generateContent'
  const read = (body: object) => readRequest(JSON.stringify({ contents: [{ parts: [{ text: 'x' }] }], ...body }), path)

  test('are reported by their path, in the caller’s spelling', () => {
    const request = read({
      contents: [
        { role: 'user', parts: [{ text: 'x', part_metadata: {} }, { inlineData: { mimeType: 'image/png', data: 'eA', later: 1 } }] },
      ],
      generation_config: { thinking_config: { thinking_budget: '5', later: 1 } },
    })
    expect([...(request.unread ?? [])].sort()).toEqual([
      'contents[0].parts[0].part_metadata',
      'contents[0].parts[1].inlineData.later',
      'generation_config.thinking_config.later',
    ])
    expect(read({}).unread).toBeUndefined()
  })

  test('what only this dialect says of media and of a search rides along by its path', () => {
    const search = { excludeDomains: ['a.example'], timeRangeFilter: { startTime: 't' } }
    const part = { fileData: { fileUri: 'files/a', mimeType: 'video/mp4' }, videoMetadata: { fps: 1 } }
    const request = read({ contents: [{ parts: [part] }], tools: [{ googleSearch: search }] })
    expect(request.unread).toBeUndefined()
    expect(request.extensions).toEqual({
      gemini: { 'contents[0].parts[0].videoMetadata': true, 'tools[0].googleSearch.timeRangeFilter': true },
    })
    expect(request.tools).toMatchObject([{ blockedDomains: ['a.example'], raw: { googleSearch: search } }])
  })
})

test.each([
  ['xhigh', 'xhigh'],
  ['XHIGH', 'xhigh'],
  ['HIGH', 'high'],
  ['THINKING_LEVEL_UNSPECIFIED', undefined],
])('a thinking level of %s is the effort %p', (thinkingLevel, effort) => {
  const body = { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { thinkingConfig: { thinkingLevel } } }
  expect(readRequest(JSON.stringify(body), 'm:generateContent').reasoning?.effort).toBe(effort as 'high')
})
