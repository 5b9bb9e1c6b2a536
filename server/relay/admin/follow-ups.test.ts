/** Where the files of a long-running job may be: at the upstream that made them, or at a public address that it points to. */
import { expect, test } from 'bun:test'
import type { Channel } from '#routing/channel'
import { systemClock } from '#runtime/clock'
import { createAddressCheck } from '#upstream/addresses'
import { createHttpUpstream } from '#upstream/http'
import { publicOnly } from '#upstream/media-policy'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { vendors } from '#vendors/index'
import { createFollowUps, type FollowUpParts } from './follow-ups.ts'

const work = { style: 'openai', channel: 'c', key: 'k', upstreamModel: 'sora-2', upstreamId: 'video_1' } as const

function answer(status: number, location?: string): UpstreamAnswer {
  const headers = new Headers(location === undefined ? {} : { location })
  return { status, headers, read: async () => undefined, cancel: () => undefined }
}

/** An upstream that records its requests and returns these answers in order. */
function noted(...answers: UpstreamAnswer[]): { asked: UpstreamRequest[]; upstream: Upstream } {
  const asked: UpstreamRequest[] = []
  const open = async (request: UpstreamRequest) => {
    asked.push(request)
    return answers.shift() ?? answer(200)
  }
  return { asked, upstream: { open } }
}

function followUps(upstream: Upstream, elsewhere: Upstream) {
  const channel = { id: 'c', name: 'c', vendor: vendors.openai, baseUrl: 'https://vendor.example/v1', headers: {}, options: {}, params: {} }
  const channels = { get: () => ({ ...channel, keys: [{ id: 'k', secret: 'sk-vendor' }] }) as unknown as Channel }
  const signer = { sign: async (request: UpstreamRequest) => request }
  const parts = { channels, upstream, elsewhere, signer, clock: systemClock, version: '1', mediaPolicy: publicOnly }
  return createFollowUps(parts as unknown as FollowUpParts)
}

const signal = new AbortController().signal

test('a redirect at the upstream itself keeps the key, one to another host has neither the key nor the network of channels', async () => {
  const [home, elsewhere] = [noted(answer(302, '/v1/elsewhere'), answer(302, 'https://storage.example/file?sig=1')), noted()]
  await followUps(home.upstream, elsewhere.upstream).content(work, {}, signal)
  expect(home.asked.map(({ url }) => url)).toEqual([
    'https://vendor.example/v1/videos/video_1/content',
    'https://vendor.example/v1/elsewhere',
  ])
  expect(home.asked.every(({ headers }) => headers.authorization === 'Bearer sk-vendor')).toBe(true)
  expect(elsewhere.asked).toEqual([
    { url: 'https://storage.example/file?sig=1', method: 'GET', headers: { 'user-agent': 'parley/1', accept: '*/*' }, body: undefined },
  ])
})

test.each([
  'http://storage.example/file',
  'https://storage.example:8443/file',
  'https://user:word@storage.example/file',
  'file:///etc/passwd',
])('nothing is asked at %s', async (location) => {
  const [home, elsewhere] = [noted(answer(307, location)), noted()]
  await expect(followUps(home.upstream, elsewhere.upstream).content(work, {}, signal)).rejects.toThrow('a URL that Parley does not call')
  expect(elsewhere.asked).toEqual([])
})

test.each([['https://10.0.0.8/x'], ['https://[::1]/x'], ['https://metadata.example/x'], ['https://localhost/x']])(
  'nothing is asked at %s, whose address is not public',
  async (location) => {
    const check = createAddressCheck({ clock: systemClock, policy: publicOnly, resolve: async () => ['93.184.215.14', '10.0.0.8'] })
    const home = noted(answer(302, location))
    const elsewhere = createHttpUpstream(check, systemClock)
    await expect(followUps(home.upstream, elsewhere).content(work, {}, signal)).rejects.toThrow('an address that Parley does not call')
    elsewhere.close()
  },
)
