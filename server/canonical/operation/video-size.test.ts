import { expect, test } from 'bun:test'
import { otherNames, shapeOf, sizeOf } from './video-size.ts'

test.each([
  ['1280x720', '16:9', '720p', true],
  ['720X1280', '9:16', '720p', true],
  ['1792x1024', '16:9', '1080p', false],
  ['1080x1920', '9:16', '1080p', true],
  ['3840x2160', '16:9', '4k', true],
] as const)('%s is %s at %s', (size, ratio, lines, isExact) => {
  expect(shapeOf(size)).toEqual({ ratio, lines, isExact })
})

test('sizes of OpenAI', () => {
  expect([sizeOf({}), sizeOf({ ratio: '9:16' }), sizeOf({ lines: '1080p' }), sizeOf({ lines: '4k' })]).toEqual([
    ...['1280x720', '720x1280', '1792x1024'],
    undefined,
  ])
  expect(shapeOf('large')).toBeUndefined()
})

test('a size has the price of its other names', () => {
  expect(otherNames('1920x1080', ['720p', '1080p'])).toEqual(['1080p'])
  expect(otherNames('1080p', ['1280x720', '1792x1024', '1024x1792'])).toEqual(['1792x1024', '1024x1792'])
  expect(otherNames('720p', ['1080p'])).toEqual([])
})
