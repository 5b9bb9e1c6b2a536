import { expect, test } from 'bun:test'
import { pastedChannels } from './channel-import.ts'

const channel = { name: 'main', vendor: 'openai', models: ['gpt'], priority: 2 }

test('one channel, a list, or a list under `channels`; keys are ignored', () => {
  expect(pastedChannels(JSON.stringify(channel))).toEqual([channel as never])
  expect(pastedChannels(JSON.stringify([channel, { ...channel, keys: ['sk-x'] }]))).toEqual([channel, channel] as never)
  expect(pastedChannels(JSON.stringify({ channels: [channel] }))).toEqual([channel as never])
})

test('anything else is refused, and so is a list with something else in it', () => {
  for (const text of [
    '',
    'channels:',
    '[]',
    '{}',
    'null',
    '"x"',
    JSON.stringify([channel, 5]),
    JSON.stringify({ name: 'a', vendor: 'b' }),
  ]) {
    expect(pastedChannels(text)).toBeUndefined()
  }
})
