import { expect, test } from 'bun:test'
import { ApiError } from '#client/api/http.ts'
import type { Catalogue, Listed } from '#client/features/playground/models/catalogue.ts'
import type { ModelRow } from '#shared/console/model'
import { findTarget, isThere } from './target.ts'

/** A catalogue with these models in these groups; null is a list that is still loading. */
function catalogueOf(groups: Record<string, string[] | null>): Catalogue {
  const models = (group: string): Listed<ModelRow> => {
    const ids = groups[group]
    if (ids === null) return { state: 'loading' }
    if (ids === undefined) return { state: 'failed', error: new ApiError('', { status: 403, code: 'group_not_allowed' }) }
    return { state: 'ready', rows: ids.map((id) => ({ id }) as ModelRow) }
  }
  return {
    groups: () => ({ state: 'ready', rows: Object.keys(groups).map((name) => ({ name, description: '', ratio: '1' }) as never) }),
    models,
    model: () => undefined,
    team: () => undefined,
    reload: () => undefined,
    reloadTeam: async () => undefined,
  }
}
const nothing = { group: null, model: null }
const search = { conversation: nothing, begun: false, lastUsed: undefined, ownGroup: 'default' }

test('at the first visit the first model of the default group is selected, else one of another group', () => {
  expect(findTarget({ ...search, catalogue: catalogueOf({ default: ['a', 'b'] }) })).toEqual({ group: 'default', model: 'a' })
  expect(findTarget({ ...search, catalogue: catalogueOf({ default: [], vip: ['c'] }) })).toEqual({ group: 'vip', model: 'c' })
  expect(findTarget({ ...search, catalogue: catalogueOf({ default: null, vip: ['c'] }) })).toBeNull()
  expect(findTarget({ ...search, catalogue: catalogueOf({ default: [] }) })).toBeNull()
})

test('afterwards the last used one, as long as it is available', () => {
  const lastUsed = { group: 'default', model: 'b' }
  expect(findTarget({ ...search, lastUsed, catalogue: catalogueOf({ default: ['a', 'b'] }) })).toEqual(lastUsed)
  expect(findTarget({ ...search, lastUsed, catalogue: catalogueOf({ default: ['a'] }) })).toEqual({ group: 'default', model: 'a' })
})

test('a chosen model counts only while available before the first message, and always after it', () => {
  const conversation = { group: 'default', model: 'gone' }
  const catalogue = catalogueOf({ default: ['a'] })
  expect(findTarget({ ...search, conversation, catalogue })).toEqual({ group: 'default', model: 'a' })
  expect(findTarget({ ...search, conversation, begun: true, catalogue })).toEqual(conversation)
  expect([isThere(catalogue, 'default', 'gone'), isThere(catalogue, 'default', 'a'), isThere(catalogue, 'other', 'a')]).toEqual([
    false,
    true,
    false,
  ])
})

test('of a payer that has not the chosen group, another group is taken, and a conversation that has begun knows that its model is gone', () => {
  const conversation = { group: 'default', model: 'a' }
  const catalogue = catalogueOf({ vip: ['c'] })
  const team = { ...search, conversation, ownGroup: 'vip', catalogue }
  expect(findTarget(team)).toEqual({ group: 'vip', model: 'c' })
  expect(findTarget({ ...team, ownGroup: undefined })).toBeNull()
  expect(isThere(catalogue, 'default', 'a')).toBe(false)
  expect(findTarget({ ...team, begun: true })).toEqual(conversation)
})
