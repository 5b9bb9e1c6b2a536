import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CallPart, ConversationRequest, Opaque, Part, ReasoningPart, Turn } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { systemRandom } from '#runtime/clock'
import { sealer } from '#runtime/secrets'
import type { Dialect } from '#shared/ids'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { questionOf } from './call-names.ts'
import { createReasoningState, type ReasoningState } from './reasoning-state.ts'

const seal = sealer('ab'.repeat(32))
const minutes = 60_000
const clock = handClock()
const lines: string[] = []
const note = (_: object, message: string) => void lines.push(message)
const log = { debug: note, info: note, warn: note, error: note }

const state = (dialect: Dialect, kind: Opaque['kind'], value: string): Opaque => ({ dialect, kind, value })
const call = (callId: string, opaque?: Opaque[]): CallPart => ({
  kind: 'call',
  callId,
  name: 'look',
  form: 'json',
  argsText: '{"at":1}',
  ...(opaque && { opaque }),
})
const reasoning = (form: ReasoningPart['form'], text: string[], opaque: Opaque[]): ReasoningPart => ({
  kind: 'reasoning',
  form,
  text,
  opaque,
})

/** One step of an invented tool loop, as the reader of each upstream dialect would return it. */
const steps = {
  messages: (n: number): Part[] => [
    reasoning('full', [`thinking ${n}`], [state('messages', 'signature', `signature ${n}`)]),
    reasoning('hidden', [], [state('messages', 'redacted', `redacted ${n}`)]),
    { kind: 'text', text: 'Let me look.' },
    call(`toolu_${n}`),
  ],
  responses: (n: number): Part[] => [
    reasoning('summary', [`summary ${n}`], [state('responses', 'encrypted', `encrypted ${n}`)]),
    call(`call_a${n}`),
    call(`call_b${n}`),
    reasoning('hidden', [], [state('responses', 'encrypted', `encrypted again ${n}`)]),
    call(`call_c${n}`),
  ],
  gemini: (n: number): Part[] => [call(`call_${n}`, [state('gemini', 'thought-signature', `thought ${n}`)]), call(`call_also_${n}`)],
  chat: (n: number): Part[] => [call(`function-call-${n}`, [state('chat', 'thought-signature', `layer ${n}`)])],
} satisfies Partial<Record<Dialect, (n: number) => Part[]>>

const upstreams = ['messages', 'responses', 'gemini', 'chat'] as const

/** What clients keep of an answer in their history, depending on their dialect. */
const clients: Record<string, { slot: Dialect; keep(parts: Part[]): Part[]; keepsCallState?: true }> = {
  'a Chat client that drops what it does not know': { slot: 'chat', keep: (parts) => runTogether(parts, () => []) },
  'a Chat client that keeps every field': {
    slot: 'chat',
    keepsCallState: true,
    keep(parts) {
      const thoughts = parts.filter((part) => part.kind === 'reasoning')
      const opaque = thoughts.flatMap((part) => part.opaque.filter(({ dialect }) => dialect === 'chat'))
      const text = thoughts.flatMap((part) => part.text)
      const merged = opaque.length + text.length > 0 ? [reasoning('full', text, opaque)] : []
      return [...merged, ...runTogether(parts, (one) => (one.dialect === 'chat' && one.kind === 'thought-signature' ? [one] : []))]
    },
  },
  'a Messages client': {
    slot: 'messages',
    keep: (parts) =>
      parts.flatMap((part): Part[] => {
        if (part.kind === 'call') return [call(part.callId)]
        if (part.kind !== 'reasoning') return [part]
        const own = part.opaque.filter(({ dialect }) => dialect === 'messages')
        return [own[0]?.kind === 'redacted' ? reasoning('hidden', [], own) : reasoning('full', part.text, own)]
      }),
  },
  'a Responses client': {
    slot: 'responses',
    keep: (parts) =>
      parts.map((part) => {
        if (part.kind === 'call') return call(part.callId)
        if (part.kind !== 'reasoning') return part
        const own = part.opaque.filter(({ dialect, kind }) => dialect === 'responses' && kind === 'encrypted')
        return reasoning(part.text.length > 0 ? 'summary' : 'hidden', part.text, own)
      }),
  },
  'a Gemini client': {
    slot: 'gemini',
    keepsCallState: true,
    keep(parts) {
      const own = (opaque: Opaque[]) => opaque.filter(({ dialect, kind }) => dialect === 'gemini' && kind === 'thought-signature')
      return parts.map((part) => {
        if (part.kind === 'call') return call(part.callId, part.opaque && own(part.opaque))
        return part.kind === 'reasoning' ? reasoning('summary', part.text, own(part.opaque)) : part
      })
    },
  },
}

