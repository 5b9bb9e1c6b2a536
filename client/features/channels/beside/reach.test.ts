import { expect, test } from 'bun:test'
import { reachOf } from './reach.ts'

const channel = (name: string, groups: string[], models: (string | { name: string })[], enabled = true) => ({
  ...{ id: `id of ${name}`, name, groups, models, enabled },
})

test('a model is served elsewhere when another channel that is on offers it to each of the groups', () => {
  const main = channel('main', ['default', 'vip'], ['a', { name: 'b' }, 'c'])
  const all = [
    main,
    channel('spare', ['default', 'vip'], ['a']),
    channel('for default', ['default'], ['b']),
    channel('for vip', ['vip'], [{ name: 'b' }, 'z']),
    channel('off', ['default', 'vip'], ['c'], false),
    channel('elsewhere', ['research'], ['c']),
  ]
  expect(reachOf(main, all)).toEqual({ others: ['spare', 'for default', 'for vip'], models: ['a', 'b', 'c'], alone: ['c'] })
})

test('a model that one of the groups would lose counts as alone', () => {
  const main = channel('main', ['default', 'vip'], ['a'])
  expect(reachOf(main, [main, channel('other', ['vip'], ['a'])])).toEqual({ others: ['other'], models: ['a'], alone: ['a'] })
})
