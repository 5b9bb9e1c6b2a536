/**
 * A list of models has about a megabyte at most in every format, whatever its models are called, and its pages together have all of them.
 */
import { describe, expect, test } from 'bun:test'
import { modelWriters } from './index.ts'

const mostBytes = 1024 * 1024 + 4096

/** Names as long as they may be, in a script of three bytes a character. */
const models = Array.from({ length: 3_000 }, (_, at) => ({ id: `${at}`.padEnd(256, '漢'), created: 0, ownedBy: 'parley' }))
const ids = models.map(({ id }) => id)

interface Page {
  names: string[]
  next: string | undefined
}

const { chat, messages, gemini } = modelWriters
const formats: Record<string, (next: string | undefined) => [text: string, read: (body: never) => Page]> = {
  chat: (next) => [
    chat.writeModelList(models, next),
    ({ data, has_more, last_id }: { data: { id: string }[]; has_more?: boolean; last_id?: string }) => ({
      names: data.map(({ id }) => id),
      next: has_more ? last_id : undefined,
    }),
  ],
  messages: (next) => [
    messages.writeModelList(models, { limit: 1_000, ...(next !== undefined && { after: next }) }),
    ({ data, has_more, last_id }: { data: { id: string }[]; has_more: boolean; last_id: string }) => ({
      names: data.map(({ id }) => id),
      next: has_more ? last_id : undefined,
    }),
  ],
  'messages, backwards': (next) => [
    messages.writeModelList(models, { limit: 1_000, before: next ?? ids.at(-1) ?? '' }),
    ({ data, has_more, first_id }: { data: { id: string }[]; has_more: boolean; first_id: string }) => ({
      names: data.map(({ id }) => id).reverse(),
      next: has_more ? first_id : undefined,
    }),
  ],
  gemini: (next) => [
    gemini.writeModelList(models, { pageSize: '1000', pageToken: next }),
    ({ models: rows, nextPageToken }: { models: { displayName: string }[]; nextPageToken: string | null }) => ({
      names: rows.map(({ displayName }) => displayName),
      next: nextPageToken ?? undefined,
    }),
  ],
}

describe.each(Object.entries(formats))('%s', (format, pageAt) => {
  test('pages that are bounded have every model once', () => {
    const names: string[] = []
    let next: string | undefined
    let pages = 0
    do {
      const [text, read] = pageAt(next)
      expect(Buffer.byteLength(text)).toBeLessThan(mostBytes)
      const page = read(JSON.parse(text) as never)
      names.push(...page.names)
      next = page.next
      pages += 1
    } while (next !== undefined && pages < 20)
    expect(pages).toBeGreaterThan(2)
    expect(names).toEqual(format.endsWith('backwards') ? ids.slice(0, -1).reverse() : ids)
  })
})

test('a list of the usual size has no paging fields', () => {
  expect(JSON.parse(chat.writeModelList(models.slice(0, 3)))).toEqual({ object: 'list', data: expect.any(Array) })
  expect(() => chat.writeModelList(models, 'none')).toThrow(expect.objectContaining({ code: 'invalid_value', param: 'after' }))
})
