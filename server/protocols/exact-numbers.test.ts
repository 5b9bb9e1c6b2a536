/** Numbers with more digits than a double holds are passed on between all dialects, whole and streamed. Compared as text. */
import { describe, expect, test } from 'bun:test'
import type { ConversationCodec } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { gathered } from '#canonical/response-events'
import { eventsOf, noMemo, streamOf, testPen, written } from '#testing/conversions/codec-runs'
import { conversationCodecs, converseCodec } from './index.ts'
import { interactions, wordingOf } from './wordings.ts'

const numbers = [
  ...['1234567890123456789', '-9223372036854775808', '9223372036854775807', '0.1234567890123456789', '12345678901234567890123'],
  ...['1e400', '-1.5e-400', '1234567890123456.75', '0.10000000000000001'],
]
/** Numbers that lose only their form; kept in arguments and results of tools. */
const floats = ['1.0', '-20.00', '3.0']
const args = `{"ids":[${numbers}],"floats":[${floats.slice(0, 2)}],"one":${floats[2]},"deep":{"id":${numbers[0]},"near":9007199254740991,"far":1e21}}`
const schema = `{"type":"object","properties":{"id":{"type":"integer","minimum":${numbers[1]},"maximum":${numbers[2]}},"of":{"enum":[${numbers}]}}}`
const quoted = (json: string) => JSON.stringify(json)

/** A request with a call, its result and two schemas. */
const requests = {
  chat: `{"model":"asked","messages":[{"role":"user","content":"hi"},
    {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":${quoted(args)}}}]},
    {"role":"tool","tool_call_id":"c1","content":${quoted(args)}}],
    "tools":[{"type":"function","function":{"name":"look","parameters":${schema}}}],
    "response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":${schema}}}}`,
  responses: `{"model":"asked","input":[{"role":"user","content":"hi"},
    {"type":"function_call","call_id":"c1","name":"look","arguments":${quoted(args)}},
    {"type":"function_call_output","call_id":"c1","output":${quoted(args)}}],
    "tools":[{"type":"function","name":"look","parameters":${schema}}],
    "text":{"format":{"type":"json_schema","name":"answer","schema":${schema}}}}`,
  messages: `{"model":"asked","max_tokens":900,"messages":[{"role":"user","content":"hi"},
    {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"look","input":${args}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${quoted(args)}}]}],
    "tools":[{"name":"look","input_schema":${schema}}],
    "output_config":{"format":{"type":"json_schema","schema":${schema}}}}`,
  gemini: `{"contents":[{"role":"user","parts":[{"text":"hi"}]},
    {"role":"model","parts":[{"functionCall":{"name":"look","args":${args}}}]},
    {"role":"user","parts":[{"functionResponse":{"name":"look","response":${args}}}]}],
    "tools":[{"functionDeclarations":[{"name":"look","parametersJsonSchema":${schema}}]}],
    "generationConfig":{"responseMimeType":"application/json","responseJsonSchema":${schema}}}`,
}
type Name = keyof typeof requests
const names = Object.keys(requests) as Name[]
const path = 'asked:generateContent'

/** How often each number occurs in a text, digit for digit. */
const counts = (text: string) =>
  Object.fromEntries(
    [...numbers, ...floats].map((number) => [
      number,
      text.split(new RegExp(`(?<![\\w.-])${number.replaceAll('.', '\\.')}(?![\\w.])`)).length - 1,
    ]),
  )

const asked = (client: Name): ConversationRequest => conversationCodecs[client].readRequest(requests[client], path)
const sent = (codec: ConversationCodec, request: ConversationRequest) => JSON.stringify(written(codec, request).body)

