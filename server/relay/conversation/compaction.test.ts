/** Compaction by Parley: the request to the model, its sealed summary, and where sealed state may go. */
import { describe, expect, test } from 'bun:test'
import type { CodecContext } from '#canonical/codec'
import type { Choice, ConversationRequest, ConversationResponse, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { roughly } from '#canonical/token-estimator'
import { noUsage } from '#canonical/usage'
import { compactionCodecs, conversationCodecs } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import { holdsForeign, makersFirst, portable } from './account-bound.ts'
import { compactingConversion, compactingRequest } from './compaction.ts'
import { summaryRequest } from './summary.ts'

const codec = compactionCodecs.responses
if (!codec) throw new Error('Responses compacts')
const codecContext: CodecContext = { now: () => 1_000, id: (prefix) => `${prefix}x` }
const trigger = { type: 'compaction_trigger' }
const rawOf = (fields: object) => JSON.stringify({ model: 'm', ...fields })
const read = (fields: object): ConversationRequest => conversationCodecs.responses.readRequest(rawOf(fields))
const asked = { input: [{ role: 'user', content: 'hello' }, trigger] }
const thrown = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('the request for a summary', () => {
  const tools = [
    { type: 'function', name: 'f', parameters: {}, strict: false },
    { type: 'web_search', search_context_size: 'low' },
  ]
  const summary = summaryRequest(
    codec.withoutTrigger(
      read({
        ...asked,
        tools,
        tool_choice: 'required',
        instructions: 'Be brief.',
        text: { format: { type: 'json_object' } },
        truncation: 'auto',
        context_management: [{ type: 'compaction', compact_threshold: 1 }],
        max_output_tokens: 99,
        metadata: { a: 'b' },
      }),
    ),
  )

  test('holds the conversation and its instructions, and ends with the instruction as the user`s', () => {
    expect(summary.instructions).toMatchObject([{ text: 'Be brief.' }])
    expect(summary.turns.map(({ role }) => role)).toEqual(['user', 'user'])
    expect(summary.turns[0]?.parts).toMatchObject([{ kind: 'text', text: 'hello' }])
    expect(summary.identity.metadata).toEqual({ a: 'b' })
  })

  test('asks for plain words: tools are known and not to be used, limits hold, formats and own fields of the vendor do not', () => {
    expect([summary.tools.map(({ kind }) => kind), summary.toolPolicy]).toEqual([['function'], { mode: 'none' }])
    expect(summary.output).toMatchObject({ format: { kind: 'text' }, maxTokens: 99, stop: [], n: 1 })
    expect(Object.keys(summary.extensions.responses ?? {})).not.toContain('truncation')
    for (const dialect of ['chat', 'messages', 'gemini', 'responses'] as const) {
      const target = { model: 'up', capabilities: {}, stream: false }
      expect(JSON.stringify(conversationCodecs[dialect].writeRequest(summary, target).body)).toContain('hello')
    }
  })

  test('of nothing is refused', () => {
    expect(thrown(() => summaryRequest(codec.withoutTrigger(read({ input: [trigger] }))))).toMatchObject({
      code: 'invalid_value',
      param: 'input',
    })
  })
})

describe('the answer', () => {
  const conversion = (body?: string) => {
    const request = read({ ...asked, tool_choice: 'auto', temperature: 0.5 })
    return compactingConversion(
      {
        client: conversationCodecs.responses,
        upstream: conversationCodecs.chat,
        request,
        estimator: () => ({ ...roughly, addText: () => undefined }),
        codecContext,
        maker: 'channel',
        lost: [],
        question: () => undefined,
        reasoningState: {} as ReasoningState,
        tenant: 'tenant',
        inputBytes: 0,
      },
      compactingRequest(request, codec),
      {
        codec,
        seal: (words) => `sealed(${words})`,
        withMessages: body === undefined ? undefined : (answer) => codec.withMessages(body, answer, codecContext),
      },
    )
  }
  const response = (reason: Choice['finish']['reason'], ...parts: Part[]): ConversationResponse => ({
    id: 'x',
    model: 'm',
    created: 1,
    choices: [{ index: 0, parts, finish: { reason, raw: '' } }],
    usage: noUsage(),
  })
  const text = (words: string): Part => ({ kind: 'text', text: words })
  const thought: Part = { kind: 'reasoning', form: 'full', text: ['hm'], opaque: [] }
  const whole = (given: ConversationResponse, body?: string) => {
    const { client, request } = conversion(body)
    return JSON.parse(client.writeResponse(given, request, codecContext).body)
  }
  const stream = (events: ConversationEvent[]) => {
    const { client, request } = conversion()
    const writer = client.writer(request, codecContext)
    return events.map((event) => new TextDecoder().decode(writer.push(event))).join('')
  }
  const at = { choice: 0, at: 1 }
  const said = (reason: Choice['finish']['reason'], ...words: string[]): ConversationEvent[] => [
    { kind: 'start', id: 'x', model: 'm', created: 1 },
    { kind: 'open', choice: 0, at: 0, part: { kind: 'reasoning', form: 'full' } },
    { kind: 'delta', choice: 0, at: 0, delta: { text: 'hm' } },
    { kind: 'close', choice: 0, at: 0 },
    { kind: 'open', ...at, part: { kind: 'text' } },
    ...words.map((word): ConversationEvent => ({ kind: 'delta', ...at, delta: { text: word } })),
    { kind: 'close', ...at },
    { kind: 'usage', usage: noUsage() },
    { kind: 'finish', choice: 0, finish: { reason, raw: '' } },
    { kind: 'end' },
  ]

  test('is the summary in one sealed item, whole and streamed alike, with the caller`s own settings echoed', () => {
    const sealed = expect.stringMatching(/^sealed\([\s\S]*<summary>\nall of it\n<\/summary>\)$/)
    const { output, temperature, object } = whole(response('stop', thought, text('all '), text('of it')))
    expect([object, temperature, output]).toEqual(['response', 0.5, [{ id: 'cmp_x', type: 'compaction', encrypted_content: sealed }]])
    const events = stream(said('stop', 'all ', 'of it'))
    const last = events.trim().split('\n').at(-1)?.slice('data: '.length) ?? ''
    expect(JSON.parse(last)).toMatchObject({ type: 'response.completed', response: { output, temperature: 0.5 } })
    expect(events).not.toContain('hm')
    expect(whole(response('stop', text('all of it')), rawOf(asked))).toMatchObject({
      object: 'response.compaction',
      output: [{ role: 'user' }, output[0]],
    })
    expect(conversion().lost).toMatchObject([{ field: 'compaction', what: 'adapted', meaning: false }])
  })

  test('is incomplete and holds no item when the summary was cut; the endpoint cannot say so and fails', () => {
    expect(whole(response('length', text('half')))).toMatchObject({ status: 'incomplete', output: [] })
    const events = stream(said('length', 'half'))
    expect(events).toContain('"type":"response.incomplete"')
    expect(events).not.toContain('sealed(')
    expect(thrown(() => whole(response('length', text('half')), rawOf(asked)))).toMatchObject({ code: 'upstream_error' })
  })

  test('is a fault of the upstream when there is no summary', () => {
    const call: Part = { kind: 'call', callId: 'c', name: 'f', form: 'json', argsText: '{}' }
    const none = [response('stop'), response('stop', text(' ')), response('tool-calls', text('x'), call), response('refusal', text('no'))]
    for (const given of [...none, { ...none[0], choices: [] } as ConversationResponse]) {
      expect(thrown(() => whole(given))).toMatchObject({ code: 'upstream_error' })
    }
    for (const events of [said('stop'), said('content-filter', 'half')]) {
      expect(thrown(() => stream(events))).toBeInstanceOf(GatewayError)
    }
  })
})

describe('state that is bound to an account', () => {
  const candidate = (id: string, dialect: Dialect = 'responses') => ({ channel: { id }, dialect }) as Candidate
  const [one, two, three] = [candidate('one'), candidate('two'), candidate('three')]
  const thoughtOf = (value: string) => ({ type: 'reasoning', summary: [], encrypted_content: value })
  const compacted = { type: 'compaction', encrypted_content: 'C' }
  const user = { role: 'user', content: 'hi' }

  test('puts the maker of the latest state first and leaves out no candidate', () => {
    const makers = new Map([
      ['a', 'one'],
      ['b', 'three'],
    ])
    expect(makersFirst([one, two, three], makers)).toEqual([three, one, two])
    expect(makersFirst([one, two], makers)).toEqual([one, two])
    expect(makersFirst([one, two], new Map())).toEqual([one, two])
    expect([holdsForeign(one, makers), holdsForeign(one, new Map([['a', 'one']])), holdsForeign(one, new Map())]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('is left behind with a loss of meaning where another account is asked; what nobody claimed goes along', () => {
    const request = read({ input: [user, thoughtOf('a'), { role: 'assistant', content: 'x' }, thoughtOf('b'), thoughtOf('?'), user] })
    const makers = new Map([
      ['a', 'one'],
      ['b', 'two'],
    ])
    const { request: ported, lost } = portable(request, one, makers)
    expect(ported.turns.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'reasoning' ? part.opaque[0]?.value : [])))).toEqual([
      'a',
      '?',
    ])
    expect(lost).toMatchObject([{ field: 'turns.reasoning', what: 'dropped', meaning: true }])
    expect(portable(request, candidate('two', 'messages'), makers)).toEqual({ request, lost: [] })
  })

  test('that stands for the conversation is a reason not to ask', () => {
    const request = read({ input: [compacted, user] })
    const makers = new Map([['C', 'one']])
    expect(portable(request, one, makers).request).toEqual(request)
    expect(portable(request, two, new Map()).request).toEqual(request)
    for (const other of [two, candidate('one', 'chat'), candidate('three', 'gemini')]) {
      expect(thrown(() => portable(request, other, makers))).toMatchObject({ code: 'unsupported_value', param: 'input[0]' })
    }
  })
})
