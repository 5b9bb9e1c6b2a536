import { expect, test } from 'bun:test'
import { type Conversation, emptyReply, type Message, type Reply } from '#client/features/playground/conversation/conversation.ts'
import { defaultSettings } from '#client/features/playground/conversation/settings.ts'
import { createThread } from '#client/features/playground/conversation/thread.ts'
import { type ConversationEntry, exportJson, exportMarkdown, importJson } from './conversation-files.ts'
import { sectionsOf } from './sections.ts'

const conversation: Conversation = {
  id: 'c1',
  title: 'Title',
  named: true,
  pinned: false,
  createdAt: 1,
  updatedAt: 2,
  group: 'default',
  model: 'm',
  settings: { ...defaultSettings(), system: 'Be brief.' },
  draft: '',
  choice: { '': 'a', a: 'r1' },
}
const reply = (id: string, text: string): Reply => ({
  ...emptyReply('c1', 'a', { group: 'default', model: 'm' }, 3),
  id,
  text,
  state: 'complete',
  cost: '0.0001',
})
const messages: Message[] = [
  { id: 'a', conversation: 'c1', parent: null, at: 2, role: 'user', text: 'Hi' },
  reply('r1', 'One'),
  reply('r2', 'Two'),
]
const entry: ConversationEntry = { conversation, messages }

/** The entry with ids replaced by their position, so that two entries can be compared. */
function shape({ conversation: one, messages: all }: ConversationEntry): unknown {
  const order = new Map(all.map((message, index) => [message.id, `#${index}`]))
  const named = (id: string) => order.get(id) ?? id
  return {
    ...one,
    id: '',
    choice: Object.fromEntries(Object.entries(one.choice).map(([key, value]) => [named(key), named(value)])),
    messages: all.map((message) => ({
      ...message,
      id: named(message.id),
      conversation: '',
      parent: message.parent && named(message.parent),
    })),
  }
}

test('missing fields of a reply are filled in, and one with an invalid cost is refused', () => {
  const file = (more: object) =>
    JSON.stringify({
      form: 'parley-conversations',
      conversations: [{ conversation, messages: [{ id: 'r', parent: null, at: 1, role: 'assistant', text: 'Hi', calls: [], ...more }] }],
    })
  expect(importJson(file({}))?.[0]?.messages[0]).toMatchObject({ text: 'Hi', state: 'complete', cost: null, usage: null })
  for (const cost of ['much', 1, '-1', '1e9', {}]) expect(importJson(file({ cost }))).toBeUndefined()
})

test('an export is imported unchanged, under new ids', () => {
  const back = importJson(exportJson([entry, entry]))
  expect(back).toHaveLength(2)
  for (const one of back ?? []) {
    expect(shape(one)).toEqual(shape(entry))
    expect(one.conversation.id).not.toBe('c1')
    expect(createThread(one.messages).path(one.conversation.choice).at(-1)).toMatchObject({ text: 'One', cost: '0.0001' })
  }
  expect(back?.[0]?.conversation.id).not.toBe(back?.[1]?.conversation.id)
})

test('anything else is refused entirely', () => {
  const good = JSON.parse(exportJson([entry]))
  for (const bad of [
    '',
    '{}',
    '[]',
    '{"form":"parley-conversations","conversations":[{}]}',
    JSON.stringify({ ...good, form: 'other' }),
    JSON.stringify({ ...good, conversations: [{ ...entry, messages: [{ role: 'system' }] }] }),
    JSON.stringify({ ...good, conversations: [{ ...entry, messages: [{ ...messages[0], at: 'now' }] }] }),
  ]) {
    expect(importJson(bad)).toBeUndefined()
  }
})

test('Markdown contains the open branch', () => {
  expect(exportMarkdown(entry)).toBe('# Title\n\n> Be brief.\n\n## You\n\nHi\n\n## m\n\nOne\n')
})

test('the list is in sections: pinned, then by local day', () => {
  const now = new Date(2026, 5, 15, 12).getTime()
  const at = (days: number, pinned = false) => ({ ...conversation, id: `${days}`, pinned, updatedAt: now - days * 86_400_000 })
  const sections = sectionsOf([at(0), at(1), at(3), at(20), at(400), at(2, true)], now)
  expect(sections.map((section) => [section.title, section.rows.length])).toEqual([
    ['pinned', 1],
    ['today', 1],
    ['yesterday', 1],
    ['lastWeek', 1],
    ['lastMonth', 1],
    ['older', 1],
  ])
})
