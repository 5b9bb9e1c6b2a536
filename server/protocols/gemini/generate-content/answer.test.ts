/** Answers of an upstream, streamed and whole, and answers for a client. */
import { describe, expect, test } from 'bun:test'
import type { CodecContext, Memo } from '#canonical/codec'
import type { ConversationRequest, ConversationResponse, Part } from '#canonical/conversation'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import { gathered } from '#canonical/response-events'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { geminiCodec as codec } from './codec.ts'

const noMemo: Memo = { toolNames: {}, wrappedTools: [] }
const newPen = (): CodecContext => {
  let count = 0
  return { now: () => 5000, id: (prefix) => `${prefix}${++count}` }
}
const encode = (text: string) => new TextEncoder().encode(text)
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (parts: unknown[], finishReason?: string, more: object = {}) =>
  event({
    candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }), index: 0, ...more }],
    responseId: 'r',
    modelVersion: 'up',
  })

function readStream(stream: string, memo = noMemo, broke?: GatewayError): ConversationEvent[] {
  const splitter = createSseSplitter()
  const reader = codec.reader(memo, newPen())
  const frames = [...splitter.push(encode(stream)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(broke)]
}
/** The first choice of a stream that ended well. */
const said = (stream: string, memo = noMemo) => {
  const events = readStream(stream, memo)
  expect(events.at(-1)?.kind).toBe('end')
  return gathered(events).choices[0]
}
const asked = (fields: Partial<ConversationRequest> = {}): ConversationRequest => ({
  ...codec.readRequest('{"contents":[{"parts":[{"text":"x"}]}]}', 'asked:streamGenerateContent'),
  reasoning: { visible: 'summary' },
  ...fields,
})

describe('calls in a stream', () => {
  test('T24: a call in one event, STOP with an empty text in a later one', () => {
    const choice = said(chunk([{ functionCall: { name: 'f', args: {} } }]) + chunk([{ text: '' }], 'STOP'))
    expect(choice).toMatchObject({
      parts: [{ kind: 'call', callId: 'call_1', argsText: '{}' }],
      finish: { reason: 'tool-calls', raw: 'STOP' },
    })
    expect(choice?.parts).toHaveLength(1)
  })

  test('T25: text and a call in one event, another call later; T23: ids are distinct', () => {
    const call = { functionCall: { name: 'f', args: { a: 1 } } }
    const choice = said(chunk([{ text: 'So:' }, call]) + chunk([call], 'STOP'))
    expect(choice?.parts).toMatchObject([{ kind: 'text', text: 'So:' }, { callId: 'call_1' }, { callId: 'call_2', argsText: '{"a":1}' }])
  })

  test('T26: arguments in pieces become one object', () => {
    const piece = (jsonPath: string, value: object, willContinue = true) =>
      chunk([{ functionCall: { partialArgs: [{ jsonPath, ...value }], willContinue } }])
    const stream =
      chunk([{ functionCall: { name: 'f', id: 'x', willContinue: true }, thoughtSignature: 's' }]) +
      piece('$.city', { stringValue: 'New ', willContinue: true }) +
      piece('$.city', { stringValue: 'Delhi' }) +
      piece('$.days[0].n', { numberValue: 1 }) +
      piece('$.days[1]["a b"]', { boolValue: true }) +
      piece("$['__proto__'].x", { nullValue: 'NULL_VALUE' }, false) +
      chunk([{ functionCall: { name: 'g', args: {} } }], 'STOP')
    const [first, second] = said(stream)?.parts ?? []
    expect(first).toMatchObject({ kind: 'call', callId: 'x', opaque: [{ value: 's' }] })
    expect(first?.kind === 'call' && first.argsText).toBe('{"city":"New Delhi","days":[{"n":1},{"a b":true}],"__proto__":{"x":null}}')
    expect(second).toMatchObject({ kind: 'call', name: 'g' })
  })

  test('T26: odd pieces do no harm, and an open call ends with the answer', () => {
    const pieces = ['$', '', 'x', '$..a', '$[999999]', '$.a[', `$${'.a'.repeat(100)}`, '$.a.b', '$.a[0]'].map((jsonPath) => ({
      jsonPath,
      stringValue: 'v',
    }))
    const choice = said(
      chunk([{ functionCall: { name: 'f', partialArgs: [...pieces, { jsonPath: '$.n' }], willContinue: true } }], 'MAX_TOKENS'),
    )
    expect(choice?.finish.reason).toBe('length')
    const [part] = choice?.parts ?? []
    expect(() => JSON.parse(part?.kind === 'call' ? part.argsText : '')).not.toThrow()
  })

  test('names come back, wrapped tools are unwrapped', () => {
    const memo: Memo = { toolNames: { _9: '9', patch_: 'patch!' }, wrappedTools: ['patch!'], toolSpaces: { _9: 'web' } }
    const calls = [
      { functionCall: { name: '_9', args: {} } },
      { functionCall: { name: 'patch_', args: { input: 'free' } } },
      { functionCall: { name: 'constructor', args: {} } },
    ]
    expect(said(chunk(calls, 'STOP'), memo)?.parts).toMatchObject([
      { name: '9', namespace: 'web', form: 'json' },
      { name: 'patch!', form: 'text', argsText: 'free' },
      { name: 'constructor' },
    ])
  })
})

describe('parts of a stream', () => {
  test('T34: thoughts, call, thoughts, text keep their order, each in a part of its own kind', () => {
    const thought = (text: string) => ({ text, thought: true })
    const stream =
      chunk([thought('a')]) + chunk([thought('b'), { functionCall: { name: 'f' } }]) + chunk([thought('c'), { text: 'd' }], 'STOP')
    expect(
      said(stream)?.parts.map((part) => [part.kind, part.kind === 'reasoning' ? part.text : part.kind === 'text' && part.text]),
    ).toEqual([
      ['reasoning', ['ab']],
      ['call', false],
      ['reasoning', ['c']],
      ['text', 'd'],
    ])
  })

  test('T22: empty pieces open nothing', () => {
    expect(said(chunk([{ text: '' }, { text: '', thought: true }, {}, { thought: true }]) + chunk([{ text: '' }], 'STOP'))?.parts).toEqual(
      [],
    )
  })

  test('signatures stay with their part, or stand alone', () => {
    const parts = said(
      chunk([{ text: 'a', thoughtSignature: '1' }, { text: 'b' }, { text: '', thoughtSignature: '2' }, { thoughtSignature: '3' }], 'STOP'),
    )?.parts
    expect(parts).toMatchObject([
      { kind: 'text', text: 'a', opaque: [{ value: '1' }] },
      { kind: 'text', text: 'b' },
      { kind: 'reasoning', form: 'hidden', opaque: [{ value: '2' }] },
      { kind: 'reasoning', form: 'hidden', opaque: [{ value: '3' }] },
    ])
  })

  test('several candidates do not mix', () => {
    const both = (texts: [string, string], finishReason?: string) =>
      event({ candidates: texts.map((text, index) => ({ content: { parts: [{ text }] }, index, finishReason })) })
    const response = gathered(readStream(both(['a', 'x']) + both(['b', 'y'], 'STOP')))
    expect(response.choices).toMatchObject([
      { index: 0, parts: [{ text: 'ab' }] },
      { index: 1, parts: [{ text: 'xy' }] },
    ])
  })

  test('sources are placed in ASCII, and named in any other text', () => {
    const grounding = {
      groundingChunks: [{ web: { uri: 'u', title: 't' } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 5 }, groundingChunkIndices: [0, 7] }],
    }
    const cited = (text: string) =>
      said(chunk([{ text }]) + chunk([{ text: '', thoughtSignature: 's' }], 'STOP', { groundingMetadata: grounding }))?.parts[0]
    expect(cited('abcde')).toMatchObject({ citations: [{ url: 'u', title: 't', start: 3, end: 5 }] })
    expect(cited('äbcd')).toMatchObject({ citations: [{ kind: 'web', url: 'u', title: 't' }] })
    expect(cited('äbcd')).not.toHaveProperty('citations.0.start')
    expect(cited('a')).toMatchObject({ citations: [{ url: 'u' }] })
  })
})

