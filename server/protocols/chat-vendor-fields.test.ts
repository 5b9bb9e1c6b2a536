/** Fields of vendors with a copy of Chat: converted if the other dialect can express them, forwarded unchanged to a Chat upstream. */
import { expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { readBody, written } from '#testing/conversions/codec-runs'
import { conversationCodecs } from './index.ts'

const ask = (fields: object) => ({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields })
const sent = (dialect: Dialect, body: unknown) => written(conversationCodecs[dialect], readBody(conversationCodecs.chat, body))
const fieldsOf = ({ losses }: ReturnType<typeof sent>) => losses.map(({ field }) => field)

// OpenRouter: https://openrouter.ai/docs/use-cases/reasoning-tokens; DeepSeek, Z.ai, Moonshot: `thinking`; Qwen: `enable_thinking`.
const thinking: [object, messages: object, gemini: object][] = [
  [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, { type: 'enabled', budget_tokens: 2048 }, { thinkingBudget: 2048 }],
  [{ thinking: { type: 'disabled' } }, { type: 'disabled' }, { thinkingBudget: 0 }],
  [
    { reasoning: { max_tokens: 2048, exclude: true } },
    { type: 'enabled', budget_tokens: 2048, display: 'omitted' },
    { thinkingBudget: 2048 },
  ],
  [{ enable_thinking: false }, { type: 'disabled' }, { thinkingBudget: 0 }],
  [{ enable_thinking: true, thinking_budget: 2048 }, { type: 'enabled', budget_tokens: 2048 }, { thinkingBudget: 2048 }],
  [{ reasoning: { effort: 'high' } }, { type: 'adaptive' }, { thinkingLevel: 'HIGH' }],
  [{ reasoning_effort: 'high', thinking: { type: 'disabled' } }, { type: 'adaptive' }, { thinkingLevel: 'HIGH' }],
]

test.each(thinking)('%j', (fields, messages, gemini) => {
  const toMessages = sent('messages', ask(fields))
  expect(toMessages.body.thinking).toMatchObject(messages)
  const toGemini = sent('gemini', ask(fields))
  expect(toGemini.body).toMatchObject({ generationConfig: { thinkingConfig: gemini } })
  expect([...fieldsOf(toMessages), ...fieldsOf(toGemini)].filter((field) => !field.startsWith('reasoning.'))).toEqual([])
  expect(sent('chat', ask(fields)).body).toMatchObject(fields)
  expect(Object.hasOwn(sent('chat', ask(fields)).body, 'reasoning_effort')).toBe('reasoning_effort' in fields)
})

test('what cannot be understood is a loss by its path', () => {
  expect(fieldsOf(sent('messages', ask({ thinking: 'much', reasoning: { mood: 1 } })))).toEqual(['reasoning.mood', 'thinking'])
})

test('top_k goes where it is known', () => {
  expect(sent('messages', ask({ top_k: 5 }))).toMatchObject({ body: { top_k: 5 }, losses: [] })
  expect(sent('gemini', ask({ top_k: 5 }))).toMatchObject({ body: { generationConfig: { topK: 5 } }, losses: [] })
  expect(sent('chat', ask({ top_k: 5 })).body.top_k).toBe(5)
  expect(fieldsOf(sent('responses', ask({ top_k: 5 })))).toEqual(['sampling.topK'])
})

test('a video goes to Gemini and is refused where there is no place for it', () => {
  const asked = (url: string) => ask({ messages: [{ role: 'user', content: [{ type: 'video_url', video_url: { url } }] }] })
  const tube = 'https://www.youtube.com/watch?v=abc'
  expect(sent('gemini', asked(tube)).body).toMatchObject({ contents: [{ parts: [{ fileData: { fileUri: tube } }] }] })
  const inline = sent('gemini', asked('data:video/mp4;base64,AAAA'))
  expect(inline.body).toMatchObject({ contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }] })
  expect(sent('chat', asked(tube)).body).toMatchObject(asked(tube))
  for (const dialect of ['responses', 'messages'] as const) {
    expect(() => sent(dialect, asked(tube))).toThrow(expect.objectContaining({ param: 'messages[0].content[0].video_url' }))
  }
})
