import { describe, expect, test } from 'bun:test'
import type { CallPart, Opaque, Part, ReasoningPart, TextPart, Turn } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { createStreamRecorder } from './stream-recorder.ts'
import { bareCalls, recollections, restored } from './tool-call-state.ts'

const signed = (value: string): Opaque => ({ dialect: 'messages', kind: 'signature', value })
const thought = (text: string, ...states: string[]): ReasoningPart => ({
  kind: 'reasoning',
  text: [text],
  form: 'full',
  opaque: states.map(signed),
})
const call = (callId: string, ...states: string[]): CallPart => ({
  kind: 'call',
  callId,
  name: 'look',
  form: 'json',
  argsText: '{}',
  ...(states.length > 0 && { opaque: states.map(signed) }),
})
const said = (text: string): TextPart => ({ kind: 'text', text })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const results = (...ids: string[]): Turn => ({
  role: 'tool',
  parts: ids.map((callId) => ({ kind: 'result', callId, form: 'text', isError: false, parts: [said('ok')] })),
})
/** What a client hands back that keeps only texts and calls. */
function plain(parts: Part[]): Part[] {
  const kept = parts.filter((part) => part.kind !== 'reasoning')
  return kept.map((part) => (part.kind === 'call' ? call(part.callId) : part))
}

describe('what is remembered', () => {
  test('state of the call, and all reasoning on the way when any of it has state', () => {
    const found = recollections([thought('a'), thought('b', 's'), call('1', 'own'), thought('c'), call('2')])
    expect(found.get('1')).toEqual({ state: [signed('own')], leading: [thought('a'), thought('b', 's')], direct: [] })
    expect(found.get('2')).toEqual({ state: [], leading: [], direct: [] })
  })

  test('reasoning that leads to no call is not', () => {
    expect(recollections([call('1'), thought('late', 's'), said('done')]).get('1')).toEqual({ state: [], leading: [], direct: [] })
  })
})

describe.each<[string, Part[]]>([
  ['thinks, calls', [thought('a', 's'), call('1')]],
  ['thinks twice, calls', [thought('a', 's'), thought('b', 't'), call('1')]],
  ['thinks, says, calls', [thought('a', 's'), said('now'), call('1')]],
  ['says, thinks, calls', [said('now'), thought('a', 's'), call('1')]],
  ['thinks, says, thinks, calls', [thought('a', 's'), said('now'), thought('b', 't'), call('1')]],
  ['calls with state of their own', [thought('a', 's'), call('1', 'x'), call('2'), call('3', 'y')]],
  ['T34 thinks, calls, thinks, calls', [thought('a', 's'), call('1'), thought('b', 't'), call('2')]],
])('an answer that %s', (_, parts) => {
  test('comes back from a client that keeps only texts and calls', () => {
    expect(restored([assistant(...plain(parts))], recollections(parts))).toEqual([assistant(...parts)])
  })

  test('is remembered the same when it was streamed', () => {
    const told: Part[][] = []
    const watch = createStreamRecorder(10_000, (found) => told.push(found))
    for (const event of events(parts)) watch(event)
    expect(told.map(recollections)).toEqual([recollections(parts)])
  })
})

function events(parts: Part[]): ConversationEvent[] {
  const inside = parts.flatMap((part, at): ConversationEvent[] => {
    const grow = (text: string): ConversationEvent[] =>
      [...text].map((letter) => ({ kind: 'delta', choice: 0, at, delta: { text: letter } }))
    const close: ConversationEvent = { kind: 'close', choice: 0, at }
    if (part.kind === 'reasoning') {
      const states = part.opaque.map((opaque): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: { opaque } }))
      return [{ kind: 'open', choice: 0, at, part: { kind: 'reasoning', form: part.form } }, ...grow(part.text.join('')), ...states, close]
    }
    if (part.kind === 'call') {
      const { argsText, opaque = [], ...head } = part
      const states = opaque.map((one): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: { opaque: one } }))
      return [{ kind: 'open', choice: 0, at, part: head }, ...grow(argsText), ...states, close]
    }
    return [{ kind: 'open', choice: 0, at, part: { kind: 'text' } }, ...grow(part.kind === 'text' ? part.text : ''), close]
  })
  return [...inside, { kind: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'tool_calls' } }, { kind: 'end' }]
}

