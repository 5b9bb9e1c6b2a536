import { describe, expect, test } from 'bun:test'
import type { Opaque } from '#canonical/conversation'
import { sealer } from '#runtime/secrets'
import { type Dialect, dialects } from '#shared/ids'
import { createEnvelopes } from './envelope.ts'

const envelopes = createEnvelopes(sealer('ab'.repeat(32)))
const states: Opaque[] = [
  { dialect: 'messages', kind: 'signature', value: 'sig+/=日本' },
  { dialect: 'messages', kind: 'redacted', value: '' },
  { dialect: 'responses', kind: 'encrypted', value: 'gAAAA-_' },
  { dialect: 'gemini', kind: 'thought-signature', value: 'Ci4B/9w+'.repeat(4_000) },
  { dialect: 'chat', kind: 'thought-signature', value: 'c2ln' },
  { dialect: 'messages', kind: 'citation-index', value: 'Eo8' },
]
const pairs = states.flatMap((state) =>
  dialects.map((slot): [Dialect, Opaque['kind'], Dialect, Opaque] => [state.dialect, state.kind, slot, state]),
)

describe.each(pairs)('%s %s in the slot of %s', (made, _, slot, state) => {
  const out = envelopes.wrap('anna', slot, state)

  test('comes back as it was, and reads as nothing on the way', () => {
    expect(out.dialect).toBe(slot)
    expect(envelopes.unwrap('anna', out)).toEqual(state)
    if (made === slot) expect(out).toBe(state)
    else if (state.value !== '') expect(Buffer.from(out.value, 'base64').toString('latin1') + out.value).not.toContain(state.value)
  })

  test('opens for no other tenant', () => {
    expect(envelopes.unwrap('berta', out)).toEqual(made === slot ? state : undefined)
    expect(createEnvelopes(sealer('cd'.repeat(32))).unwrap('anna', out)).toEqual(made === slot ? state : undefined)
  })
})

test('every changed or shortened letter is noticed', () => {
  const state: Opaque = { dialect: 'responses', kind: 'encrypted', value: 'state' }
  for (const slot of ['messages', 'gemini'] as const) {
    const out = envelopes.wrap('anna', slot, state)
    const beyondMark = slot === 'gemini' ? 6 : 4
    for (let at = beyondMark; at < out.value.length - 3; at++) {
      const changed = out.value.slice(0, at) + (out.value[at] === 'A' ? 'B' : 'A') + out.value.slice(at + 1)
      expect(envelopes.unwrap('anna', { ...out, value: changed })).toBeUndefined()
    }
    for (let length = beyondMark; length < out.value.length - 3; length++) {
      expect(envelopes.unwrap('anna', { ...out, value: out.value.slice(0, length) })).toBeUndefined()
    }
  }
})

test('what is no envelope is left alone, and an envelope in an envelope is opened once', () => {
  for (const value of ['', 'gw1', 'gw2.abc', 'EqQBCgIYAhIM', 'Z3cx', 'Z3cyLmE=']) {
    const state: Opaque = { dialect: 'messages', kind: 'signature', value }
    expect(envelopes.unwrap('anna', state)).toBe(state)
  }
  const inner = createEnvelopes(sealer('cd'.repeat(32))).wrap('them', 'chat', { dialect: 'gemini', kind: 'thought-signature', value: 's' })
  expect(envelopes.unwrap('anna', envelopes.wrap('anna', 'messages', inner))).toEqual(inner)
})

test('stands in the kind of slot that a writer of the dialect looks for', () => {
  const kindIn = (slot: Dialect, kind: Opaque['kind'], dialect: Dialect) => envelopes.wrap('anna', slot, { dialect, kind, value: 'v' }).kind
  expect(kindIn('messages', 'encrypted', 'responses')).toBe('signature')
  expect(kindIn('messages', 'thought-signature', 'gemini')).toBe('signature')
  expect(kindIn('responses', 'redacted', 'messages')).toBe('encrypted')
  expect(kindIn('gemini', 'signature', 'messages')).toBe('thought-signature')
  expect(kindIn('chat', 'thought-signature', 'gemini')).toBe('thought-signature')
  expect(kindIn('responses', 'compaction', 'chat')).toBe('compaction')
  expect(kindIn('messages', 'citation-index', 'responses')).toBe('citation-index')
})

test('in the slot of Gemini it is bytes: a typed client may decode and encode it again, in either alphabet', () => {
  const state: Opaque = { dialect: 'messages', kind: 'signature', value: 'x'.repeat(100) }
  const { value, ...rest } = envelopes.wrap('anna', 'gemini', state)
  expect(value).toMatch(/^[A-Za-z0-9+/]+=*$/)
  expect(value.length % 4).toBe(0)
  const bytes = Buffer.from(value, 'base64')
  for (const again of [bytes.toString('base64'), bytes.toString('base64url')]) {
    expect(envelopes.unwrap('anna', { ...rest, value: again })).toEqual(state)
  }
})
