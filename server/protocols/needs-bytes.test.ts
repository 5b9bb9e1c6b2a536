/** Which URLs each dialect's upstreams fetch themselves, and what must be fetched for them. */
import { expect, test } from 'bun:test'
import type { MediaPart } from '#canonical/conversation'
import { type Dialect, dialects } from '#shared/ids'
import { conversationCodecs } from './index.ts'

const kinds = ['image', 'document', 'audio', 'video'] as const

function fetched(dialect: Dialect, source: MediaPart['source'], capabilities: Record<string, boolean> = {}): string[] {
  const target = { model: 'm', capabilities, stream: false }
  return kinds.filter((media) => conversationCodecs[dialect].needsBytes({ kind: 'media', media, source }, target))
}

const web = { url: 'https://files.example/a' }

test('by address: what an upstream opens itself stays an address', () => {
  expect(Object.fromEntries(dialects.map((dialect) => [dialect, fetched(dialect, web)]))).toEqual({
    chat: ['document', 'audio'],
    completions: [],
    responses: [],
    messages: [],
    gemini: ['image', 'document', 'audio'],
  })
})

test('a model that opens no addresses', () => {
  const refused = (dialect: Dialect) => fetched(dialect, web, { mediaUrlsRefused: true })
  expect(Object.fromEntries(dialects.map((dialect) => [dialect, refused(dialect)]))).toEqual({
    chat: ['image', 'document', 'audio'],
    completions: [],
    responses: ['image', 'document'],
    messages: ['image', 'document'],
    gemini: ['image', 'document', 'audio'],
  })
})

test.each(['gs://bucket/a.pdf', 'https://www.youtube.com/watch?v=1', 'https://generativelanguage.googleapis.com/v1beta/files/abc'])(
  'Google opens %s itself',
  (url) => {
    expect(fetched('gemini', { url })).toEqual([])
  },
)

test('nothing but an address is fetched', () => {
  for (const dialect of dialects) {
    for (const source of [{ data: 'AAAA' }, { text: 'words' }, { fileId: 'file-1', dialect: 'chat' as const }]) {
      expect(fetched(dialect, source, { mediaUrlsRefused: true })).toEqual([])
    }
  }
})
