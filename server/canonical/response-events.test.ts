import { expect, test } from 'bun:test'
import type { ConversationResponse, Part } from './conversation.ts'
import { eventsOfResponse, gathered } from './response-events.ts'
import { noUsage } from './usage.ts'

const opaque = [{ dialect: 'gemini', kind: 'thought-signature', value: 'sealed' } as const]

/** Every part that an answer may have, with every field that a stream carries. */
const parts: Part[] = [
  { kind: 'reasoning', text: ['first', 'second'], form: 'summary', opaque },
  { kind: 'text', text: 'said', phase: 'commentary', citations: [{ kind: 'web', url: 'https://example.org/' }], opaque },
  { kind: 'media', media: 'image', source: { data: 'aGk=' }, mimeType: 'image/png', transcript: 'hi', opaque },
  { kind: 'call', callId: 'c1', name: 'look', form: 'json', argsText: '{}', namespace: 'eyes', opaque },
  { kind: 'refusal', text: 'no' },
  { kind: 'native', dialect: 'gemini', raw: { odd: 1 }, summary: 'odd', opaque },
]

const answer = (more: Part[]): ConversationResponse => ({
  id: 'r1',
  model: 'm',
  created: 7,
  choices: [
    {
      index: 0,
      parts: more,
      finish: { reason: 'stop', raw: 'stop' },
      logprobs: [{ token: 'said', logprob: -1, bytes: null, top: [] }],
    },
  ],
  usage: noUsage(),
  tier: 'default',
})

test('the events of a whole answer add up to the same answer', () => {
  expect(gathered(eventsOfResponse(answer(parts)))).toEqual(answer(parts))
})

test('where arguments stand in the body of the caller is nothing that a stream carries', () => {
  const call = { kind: 'call', callId: 'c1', name: 'look', form: 'json', argsText: '{}' } as const
  expect(eventsOfResponse(answer([{ ...call, path: 'messages[0]' }]))).toEqual(eventsOfResponse(answer([call])))
})
