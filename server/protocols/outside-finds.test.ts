/**
 * Fields that were once silently lost in conversion, each found with an SDK: a conversion to any other dialect carries it or reports its
 * path. docs/mapping.md 5 lists the tests of all such finds.
 */
import { expect, test } from 'bun:test'
import type { Loss } from '#canonical/loss'
import type { Dialect } from '#shared/ids'
import { askedBy } from '#testing/conversions/answer-features'
import { attempt, noMemo, readBody, testPen, written } from '#testing/conversions/codec-runs'
import { conversationCodecs as codecs } from './index.ts'

type Body = Record<string, unknown>
const four: readonly Dialect[] = ['chat', 'responses', 'messages', 'gemini']

const hi = { role: 'user', content: 'hi' }
const messages = (fields: Body) => ({ model: 'm', max_tokens: 99, messages: [hi], ...fields })
const inMessage = (fields: Body) => messages({ messages: [{ ...hi, ...fields }] })
const search = (fields: Body) => messages({ tools: [{ type: 'web_search_20260318', name: 'web_search', ...fields }] })
const laterSystem = (fields: Body) => messages({ messages: [hi, { role: 'system', content: 's', ...fields }] })
const called = (fields: Body) => {
  const use = { type: 'tool_use', id: 't', name: 'f', input: {}, ...fields }
  const result = { type: 'tool_result', tool_use_id: 't', content: 'x' }
  return messages({ messages: [hi, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }] })
}
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } }
const page = { type: 'page_location', cited_text: 'x', document_index: 0, document_title: 't', start_page_number: 1, end_page_number: 2 }
const gemini = (fields: Body) => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }], ...fields })
const google = (fields: Body) => gemini({ tools: [{ googleSearch: fields }] })
const inPart = (fields: Body) => ({ contents: [{ role: 'user', parts: [{ text: 'hi', ...fields }] }] })
const chat = (fields: Body) => ({ model: 'm', messages: [hi], ...fields })
const chatSaid = (...said: Body[]) => chat({ messages: [...said, hi] })

/** The request, the path in a loss, and the dialects that carry the field instead. */
const requests: [Dialect, Body, path: string, carriedBy?: Dialect[]][] = [
  ['responses', { model: 'm', input: 'hi', tools: [{ type: 'web_search', external_web_access: false }] }, 'tools.web-search.live'],
  ['messages', search({ max_uses: 3 }), 'tools.web-search.maxUses', ['responses']],
  ['messages', search({ allowed_callers: ['code_execution_20250825'] }), 'tools[0].allowed_callers'],
  ['messages', search({ defer_loading: true }), 'tools[0].defer_loading'],
  ['messages', search({ response_inclusion: 'excluded' }), 'tools[0].response_inclusion'],
  ['messages', search({ strict: true }), 'tools[0].strict'],
  ['messages', search({ cache_control: { type: 'ephemeral' } }), 'block.cache_control'],
  ['messages', messages({ output_config: { task_budget: { type: 'tokens', total: 9000 } } }), 'output_config.task_budget'],
  ['messages', inMessage({ content: [{ ...picture, transformations: [{}] }] }), 'messages[0].content[0].transformations'],
  ['messages', inMessage({ content: [{ type: 'text', text: 'x', later: 1 }] }), 'messages[0].content[0].later'],
  ['messages', inMessage({ later: 1 }), 'messages[0].later'],
  ['messages', laterSystem({ clear_at: { type: 'x' } }), 'messages[1].clear_at'],
  ['messages', laterSystem({ output_config: { effort: 'low' } }), 'messages[1].output_config'],
  ['messages', messages({ thinking: { type: 'enabled', budget_tokens: 1024, block_binding: 'x' } }), 'thinking.block_binding'],
  ['messages', called({ caller: { type: 'code_execution_20250825', tool_id: 'x' } }), 'messages[1].content[0].caller.tool_id'],
  ['messages', called({ toolset_name: 'z' }), 'messages[1].content[0].toolset_name'],
  [
    'messages',
    messages({ messages: [hi, { role: 'assistant', content: [{ type: 'text', text: 'x', citations: [page] }] }, hi] }),
    'turns.citations',
  ],
  ['gemini', google({ timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' } }), 'tools[0].googleSearch.timeRangeFilter'],
  ['gemini', google({ searchTypes: { imageSearch: {} } }), 'tools[0].googleSearch.searchTypes'],
  ['gemini', google({ blockingConfidence: 'BLOCK_LOW_AND_ABOVE' }), 'tools[0].googleSearch.blockingConfidence'],
  ['gemini', inPart({ partMetadata: { a: 1 } }), 'contents[0].parts[0].partMetadata'],
  ['gemini', inPart({ speechMetadata: { a: 1 } }), 'contents[0].parts[0].speechMetadata'],
  ['gemini', inPart({ mediaProcessing: { a: 1 } }), 'contents[0].parts[0].mediaProcessing'],
  ['gemini', gemini({ safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }), 'safetySettings'],
  ['gemini', gemini({ modelArmorConfig: { promptTemplateName: 'x' } }), 'modelArmorConfig'],
  ['chat', chatSaid({ role: 'system', content: 'x', name: 'n' }), 'messages[0].name'],
  ['chat', chatSaid({ role: 'developer', content: 'x', name: 'n' }), 'messages[0].name'],
  ['chat', chatSaid({ ...hi, later: 1 }), 'messages[0].later'],
  ['chat', chat({ tools: [{ type: 'function', function: { name: 'f', later: 1 } }] }), 'tools[0].function.later'],
  ['chat', chat({ later: 1 }), 'later'],
  ['chat', chat({ frequency_penalty: 1 }), 'sampling.frequencyPenalty', ['gemini']],
  ['chat', chat({ seed: 1 }), 'sampling.seed', ['gemini']],
]

/** Losses that strict mode does not refuse: nothing requested is missing from the answer. */
const harmless = new Set(['block.cache_control', 'turns.citations'])

test.each(requests)('a request of %s %j', (from, body, path, carriedBy = []) => {
  for (const to of four.filter((dialect) => dialect !== from)) {
    const { losses } = written(codecs[to], readBody(codecs[from], body))
    const found = losses.find(({ field }) => field === path)
    expect([to, found?.meaning]).toEqual([to, carriedBy.includes(to) ? undefined : !harmless.has(path)])
  }
})

const geminiSaid = (choice: Body, more: Body = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP', ...choice }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  ...more,
})
const support = { segment: { startIndex: 0, endIndex: 4 }, groundingChunkIndices: [0] }
const grounded = (chunk: Body) => geminiSaid({ groundingMetadata: { groundingChunks: [chunk], groundingSupports: [support] } })
const messagesSaid = (fields: Body) => ({
  ...{ id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'Yes.' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 }, ...fields },
})
const chatAnswered = (fields: Body, message: Body = {}) => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.', ...message } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  ...fields,
})
const safe = { hate: { filtered: false, severity: 'safe' } }
const details = { type: 'refusal', category: 'cyber', explanation: 'why' }
const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }

