/** Owners of state, and conversations that Parley compacted. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ConversationRequest, Opaque, Part, Turn } from '#canonical/conversation'
import { systemRandom } from '#runtime/clock'
import { sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { createReasoningState } from './reasoning-state.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const thought = (value: string): Opaque => ({ dialect: 'responses', kind: 'encrypted', value })
const compacted = (value: string): Opaque => ({ dialect: 'responses', kind: 'compaction', value })
const native = (value: string): Part => ({ kind: 'native', dialect: 'responses', raw: { value }, opaque: [compacted(value)] })
const request = (...parts: Part[]) =>
  ({ dialect: 'responses', turns: [{ role: 'user', parts, path: 'input[2]' }] }) as unknown as ConversationRequest
const thrown = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe.each(sampledEngines(import.meta.file))('state on %s', (engine) => {
  let base: Throwaway
  let clock: HandClock
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())
  beforeEach(async () => {
    await runSql(base.store, 'truncate recollections')
    clock = handClock()
  })
  const reasoningState = (key = 'ab') =>
    createReasoningState({ store: base.store, sealer: sealer(key.repeat(32)), clock, random: systemRandom, log })

  test('is its maker`s, for one tenant, on every instance, and in no row in the clear', async () => {
    const here = reasoningState()
    here.claim('anna', 'channel-1', [thought('a'), compacted('b')])
    here.claim('anna', 'channel-2', [thought('c')])
    await here.flush()
    for (const one of [here, reasoningState()]) {
      const found = await one.makersOf('anna', [compacted('b'), thought('never'), thought('c'), thought('a')])
      expect([...found]).toEqual([
        ['b', 'channel-1'],
        ['c', 'channel-2'],
        ['a', 'channel-1'],
      ])
      expect(await one.makersOf('berta', [thought('a')])).toEqual(new Map())
    }
    expect(await dumpTables(base.store, ['recollections'])).not.toContain('channel-')
  })

  test('of a dialect whose accounts read each other`s is not remembered', async () => {
    const here = reasoningState()
    const signature: Opaque = { dialect: 'messages', kind: 'signature', value: 's' }
    here.claim('anna', 'channel-1', [signature])
    expect(await here.makersOf('anna', [signature])).toEqual(new Map())
  })

  test('of a thought is forgotten after an hour, of a conversation after thirty days', async () => {
    const here = reasoningState()
    here.claim('anna', 'channel-1', [thought('a'), compacted('b')])
    await here.flush()
    const known = async () => [...(await reasoningState().makersOf('anna', [thought('a'), compacted('b')])).keys()]
    await clock.advance(59 * 60_000)
    expect(await known()).toEqual(['a', 'b'])
    await clock.advance(24 * 3_600_000)
    expect(await known()).toEqual(['b'])
    await clock.advance(30 * 24 * 3_600_000)
    expect(await known()).toEqual([])
  })

  test('is learned from answers, whole and streamed, and is never taken for a call', async () => {
    const here = reasoningState()
    const reasoning: Part = { kind: 'reasoning', form: 'hidden', text: [], opaque: [thought('a')] }
    here.remember('anna', [reasoning, native('b')], 'channel-1', () => 'asked')
    const watch = here.recorder('anna', 'channel-2', () => 'asked')
    watch({ kind: 'open', choice: 0, at: 0, part: { kind: 'reasoning', form: 'hidden' } })
    watch({ kind: 'delta', choice: 0, at: 0, delta: { opaque: thought('c') } })
    watch({ kind: 'open', choice: 0, at: 1, part: { kind: 'native', dialect: 'responses', raw: {}, opaque: [compacted('d')] } })
    const found = await here.makersOf('anna', ['a', 'b', 'c', 'd'].map(thought))
    expect([...found.values()]).toEqual(['channel-1', 'channel-1', 'channel-2', 'channel-2'])
    const call: Part = { kind: 'call', callId: 'a', name: 'f', form: 'json', argsText: '{}' }
    const turns: Turn[] = [
      { role: 'user', parts: [{ kind: 'text', text: 'Hello' }] },
      { role: 'assistant', parts: [call] },
    ]
    const asked = { ...request(call), instructions: [], turns }
    expect(await here.restoreDropped('anna', asked)).toEqual(asked)
  })

  test('words in an envelope are words again for their tenant only, changed or moved they are refused by their place', () => {
    const here = reasoningState()
    const envelope = here.sealWords('anna', 'the words')
    expect(envelope).not.toContain('words')
    expect(here.unsealRequest('anna', request(native(envelope))).turns[0]?.parts).toEqual([{ kind: 'text', text: 'the words' }])
    const reasoned = here.seal('anna', 'responses', { dialect: 'messages', kind: 'signature', value: 's' }).value
    const last = envelope.at(-2) === 'A' ? 'B' : 'A'
    const wrong: [string, string, ReturnType<typeof reasoningState>][] = [
      ['berta', envelope, here],
      ['anna', envelope.slice(0, -2) + last + envelope.slice(-1), here],
      ['anna', envelope, reasoningState('cd')],
      ['anna', reasoned, here],
      ['anna', 'gw1.', here],
    ]
    for (const [tenant, value, opener] of wrong) {
      const error = thrown(() => opener.unsealRequest(tenant, request(native(value))))
      expect(error).toBeInstanceOf(GatewayError)
      expect(error).toMatchObject({ code: 'invalid_value', status: 400, param: 'input[2].encrypted_content' })
    }
  })

  test('a vendor`s own item stays as it is, and so does an envelope that is known to be another Parley`s', () => {
    const here = reasoningState()
    const foreign = reasoningState('cd').sealWords('somebody', 'words')
    const given = request(native('opaque'), native(foreign))
    expect(here.unsealRequest('anna', given, new Map([[foreign, 'channel-1']]))).toEqual(given)
  })

  test('words in a slot for thoughts are no thought', () => {
    const here = reasoningState()
    const moved: Part = { kind: 'reasoning', form: 'hidden', text: [], opaque: [thought(here.sealWords('anna', 'words'))] }
    expect(here.unsealRequest('anna', request(moved)).turns[0]?.parts).toMatchObject([{ kind: 'reasoning', opaque: [] }])
  })
})
