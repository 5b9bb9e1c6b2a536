import { expect, test } from 'bun:test'
import {
  type FieldWriters,
  type KindWriters,
  notNeeded,
  type WrittenFields,
  writeFields,
  writeKind,
  writtenElsewhere,
} from './field-writers.ts'

interface Fruit {
  colour: string
  stones?: number
  ripe?: boolean
}
const lost: string[] = []
const writers: FieldWriters<Fruit, { suffix: string }> = {
  colour: (colour, { suffix }) => ({ color: colour + suffix }),
  stones: (stones) => {
    lost.push(`stones ${stones}`)
    return undefined
  },
  ripe: writtenElsewhere,
}

test('every field that is there is written by its entry', () => {
  expect(writeFields({ colour: 'red', ripe: true }, writers, { suffix: '!' })).toEqual({ color: 'red!' })
  expect(lost).toEqual([])
  expect(writeFields({ colour: 'blue', stones: 0 }, writers, { suffix: '' })).toEqual({ color: 'blue' })
  expect(lost).toEqual(['stones 0'])
})

test('without a table, too, every field is named, and one that is notNeeded cannot be written', () => {
  // @ts-expect-error: `ripe` is not named
  type Incomplete = WrittenFields<Fruit, { colour: 'written'; stones: 'notNeeded' }>
  type Seen = WrittenFields<Fruit, { colour: 'written'; stones: 'written'; ripe: 'notNeeded' }>
  // @ts-expect-error: a fruit has no `seeds`
  type Stale = WrittenFields<Fruit, { colour: 'written'; stones: 'written'; ripe: 'notNeeded'; seeds: 'notNeeded' }>
  const colourOf = (fruit: Incomplete | Stale) => fruit.colour
  // @ts-expect-error: `ripe` is notNeeded
  const ripeOf = (fruit: Seen) => fruit.ripe
  expect([colourOf({ colour: 'red' }), ripeOf({ colour: 'red' })]).toEqual(['red', undefined])
})

test('a field without an entry does not compile', () => {
  // @ts-expect-error: `ripe` has no entry
  const incomplete: FieldWriters<Fruit, undefined> = { colour: () => undefined, stones: () => undefined }
  expect(Object.keys(incomplete)).toEqual(['colour', 'stones'])
})

test('an entry sees the whole object, and a field that is left out goes without a word', () => {
  const rest: FieldWriters<Fruit, undefined> = {
    colour: (colour, _, { stones }) => ({ colour, hasStones: stones !== undefined }),
    stones: writtenElsewhere,
    ripe: notNeeded,
  }
  expect(writeFields({ colour: 'red', stones: 1, ripe: true }, rest, undefined)).toEqual({ colour: 'red', hasStones: true })
})

test('a kind is written by its entry, and one without an entry does not compile', () => {
  type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number }
  const area: KindWriters<Shape, undefined, number> = { circle: ({ radius }) => 3 * radius ** 2, square: ({ side }) => side ** 2 }
  expect(
    [{ kind: 'circle', radius: 1 } as const, { kind: 'square', side: 3 } as const].map((one) => writeKind(one, area, undefined)),
  ).toEqual([3, 9])
  // @ts-expect-error: `square` has no entry
  const incomplete: KindWriters<Shape, undefined, number> = { circle: () => 0 }
  expect(Object.keys(incomplete)).toEqual(['circle'])
})
