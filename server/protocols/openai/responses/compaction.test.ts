/** Compaction: its request, the item that represents a conversation, and whose state passes. */
import { describe, expect, test } from 'bun:test'
import type { CodecContext, Frame } from '#canonical/codec'
import { noUsage } from '#canonical/usage'
import { responsesCodec as codec } from './codec.ts'
import { compaction } from './compaction.ts'

const codecContext: CodecContext = { now: () => 5_000, id: (prefix) => `${prefix}1` }
const user = { role: 'user', content: 'hi' }
const trigger = { type: 'compaction_trigger' }
const sealed = (value: string) => ({ type: 'compaction', encrypted_content: value })
const thought = (value: string | null) => ({ type: 'reasoning', summary: [], encrypted_content: value })
const body = (input: unknown) => JSON.stringify({ model: 'm', input })
const state = (kind: string, value: string) => ({ dialect: 'responses', kind, value })

describe('the compaction fields of a request', () => {
  test('it asks for compaction only with its last item', () => {
    for (const input of [[user, trigger], [trigger]]) expect(codec.readHead(body(input)).compacts).toBe(true)
    for (const input of ['hi', [], [user], [trigger, user]]) expect(codec.readHead(body(input))).not.toHaveProperty('compacts')
  })

  test('sealed state is reported, in order; other items are not', () => {
    const input = [thought('a'), user, sealed('b'), thought(null), { ...sealed(''), id: 'x' }, { type: 'other', encrypted_content: 'c' }]
    expect(codec.readHead(body(input)).sealed as unknown[]).toEqual([state('encrypted', 'a'), state('compaction', 'b')])
    expect(codec.readHead(body([user]))).not.toHaveProperty('sealed')
  })

  test('the state of a compaction hangs on its part, and the part is written back as it came', () => {
    const request = codec.readRequest(body([sealed('b'), user]))
    expect(request.turns[0]).toMatchObject({
      role: 'user',
      parts: [{ kind: 'native', opaque: [state('compaction', 'b')] }],
      path: 'input[0]',
    })
    const { body: written } = codec.writeRequest(request, { model: 'up', capabilities: {}, stream: false })
    expect((written.input as unknown[])[0]).toEqual(sealed('b'))
  })
})

describe('what an answer gives away', () => {
  const item = { id: 'cmp_1', ...sealed('b') }
  const response = { id: 'resp_1', model: 'm', status: 'completed', output: [thought('a'), item], usage: null }
  const frame = (event: Record<string, unknown>): Frame => {
    const data = JSON.stringify(event)
    return { raw: new TextEncoder().encode(`data: ${data}\n\n`), event: undefined, data }
  }

  test('is reported for a whole answer, also for a compaction', () => {
    expect(codec.readWhole(JSON.stringify(response), {}, 0).sealed as unknown[]).toEqual([
      state('encrypted', 'a'),
      state('compaction', 'b'),
    ])
    const compacted = JSON.stringify({ id: 'resp_1', object: 'response.compaction', created_at: 1, output: [item], usage: null })
    expect(codec.readWhole(compacted, { model: 'mine' }, 0)).toMatchObject({ body: compacted, sealed: [state('compaction', 'b')] })
    expect(codec.readWhole(JSON.stringify({ ...response, output: [] }), {}, 0)).not.toHaveProperty('sealed')
  })

  test('is told by the frame that holds it whole, and that frame passes as it is', () => {
    const meter = codec.meter({})
    expect(meter.push(frame({ type: 'response.output_item.added', output_index: 0, item }))).not.toHaveProperty('sealed')
    const done = frame({ type: 'response.output_item.done', output_index: 0, item })
    expect(meter.push(done)).toMatchObject({ out: done.raw, sealed: [state('compaction', 'b')] })
  })

  test('is reported by the events of a conversion', () => {
    const reader = codec.reader({ toolNames: {}, wrappedTools: [] }, codecContext)
    const events = reader.push(frame({ type: 'response.output_item.done', output_index: 0, item }))
    expect(events).toContainEqual({
      kind: 'open',
      choice: 0,
      at: 0,
      part: { kind: 'native', dialect: 'responses', raw: item, opaque: [state('compaction', 'b')] as never },
    })
  })
})

describe('what Parley writes', () => {
  test('the trigger goes, and the turn that held nothing else', () => {
    const { turns } = compaction.withoutTrigger(codec.readRequest(body([user, { type: 'additional_tools' }, trigger])))
    expect(turns.map(({ path }) => path)).toEqual(['input[0]', 'input[1]'])
  })

  test('an item that arrives whole, at once, in a stream', () => {
    const part = compaction.part('words', codecContext)
    const writer = codec.writer(codec.readRequest(body('x')), codecContext)
    const text = [
      { kind: 'start', id: 'resp_1', model: 'm', created: 1 } as const,
      { kind: 'open', choice: 0, at: 0, part } as const,
      { kind: 'close', choice: 0, at: 0 } as const,
      { kind: 'end' } as const,
    ].map((event) => new TextDecoder().decode(writer.push(event)))
    expect(text.join('').match(/"encrypted_content":"words"/g)).toHaveLength(3)
  })

  test('the answer of the endpoint: all that the user said, then the item', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
    const input = [
      user,
      { role: 'assistant', content: 'no' },
      { type: 'message', role: 'user', content: [image] },
      { role: 'system', content: 'no' },
    ]
    const usage = { ...noUsage(), out: { ...noUsage().out, total: 3 } }
    const response = { id: 'x', model: 'm', created: 9, choices: [], usage }
    const part = compaction.part('words', codecContext)
    const written = compaction.writeWhole(part, response, codecContext)
    const whole = (raw: string) => JSON.parse(compaction.withMessages(raw, written, codecContext))
    expect(whole(body(input))).toEqual({
      id: 'resp_1',
      object: 'response.compaction',
      created_at: 9,
      output: [
        { id: 'msg_1', type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { id: 'msg_1', type: 'message', status: 'completed', role: 'user', content: [image] },
        { id: 'cmp_1', type: 'compaction', encrypted_content: 'words' },
      ],
      usage: expect.objectContaining({ output_tokens: 3 }),
    })
    expect(whole(body('hi')).output).toHaveLength(2)
  })
})
