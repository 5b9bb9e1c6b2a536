import { describe, expect, test } from 'bun:test'
import type { CallPart, Instruction, MediaPart, Opaque, Part, ReasoningPart, TextPart, Turn } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { threadNow } from '#testing/thread-time'
import { nameOfCall, questionOf, questionsIn } from './call-names.ts'
import { createStreamRecorder } from './stream-recorder.ts'
import { bareCalls, recollections, restored, type ToolCallState } from './tool-call-state.ts'

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
const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const told = (...turns: Turn[]) => ({ instructions: [], turns })
const asked = user(said('Look.'))
const ofId = (parts: readonly Part[], id: string): ToolCallState | undefined =>
  [...recollections(parts)].find(([{ callId }]) => callId === id)?.[1]
/** The answer as restored from `remembered` for the same question. */
function back(answer: Turn, remembered: readonly Part[]): Turn | undefined {
  const question = questionOf(told(asked)) ?? ''
  const known = new Map([...recollections(remembered)].map(([one, state]) => [nameOfCall(one, question), state]))
  const turns = [asked, answer]
  return restored(turns, bareCalls(told(...turns)), known)[1]
}
/** What a client sends back that keeps only texts and calls. */
function plain(parts: Part[]): Part[] {
  const kept = parts.filter((part) => part.kind !== 'reasoning')
  return kept.map((part) => (part.kind === 'call' ? call(part.callId) : part))
}

describe('what is remembered', () => {
  test('state of the call, and all reasoning on the way when any of it has state', () => {
    const answer = [thought('a'), thought('b', 's'), call('1', 'own'), thought('c'), call('2')]
    expect(ofId(answer, '1')).toEqual({ state: [signed('own')], leading: [thought('a'), thought('b', 's')], direct: [] })
    expect(ofId(answer, '2')).toEqual({ state: [], leading: [], direct: [] })
  })

  test('reasoning that leads to no call is not', () => {
    expect(ofId([call('1'), thought('late', 's'), said('done')], '1')).toEqual({ state: [], leading: [], direct: [] })
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
    expect(back(assistant(...plain(parts)), parts)).toEqual(assistant(...parts))
  })

  test('is remembered the same when it was streamed', () => {
    const told: Part[][] = []
    const watch = createStreamRecorder(10_000, (found) => told.push(found))
    for (const event of events(parts)) watch(event)
    const listed = (all: readonly Part[]) => [...recollections(all)].map(([{ argsText, callId }, state]) => ({ argsText, callId, state }))
    expect(told.map(listed)).toEqual([listed(parts)])
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
    expect(ofId(told[0] ?? [], 'mine')?.leading).toEqual([{ kind: 'reasoning', text: ['a', 'b'], form: 'summary', opaque: [signed('s')] }])
    watch(finish(1))
    expect(ofId(told[1] ?? [], 'other')?.state).toEqual([signed('head'), signed('later')])
  })

  test('that is cut is not remembered, nor one that thinks or calls at too great length', () => {
    const told: Part[][] = []
    const cut = createStreamRecorder(1_000, (found) => told.push(found))
    cut(open(0, 0, head('1')))
    cut({ kind: 'error', error: undefined as never })
    const long = createStreamRecorder(1_000, (found) => told.push(found))
    long(open(0, 0, { kind: 'reasoning', form: 'full' }))
    for (let n = 0; n < 20; n++) long({ kind: 'delta', choice: 0, at: 0, delta: { text: 'x'.repeat(100) } })
    long(open(0, 1, head('1')))
    long(finish(0))
    const wordy = createStreamRecorder(1_000, (found) => told.push(found))
    wordy(open(0, 0, head('1')))
    for (let n = 0; n < 20; n++) wordy({ kind: 'delta', choice: 0, at: 0, delta: { text: 'x'.repeat(100) } })
    wordy(finish(0))
    expect(told).toEqual([])
  })
})

