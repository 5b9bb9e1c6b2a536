import { expect, test } from 'bun:test'
import { fallbacksOf } from '#client/console/fallback-lines.ts'
import { usualBodies } from '#shared/console/body'
import { usualQuotas } from '#shared/console/quota'
import { draftOf } from './settings-draft.ts'

test('fallbacks become lines and come back', () => {
  const fallbacks = { 'gpt-5': { error: ['a', 'b'], filter: ['c'] }, 'ollama/x:latest': { error: ['d'] } }
  const row = {
    moderationModel: 'm',
    fallbacks,
    keepLogsMonths: null,
    shareLinks: false,
    quotas: usualQuotas,
    bodies: usualBodies,
    managedByFile: { fallbacks: [] },
    defaults: { moderationModel: 'm', keepLogsMonths: null, shareLinks: false as const, quotas: usualQuotas, bodies: usualBodies },
    changed: [],
  }
  const draft = draftOf(row)
  expect(draft.fallbacks.error).toBe('gpt-5: a, b\nollama/x:latest: d')
  expect(fallbacksOf(draft.fallbacks)).toEqual(fallbacks)
  expect(fallbacksOf({ error: 'no list', context: '', filter: '' })).toBeUndefined()
})
