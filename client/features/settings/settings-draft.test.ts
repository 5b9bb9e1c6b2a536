import { expect, test } from 'bun:test'
import { fallbacksOf } from '#client/console/fallback-lines.ts'
import { usualBodies } from '#shared/console/body'
import { usualQuotas } from '#shared/console/quota'
import { changesBetween, defaultsOf, draftOf, patchOf } from './settings-draft.ts'

const fallbacks = { 'gpt-5': { error: ['a', 'b'], filter: ['c'] }, 'ollama/x:latest': { error: ['d'] } }
const row = {
  moderationModel: 'm',
  fallbacks,
  keepLogsMonths: null,
  shareLinks: false,
  quotas: usualQuotas,
  bodies: usualBodies,
  managedByFile: { fallbacks: [], routing: [] },
  defaults: { moderationModel: 'm', keepLogsMonths: null, shareLinks: false as const, quotas: usualQuotas, bodies: usualBodies },
  changed: [],
}

test('fallbacks become lines and come back', () => {
  const draft = draftOf(row)
  expect(draft.fallbacks.error).toBe('gpt-5: a, b\nollama/x:latest: d')
  expect(fallbacksOf(draft.fallbacks)).toEqual({ found: fallbacks, wrong: [] })
  expect(fallbacksOf({ error: 'no list', context: 'a: b', filter: 'a:' }).wrong).toEqual(['error', 'filter'])
})

test('only changes are sent, kept requests in the format of the API', () => {
  const before = draftOf(row)
  const after = { ...before, bodies: { ...before.bodies, keep: 'errors', days: '7', redactFields: ' metadata.user_id \n\n**.password' } }
  expect(changesBetween(before, after)).toEqual(['bodies'])
  expect(patchOf(after, ['bodies'], fallbacks)).toEqual({
    bodies: { ...usualBodies, keep: 'errors', days: 7, redactFields: ['metadata.user_id', '**.password'] },
  })
  expect(patchOf(before, ['bodies'], fallbacks)).toEqual({ bodies: usualBodies })
})

test('balancing and checks have their defaults in the form, and an empty field ends the checks', () => {
  const before = draftOf(row)
  expect([before.balancing, before.checkMinutes]).toEqual(['weight', ''])
  const chosen = draftOf({ ...row, balancing: 'cheapest', checkMinutes: 5 })
  expect(changesBetween(before, chosen)).toEqual(['balancing', 'checkMinutes'])
  expect(patchOf(chosen, ['balancing', 'checkMinutes'], {})).toEqual({ balancing: 'cheapest', checkMinutes: 5 })
  expect(patchOf(before, ['balancing', 'checkMinutes'], {})).toEqual({ balancing: 'weight', checkMinutes: null })
})

test('every setting is reset to its default, except those that the file declares', () => {
  const changed = {
    ...row,
    ...{ moderationModel: 'other', keepLogsMonths: 3, banner: 'Hello', shareLinks: true, requireSecondFactor: 'everybody' as const },
    ...{ balancing: 'cheapest' as const, checkMinutes: 5, managedByFile: { fallbacks: ['gpt-5'], routing: ['balancing' as const] } },
  }
  const reset = defaultsOf(changed)
  expect(changesBetween(reset, { ...draftOf(row), fallbacks: reset.fallbacks, balancing: 'cheapest' })).toEqual([])
  expect(changesBetween(draftOf(changed), reset)).toEqual([
    ...(['moderationModel', 'fallbacks', 'checkMinutes', 'keepLogsMonths', 'banner', 'shareLinks', 'requireSecondFactor'] as const),
  ])
})
