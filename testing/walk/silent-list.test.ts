import { expect, test } from 'bun:test'
import { casesOf } from './cases.ts'
import { faultsIn } from './conforms.ts'
import type { Shape } from './sdk-types.ts'
import { differences, readList, writeList } from './silent-list.ts'

const list = readList(['# words', '## Because.', '', 'request chat a > gemini messages', 'request chat b[* > gemini', ''].join('\n'))
const always = () => true

test('cells that are newly silent, no longer silent, or without a reason are named', () => {
  const reviewed = new Map([
    ['request chat a', ['gemini', 'messages']],
    ['request chat b[c]', ['gemini']],
  ])
  expect(differences(list, reviewed, always)).toEqual([])
  const now = new Map([
    ['request chat a', ['gemini']],
    ['request chat d', ['messages']],
  ])
  expect(differences(list, now, always)).toEqual([
    'newly silent: request chat d > messages',
    'no longer silent: request chat a > messages',
    'no longer silent: request chat b[* > gemini',
  ])
  const written = readList(writeList(list, now))
  expect(written.map(({ line, reason }) => [line, reason])).toEqual([
    ['request chat a', 'Because.'],
    ['request chat d', 'NO REASON YET'],
  ])
  expect(differences(written, now, always)).toEqual(['without a reason: request chat d'])
})

test('each field, member and literal is a case, beside the same without it', () => {
  const literal = (value: string): Shape => ({ kind: 'literal', value })
  const field = (name: string, shape: Shape, optional = true) => ({ name, shape, optional, nullable: false })
  const part: Shape = { kind: 'object', id: 2, name: 'Part', open: false, fields: [field('type', literal('text'), false)] }
  const fields = [
    field('mode', { kind: 'union', members: [literal('a'), literal('b')] }),
    field('parts', { kind: 'list', item: { kind: 'union', members: [{ kind: 'text' }, part] } }),
  ]
  const cases = casesOf(
    { kind: 'object', id: 1, name: 'Root', open: false, fields },
    { sample: () => undefined, skipped: new Set(), seed: { model: 'm' }, kept: new Set() },
  )
  expect(cases).toEqual([
    { path: 'mode=a', body: { model: 'm', mode: 'a' }, base: { model: 'm' } },
    { path: 'mode=b', body: { model: 'm', mode: 'b' }, base: { model: 'm' } },
    { path: 'parts[]', body: { model: 'm', parts: ['a parts'] }, base: { model: 'm' } },
    { path: 'parts[text]', body: { model: 'm', parts: [{ type: 'text' }] }, base: { model: 'm' } },
  ])
})

test('a value is what its type declares, or the path says where not', () => {
  const field = (name: string, shape: Shape, optional = false, nullable = false) => ({ name, shape, optional, nullable })
  const item: Shape = { kind: 'object', id: 2, name: 'Item', open: false, fields: [field('type', { kind: 'literal', value: 'a' })] }
  const fields = [
    field('id', { kind: 'text' }),
    field('items', { kind: 'list', item: { kind: 'union', members: [{ kind: 'number' }, item] } }),
    field('end', { kind: 'text' }, false, true),
    field('note', { kind: 'text' }, true),
  ]
  const shape: Shape = { kind: 'object', id: 1, name: 'Root', open: false, fields }
  expect(faultsIn({ id: 'x', items: [1, { type: 'a' }], more: 1 }, shape)).toEqual([])
  expect(faultsIn({ items: [{ type: 'b' }], note: 5, end: 1 }, shape)).toEqual([
    'id is missing',
    'items[0] is no number',
    'end is no text',
    'note is no text',
  ])
})