/** Chat has one text and then its calls. */
function runTogether(parts: Part[], kept: (one: Opaque) => Opaque[]): Part[] {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')
  const calls = parts.flatMap((part) => {
    if (part.kind !== 'call') return []
    const opaque = part.opaque?.flatMap(kept) ?? []
    return [call(part.callId, opaque.length > 0 ? opaque : undefined)]
  })
  return [...(text === '' ? [] : [{ kind: 'text' as const, text }]), ...calls]
}

const request = (dialect: Dialect, turns: Turn[]): ConversationRequest => ({
  dialect,
  model: 'm',
  instructions: [],
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Find it.' }] }, ...turns],
  tools: [],
  toolPolicy: { mode: 'auto' },
  output: { format: { kind: 'text' }, modalities: [], stop: [], n: 1 },
  sampling: {},
  reasoning: {},
  cache: {},
  identity: {},
  stream: false,
  usageAsked: false,
  extensions: {},
})

const results = (parts: Part[]): Turn => ({
  role: 'tool',
  parts: parts.flatMap((part) =>
    part.kind === 'call' ? [{ kind: 'result', callId: part.callId, form: 'text', isError: false, parts: [] }] : [],
  ),
})

/** What matters to the maker: state, the parts that carry it, and the order. An empty list equals none. */
function stateful(turns: readonly Turn[]): unknown[] {
  return turns.flatMap((turn) =>
    turn.parts.flatMap((part): unknown[] => {
      if (part.kind === 'call') return [[part.callId, part.opaque ?? []]]
      return part.kind === 'reasoning' && part.opaque.length > 0 ? [[part.form, part.text, part.opaque]] : []
    }),
  )
}

async function nextRequest(reasoningState: ReasoningState, client: string, turns: Turn[], tenant = 'anna'): Promise<ConversationRequest> {
  return reasoningState.restoreDropped(tenant, reasoningState.unsealRequest(tenant, request(clients[client]?.slot ?? 'chat', turns)))
}