describe('calls that came without state', () => {
  const of = (...turns: Turn[]) => [...bareCalls(told(asked, ...turns)).keys()].map(({ callId }) => callId)

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
  const memory = [thought('a', 's'), thought('b', 't'), call('1', 'own')]

  test('leaves alone what is there', () => {
    const turn = assistant(thought('mine', 'm'), call('1', 'kept'))
    expect(back(turn, memory)).toEqual(turn)
    const other = assistant(call('9'))
    expect(back(other, memory)).toEqual(other)
  })

  test('replaces reasoning that lost its state, or that a client with one place for all of it ran together', () => {
    const whole = assistant(thought('a', 's'), thought('b', 't'), call('1', 'own'))
    expect(back(assistant(thought('ab'), call('1')), memory)).toEqual(whole)
    expect(back(assistant(thought('ab', 's', 't'), call('1')), memory)).toEqual(whole)
  })

  test('keeps lost reasoning when nothing is remembered in its place', () => {
    const turn = assistant(thought('mine'), call('1'))
    expect(back(turn, [call('1', 'own')])).toEqual(assistant(thought('mine'), call('1', 'own')))
  })
})

describe('the question of an answer', () => {
  const of = (...turns: Turn[]) => questionOf(told(...turns)) ?? 'none'
  const image = (url: string): Part => ({ kind: 'media', media: 'image', source: { url } })
  const result = (...parts: (TextPart | MediaPart)[]): Turn => ({
    role: 'tool',
    parts: [{ kind: 'result', callId: '1', form: 'text', isError: false, parts }],
  })
  const spoke = 'Tell me everything that is known of foxes in the north, and how they live there in winter.'
  const areAllDifferent = (...digests: string[]) => expect(new Set(digests).size).toBe(digests.length)

  test('is the digest of the text before it, however it is divided', () => {
    const whole = of(user(said('One two'), said('three')))
    expect(of(user(said('One')), user(said(' two\n\nthree')))).toBe(whole)
    expect(of(user(said('One two')), user(), { role: 'system', parts: [said(' ')] }, assistant(), user(said('three')))).toBe(whole)
    areAllDifferent(whole, of(user(said('One two')), assistant(), user(said('four'))), of(user(said('One two'), image('a'), said('three'))))
  })

  test('covers all text of all roles, however long the last part is', () => {
    const instructed = (text: string) =>
      questionOf({ instructions: [{ role: 'system', text } satisfies Instruction], turns: [user(said(spoke))] }) ?? 'none'
    const system = (text: string): Turn => ({ role: 'system', parts: [said(text)] })
    areAllDifferent(
      of(user(said(spoke))),
      ...['Record: Alice', 'Record: Bob'].map(instructed),
      ...['Record: Alice', 'Record: Bob'].map((text) => of(user(said(text)), user(said(spoke)))),
      ...['Record: Alice', 'Record: Bob'].map((text) => of(user(said('Hi')), assistant(said(text)), user(said(spoke)))),
      ...['Record: Alice', 'Record: Bob'].map((text) => of(user(said('Hi')), assistant(said('Yes?')), system(text), user(said(spoke)))),
      ...['Record: Alice', 'Record: Bob'].map((text) => of(user(said('Hi')), assistant(call('1')), result(said(text)), user(said(spoke)))),
      of(user(said(spoke), image('https://a.example/1'))),
      of(user(said(spoke), image('https://a.example/2'))),
      of(user(said(spoke), { kind: 'media', media: 'image', source: { data: 'AAAA' } })),
      of(user(said(spoke)), assistant(call('1')), result(said('ok'), { kind: 'media', media: 'image', source: { data: 'AAAA' } })),
      of(user(said(spoke)), assistant(call('1')), result(said('ok'), { kind: 'media', media: 'image', source: { data: 'BBBB' } })),
      of(user(said(spoke)), assistant(call('1')), result(said('ok'))),
      of(user(said(spoke)), assistant({ ...call('1'), argsText: '{"q":1}' }), result(said('ok'))),
      of(user(said(spoke)), assistant({ kind: 'native', dialect: 'messages', raw: { type: 'search', of: 'a' } }), user(said('And?'))),
      of(user(said(spoke)), assistant({ kind: 'native', dialect: 'messages', raw: { type: 'search', of: 'b' } }), user(said('And?'))),
    )
  })

  test('does not depend on thoughts, nor on the state of calls', () => {
    const bare = of(asked, assistant(said('Well.'), call('1')), results('1'))
    expect(of(asked, assistant(thought('a', 's'), said('Well.'), thought('b'), call('1', 's')), results('1'))).toBe(bare)
    expect(of(asked, assistant(thought('a', 's')))).toBe(of(asked))
  })

  test('does not depend on reminders, also in results, nor on the line that is another in each request of Claude Code', () => {
    const reminded = (text: string) => said(`${text}\n<system-reminder>x</system-reminder>\n`)
    expect(of(user(reminded('Hello')))).toBe(of(user(said('Hello'))))
    const after = (part: TextPart) => of(asked, assistant(call('1')), result(part))
    expect(after(reminded('ok'))).toBe(after(said('ok')))
    expect(after(said('no'))).not.toBe(after(said('ok')))
    expect(of(user(said('<system-reminder>open')))).not.toBe(of(user(said('<system-reminder>'))))
    const only = user(said('<system-reminder>x</system-reminder>'))
    expect(of(asked, assistant(call('1')), results('1'), only)).toBe(of(asked, assistant(call('1')), results('1')))
    const billed = (line: string) =>
      questionOf({ instructions: [{ role: 'system', text: `${line}You are kind.` }], turns: [asked] }) ?? 'none'
    const header = (cch: string) => `x-anthropic-billing-header: cc_version=2.1.0; cc_entrypoint=cli; cch=${cch};\n`
    expect(new Set([billed(header('1')), billed(header('2')), billed('')]).size).toBe(1)
  })

  test('takes time in proportion to the conversation', () => {
    const turns = Array.from({ length: 20_000 }, (_, at) => [
      user(said(`<system-reminder>${at}`)),
      assistant(...(at % 2 ? [call('1')] : [thought('a')])),
    ])
    const begun = threadNow()
    bareCalls(told(user(said('<system-reminder>'.repeat(200_000))), ...turns.flat()))
    expect(threadNow() - begun).toBeLessThan(5_000)
  })

  test('in a loop of tools it is another in every round, even where all rounds are the same', () => {
    const turns = [user(said(spoke)), ...[1, 2, 3].flatMap(() => [assistant(call('1')), results('1')])]
    const steps = questionsIn(told(...turns))
    areAllDifferent(...[5, 1, 3, 7].map((at) => steps(at) ?? 'none'))
    expect(steps(3)).toBe(of(...turns.slice(0, 3)))
    expect(new Set(bareCalls(told(...turns)).values()).size).toBe(3)
  })

  test('there is none where nothing was said, nor where the answer continues one', () => {
    expect([of(), of(user()), of(assistant(said('Hello')))]).toEqual(['none', 'none', 'none'])
    expect(of(user(said('One two three')), assistant(said('Well:')))).toBe('none')
    expect(bareCalls(told(assistant(call('1')))).size).toBe(0)
  })

  test('signatures of URLs do not matter, other parameters do', () => {
    const at = (query: string) => of(user(image(`https://a.example/1?${query}`)))
    expect(at('X-Amz-Date=1&X-Amz-Signature=1&id=1')).toBe(at('id=1&X-Amz-Date=2&X-Amz-Signature=2'))
    expect(at('sv=1&se=1&sig=1')).toBe(at('sv=1&se=2&sig=2'))
    expect(at('Expires=1&Signature=1&Key-Pair-Id=1')).toBe(at('Expires=2&Signature=2&Key-Pair-Id=1'))
    areAllDifferent(at('id=1'), at('id=2'), at('se=1'), at('se=2'), of(user(image('https://a.example/2'))))
    areAllDifferent(...['?id=1', '?id=2'].map((end) => of(user(image(`data:text/plain,a${end}`)))))
  })
})

describe('the name of a call', () => {
  const named = (argsText: string, more: Partial<CallPart> = {}) => nameOfCall({ ...call('1'), argsText, ...more }, 'q')

  test('does not depend on how its arguments are spelled', () => {
    expect(named(' { "b" : [1.0, {"y":"\\u0061","x":null}], "a":1 }')).toBe(named('{"a":1,"b":[1,{"x":null,"y":"a"}]}'))
    expect(named('')).toBe(named('{}'))
    expect(named('{"__proto__":1}')).not.toBe(named('{}'))
    expect(named('[2,1]')).not.toBe(named('[1,2]'))
  })

  test('takes broken arguments as they are, and those that are nested too deep', () => {
    expect(named('{"a":')).not.toBe(named('{"a": '))
    expect(named('['.repeat(1_000_000))).toBe(named('['.repeat(1_000_000)))
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(named(deep)).toBe(named(deep))
  })

  test('is another for another id, tool or question', () => {
    const all = [named('{}'), named('{}', { callId: '2' }), named('{}', { name: 'see' }), nameOfCall(call('1'), 'r')]
    expect(new Set(all).size).toBe(4)
  })
})
