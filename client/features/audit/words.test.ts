/** Every action of the audit trail is translated. `e2e/audit.test.ts` performs each of them. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { en } from './en.ts'
import { zh } from './zh.ts'

const written = readFileSync(`${import.meta.dir}/../../../e2e/audit.test.ts`, 'utf8')
const actions = new Set([...written.matchAll(/actions: \[([^\]]+)\]/g)].flatMap(([, list = '']) => list.match(/\w+\.\w+/g) ?? []))

test('actions have a text', () => {
  expect(actions.size).toBeGreaterThan(30)
  expect([...actions].filter((action) => !(action in en && action in zh))).toEqual([])
})

test('every action with a text can be filtered by its kind', () => {
  const kinds = new Set([...actions].map((action) => action.split('.')[0]))
  expect([...kinds].filter((kind) => !(`kind_${kind}` in en))).toEqual([])
})
