/** The non-text content in each dialect's head. */
import { describe, expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { conversationCodecs } from './index.ts'

const nonTextIn = (dialect: Dialect, fields: object) =>
  conversationCodecs[dialect].readHead(JSON.stringify(fields), dialect === 'gemini' ? 'm:generateContent' : undefined).nonText

const data = 'x'.repeat(5000)
const address = 'https://example.com/x.png'
const chat = (...content: object[]) => ({ model: 'm', messages: [{ role: 'user', content }] })
const messages = (...content: object[]) => ({ ...chat(...content), max_tokens: 10 })
const responses = (...content: object[]) => ({ model: 'm', input: [{ role: 'user', content }] })
const gemini = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] })

describe('text alone', () => {
  const words = 'she said: "cache_control":{"ttl":"1h"}'
  test.each<[Dialect, object]>([
    ['chat', chat({ type: 'text', text: words })],
    ['completions', { model: 'm', prompt: words }],
    ['responses', responses({ type: 'input_text', text: words })],
    ['messages', messages({ type: 'text', text: words })],
    ['gemini', gemini({ text: words })],
    ['chat', { ...chat({ type: 'text', text: 'hi' }), tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['responses', { ...responses(), input: 'hi', tools: [{ type: 'function', name: 'f' }] }],
    ['messages', { ...messages({ type: 'text', text: 'hi' }), tools: [{ name: 'f', input_schema: {} }] }],
    ['gemini', { ...gemini({ text: 'hi' }), tools: [{ functionDeclarations: [{ name: 'f' }] }] }],
  ])('%s says nothing', (dialect, body) => {
    expect(nonTextIn(dialect, body)).toBeUndefined()
  })
})

describe('pieces', () => {
  test.each<[Dialect, 'images' | 'sounds' | 'files', object, object]>([
    [
      'chat',
      'images',
      chat({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }),
      chat({ type: 'image_url', image_url: { url: address } }),
    ],
    ['chat', 'files', chat({ type: 'file', file: { file_data: data } }), chat({ type: 'file', file: { file_id: 'file-1' } })],
    [
      'responses',
      'images',
      responses({ type: 'input_image', image_url: `data:image/png;base64,${data}` }),
      responses({ type: 'input_image', image_url: address }),
    ],
    ['responses', 'files', responses({ type: 'input_file', file_data: data }), responses({ type: 'input_file', file_url: address })],
    [
      'messages',
      'images',
      messages({ type: 'image', source: { type: 'base64', data } }),
      messages({ type: 'image', source: { type: 'url', url: address } }),
    ],
    [
      'messages',
      'images',
      messages({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'base64', data } }] }),
      messages({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'url', url: address } }] }),
    ],
    [
      'messages',
      'files',
      messages({ type: 'document', source: { type: 'base64', data } }),
      messages({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    ],
    [
      'gemini',
      'images',
      gemini({ inlineData: { mimeType: 'image/png', data } }),
      gemini({ fileData: { mimeType: 'image/png', fileUri: address } }),
    ],
    [
      'gemini',
      'sounds',
      gemini({ inlineData: { mimeType: 'audio/mp3', data } }),
      gemini({ fileData: { mimeType: 'audio/mp3', fileUri: 'gs://b/x' } }),
    ],
    [
      'gemini',
      'files',
      gemini({ inlineData: { mimeType: 'video/mp4', data } }),
      gemini({ fileData: { mimeType: 'video/mp4', fileUri: address } }),
    ],
  ])('%s: %s in the body and elsewhere', (dialect, kind, inside, away) => {
    const here = nonTextIn(dialect, inside)?.[kind]
    expect(here).toMatchObject({ pieces: 1, elsewhere: 0 })
    expect(here?.bytes).toBeWithin(5000, 5100)
    expect(nonTextIn(dialect, away)?.[kind]).toMatchObject({ pieces: 1, elsewhere: 1 })
  })

  test('chat: sound', () => {
    expect(nonTextIn('chat', chat({ type: 'input_audio', input_audio: { data, format: 'mp3' } }))?.sounds).toMatchObject({
      pieces: 1,
      elsewhere: 0,
    })
  })
})

describe('settings', () => {
  const hi = { type: 'text', text: 'hi' }
  const marked = (ttl?: string) => ({ ...hi, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } })

  test.each<[string, Dialect, object, object]>([
    ['a cache', 'messages', messages(marked()), { cached: '5m' }],
    ['a cache for an hour', 'messages', messages(marked('1h')), { cached: '1h' }],
    ['a cache as other clients say it', 'chat', chat(marked()), { cached: '5m' }],
    ['sound', 'chat', { ...chat(hi), modalities: ['text', 'audio'] }, { modalities: ['text', 'audio'] }],
    [
      'pictures',
      'gemini',
      { ...gemini({ text: 'hi' }), generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      { modalities: ['text', 'image'] },
    ],
    [
      'pictures by a tool',
      'responses',
      { model: 'm', input: 'hi', tools: [{ type: 'image_generation' }] },
      { modalities: ['text', 'image'], unseen: true },
    ],
    [
      'searches',
      'messages',
      { ...messages(hi), tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] },
      { searches: 3, unseen: true },
    ],
    [
      'calls of tools',
      'responses',
      { model: 'm', input: 'hi', max_tool_calls: 4, tools: [{ type: 'web_search' }] },
      { searches: 4, unseen: true },
    ],
    ['a search', 'chat', { ...chat(hi), web_search_options: {} }, { unseen: true }],
    ['a search', 'gemini', { ...gemini({ text: 'hi' }), tools: [{ googleSearch: {} }] }, { unseen: true }],
    ['what came before', 'responses', { model: 'm', input: 'hi', previous_response_id: 'resp_1' }, { unseen: true }],
    ['a cache that is kept', 'gemini', { ...gemini({ text: 'hi' }), cachedContent: 'cachedContents/1' }, { unseen: true }],
    ['a server of tools', 'messages', { ...messages(hi), mcp_servers: [{ type: 'url', url: address, name: 's' }] }, { unseen: true }],
  ])('%s (%s)', (_what, dialect, body, expected) => {
    const { images: _, sounds: __, files: ___, ...settings } = nonTextIn(dialect, body) ?? {}
    expect(settings).toEqual(expected)
  })

  test('a search without a bound has none', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    expect(nonTextIn('messages', { ...messages(hi), tools })).not.toHaveProperty('searches')
  })
})