describe('a stream', () => {
  const open = (choice: number, at: number, part: Extract<ConversationEvent, { kind: 'open' }>['part']): ConversationEvent => ({
    kind: 'open',
    choice,
    at,
    part,
  })
  const finish = (choice: number): ConversationEvent => ({ kind: 'finish', choice, finish: { reason: 'tool-calls', raw: '' } })
  const head = (callId: string) => ({ kind: 'call' as const, callId, name: 'look', form: 'json' as const })

  test('keeps segments apart, and choices', () => {
    const told: Part[][] = []
    const watch = createStreamRecorder(10_000, (found) => told.push(found))
    watch(open(0, 0, { kind: 'reasoning', form: 'summary' }))
    watch(open(1, 0, { ...head('other'), opaque: [signed('head')] }))
    for (const delta of [{ text: 'a' }, { segment: true as const }, { text: 'b' }, { opaque: signed('s') }]) {
      watch({ kind: 'delta', choice: 0, at: 0, delta })
    }
    watch(open(0, 1, head('mine')))
    watch({ kind: 'delta', choice: 1, at: 0, delta: { opaque: signed('later') } })
    watch(finish(0))
    expect(told).toHaveLength(1)
    expect(recollections(told[0] ?? []).get('mine')?.leading).toEqual([
      { kind: 'reasoning', text: ['a', 'b'], form: 'summary', opaque: [signed('s')] },
    ])
    watch(finish(1))
    expect(recollections(told[1] ?? []).get('other')?.state).toEqual([signed('head'), signed('later')])
  })

  test('that is cut is not remembered, nor one that thinks too long', () => {
    const told: Part[][] = []
    const cut = createStreamRecorder(1_000, (found) => told.push(found))
    cut(open(0, 0, head('1')))
    cut({ kind: 'error', error: undefined as never })
    const long = createStreamRecorder(1_000, (found) => told.push(found))
    long(open(0, 0, { kind: 'reasoning', form: 'full' }))
    for (let n = 0; n < 20; n++) long({ kind: 'delta', choice: 0, at: 0, delta: { text: 'x'.repeat(100) } })
    long(open(0, 1, head('1')))
    long(finish(0))
    expect(told).toEqual([])
  })
})

describe('calls that came without state', () => {
  const of = (...turns: Turn[]) => bareCalls(turns)

  test('are those with none of their own and none before them', () => {
    expect(of(assistant(call('1')), results('1'), assistant(said('and'), call('2'), call('3')))).toEqual(['1', '2', '3'])
    expect(of(assistant(thought('a', 's'), call('1')))).toEqual([])
    expect(of(assistant(call('1', 's')))).toEqual([])
    expect(of(assistant(thought('a'), call('1')))).toEqual(['1'])
    expect(of({ role: 'user', parts: [said('hello')] }, assistant(said('hi')))).toEqual([])
  })

  test('calls in a row share what led to the first', () => {
    expect(of(assistant(thought('a', 's'), call('1'), call('2')))).toEqual([])
    expect(of(assistant(call('1', 's'), call('2')))).toEqual([])
    expect(of(assistant(thought('a', 's'), call('1'), said('and'), call('2')))).toEqual(['2'])
  })

  test('a step does not share with the one before it', () => {
    expect(of(assistant(thought('a', 's'), call('1')), results('1'), assistant(call('2')))).toEqual(['2'])
  })

  test('what an earlier answer thought is not before the call of a later one', () => {
    const hello: Turn = { role: 'user', parts: [] }
    expect(of(assistant(thought('a', 's')), hello, assistant(call('1')))).toEqual(['1'])
  })

  test('reasoning in a turn of its own still leads to the call in the next', () => {
    expect(of(assistant(thought('a', 's')), assistant(said('and'), call('1')))).toEqual([])
  })
})

describe('restoring', () => {
  const memory = recollections([thought('a', 's'), thought('b', 't'), call('1', 'own')])

  test('leaves alone what is there', () => {
    const turn = assistant(thought('mine', 'm'), call('1', 'kept'))
    expect(restored([turn], memory)).toEqual([turn])
    const others = [assistant(call('9')), results('9')]
    expect(restored(others, memory)).toEqual(others)
  })

  test('replaces reasoning that lost its state, or that a client with one place for all of it ran together', () => {
    const whole = [assistant(thought('a', 's'), thought('b', 't'), call('1', 'own'))]
    expect(restored([assistant(thought('ab'), call('1'))], memory)).toEqual(whole)
    expect(restored([assistant(thought('ab', 's', 't'), call('1'))], memory)).toEqual(whole)
  })

  test('keeps lost reasoning when nothing is remembered in its place', () => {
    const turn = assistant(thought('mine'), call('1'))
    expect(restored([turn], recollections([call('1', 'own')]))).toEqual([assistant(thought('mine'), call('1', 'own'))])
  })
})
