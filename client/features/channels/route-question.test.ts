import { expect, test } from 'bun:test'
import { checker } from '#shared/check'
import { RouteQuestion } from '#shared/console/inspection/route'
import { dialects } from '#shared/ids'
import { MessagesRequest } from '#shared/protocols/anthropic/messages'
import { GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { ChatRequest } from '#shared/protocols/openai/chat'
import { CompletionsRequest } from '#shared/protocols/openai/completions'
import { ResponsesRequest } from '#shared/protocols/openai/responses'
import { routeQuestion } from './route-question.ts'

const schemas = {
  chat: ChatRequest,
  completions: CompletionsRequest,
  responses: ResponsesRequest,
  messages: MessagesRequest,
  gemini: GenerateContentRequest,
}

test.each(dialects)('a request of %s is one of its dialect, with everything and with nothing', (dialect) => {
  for (const has of [true, false]) {
    const asked = routeQuestion({ model: 'm', dialect, key: 'ci', group: '', stream: has, tools: has, image: has })
    expect(checker(RouteQuestion).accepts(asked)).toBe(true)
    expect(checker(schemas[dialect]).accepts(asked.body)).toBe(true)
    expect(asked).toMatchObject({ key: 'ci', dialect, ...(dialect === 'gemini' ? { path: 'm' } : { body: { model: 'm' } }) })
    expect('group' in asked).toBe(false)
  }
})
