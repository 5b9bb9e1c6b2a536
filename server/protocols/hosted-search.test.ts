/** A hosted search goes to an upstream of its dialect unchanged, unknown fields included; they are lost only elsewhere. */
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
    body: { model: 'm', max_tokens: 99, messages: [turn], tools: [{ type: 'web_search_20250305', name: 'web_search', later: 1 }] },
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

const writtenFor = (other: Dialect, dialect: Dialect, body: unknown) =>
  written(conversationCodecs[other], readBody(conversationCodecs[dialect], body))

test('the limit of searches is written where there is a field for it, and lost with meaning elsewhere', () => {
  const messages = {
    model: 'm',
    max_tokens: 99,
    messages: [turn],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
  }
  const responses = { model: 'm', input: 'hi', max_tool_calls: 3, tools: [{ type: 'web_search' }] }
  expect(writtenFor('responses', 'messages', messages)).toMatchObject({ body: { max_tool_calls: 3 }, losses: [] })
  expect(writtenFor('messages', 'responses', responses)).toMatchObject({ body: { tools: [{ max_uses: 3 }] }, losses: [] })
  for (const other of ['chat', 'gemini'] as const) {
    const lost = [expect.objectContaining({ field: 'tools.web-search.maxUses', meaning: true })]
    expect(writtenFor(other, 'messages', messages).losses).toEqual(lost)
    expect(writtenFor(other, 'responses', responses).losses).toEqual(lost)
  }
})

test('a search that may fetch nothing is left out where only a live one can be had', () => {
  const body = { model: 'm', input: 'hi', tools: [{ type: 'web_search', external_web_access: false }] }
  for (const other of ['chat', 'messages', 'gemini'] as const) {
    const { body: sent, losses } = writtenFor(other, 'responses', body)
    expect([JSON.stringify(sent).includes('earch'), losses.map(({ field }) => field)]).toEqual([false, ['tools.web-search.live']])
  }
})

test('citations of documents in the history are reported where they cannot be expressed', () => {
  const citations = [{ type: 'page_location', cited_text: 'x', document_index: 0, start_page_number: 1, end_page_number: 2 }]
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'a', citations }] }
  const { losses } = writtenFor('responses', 'messages', { model: 'm', max_tokens: 99, messages: [turn, answer, turn] })
  expect(losses.map(({ field }) => field)).toEqual(['turns.citations'])
})