describe('how a stream ends', () => {
  const kinds = (events: ConversationEvent[]) => events.map(({ kind }) => kind)
  const failure = (events: ConversationEvent[]) => events.at(-1)

  test('T06: without a finish it is an error, never a stop', () => {
    for (const stream of ['', ': hi\n\n', chunk([{ text: 'a' }]), event({ usageMetadata: { promptTokenCount: 1 } })]) {
      expect(failure(readStream(stream))).toMatchObject({ kind: 'error', error: { code: 'upstream_error', status: 502 } })
    }
  })

  test('T07: a stream that broke ends with the reason, unless the answer was complete', () => {
    const broke = new GatewayError('upstream_timeout', 'x')
    expect(failure(readStream(chunk([{ text: 'a' }]), noMemo, broke))).toEqual({ kind: 'error', error: broke })
    expect(failure(readStream(chunk([{ text: 'a' }], 'STOP'), noMemo, broke))).toEqual({ kind: 'end' })
  })

  test('T08, T09: an error is the last word', () => {
    const error = event({ error: { code: 503, status: 'UNAVAILABLE' } })
    expect(kinds(readStream(error + chunk([{ text: 'a' }], 'STOP')))).toEqual(['error'])
    expect(kinds(readStream(chunk([{ text: 'a' }]) + error + error))).toEqual(['start', 'open', 'delta', 'error'])
  })

  test('T40: a blocked prompt is a content filter', () => {
    expect(readStream(event({ promptFeedback: { blockReason: 'JAILBREAK' } })).slice(1)).toEqual([
      { kind: 'finish', choice: 0, finish: { reason: 'content-filter', raw: 'JAILBREAK' } },
      { kind: 'end' },
    ])
  })

  test('older models say STOP in every event', () => {
    expect(said(chunk([{ text: 'a' }], 'STOP') + chunk([{ text: 'b' }], 'STOP'))?.parts).toMatchObject([{ text: 'ab' }])
  })

  test('2.7: words of the end', () => {
    const words = {
      STOP: 'stop',
      MAX_TOKENS: 'length',
      SAFETY: 'content-filter',
      RECITATION: 'content-filter',
      IMAGE_SAFETY: 'content-filter',
      OTHER: 'refusal',
      CONTINUATION: 'paused',
      MALFORMED_FUNCTION_CALL: 'bad-tool-call',
      MISSING_THOUGHT_SIGNATURE: 'bad-tool-call',
      MODEL_ARMOR: 'content-filter',
      ESCALATION: 'content-filter',
      PUP_LIMITED_DISABLED: 'content-filter',
      BRAND_NEW: 'refusal',
      constructor: 'refusal',
    }
    for (const [word, reason] of Object.entries(words))
      expect(said(chunk([{ text: 'a' }], word))?.finish).toMatchObject({ reason, raw: word } as never)
    expect(said(chunk([{ functionCall: { name: 'f' } }], 'MAX_TOKENS'))?.finish.reason).toBe('length')
  })
})