describe('a request has the same digits', () => {
  const upstreams = names.map((name) => [name, conversationCodecs[name]] as const)
  const cells = names.flatMap((client) => upstreams.map(([name, upstream]) => [client, name, upstream] as const))
  test.each(cells)('from %s to %s', (client, _, upstream) => {
    expect(counts(sent(upstream, asked(client)))).toEqual(counts(requests[client]))
  })

  test.each(names)('from %s to Converse, as far as it takes schemas', (client) => {
    const body = sent(converseCodec, asked(client))
    expect(counts(body)).toEqual(counts(requests[client]))
    expect(sameForm(body)).toContain(`"input":${args}`)
  })

  test.each(names)('from %s to an older Gemini, whose enumerations are texts', (client) => {
    const { body } = conversationCodecs.gemini.writeRequest(asked(client), {
      model: 'm',
      stream: false,
      capabilities: { olderSchema: true },
    })
    expect(counts(JSON.stringify(body))).toEqual(counts(requests[client]))
  })

  test('from an older Gemini schema', () => {
    const body = requests.gemini.replace('parametersJsonSchema', 'parameters').replace('responseJsonSchema', 'responseSchema')
    expect(counts(sent(conversationCodecs.chat, conversationCodecs.gemini.readRequest(body, path)))).toEqual(counts(body))
  })

  const strict = requests.chat.replace('"name":"look","parameters"', '"name":"look","strict":true,"parameters"')
  test('in a schema that Messages takes as words', () => {
    expect(counts(sent(conversationCodecs.messages, conversationCodecs.chat.readRequest(strict)))).toEqual(counts(strict))
  })

  const worded = {
    'ollama chat': `{"model":"m","messages":[{"role":"user","content":"hi"},
      {"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":${args}}}]},
      {"role":"tool","tool_name":"look","content":${quoted(args)}}],
      "tools":[{"type":"function","function":{"name":"look","parameters":${schema}}}],"format":${schema}}`,
    'ollama generate': `{"model":"m","prompt":"hi","format":${schema}}`,
    converse: `{"messages":[{"role":"user","content":[{"text":"hi"}]},
      {"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"look","input":${args}}}]},
      {"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":${args}}]}}]}],
      "toolConfig":{"tools":[{"toolSpec":{"name":"look","inputSchema":{"json":${schema}}}}]},
      "outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"a","schema":${quoted(schema)}}}}}}`,
    interaction: `{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call","id":"c1","name":"look","arguments":${args}},
      {"type":"function_result","call_id":"c1","result":${args}}],"tools":[{"type":"function","name":"look","parameters":${schema}}],
      "response_format":{"type":"text","mime_type":"application/json","schema":${schema}}}`,
  }
  const wordings = {
    'ollama chat': 'ollama-chat',
    'ollama generate': 'ollama-generate',
    converse: 'converse',
    interaction: 'interaction',
  } as const
  test.each(Object.keys(worded) as (keyof typeof worded)[])('in the words of %s', (name) => {
    expect(counts(wordingOf(wordings[name]).readRequest(worded[name]).body)).toEqual(counts(worded[name]))
  })
})

/** The arguments in pieces that end amid digits. */
const pieces = args.match(/.{1,5}/gs) ?? []
const sse = (...events: string[]) => events.map((event) => `event: ${JSON.parse(event).type ?? 'message'}\ndata: ${event}\n\n`).join('')
const piece = (piece: string, fields: string) => fields.replace('PIECE', JSON.stringify(piece))

const answers: Record<Name, { whole: string; stream: string }> = {
  chat: {
    whole: `{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,
      "tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":${quoted(args)}}}]}}]}`,
    stream: `${sse(
      '{"id":"a","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":""}}]}}]}',
      ...pieces.map((one) =>
        piece(one, '{"id":"a","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":PIECE}}]}}]}'),
      ),
      '{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
    )}data: [DONE]\n\n`,
  },
  responses: {
    whole: `{"id":"resp_a","object":"response","created_at":1,"model":"m","status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"c1","name":"look",
      "arguments":${quoted(args)},"status":"completed"}]}`,
    stream: sse(
      '{"type":"response.created","response":{"id":"resp_a","created_at":1,"model":"m","status":"in_progress","output":[]}}',
      '{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"look","arguments":""}}',
      ...pieces.map((one) =>
        piece(one, '{"type":"response.function_call_arguments.delta","output_index":0,"item_id":"fc_1","delta":PIECE}'),
      ),
      `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c1","name":"look","arguments":${quoted(args)},"status":"completed"}}`,
      `{"type":"response.completed","response":{"id":"resp_a","created_at":1,"model":"m","status":"completed","output":[]}}`,
    ),
  },
  messages: {
    whole: `{"id":"msg_a","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"look","input":${args}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
    stream: sse(
      '{"type":"message_start","message":{"id":"msg_a","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c1","name":"look","input":{}}}',
      ...pieces.map((one) =>
        piece(one, '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":PIECE}}'),
      ),
      '{"type":"content_block_stop","index":0}',
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}',
      '{"type":"message_stop"}',
    ),
  },
  gemini: {
    whole: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"look","args":${args}}}]},"finishReason":"STOP"}]}`,
    stream: sse(
      `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"look","args":${args}}}]}}]}`,
      '{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"STOP"}]}',
    ),
  },
}

