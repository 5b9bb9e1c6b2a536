import { describe, expect, test } from 'bun:test'
import { type Seeded, seeded } from '#testing/seeded'
import { scanFields } from './json-scan.ts'
import { type FieldChange, fieldEdits, splice } from './splice.ts'

function edit(text: string, changes: Record<string, FieldChange>): string {
  const spans = scanFields(text)
  return spans ? splice(text, fieldEdits(text, spans, new Map(Object.entries(changes)))) : text
}

const set =
  (json: string): FieldChange =>
  () =>
    json
const remove: FieldChange = () => undefined

describe('one edit leaves every other byte', () => {
  test('replace, every occurrence', () => {
    expect(edit('{ "a" : 1.0 ,\n"model":"x", "mod\\u0065l" : "y" }', { model: set('"z"') })).toBe(
      '{ "a" : 1.0 ,\n"model":"z", "mod\\u0065l" : "z" }',
    )
  })

  test('remove: first, middle, last, only, several, all', () => {
    const text = '{ "a":1, "b":2 , "c":3 }'
    expect(edit(text, { a: remove })).toBe('{ "b":2 , "c":3 }')
    expect(edit(text, { b: remove })).toBe('{ "a":1, "c":3 }')
    expect(edit(text, { c: remove })).toBe('{ "a":1, "b":2 }')
    expect(edit(text, { a: remove, b: remove })).toBe('{ "c":3 }')
    expect(edit(text, { b: remove, c: remove })).toBe('{ "a":1 }')
    expect(edit(text, { a: remove, c: remove })).toBe('{ "b":2 }')
    expect(edit(text, { a: remove, b: remove, c: remove })).toBe('{  }')
    expect(edit(text, { d: remove })).toBe(text)
  })

  test('insert: into a full object, an empty one, and one that is emptied', () => {
    expect(edit('{"a":1 }', { b: set('2'), c: set('3') })).toBe('{"a":1,"b":2,"c":3 }')
    expect(edit('{ }', { b: set('2') })).toBe('{"b":2 }')
    expect(edit('{"a":1}', { a: remove, b: set('2') })).toBe('{"b":2}')
    expect(edit('{"a":1,"c":3}', { c: remove, b: set('2') })).toBe('{"a":1,"b":2}')
  })

  test('a change sees the old text, and the same text is no edit', () => {
    expect(edit('{"a":[1]}', { a: (json) => `[0,${json}]` })).toBe('{"a":[0,[1]]}')
    expect(edit('{"a": 1 }', { a: (json) => json })).toBe('{"a": 1 }')
    expect(edit('{"a":1}', { b: (json) => json })).toBe('{"a":1}')
  })

  test('fields further down are not touched', () => {
    expect(edit('{"x":{"model":1},"y":[{"model":2}]}', { model: remove })).toBe('{"x":{"model":1},"y":[{"model":2}]}')
  })

  test('what replaces is taken as it is', () => {
    expect(edit('{"a":1}', { a: set('"$& $1"') })).toBe('{"a":"$& $1"}')
  })
})

const keys = ['a', 'b', 'model', '__proto__', 'with "quote"', 'back\\slash', 'ü', ''] as const
const space = (random: Seeded) => random.pick(['', '', ' ', '\n', '\t \r\n'])

function randomJson(random: Seeded, depth = 0): string {
  const inner = () => `${space(random)}${randomJson(random, depth + 1)}${space(random)}`
  const several = (make: () => string) => Array.from({ length: random.below(4) }, make).join()
  switch (depth > 3 ? random.below(6) : random.below(8)) {
    case 6:
      return `[${space(random)}${several(inner)}]`.replace(/\[\s+\]/, '[]')
    case 7:
      return `{${several(() => `${space(random)}${JSON.stringify(random.pick(keys))}${space(random)}:${inner()}`)}}`
    default:
      return random.pick(['1', '-0.50', '1E+2', 'null', 'true', '"x"', '"}{][,:\\""', '"\\\\"', '"\\u0041日"', '12345678901234567890'])
  }
}

function randomObject(random: Seeded): string {
  const key = () => (random.below(8) === 0 ? '"mod\\u0065l"' : JSON.stringify(random.pick(keys)))
  const field = () => `${space(random)}${key()}${space(random)}:${space(random)}${randomJson(random)}${space(random)}`
  const fields = Array.from({ length: random.below(7) }, field).join()
  return `${space(random)}{${fields || space(random)}}${space(random)}`
}

test('agrees with JSON.parse on random objects, white space and duplicates', () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const random = seeded(seed)
    const text = randomObject(random)
    // A map, because `__proto__` is a key like any other.
    const expected = new Map(Object.entries(JSON.parse(text)))
    const changes = new Map<string, FieldChange>()
    for (let i = random.below(4); i > 0; i--) {
      const key = random.pick([...keys, 'new'] as const)
      const json = random.below(2) === 0 ? undefined : randomJson(random)
      changes.set(key, () => json)
      if (json === undefined) expected.delete(key)
      else expected.set(key, JSON.parse(json))
    }
    const spans = scanFields(text)
    const result = spans ? splice(text, fieldEdits(text, spans, changes)) : ''
    const sorted = (fields: Iterable<[string, unknown]>) => [...fields].sort(([a], [b]) => (a < b ? -1 : 1))
    expect({ seed, fields: sorted(Object.entries(JSON.parse(result))) }).toEqual({ seed, fields: sorted(expected) })
    // Fields that were not named stay as written, duplicates included.
    const untouched = (json: string) =>
      (scanFields(json)?.fields ?? [])
        .map((field) => ({
          key: JSON.parse(json.slice(field.keyStart, field.keyEnd)),
          written: json.slice(field.keyStart, field.valueEnd),
        }))
        .filter(({ key }) => !changes.has(key))
        .map(({ written }) => written)
    expect({ seed, kept: untouched(result) }).toEqual({ seed, kept: untouched(text) })
  }
})
