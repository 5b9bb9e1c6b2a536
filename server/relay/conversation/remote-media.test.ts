import { describe, expect, test } from 'bun:test'
import type { ConversationRequest, MediaPart, Part } from '#canonical/conversation'
import { conversationCodecs } from '#protocols/index'
import { GatewayError } from '#shared/errors'
import type { FetchedMedia, FetchMedia } from '#upstream/media'
import { remoteMedia, type WithBytes } from './remote-media.ts'

const png: FetchedMedia = { mimeType: 'image/png', data: 'cG5n', bytes: 3 }
const pdf: FetchedMedia = { mimeType: 'application/pdf', data: 'cGRm', bytes: 3 }

const image = (url: string, fields: Partial<MediaPart> = {}): MediaPart => ({ kind: 'media', media: 'image', source: { url }, ...fields })

const plain = conversationCodecs.chat.readRequest(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] }))
const asked = (...parts: Part[]): ConversationRequest => ({ ...plain, turns: [{ role: 'user', parts }] })

/** Answers from a table; counts. */
function library(files: Record<string, FetchedMedia | GatewayError>) {
  const visits: string[] = []
  const fetchMedia: FetchMedia = async (url) => {
    visits.push(url)
    const file = files[url]
    if (file === undefined || file instanceof GatewayError) throw file ?? new Error('not in the library')
    return file
  }
  return { visits, withBytes: remoteMedia(fetchMedia, new AbortController().signal) }
}

const all = () => true
const faultOf = (work: ReturnType<WithBytes>) =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const gone = () => new GatewayError('invalid_value', 'could not be fetched')

describe('files at addresses', () => {
  test('take the place of their addresses, in messages and in results of tools, and nothing else changes', async () => {
    const { withBytes, visits } = library({ a: png, b: pdf })
    const cache = { ttl: '5m' } as const
    const request = asked(
      { kind: 'text', text: 'look' },
      image('a', { cache, detail: 'low', mimeType: 'image/jpeg' }),
      {
        kind: 'result',
        callId: '1',
        form: 'json',
        isError: false,
        parts: [{ kind: 'text', text: 'here' }, image('b', { media: 'document', name: 'b.pdf' })],
      },
      image('', { source: { data: 'eA==' } }),
    )
    const before = structuredClone(request)
    const { request: sent, losses } = await withBytes(request, all)
    expect(sent.turns[0]?.parts).toEqual([
      { kind: 'text', text: 'look' },
      { kind: 'media', media: 'image', mimeType: 'image/png', source: { data: 'cG5n' }, cache, detail: 'low' },
      {
        kind: 'result',
        callId: '1',
        form: 'json',
        isError: false,
        parts: [
          { kind: 'text', text: 'here' },
          { kind: 'media', media: 'document', mimeType: 'application/pdf', source: { data: 'cGRm' }, name: 'b.pdf' },
        ],
      },
      image('', { source: { data: 'eA==' } }),
    ])
    expect(losses).toEqual([expect.objectContaining({ field: 'turns.media.source', what: 'adapted', meaning: false })])
    expect(request).toEqual(before)
    expect(visits).toEqual(['a', 'b'])
  })

  test('are fetched only when somebody needs their bytes', async () => {
    const { withBytes, visits } = library({})
    const request = asked(image('a'))
    expect(await withBytes(request, () => false)).toEqual({ request, losses: [] })
    expect(visits).toEqual([])
  })

  test('are fetched once, however often they are named and however many candidates are tried', async () => {
    const { withBytes, visits } = library({ a: png, b: gone() })
    await Promise.all([withBytes(asked(image('a'), image('a')), all), withBytes(asked(image('a')), all)])
    await withBytes(asked(image('a')), all)
    for (let candidate = 0; candidate < 3; candidate += 1) {
      expect(await faultOf(withBytes(asked(image('b', { path: 'messages[0].content[1]' })), all))).toMatchObject({
        param: 'messages[0].content[1]',
      })
    }
    expect(visits).toEqual(['a', 'b'])
  })

  test('that cannot be had are refused by their place', async () => {
    const { withBytes } = library({ a: png, b: gone() })
    const fault = await faultOf(withBytes(asked(image('a'), image('b', { path: 'messages[0].content[1].source' })), all))
    expect(fault).toMatchObject({ code: 'invalid_value', status: 400, blame: 'client', param: 'messages[0].content[1].source' })
    expect(await faultOf(withBytes(asked(image('b')), all))).toMatchObject({ param: 'turns.media' })
  })

  test('keep a fault that is not the caller’s', async () => {
    const { withBytes } = library({ a: new GatewayError('overloaded', 'busy') })
    expect(await faultOf(withBytes(asked(image('a', { path: 'x' })), all))).toMatchObject({ code: 'overloaded', param: undefined })
  })

  test('must be of the kind that was said', async () => {
    const { withBytes } = library({ a: png, b: pdf })
    expect(await faultOf(withBytes(asked(image('b', { path: 'p' })), all))).toMatchObject({ code: 'invalid_value', param: 'p' })
    expect(await faultOf(withBytes(asked(image('a', { media: 'document' })), all))).toMatchObject({ code: 'invalid_value' })
    const open = { ...asked(image('a', { media: 'document' })), dialect: 'gemini' as const }
    expect((await withBytes(open, all)).request.turns[0]?.parts).toEqual([
      { kind: 'media', media: 'image', mimeType: 'image/png', source: { data: 'cG5n' } },
    ])
  })

  test('have a number and a size that one request may have', async () => {
    const urls = Array.from({ length: 21 }, (_, index) => `u${index}`)
    const many = library(Object.fromEntries(urls.map((url) => [url, png])))
    const images = urls.map((url) => image(url, { path: url }))
    expect((await many.withBytes(asked(...images.slice(0, 20)), all)).losses.length).toBe(1)
    expect(await faultOf(many.withBytes(asked(...images), all))).toMatchObject({ code: 'request_too_large', param: 'u20' })
    const large = library(Object.fromEntries(urls.map((url) => [url, { ...png, bytes: 10 * 1024 * 1024 }])))
    expect((await large.withBytes(asked(...images.slice(0, 2)), all)).losses.length).toBe(1)
    expect(await faultOf(large.withBytes(asked(...images.slice(0, 12)), all))).toMatchObject({ code: 'request_too_large', status: 413 })
    // Exceeding the limit stops the remaining downloads.
    expect(large.visits.length).toBeLessThan(12)
  })
})