/** Some upstreams send arguments at once, or in their own form. */
const odd: [Name, string, string][] = [
  [
    'chat',
    'as an object',
    answers.chat.stream
      .replace('"arguments":""', `"arguments":${args}`)
      .replace(/data: \{"id":"a","choices":\[\{"index":0,"delta":\{"tool.*\n\n/g, ''),
  ],
  [
    'messages',
    'in the opening of a block',
    answers.messages.stream.replace('"input":{}', `"input":${args}`).replace(/event: content_block_delta\n.*\n\n/g, ''),
  ],
  [
    'gemini',
    'by path',
    sse(
      `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"look","willContinue":true,"partialArgs":[${numbers
        .map((number, at) => `{"jsonPath":"$.ids[${at}]","numberValue":${at === 2 ? quoted(number) : number}}`)
        .join()},${floats
        .map((number, at) => `{"jsonPath":"$.${at === 2 ? 'one' : `floats[${at}]`}","numberValue":${number}}`)
        .join()}]}}]}}]}`,
      `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","partialArgs":[{"jsonPath":"$.deep.id","numberValue":${numbers[0]}},{"jsonPath":"$.deep.near","numberValue":9007199254740991},{"jsonPath":"$.deep.far","numberValue":1e21}]}}]},"finishReason":"STOP"}]}`,
    ),
  ],
]

/** A text in UTF-8, in pieces that end anywhere. */
function* inBytes(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
}

/** `1e21` is a double: it may be written in another form. */
const sameForm = (text: string) => text.replaceAll('1e+21', '1e21').replaceAll('1000000000000000000000', '1e21')

function argumentsIn(client: Name, stream: Uint8Array<ArrayBuffer>): string[] {
  const { choices } = gathered(eventsOf(conversationCodecs[client], [stream]))
  return choices.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'call' ? [sameForm(part.argsText)] : [])))
}

describe('an answer has the same digits', () => {
  const cells = names.flatMap((upstream) => names.map((client) => [upstream, client] as const))
  test.each(cells)('from %s to %s, whole', (upstream, client) => {
    const read = conversationCodecs[upstream].readResponse(answers[upstream].whole, noMemo, testPen())
    const request = asked(client)
    const { body } = conversationCodecs[client].writeResponse(read, request, testPen())
    const echoed = client === 'responses' ? counts(schema.repeat(2)) : counts('')
    const expected = counts(args)
    for (const number of numbers) expected[number] = (expected[number] ?? 0) + (echoed[number] ?? 0)
    expect(counts(body)).toEqual(expected)
  })

  test.each(cells)('from %s to %s, streamed', (upstream, client) => {
    const events = eventsOf(conversationCodecs[upstream], [...inBytes(answers[upstream].stream)])
    expect(events.at(-1)?.kind).toBe('end')
    const stream = streamOf(conversationCodecs[client], events, asked(client))
    expect(argumentsIn(client, stream)).toEqual([args])
  })

  const oddCells = odd.flatMap(([upstream, how, stream]) => names.map((client) => [upstream, how, client, stream] as const))
  test.each(oddCells)('from %s, %s, to %s', (upstream, _, client, stream) => {
    const events = eventsOf(conversationCodecs[upstream], [...inBytes(stream)])
    expect(argumentsIn(client, streamOf(conversationCodecs[client], events, asked(client)))).toEqual([args])
  })

  test.each(names)('from Converse to %s', (client) => {
    const whole = `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"look","input":${args}}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2}}`
    const read = converseCodec.readResponse(whole, noMemo, testPen())
    const { body } = conversationCodecs[client].writeResponse(
      read,
      { ...asked(client), tools: [], output: { ...asked(client).output, format: { kind: 'text' } } },
      testPen(),
    )
    expect(counts(body)).toEqual(counts(args))
  })

  test('in the words of Ollama, Converse and an interaction', () => {
    const context = { now: () => 0, elapsed: () => 0 }
    expect(counts(wordingOf('ollama-chat').writeAnswer(answers.chat.whole, context))).toEqual(counts(args))
    expect(counts(wordingOf('converse').writeAnswer(answers.messages.whole, context))).toEqual(counts(args))
    const interaction = interactions.write(answers.responses.whole)
    expect(counts(interaction)).toEqual(counts(args))
    expect(counts(interactions.withInput(interaction, '{"data":[]}'))).toEqual(counts(args))
  })
})

test('numbers that a codec understands are the numbers they were', () => {
  const body = requests.chat.replace('"model"', '"temperature":0.30000000000000000001,"max_tokens":900,"model"')
  expect(conversationCodecs.chat.readRequest(body)).toMatchObject({ sampling: { temperature: 0.3 }, output: { maxTokens: 900 } })
  const most = () => conversationCodecs.chat.readRequest(body.replace('900', '1234567890123456789'))
  expect(most).toThrow('max_tokens')
})
