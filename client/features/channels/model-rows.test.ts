import { expect, test } from 'bun:test'
import { adding, differences, draftOf, found, linesOfDraft, offeredOf, offering, removing, renaming } from './model-rows.ts'

const saved = ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini', capabilities: { vision: true } }]
const listed = ['gpt-5', 'gpt-new']

test('the lines are what is known here, then what the upstream lists besides; what it no longer lists is gone', () => {
  expect(linesOfDraft(draftOf(saved), saved, undefined).map(({ name, change }) => [name, change])).toEqual([
    ['gpt-5', undefined],
    ['fast', undefined],
  ])
  const lines = linesOfDraft(draftOf(saved), saved, listed)
  expect(lines.map(({ name, offered, change }) => [name, offered, change])).toEqual([
    ['gpt-5', true, undefined],
    ['fast', true, 'gone'],
    ['gpt-new', false, 'new'],
  ])
  expect(found(lines, 'MINI', 'all').map(({ name }) => name)).toEqual(['fast'])
  expect(found(lines, '', 'new').map(({ name }) => name)).toEqual(['gpt-new'])
  expect(found(lines, 'gpt-5', 'offered').map(({ name }) => name)).toEqual(['gpt-5', 'fast'])
})

test('what is left out and offered again is saved as it was', () => {
  const [first, fast] = linesOfDraft(draftOf(saved), saved, listed)
  if (!first || !fast) throw new Error('two lines were expected')
  const without = offering(draftOf(saved), [fast], false)
  expect(offeredOf(without)).toEqual(['gpt-5'])
  expect(offeredOf(offering(without, [fast], true))).toEqual(saved)
})

test('a listed model is offered once, however often it is chosen', () => {
  const fresh = linesOfDraft(draftOf(saved), saved, listed).filter(({ change }) => change === 'new')
  const once = offering(draftOf(saved), fresh, true)
  expect(offeredOf(offering(once, fresh, true))).toEqual([...saved, 'gpt-new'])
  expect(
    linesOfDraft(once, saved, listed)
      .map(({ name, offered, change }) => [name, offered, change])
      .at(-1),
  ).toEqual(['gpt-new', true, 'new'])
})

test('models that are pasted are added or replace what has their name, and are offered', () => {
  const [, fast] = linesOfDraft(draftOf(saved), saved, undefined)
  const draft = adding(offering(draftOf(saved), fast ? [fast] : [], false), [{ name: 'fast', upstream: 'nano' }, 'a', 'a'])
  expect(offeredOf(draft)).toEqual(['gpt-5', { name: 'fast', upstream: 'nano' }, 'a'])
})

test('other names keep the capabilities; a removed model is gone', () => {
  const renamed = renaming(draftOf(saved), 'fast', { name: 'quick', upstream: 'quick' })
  expect(offeredOf(renamed)).toEqual(['gpt-5', { name: 'quick', capabilities: { vision: true } }])
  expect(offeredOf(renaming(draftOf(saved), 'gpt-5', { name: 'gpt-5', upstream: 'gpt-5-2026' }))[0]).toEqual({
    name: 'gpt-5',
    upstream: 'gpt-5-2026',
  })
  expect(offeredOf(removing(draftOf(saved), 'fast'))).toEqual(['gpt-5'])
})

test('differences are named by kind', () => {
  expect(differences(saved, ['gpt-new', { name: 'fast', upstream: 'other' }])).toEqual({
    added: ['gpt-new'],
    removed: ['gpt-5'],
    moved: ['fast'],
  })
})
