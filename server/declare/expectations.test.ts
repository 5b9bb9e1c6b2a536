/** Whatever a value of parley.yaml is refused for, the message says what belongs there. */
import { expect, test } from 'bun:test'
import { checker } from '#shared/check'
import type { TSchema } from '#shared/typebox'
import { File } from './schema.ts'

const wrong = [true, 1.5, -1, 1e12, '', 'zork', 'a b', 'ä', '\u0001', null, [], {}, { zork: 1 }, ['zork', 'zork'], [[]]]
/** What says nothing, or only a part of what is allowed. */
const poor = /^Expected (another kind of value|text of a different format|union value|'[^']*'|required property|kind .*)$/

/** Every schema within a schema, by the path that leads to it. */
function* within(schema: TSchema, path: string): Generator<[path: string, schema: TSchema]> {
  yield [path, schema]
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, TSchema>)) yield* within(field, `${path}.${name}`)
  for (const value of Object.values((schema.patternProperties ?? {}) as Record<string, TSchema>)) yield* within(value, `${path}.*`)
  if (schema.items !== undefined) yield* within(schema.items, `${path}[]`)
  for (const [at, variant] of ((schema.anyOf ?? []) as TSchema[]).entries())
    if (!('const' in variant)) yield* within(variant, `${path}|${at}`)
}

test('every field says what it takes', () => {
  const found: string[] = []
  let looked = 0
  for (const [path, schema] of within(File, 'file')) {
    const check = checker(schema)
    for (const value of wrong)
      for (const { code, message } of check.faults(value)) {
        looked += 1
        if (code === 'invalid_value' && poor.test(message)) found.push(`${path} of ${JSON.stringify(value)}: ${message}`)
      }
  }
  expect(looked).toBeGreaterThan(1_000)
  expect(found).toEqual([])
})
