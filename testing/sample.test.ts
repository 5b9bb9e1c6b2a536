import { expect, test } from 'bun:test'
import { sampled } from './sample.ts'

const whole = Array.from({ length: 50 }, (_, at) => at)

test('a sample has as many as asked for, in order, and the same for the same seed', () => {
  const sample = sampled(whole, 10, { deep: false, seed: 7 })
  expect(sample).toHaveLength(10)
  expect(sample).toEqual(sample.toSorted((a, b) => a - b))
  expect(sampled(whole, 10, { deep: false, seed: 7 })).toEqual(sample)
  expect(sampled(whole, 10, { deep: false, seed: 8 })).not.toEqual(sample)
  expect(sampled(whole, 80, { deep: false, seed: 7 })).toEqual(whole)
})

test('over many seeds every element is sampled', () => {
  const seen = new Set(Array.from({ length: 100 }, (_, seed) => sampled(whole, 5, { deep: false, seed })).flat())
  expect(seen.size).toBe(whole.length)
})

test('a deep run omits nothing', () => expect(sampled(whole, 10, { deep: true })).toEqual(whole))
