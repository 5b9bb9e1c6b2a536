/** A hosted search goes to an upstream of its dialect as it came, unknown fields included; they are lost only elsewhere. */
import { expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { readBody, written } from '#testing/conversions/codec-runs'
import { conversationCodecs } from './index.ts'

const turn = { role: 'user', content: 'hi' }

const searches = {
  chat: {
    body: { model: 'm', messages: [turn], web_search_options: { later: 1, user_location: { type: 'approximate', more: 1 } } },
    place: 'web_search_options',
    lost: ['web_search_options.later', 'web_search_options.user_location.more'],
    other: 'responses',
  },
  responses: {
    body: { model: 'm', input: 'hi', tools: [{ type: 'web_search', later: 1, filters: { allowed_domains: ['a.com'], more: 1 } }] },
    place: 'tools',
    lost: ['tools[0].later', 'tools[0].filters.more'],
    other: 'messages',
  },
  messages: {
    body: { model: 'm', max_tokens: 9, messages: [turn], tools: [{ type: 'web_search_20250305', name: 'web_search', later: 1 }] },
    place: 'tools',
    lost: ['tools[0].later'],
    other: 'responses',
  },
  gemini: {
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: [{ googleSearch: { later: 1 } }] },
    place: 'tools',
    lost: ['tools[0].googleSearch.later'],
    other: 'responses',
  },
} satisfies Partial<Record<Dialect, { body: Record<string, unknown>; place: string; lost: string[]; other: Dialect }>>

test.each(Object.keys(searches) as (keyof typeof searches)[])('%s', (dialect) => {
  const { body, place, lost, other } = searches[dialect]
  const codec = conversationCodecs[dialect]
  const request = readBody(codec, body)
  const same = written(codec, request)
  expect([same.body[place], same.losses]).toEqual([(body as Record<string, unknown>)[place], []])
  const fields = written(conversationCodecs[other], request).losses.map(({ field }) => field)
  expect(fields).toEqual(expect.arrayContaining(lost))
})
