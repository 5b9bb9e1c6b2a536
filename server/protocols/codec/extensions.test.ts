import { expect, test } from 'bun:test'
import type { ConversationRequest, ToolExtra } from '#canonical/conversation'
import { conversation } from '#testing/conversions/conversation'
import { recordForeign } from './extensions.ts'
import { lossList } from './field-writers.ts'

const request = (responses: Record<string, unknown>, extra?: ToolExtra): ConversationRequest =>
  conversation({
    dialect: 'responses',
    tools: extra ? [{ kind: 'function', name: 'f', parameters: {}, extra }] : [],
    extensions: { responses },
  })

function recorded(from: ConversationRequest, own: 'responses' | 'chat' = 'chat'): string[] {
  const losses = lossList()
  recordForeign(from, own, losses)
  return losses.losses.map(({ field, meaning }) => `${field}${meaning ? '!' : ''}`)
}

test('what another dialect cannot express is recorded by its weight, and never by a name that the caller made up', () => {
  const fields = { store: true, max_tool_calls: 3, moderation: {}, 'evil\nname': 1 }
  expect(recorded(request(fields))).toEqual(['max_tool_calls', 'moderation!', '*!'])
  expect(recorded(request(fields), 'responses')).toEqual([])
})

test('what must not be left out is refused by name', () => {
  expect(() => recorded(request({ truncation: 'auto' }))).toThrow(
    expect.objectContaining({ code: 'unsupported_value', param: 'truncation' }),
  )
})

test('hints of tools are no loss of meaning; when and by whom they may be called is', () => {
  const extra = { defer_loading: true, allowed_callers: ['programmatic'], output_schema: {} }
  expect(recorded(request({}, extra))).toEqual(['tools.defer_loading!', 'tools.allowed_callers!', 'tools.output_schema'])
  expect(recorded(request({}, { mood: 1, 'evil\nname': 1 }))).toEqual(['tools.mood!', '*!'])
  expect(recorded(request({}, { defer_loading: false, allowed_callers: ['direct'] }))).toEqual([])
  expect(recorded(request({}, extra), 'responses')).toEqual([])
})