describe.each(sampledEngines(import.meta.file))('reasoning state on %s', (engine) => {
  let base: Throwaway
  const reasoningState = () => createReasoningState({ store: base.store, sealer: seal, clock, random: systemRandom, log })
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  /** Two steps of a tool loop: what the client would send back, and what the upstream had sent. */
  function loop(made: ReasoningState, client: string, upstream: (typeof upstreams)[number], round: number): { sent: Turn[]; said: Turn[] } {
    const sent: Turn[] = []
    const said: Turn[] = []
    for (const n of [round * 2, round * 2 + 1]) {
      const answer = steps[upstream](n)
      const question = questionOf(request('chat', sent))
      made.remember('anna', answer, 'a-channel', () => question)
      const { slot, keep } = clients[client] ?? { slot: 'chat', keep: () => [] }
      sent.push({ role: 'assistant', parts: keep(made.sealParts('anna', slot, answer)) }, results(answer))
      said.push({ role: 'assistant', parts: answer }, results(answer))
    }
    return { sent, said }
  }

  const pairs = Object.keys(clients).flatMap((client) => upstreams.map((upstream) => [client, upstream] as const))
  test.each(pairs)('%s and a channel of %s: all state is back after two turns', async (client, upstream) => {
    const here = reasoningState()
    const { sent, said } = loop(here, client, upstream, 1)
    expect(stateful((await nextRequest(here, client, sent)).turns)).toEqual(stateful(said))
  })

  test.each(pairs)('%s and a channel of %s, the next turn on another instance: the same', async (client, upstream) => {
    const here = reasoningState()
    const { sent, said } = loop(here, client, upstream, 2)
    await here.flush()
    expect(stateful((await nextRequest(reasoningState(), client, sent)).turns)).toEqual(stateful(said))
  })

  test.each(pairs)('%s and a channel of %s, nothing remembered: what its dialect has a place for', async (client, upstream) => {
    const { sent, said } = loop(reasoningState(), client, upstream, 3)
    const got = stateful((await nextRequest(reasoningState(), client, sent)).turns)
    const drops = client.includes('drops')
    const own = clients[client]?.slot === upstream
    if (drops) expect(got.flat(3).filter((one) => typeof one === 'object')).toEqual([])
    else if (clients[client]?.keepsCallState || upstream === 'messages' || upstream === 'responses') {
      const values = JSON.stringify(got)
      for (const value of JSON.stringify(stateful(said)).matchAll(/"value":"[^"]+"/g)) expect(values).toContain(value[0])
    } else if (!own) expect(got.every((one) => Array.isArray(one) && Array.isArray(one[1]) && one[1].length === 0)).toBe(true)
  })

  test('T31: state of a call is gone for another tenant, and for everybody after an hour of no use', async () => {
    const here = reasoningState()
    const chat = 'a Chat client that drops what it does not know'
    const { sent, said } = loop(here, chat, 'gemini', 4)
    await here.flush()
    const bare = stateful(sent)
    expect(stateful((await nextRequest(here, chat, sent, 'berta')).turns)).toEqual(bare)
    expect(stateful((await nextRequest(reasoningState(), chat, sent, 'berta')).turns)).toEqual(bare)
    await clock.advance(59 * minutes)
    expect(stateful((await nextRequest(here, chat, sent)).turns)).toEqual(stateful(said))
    // Its use extends it by an hour, on other instances too once that is written.
    await here.flush()
    await clock.advance(59 * minutes)
    expect(stateful((await nextRequest(reasoningState(), chat, sent)).turns)).toEqual(stateful(said))
    await clock.advance(61 * minutes)
    expect(stateful((await nextRequest(here, chat, sent)).turns)).toEqual(bare)
    expect(stateful((await nextRequest(reasoningState(), chat, sent)).turns)).toEqual(bare)
  })

  test('T32: an envelope that was changed goes, what it stood on stays, and memory may still know', async () => {
    const here = reasoningState()
    const { sent, said } = loop(here, 'a Messages client', 'responses', 5)
    const changed = JSON.parse(JSON.stringify(sent).replaceAll(/(gw1\.[^"]{60})./g, '$1!'))
    expect(changed).not.toEqual(sent)
    expect(stateful((await nextRequest(here, 'a Messages client', changed)).turns)).toEqual(stateful(said))
    const carried = reasoningState().unsealRequest('anna', request('messages', changed))
    const thoughts = carried.turns.flatMap(({ parts }) => parts.filter((part) => part.kind === 'reasoning'))
    expect(thoughts.map(({ opaque }) => opaque)).toEqual([[], [], [], []])
    expect(thoughts[0]?.text).toEqual(['summary 10'])
  })

  test('a streamed answer is remembered like a whole one, and its state goes out in envelopes', async () => {
    const here = reasoningState()
    const watch = here.recorder('anna', 'a-channel', () => questionOf(request('chat', [])))
    const opaque = state('responses', 'encrypted', 'streamed')
    const told: ConversationEvent[] = [
      { kind: 'start', id: 'r', model: 'm', created: 1 },
      { kind: 'open', choice: 0, at: 0, part: { kind: 'reasoning', form: 'summary' } },
      { kind: 'delta', choice: 0, at: 0, delta: { text: 'well' } },
      { kind: 'delta', choice: 0, at: 0, delta: { opaque } },
      { kind: 'close', choice: 0, at: 0 },
      { kind: 'open', choice: 0, at: 1, part: { kind: 'call', callId: 'streamed', name: 'look', form: 'json', opaque: [opaque] } },
      { kind: 'delta', choice: 0, at: 1, delta: { text: '{"at":' } },
      { kind: 'delta', choice: 0, at: 1, delta: { text: '1}' } },
      { kind: 'delta', choice: 0, at: 1, delta: { citation: { kind: 'web', opaque: [opaque] } } },
      { kind: 'close', choice: 0, at: 1 },
      { kind: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'completed' } },
      { kind: 'end' },
    ]
    const carry = here.sealingStream('anna', 'messages')
    const out = told.flatMap((event) => {
      watch(event)
      return carry(event)
    })
    expect(out.map(({ kind }) => kind)).toEqual(told.map(({ kind }) => kind))
    expect(JSON.stringify(out)).not.toContain('streamed"}')
    expect(JSON.stringify(out).match(/"dialect":"messages","kind":"signature","value":"gw1\./g)).toHaveLength(3)
    const turns = [{ role: 'assistant' as const, parts: [call('streamed')] }]
    const next = await nextRequest(here, 'a Chat client that drops what it does not know', turns)
    expect(next.turns[1]?.parts).toEqual([reasoning('summary', ['well'], [opaque]), call('streamed', [opaque])])
  })

  test('what came without state is marked, so that no other vendor takes it for its own, and the mark goes with the next request', () => {
    const here = reasoningState()
    const bare: Part[] = [reasoning('summary', ['hm'], []), call('one')]
    const [thought] = here.sealParts('anna', 'responses', bare)
    expect(JSON.stringify(thought)).toContain('"dialect":"responses","kind":"encrypted","value":"gw1.')
    const [, asked] = here.sealParts('anna', 'gemini', bare)
    expect(JSON.stringify(asked)).toContain('"dialect":"gemini"')
    expect(here.sealParts('anna', 'chat', bare)).toEqual(bare)
    const carry = here.sealingStream('anna', 'messages')
    const events: ConversationEvent[] = [
      { kind: 'open', choice: 0, at: 0, part: { kind: 'reasoning', form: 'summary' } },
      { kind: 'close', choice: 0, at: 0 },
    ]
    expect(events.flatMap(carry).map(({ kind }) => kind)).toEqual(['open', 'delta', 'close'])
    const turns = [{ role: 'assistant' as const, parts: here.sealParts('anna', 'gemini', bare) }]
    const back = here.unsealRequest('anna', request('gemini', turns))
    expect(back.turns.at(-1)?.parts.map((part) => ('opaque' in part ? part.opaque : []))).toEqual([[], []])
  })

  test('state on texts, media, results and citations is carried too', () => {
    const here = reasoningState()
    const opaque = [state('gemini', 'thought-signature', 's')]
    const media = { kind: 'media' as const, media: 'image' as const, source: { data: '' }, opaque }
    const parts: Part[] = [
      { kind: 'text', text: 'a', opaque, citations: [{ kind: 'web', opaque }, { kind: 'document' }] },
      media,
      { kind: 'result', callId: '1', form: 'json', isError: false, parts: [{ kind: 'text', text: 'b', opaque }, media] },
      { kind: 'native', dialect: 'gemini', raw: {} },
      { kind: 'refusal', text: 'no' },
    ]
    const out = here.sealParts('anna', 'messages', parts)
    expect(JSON.stringify(out).match(/"value":"gw1\./g)).toHaveLength(5)
    expect(here.unsealRequest('anna', request('messages', [{ role: 'assistant', parts: out }])).turns[1]?.parts).toEqual(parts)
  })

  test('the tables hold no word of it, neither states nor call ids', async () => {
    const here = reasoningState()
    loop(here, 'a Messages client', 'messages', 6)
    await here.flush()
    const dump = await dumpTables(base.store, ['recollections'])
    expect(dump).toContain('anna')
    for (const word of ['signature', 'thinking', 'redacted', 'toolu']) expect(dump).not.toContain(word)
  })

  test('sweeping removes what has expired, more than one statement takes, and nothing else', async () => {
    await runSql(base.store, 'truncate recollections')
    const row = (at: string) => `insert into recollections select 'anna', n::text, 'sealed', ${at} from generate_series(1, 2500) n`
    await runSql(base.store, row(`timestamptz '2020-01-01'`))
    const here = reasoningState()
    loop(here, 'a Messages client', 'gemini', 7)
    await here.flush()
    expect(await here.sweep()).toBe(2_500)
    expect(await here.sweep()).toBe(0)
    expect((await dumpTables(base.store, ['recollections'])).match(/"tenant"/g)).toHaveLength(2)
  })
})
