/** Rewriting a stored answer keeps the digits of its numbers. */
import { expect, test } from 'bun:test'
import { conversationCodecs } from '#protocols/index'
import { exact, parseExact } from '#shared/exact-numbers'
import { answerAs } from './background-response.ts'
import { recorded, rewritten, storingOf } from './stored-exchange.ts'

const schema = '{"type":"object","properties":{"id":{"maximum":9223372036854775807}}}'
const listed = `{"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[{"name":"look","input_schema":${schema}}]}`
const answer = `{"id":"resp_1","status":"completed","output":[${listed}],"tools":[{"type":"function","name":"look","parameters":${schema}}]}`
const question = `{"model":"m","previous_response_id":"resp_0","input":[${listed}]}`

test('of stored responses, and of what continues them', () => {
  const scanned = conversationCodecs.responses.scan(question)
  const items = exact(scanned.value.input) as unknown[]
  const kept = recorded(items, answer, false)
  expect(kept?.json.split(schema)).toHaveLength(5)
  const before = { ...(parseExact(kept?.json ?? '') as { turns: []; items: unknown[]; response: Record<string, unknown> }), id: 'resp_1' }
  const { content } = rewritten(scanned, storingOf(scanned.value), { before: [before], referenced: [] })
  expect(content.split(schema)).toHaveLength(4)
})

test('of answers in the background', () => {
  expect(answerAs('resp_2', answer).split(schema)).toHaveLength(3)
})
