import { expect, test } from 'bun:test'
import { type FieldWriters, writeFields, writtenElsewhere } from './field-writers.ts'

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

test('a field without an entry does not compile', () => {
  // @ts-expect-error: `ripe` has no entry
  const incomplete: FieldWriters<Fruit, undefined> = { colour: () => undefined, stones: () => undefined }
  expect(Object.keys(incomplete)).toEqual(['colour', 'stones'])
})
