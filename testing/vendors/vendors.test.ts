/** The scripted vendors against the vendors' own SDKs, and what they refuse, without Parley. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from './chat-vendor.ts'
import { geminiVendor } from './gemini-vendor.ts'
import { messagesVendor } from './messages-vendor.ts'
import { responsesVendor } from './responses-vendor.ts'

const vendors: Record<string, ScriptedUpstream> = {}
beforeAll(async () => {
  vendors.chat = await scriptedUpstream(chatVendor())
  vendors.responses = await scriptedUpstream(responsesVendor())
  vendors.messages = await scriptedUpstream(messagesVendor())
  vendors.gemini = await scriptedUpstream(geminiVendor())
})
afterAll(async () => {
  for (const vendor of Object.values(vendors)) await vendor.close()
})
const url = (name: string) => vendors[name]?.url ?? ''

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

async function post(name: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(url(name) + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: () => JSON.parse(text) }
}

describe('messages', () => {
  const client = () => new Anthropic({ baseURL: url('messages'), apiKey: 'sk-vendor', maxRetries: 0 })
  const base = { model: 'claude-test', max_tokens: 4096 }
  const tool = { name: 'find', input_schema: parameters as Anthropic.Tool.InputSchema }
  const thinking = { type: 'enabled' as const, budget_tokens: 2048 }
  const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({ role: 'user', content })

  test('the SDK reads text, whole and streamed', async () => {
    const whole = await client().messages.create({ ...base, system: 'Be kind.', messages: [user('scenario system')] })
    expect(whole.content).toEqual([{ type: 'text', text: 'My instructions: Be kind.', citations: null }])
    const streamed = await client()
      .messages.stream({ ...base, messages: [user('日本🎉 hello')] })
      .finalMessage()
    expect(streamed.content[0]).toMatchObject({ type: 'text', text: 'You said: 日本🎉 hello' })
    expect(streamed.usage).toMatchObject({ input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 0 })
  })

  for (const streams of [false, true]) {
    test(`a loop of thinking and tools over three turns, ${streams ? 'streamed' : 'whole'}`, async () => {
      const messages = [user('scenario loop')]
      for (let step = 1; step <= 3; step++) {
        const body = { ...base, thinking, tools: [tool], messages }
        const answer = streams ? await client().messages.stream(body).finalMessage() : await client().messages.create(body)
        messages.push({ role: 'assistant', content: answer.content })
        const call = answer.content.find((block) => block.type === 'tool_use')
        expect(answer.content[0]?.type).toBe('thinking')
        expect(call?.input).toEqual(step < 3 ? { step } : undefined)
        if (call) messages.push(user([{ type: 'tool_result', tool_use_id: call.id, content: `result ${step}` }]))
        else expect(answer.content[1]).toMatchObject({ text: 'Found: result 1, result 2' })
      }
    })
  }

  const ask = (body: object, headers = {}) =>
    post('messages', '/v1/messages', { ...base, ...body }, { 'x-api-key': 'sk-vendor', 'anthropic-version': '2023-06-01', ...headers })
  const hi = [user('Hi')]
  const used = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_x', name: 'find', input: {} }] }
  const result = (id: string) => user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }])
  const image = (media_type: string, data: string) => user([{ type: 'image', source: { type: 'base64', media_type, data } as never }])
  const refused: [why: string, body: object, message: RegExp, headers?: object][] = [
    ['an unknown field', { messages: hi, stop: 'x' }, /^stop: Extra inputs/],
    ['no limit', { messages: hi, max_tokens: undefined }, /^max_tokens: Field required/],
    ['the assistant first', { messages: [{ role: 'assistant', content: 'Hi' }, ...hi] }, /must use the "user" role/],
    ['a system role', { messages: [{ role: 'system', content: 'Hi' }, ...hi] }, /role: Input should be/],
    ['empty text', { messages: [user([{ type: 'text', text: '' }])] }, /must be non-empty/],
    ['white space at the end', { messages: [...hi, { role: 'assistant', content: 'So ' }] }, /trailing whitespace/],
    ['a call without its result', { messages: [...hi, used, ...hi] }, /without `tool_result` blocks/],
    ['a result without its call', { messages: [...hi, used, result('toolu_y')] }, /unexpected `tool_use_id`/],
    ['arguments that are text', { messages: [...hi, { role: 'assistant', content: [{ ...used.content[0], input: '{}' }] }] }, /dictionary/],
    ['data that is no PNG', { messages: [image('image/png', 'aGVsbG8=')] }, /invalid base64/],
    ['an image of another type', { messages: [image('image/tiff', png)] }, /not a supported type/],
    ['a small budget', { messages: hi, thinking: { type: 'enabled', budget_tokens: 100 } }, /1024/],
    ['a budget above the limit', { messages: hi, thinking: { type: 'enabled', budget_tokens: 5000 } }, /must be greater/],
    ['thinking with a forced tool', { messages: hi, thinking, tools: [tool], tool_choice: { type: 'any' } }, /forces tool use/],
    ['a continuation without its thinking', { messages: [...hi, used, result('toolu_x')], thinking }, /found `tool_use`/],
    [
      'thinking that is not its own',
      { messages: [...hi, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] }, ...hi] },
      /Invalid `signature`/,
    ],
    ['a loose schema', { messages: hi, output_config: { format: { type: 'json_schema', schema: parameters } } }, /additionalProperties/],
    ['sampling in the second version', { messages: hi, temperature: 1 }, /temperature/, { 'anthropic-version': '2026-10-21' }],
  ]
  for (const [why, body, message, headers] of refused) {
    test(`refuses ${why}`, async () => {
      const answer = await ask(body, headers)
      expect([answer.status, answer.json().type, answer.json().error.type]).toEqual([400, 'error', 'invalid_request_error'])
      expect(answer.json().error.message).toMatch(message)
    })
  }

  test('refuses a wrong key, an unknown model, no version; takes either way of giving the key', async () => {
    expect((await ask({ messages: hi }, { 'x-api-key': 'no' })).json().error.type).toBe('authentication_error')
    expect((await ask({ messages: hi, model: 'other' })).status).toBe(404)
    expect((await ask({ messages: hi }, { 'anthropic-version': '' })).status).toBe(400)
    expect((await ask({ messages: hi })).status).toBe(200)
  })

  test('streams its events in order, with a ping, and an error after 200', async () => {
    const names = async (said: string) =>
      [...(await ask({ messages: [user(said)], stream: true })).text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
    expect(await names('Hi')).toEqual(
      'message_start content_block_start ping content_block_delta content_block_delta content_block_delta content_block_stop message_delta message_stop'.split(
        ' ',
      ),
    )
    expect(await names('scenario error-first')).toEqual(['error'])
    expect((await names('scenario error-late')).slice(-3)).toEqual(['content_block_delta', 'content_block_delta', 'error'])
  })
})

describe('gemini', () => {
  const client = () => new GoogleGenAI({ apiKey: 'sk-vendor', httpOptions: { baseUrl: url('gemini') } })
  const tools = [{ functionDeclarations: [{ name: 'find', parametersJsonSchema: parameters }] }]
  type Contents = { role: string; parts: object[] }[]

  test('the SDK reads text, whole and streamed', async () => {
    const request = { model: 'gemini-test', contents: 'scenario system', config: { systemInstruction: 'Be 親切.' } }
    expect((await client().models.generateContent(request)).text).toBe('My instructions: Be 親切.')
    let text = ''
    for await (const chunk of await client().models.generateContentStream(request)) text += chunk.text ?? ''
    expect(text).toBe('My instructions: Be 親切.')
  })

  for (const streams of [false, true]) {
    test(`a loop of thinking and tools over three turns, ${streams ? 'streamed' : 'whole'}`, async () => {
      const contents: Contents = [{ role: 'user', parts: [{ text: 'scenario loop' }] }]
      for (let step = 1; step <= 3; step++) {
        const request = { model: 'gemini-test', contents, config: { tools, thinkingConfig: { includeThoughts: true } } }
        const parts: { text?: string; thought?: boolean; functionCall?: object; thoughtSignature?: string }[] = []
        if (streams) {
          for await (const chunk of await client().models.generateContentStream(request))
            parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
        } else parts.push(...((await client().models.generateContent(request)).candidates?.[0]?.content?.parts ?? []))
        expect(parts[0]?.thought).toBe(true)
        contents.push({ role: 'model', parts: parts.filter((part) => part.text !== '') })
        const call = parts.find((part) => part.functionCall !== undefined)
        if (step < 3) expect([call?.functionCall, typeof call?.thoughtSignature]).toEqual([{ name: 'find', args: { step } }, 'string'])
        else expect(parts.map(({ text, thought }) => (thought ? '' : text)).join('')).toBe('Found: result 1, result 2')
        contents.push({ role: 'user', parts: [{ functionResponse: { name: 'find', response: { output: `result ${step}` } } }] })
      }
    })
  }

  const path = '/v1beta/models/gemini-test:generateContent'
  const ask = (body: object, target = path, key = 'sk-vendor') => post('gemini', target, body, { 'x-goog-api-key': key })
  const hi = { role: 'user', parts: [{ text: 'Hi' }] }
  const call = (fields = {}) => ({ role: 'model', parts: [{ functionCall: { name: 'find', args: {} }, ...fields }] })
  const response = (name: string) => ({ role: 'user', parts: [{ functionResponse: { name, response: {} } }] })
  const refused: [why: string, body: object, message: RegExp][] = [
    ['an unknown field', { contents: [hi], stop: 'x' }, /Unknown name "stop"/],
    ['an empty part', { contents: [{ role: 'user', parts: [{ text: '' }] }] }, /must have one initialized field/],
    ['a role of another vendor', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, /valid role/],
    [
      'a call without its response',
      { contents: [hi, call({ thoughtSignature: 'skip_thought_signature_validator' }), hi] },
      /number of function response/,
    ],
    ['a call without its signature', { contents: [hi, call(), response('find')] }, /missing a thought_signature/],
    ['a signature of others', { contents: [hi, call({ thoughtSignature: 'AAAA' }), response('find')] }, /Corrupted/],
    [
      'a response by another name',
      { contents: [hi, call({ thoughtSignature: 'skip_thought_signature_validator' }), response('other')] },
      /match the function calls/,
    ],
    [
      'a schema beyond the subset',
      { contents: [hi], tools: [{ functionDeclarations: [{ name: 'f', parameters: { ...parameters, additionalProperties: false } }] }] },
      /additionalProperties/,
    ],
    ['a schema without its type', { contents: [hi], generationConfig: { responseJsonSchema: parameters } }, /responseMimeType/],
    [
      'both ways of thinking',
      { contents: [hi], generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
      /only one of/,
    ],
    [
      'data that is no PNG',
      { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } }] }] },
      /process input image/,
    ],
    [
      'an image it cannot fetch',
      { contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'https://example.com/a.png' } }] }] },
      /Cannot fetch/,
    ],
  ]
  for (const [why, body, message] of refused) {
    test(`refuses ${why}`, async () => {
      const { status, json } = await ask(body)
      expect([status, json().error.code, json().error.status]).toEqual([400, 400, 'INVALID_ARGUMENT'])
      expect(json().error.message).toMatch(message)
    })
  }

  test('takes snake case, and the sentinel in place of a signature; refuses a wrong key and an unknown model', async () => {
    const history = [hi, call({ thought_signature: 'skip_thought_signature_validator' }), response('find')]
    expect((await ask({ contents: history, generation_config: { max_output_tokens: '5' } })).status).toBe(200)
    expect((await ask({ contents: [hi] }, path, 'no')).json().error.details[0].reason).toBe('API_KEY_INVALID')
    expect((await ask({ contents: [hi] }, path.replace('gemini-test', 'other'))).status).toBe(404)
  })

  test('streams with CRLF, or as one array; a blocked prompt has no candidates', async () => {
    const stream = path.replace('generate', 'streamGenerate')
    expect((await ask({ contents: [hi] }, `${stream}?alt=sse`)).text.split('\r\n\r\n')).toHaveLength(5)
    expect((await ask({ contents: [hi] }, stream)).json()).toHaveLength(4)
    const blocked = (await ask({ contents: [{ role: 'user', parts: [{ text: 'scenario refusal' }] }] })).json()
    expect([blocked.candidates, blocked.promptFeedback.blockReason]).toEqual([undefined, 'PROHIBITED_CONTENT'])
  })
})

describe('chat and responses', () => {
  const client = (name: string) => new OpenAI({ baseURL: `${url(name)}/v1`, apiKey: 'sk-vendor', maxRetries: 0 })
  const tool = { type: 'function' as const, name: 'find', parameters, strict: false }
  /** The response of the last event: the stream helper's own adds fields that the vendor does not accept back. */
  async function lastOf(body: OpenAI.Responses.ResponseCreateParamsNonStreaming): Promise<OpenAI.Responses.Response> {
    for await (const event of await client('responses').responses.create({ ...body, stream: true })) {
      if (event.type === 'response.completed') return event.response
    }
    throw new Error('the stream was not completed')
  }
  const ask = (body: object) => post('responses', '/v1/responses', { model: 'gpt-test', ...body }, { authorization: 'Bearer sk-vendor' })

  test('the SDK reads scenarios of chat', async () => {
    const body = { model: 'gpt-test', messages: [{ role: 'user' as const, content: 'scenario think' }] }
    const whole = await client('chat').chat.completions.create(body)
    expect(whole.choices[0]?.message).toMatchObject({ content: 'The answer is 42.', reasoning_content: 'Let me think… 思考 of 42' })
    const refusal = { ...body, messages: [{ role: 'user' as const, content: 'scenario refusal' }] }
    const streamed = await client('chat').chat.completions.stream(refusal).finalChatCompletion()
    expect(streamed.choices[0]?.message).toMatchObject({ content: '', refusal: 'I cannot help with that.' })
  })

  test('the SDK reads text, whole and streamed', async () => {
    const body = { model: 'gpt-test', instructions: 'Be 親切.', input: 'scenario system' }
    expect((await client('responses').responses.create(body)).output_text).toBe('My instructions: Be 親切.')
    const final = await client('responses').responses.stream(body).finalResponse()
    expect([final.output_text, final.status]).toEqual(['My instructions: Be 親切.', 'completed'])
  })

  for (const streams of [false, true]) {
    test(`a loop of thinking and tools over three turns, ${streams ? 'streamed' : 'whole'}`, async () => {
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'scenario loop' }]
      for (let step = 1; step <= 3; step++) {
        const body = {
          model: 'gpt-test',
          input,
          tools: [tool],
          store: false,
          include: ['reasoning.encrypted_content' as const],
          reasoning: { effort: 'low' as const, summary: 'auto' as const },
        }
        const answer = streams ? await lastOf(body) : await client('responses').responses.create(body)
        expect(answer.output[0]?.type === 'reasoning' && answer.output[0].encrypted_content).toContain('scripted-state')
        input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]))
        const call = answer.output.find((item) => item.type === 'function_call')
        if (call?.type === 'function_call') input.push({ type: 'function_call_output', call_id: call.call_id, output: `result ${step}` })
        else expect([step, JSON.stringify(answer.output).includes('Found: result 1, result 2')]).toEqual([3, true])
        if (step !== 2) continue
        const forgotten = await ask({ ...body, input: input.filter(({ type }) => type !== 'reasoning') })
        expect(forgotten.json().error.message).toContain("without its required 'reasoning' item")
      }
    })
  }

  const user = { role: 'user', content: 'Hi' }
  const called = { type: 'function_call', call_id: 'call_x', name: 'find', arguments: '{}' }
  const refused: [why: string, body: object, code: string | null, param: string | null][] = [
    ['a field of chat', { input: 'Hi', stop: ['x'] }, 'unknown_parameter', 'stop'],
    ['no input', {}, 'missing_required_parameter', 'input'],
    [
      'a part of another role',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      'invalid_value',
      'input[0].content[0].type',
    ],
    ['a nested tool', { input: 'Hi', tools: [{ type: 'function', function: tool }] }, 'unknown_parameter', 'tools[0].function'],
    [
      'a strict tool with a loose schema',
      { input: 'Hi', tools: [{ ...tool, strict: true }] },
      'invalid_function_parameters',
      'tools[0].parameters',
    ],
    ['a call without its output', { input: [user, called] }, null, 'input'],
    ['an output without its call', { input: [user, { type: 'function_call_output', call_id: 'call_x', output: '' }] }, null, 'input'],
    ['state of others', { input: [{ type: 'reasoning', summary: [], encrypted_content: 'x' }, user] }, 'invalid_encrypted_content', null],
    ['reasoning that leads to nothing', { input: [{ type: 'reasoning', summary: [] }, user] }, null, 'input'],
    ['an id of the wrong kind', { input: [{ ...called, id: 'call_x' }] }, 'invalid_value', 'input[0].id'],
    [
      'an unknown previous response',
      { input: 'Hi', previous_response_id: 'resp_x' },
      'previous_response_not_found',
      'previous_response_id',
    ],
  ]
  for (const [why, body, code, param] of refused) {
    test(`refuses ${why}`, async () => {
      const { status, json } = await ask(body)
      expect([status, json().error.type, json().error.code, json().error.param]).toEqual([400, 'invalid_request_error', code, param])
    })
  }

  test('keeps what it stores, and not what it must not', async () => {
    const kept = (await ask({ input: 'Hi' })).json()
    expect((await ask({ input: 'scenario recall', previous_response_id: kept.id })).json().output[0].content[0].text).toBe(
      'We said: user: Hi | assistant: You said: Hi | user: scenario recall',
    )
    const gone = (await ask({ input: 'Hi', store: false })).json()
    expect((await ask({ input: 'Hi', previous_response_id: gone.id })).status).toBe(400)
  })

  test('numbers its events from 0, and the opening state is not the final one', async () => {
    const events = (
      await ask({ input: 'scenario think', stream: true, reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] })
    ).text
      .split('\n\n')
      .filter(Boolean)
      .map((text) => JSON.parse(text.slice(text.indexOf('data: ') + 6)))
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const states = events.filter((event) => event.item?.type === 'reasoning').map((event) => event.item.encrypted_content)
    expect(new Set(states).size).toBe(2)
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed', store: true } })
  })
})

