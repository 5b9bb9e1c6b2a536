import { expect, test } from 'bun:test'
import { isSendKey } from '#client/features/playground/keyboard/send-key.ts'
import { commandOf, shortcuts } from '#client/features/playground/keyboard/shortcuts.ts'
import { revealHiddenCharacters } from '#client/features/playground/markdown/escape.ts'
import { filterModels } from '#client/features/playground/models/model-filter.ts'
import { fillTemplate, parseTemplates, variablesIn } from '#client/features/playground/templates/templates.ts'
import { estimateTokens } from '#client/features/playground/text/estimate-tokens.ts'
import { checkJsonReply, findMismatch } from './json-check.ts'

const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
})

test('Enter sends when it should', () => {
  expect(isSendKey(key('Enter'), true)).toBe(true)
  expect(isSendKey(key('Enter', { shiftKey: true }), true)).toBe(false)
  expect(isSendKey(key('Enter'), false)).toBe(false)
  expect(isSendKey(key('Enter', { ctrlKey: true }), false)).toBe(true)
})

test('single characters are shortcuts only outside fields and while switched on', () => {
  expect(commandOf(key('?'), false, true)).toBe('shortcuts')
  expect(commandOf(key('?'), true, true)).toBeUndefined()
  expect(commandOf(key('?'), false, false)).toBeUndefined()
  expect(commandOf(key('k', { metaKey: true }), true, false)).toBe('search')
  expect(commandOf(key('F6'), true, false)).toBe('regions')
  expect(new Set(shortcuts.map((one) => one.command)).size).toBe(shortcuts.length)
})

test('templates find and fill their places', () => {
  expect(variablesIn('{{a}} {{ b c }} {{a}} {{}} { {d}} {{变量}}')).toEqual(['a', 'b c', '变量'])
  expect(fillTemplate('{{a}} and {{ b }}', { a: '$& {{b}}' })).toBe('$& {{b}} and {{ b }}')
  expect(parseTemplates('[{"name":"n","text":"t","more":1}]')).toEqual([{ name: 'n', text: 't' }])
  for (const bad of ['', '{}', '[1]', '[{"name":1,"text":""}]']) expect(parseTemplates(bad)).toBeUndefined()
})

test('a reply is checked against its schema', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { enum: ['x'] } },
    required: ['a'],
    additionalProperties: false,
  }
  expect(findMismatch({ a: 1, b: 'x' }, schema, '$')).toBeUndefined()
  expect(findMismatch({ b: 'x' }, schema, '$')).toBe('$.a')
  expect(findMismatch({ a: 1.5 }, schema, '$')).toBe('$.a')
  expect(findMismatch({ a: 1, c: 2 }, schema, '$')).toBe('$.c')
  expect(findMismatch([{ a: 1 }, { a: 'x' }], { type: 'array', items: schema }, '$')).toBe('$[1].a')
  expect(checkJsonReply('{"a":', { output: 'json', schema: '' })).toEqual({ ok: false, where: '$' })
})

test('hidden characters are shown, tokens are about right, models are found', () => {
  expect(revealHiddenCharacters('a\u202eb')).toBe('a⟨U+202E⟩b')
  expect(revealHiddenCharacters('plain 😀 行')).toBe('plain 😀 行')
  expect(estimateTokens('a'.repeat(400))).toBe(100)
  expect(estimateTokens('你好世界')).toBe(3)
  const row = (id: string, capabilities = {}) => ({
    id,
    operations: [],
    dialects: [],
    price: {},
    contextTokens: null,
    maxOutputTokens: null,
    capabilities,
  })
  const rows = [row('gpt-5', { tools: true }), row('gpt-5-mini', { tools: false }), row('other')]
  expect(filterModels(rows, 'GPT 5', new Set()).map((one) => one.id)).toEqual(['gpt-5', 'gpt-5-mini'])
  expect(filterModels(rows, '', new Set(['tools'] as const)).map((one) => one.id)).toEqual(['gpt-5'])
})