describe('a whole answer', () => {
  const read = (body: unknown) => codec.readResponse(JSON.stringify(body), noMemo, newPen())

  test('sources are placed in any text', () => {
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'u' } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 8, partIndex: 1 }, groundingChunkIndices: [0] }],
    }
    const parts = [{ text: 'ä', thoughtSignature: 's' }, { text: '日x🎉' }]
    expect(read({ candidates: [{ content: { parts }, finishReason: 'STOP', groundingMetadata }] }).choices[0]?.parts[1]).toMatchObject({
      citations: [{ url: 'u', start: 1, end: 4 }],
    })
  })

  test('without figures the answer is estimated', () => {
    expect(read({ candidates: [{ content: { parts: [{ text: '12345678' }] }, finishReason: 'STOP' }] }).usage).toMatchObject({
      out: { total: 2 },
      provenance: 'estimated',
    })
  })

  test('no answer is an error', () => {
    for (const body of ['', '<html>', '{}', '[]', '{"candidates":[]}', 'null']) {
      expect(() => codec.readResponse(body, noMemo, newPen())).toThrow(expect.objectContaining({ code: 'upstream_error' }))
    }
  })
})

describe('what a client gets', () => {
  const open = (at: number, part: PartHead): ConversationEvent => ({ kind: 'open', choice: 0, at, part })
  const delta = (at: number, change: Delta): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: change })
  const close = (at: number): ConversationEvent => ({ kind: 'close', choice: 0, at })
  const start: ConversationEvent = { kind: 'start', id: 'r', model: 'up', created: 1 }
  const write = (events: ConversationEvent[], request = asked()) => {
    const writer = codec.writer(request, newPen())
    return events.map((one) => new TextDecoder().decode(writer.push(one)))
  }
  type Written = { candidates?: { content: { parts: unknown[] }; finishReason?: string }[] }
  const frames = (events: ConversationEvent[], request = asked()) =>
    createSseSplitter()
      .push(encode(write(events, request).join('')))
      .map(({ data }) => JSON.parse(data ?? '') as Written)
  const parts = (events: ConversationEvent[], request = asked()) =>
    frames(events, request).flatMap(({ candidates }) => candidates?.flatMap(({ content }) => content.parts) ?? [])

  test('T12: events have no name, no terminator, one line, the asked model and one id', () => {
    const [, , text, , last] = write([start, open(0, { kind: 'text' }), delta(0, { text: 'a\nb' }), close(0), { kind: 'end' }])
    expect(text).toBe(
      'data: {"candidates":[{"content":{"parts":[{"text":"a\\nb"}],"role":"model"},"index":0}],"modelVersion":"asked","responseId":"r"}\n\n',
    )
    expect(last).toMatch(/^data: .*"responseId":"r"}\n\n$/)
  })

  test('T17: calls whose arguments come mixed leave whole, each when it closes', () => {
    const call = (callId: string): PartHead => ({ kind: 'call', callId, name: 'f', form: 'json' })
    const events = [
      start,
      open(0, call('x')),
      open(1, call('y')),
      delta(0, { text: '{"a":' }),
      delta(1, { text: '{"b":2' }),
      delta(0, { text: '1}' }),
      close(0),
      delta(1, { text: '}' }),
      close(1),
    ]
    expect(parts(events)).toEqual([
      { functionCall: { id: 'x', name: 'f', args: { a: 1 } } },
      { functionCall: { id: 'y', name: 'f', args: { b: 2 } } },
    ])
  })

  test('T21: no arguments are an empty object; T27: what is no object goes along as text', () => {
    const args = (text: string) =>
      parts([start, open(0, { kind: 'call', callId: 'x', name: 'f', form: 'json' }), delta(0, { text }), close(0)])
    expect(args('')).toEqual([{ functionCall: { id: 'x', name: 'f', args: {} } }])
    for (const text of ['{"a":', '5', '[1]', 'null'])
      expect(args(text)).toEqual([{ functionCall: { id: 'x', name: 'f', args: { _raw: text } } }])
  })

  test('the finish and the figures leave together, and last', () => {
    const usage = noUsage()
    usage.in.fresh = 3
    usage.out.total = 5
    const events: ConversationEvent[] = [
      start,
      { kind: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'tool_calls' } },
      { kind: 'usage', usage },
      { kind: 'end' },
    ]
    expect(write(events).slice(0, 3)).toEqual(['', '', ''])
    expect(frames(events)).toMatchObject([
      { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 } },
    ] as never)
  })

  test('T06, T09: an error is one event with a number, and nothing after', () => {
    const error = new GatewayError('upstream_error', 'Broke.')
    const [, , , failure, after] = write([
      start,
      open(0, { kind: 'text' }),
      delta(0, { text: 'a' }),
      { kind: 'error', error },
      { kind: 'end' },
    ])
    expect(JSON.parse(failure?.slice(6) ?? '')).toMatchObject({ error: { code: 502, status: 'INTERNAL' } })
    expect(after).toBe('')
  })

  test('thoughts are shown to those who asked; their signature goes to all', () => {
    const events = [
      start,
      open(0, { kind: 'reasoning', form: 'full' }),
      delta(0, { text: 'hm' }),
      delta(0, { segment: true }),
      delta(0, { text: 'aha' }),
      delta(0, { opaque: { dialect: 'gemini', kind: 'thought-signature', value: 's' } }),
      close(0),
    ]
    const signed = { text: '', thought: true, thoughtSignature: 's' }
    expect(parts(events)).toEqual([{ text: 'hm', thought: true }, { text: '\n\n', thought: true }, { text: 'aha', thought: true }, signed])
    expect(parts(events, asked({ reasoning: { visible: 'none' } }))).toEqual([signed])
    expect(
      parts([
        start,
        open(0, { kind: 'reasoning', form: 'full' }),
        delta(0, { opaque: { dialect: 'messages', kind: 'signature', value: 's' } }),
        close(0),
      ]),
    ).toEqual([])
  })

  test('media leave whole, padded pieces joined', () => {
    const pieces = ['aGk=', 'aGk=', 'aGk='].map((data) => delta(0, { data }))
    const written = parts([start, open(0, { kind: 'media', media: 'image', mimeType: 'image/png' }), ...pieces, close(0)])
    expect(written).toEqual([{ inlineData: { mimeType: 'image/png', data: Buffer.from('hihihi').toString('base64') } }])
  })

  test('a whole answer, with its losses', () => {
    const kinds: Part[] = [
      { kind: 'reasoning', text: ['a', 'b'], form: 'summary', opaque: [] },
      { kind: 'text', text: 'Gruß', citations: [{ kind: 'web', url: 'u', start: 3, end: 4 }] },
      { kind: 'refusal', text: 'No.' },
      { kind: 'call', callId: 'x', name: 'f', form: 'json', argsText: '{' },
      { kind: 'native', dialect: 'messages', raw: {} },
      { kind: 'native', dialect: 'messages', raw: {}, summary: 'found' },
    ]
    const response: ConversationResponse = {
      id: '',
      model: 'up',
      created: 1,
      usage: noUsage(),
      choices: [{ index: 0, parts: kinds, finish: { reason: 'content-filter', raw: 'x' } }],
    }
    const { body, losses } = codec.writeResponse(response, asked(), newPen())
    expect(JSON.parse(body)).toMatchObject({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'a\n\nb', thought: true },
              { text: 'Gruß' },
              { text: 'No.' },
              { functionCall: { args: { _raw: '{' } } },
              { text: 'found' },
            ],
          },
          finishReason: 'SAFETY',
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'u' } }],
            groundingSupports: [{ segment: { startIndex: 3, endIndex: 5 }, groundingChunkIndices: [0] }],
          },
        },
      ],
      modelVersion: 'asked',
      responseId: 'resp_1',
    })
    expect(losses.map(({ field, what }) => `${field}:${what}`)).toEqual([
      'response.refusal:adapted',
      'response.call.arguments:adapted',
      'response.native:dropped',
      'response.native:adapted',
    ])
  })
})

test('fields of an answer without a place are reported by path; bare counts are not', () => {
  const losses = (candidate: object, more: object = {}) => {
    const body = {
      candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, finishReason: 'STOP', index: 0, ...candidate }],
      ...more,
    }
    return codec
      .readResponse(JSON.stringify(body), { toolNames: {}, wrappedTools: [] }, { now: () => 0, id: (prefix) => `${prefix}1` })
      .losses?.map(({ field }) => field)
  }
  expect(losses({ tokenCount: 2, avgLogprobs: -0.1 }, { modelVersion: 'm', responseId: 'r', createTime: 't' })).toBeUndefined()
  expect(
    losses({ safetyRatings: [], groundingMetadata: { searchEntryPoint: {} } }, { promptFeedback: { blockReasonMessage: 'no' } }),
  ).toEqual(['candidates[0].safetyRatings', 'candidates[0].groundingMetadata.searchEntryPoint', 'promptFeedback.blockReasonMessage'])
})