describe('all alike', () => {
  const asks: Record<string, (said: string, stream: boolean) => ReturnType<typeof post>> = {
    chat: (content, stream) =>
      post(
        'chat',
        '/v1/chat/completions',
        { model: 'gpt-test', messages: [{ role: 'user', content }], stream },
        { authorization: 'Bearer sk-vendor' },
      ),
    responses: (input, stream) =>
      post('responses', '/v1/responses', { model: 'gpt-test', input, stream }, { authorization: 'Bearer sk-vendor' }),
    messages: (content, stream) =>
      post(
        'messages',
        '/v1/messages',
        { model: 'claude-test', max_tokens: 99, messages: [{ role: 'user', content }], stream },
        { 'x-api-key': 'sk-vendor', 'anthropic-version': '2023-06-01' },
      ),
    gemini: (text, stream) =>
      post(
        'gemini',
        `/v1beta/models/gemini-test:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        { contents: [{ role: 'user', parts: [{ text }] }] },
        { 'x-goog-api-key': 'sk-vendor' },
      ),
  }
  for (const [name, ask] of Object.entries(asks)) {
    test(`${name}: endings, errors, a cut and an early end`, async () => {
      const ends = {
        length: /"(length|max_output_tokens|max_tokens|MAX_TOKENS)"/,
        filter: /"(content_filter|refusal|SAFETY)"/,
        refusal: /refusal|PROHIBITED_CONTENT/,
      }
      expect((await ask('scenario filter', false)).text).toMatch(ends.filter)
      expect((await ask('scenario refusal', true)).text).toMatch(ends.refusal)
      expect((await ask('scenario error-late', false)).status).toBeGreaterThanOrEqual(503)
      expect((await ask('scenario error-late', true)).text).toMatch(/"error"/)
      expect(await ask('scenario cut', true).catch(() => 'cut')).toBe('cut')
      expect(await ask('scenario cut', false).catch(() => 'cut')).toBe('cut')
      expect((await ask('scenario eof', true)).text).not.toMatch(/DONE|message_stop|completed|STOP/)
    })
  }
})