/** An answer, and either the reported path or the text that arrives. */
const answers: [Dialect, Body, { reported: string } | { arrives: string }][] = [
  [
    'gemini',
    geminiSaid({ groundingMetadata: { searchEntryPoint: { renderedContent: '<b>' } } }),
    { reported: 'candidates[0].groundingMetadata.searchEntryPoint' },
  ],
  ['gemini', grounded({ retrievedContext: { uri: 'https://a.example/x', title: 't' } }), { arrives: 'https://a.example/x' }],
  ['gemini', grounded({ retrievedContext: { uri: 'gs://b/x', title: 't', text: 'x' } }), { reported: 'response.citations' }],
  ['gemini', grounded({ maps: { uri: 'https://maps.google.com/?cid=1', title: 't' } }), { arrives: 'https://maps.google.com/?cid=1' }],
  [
    'gemini',
    geminiSaid({ urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.b' }] } }),
    { reported: 'candidates[0].urlContextMetadata' },
  ],
  [
    'gemini',
    geminiSaid({ safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }] }),
    { reported: 'candidates[0].safetyRatings' },
  ],
  ['gemini', { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'no' } }, { reported: 'promptFeedback.blockReasonMessage' }],
  ['messages', messagesSaid({ stop_reason: 'refusal', stop_details: details }), { reported: 'stop_details' }],
  ['messages', messagesSaid({ container: { id: 'c', expires_at: '2026-01-01T00:00:00Z' } }), { reported: 'container' }],
  ['messages', messagesSaid({ context_management: { applied_edits: [{ type: 'x' }] } }), { reported: 'context_management' }],
  ['chat', chatAnswered({ moderation: { flagged: true } }), { reported: 'moderation' }],
  [
    'chat',
    chatAnswered({ prompt_filter_results: [{ prompt_index: 0, content_filter_results: safe }] }),
    { reported: 'prompt_filter_results' },
  ],
  ['chat', chatAnswered({ citations: ['https://a.example/'] }), { arrives: 'https://a.example/' }],
  ['chat', chatAnswered({ search_results: [{ title: 't', url: 'https://a.example/' }] }), { arrives: 'https://a.example/' }],
  ['chat', chatAnswered({}, { content: [thinking, { type: 'text', text: 'Yes.' }] }), { arrives: 'Hm.' }],
]

test.each(answers)('an answer of %s %j', (from, body, expected) => {
  for (const to of four.filter((dialect) => dialect !== from)) {
    const answer = codecs[from].readResponse(JSON.stringify(body), noMemo, testPen())
    const { body: said, losses } = codecs[to].writeResponse(answer, askedBy(to), testPen())
    const fields = [...(answer.losses ?? []), ...losses].map(({ field }: Loss) => field)
    if ('reported' in expected) expect([to, fields]).toEqual([to, expect.arrayContaining([expected.reported])])
    else expect([to, fields, said]).toEqual([to, [], expect.stringContaining(expected.arrives)])
  }
})

const video = (source: Body) => chat({ messages: [{ role: 'user', content: [{ type: 'video_url', ...source }] }] })

test('a video of Chat goes to Gemini, and is refused by its place where there is none for it', () => {
  const body = video({ video_url: { url: 'data:video/mp4;base64,AAAA' } })
  expect(JSON.stringify(written(codecs.gemini, readBody(codecs.chat, body)).body)).toContain('"mimeType":"video/mp4"')
  for (const to of ['responses', 'messages'] as const)
    expect(attempt(() => written(codecs[to], readBody(codecs.chat, body)))).toMatchObject({ param: 'messages[0].content[0].video_url' })
})
