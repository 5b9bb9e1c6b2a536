import { expect, test } from 'bun:test'
import { placesFrom } from './row-keys.ts'

test('arrow keys lead to the nearest rows first, Home and End to the outermost, other keys nowhere', () => {
  expect(placesFrom('ArrowDown', 1, 4)).toEqual([2, 3])
  expect(placesFrom('ArrowUp', 2, 4)).toEqual([1, 0])
  expect(placesFrom('ArrowDown', 3, 4)).toEqual([])
  expect(placesFrom('ArrowUp', 0, 4)).toEqual([])
  expect(placesFrom('Home', 2, 3)).toEqual([0, 1, 2])
  expect(placesFrom('End', 0, 3)).toEqual([2, 1, 0])
  expect(placesFrom('Enter', 1, 4)).toEqual([])
})
