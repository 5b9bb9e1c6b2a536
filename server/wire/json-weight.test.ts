import { expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { createJsonScale } from './json-weight.ts'

const bounds = { depth: 64, weight: 1000 }

function weigh(text: string, step = text.length, limits = bounds): number {
  const scale = createJsonScale(limits)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += Math.max(1, step)) scale.push(bytes.subarray(at, at + Math.max(1, step)))
  return scale.weight()
}

const refusal = (text: string, step?: number) => {
  try {
    return weigh(text, step)
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.code : thrown
  }
}

test('counts strings, lists and objects, and other values by eights, however the bytes are cut', () => {
  const cases: [text: string, weight: number][] = [
    ['{}', 1],
    ['[1,2,3,4,5,6,7,8,9]', 2],
    ['{"a":"b"}', 3],
    [String.raw`{"a":"\"[{,\\"}`, 3],
    [String.raw`["\\\\\"","\\"]`, 3.125],
    [`["${'x'.repeat(100)}",{"é漢":[]}]`, 5.125],
    ['"\\', 1],
  ]
  for (const [text, weight] of cases) {
    for (let step = 1; step <= text.length; step++) expect([text, step, weigh(text, step)]).toEqual([text, step, weight])
  }
})

test('refuses what nests too deep and what has too many values, whatever stands in strings', () => {
  expect(refusal('['.repeat(64))).toBe(64)
  expect(refusal('['.repeat(65))).toBe('invalid_request')
  expect(refusal('{"a":'.repeat(65), 7)).toBe('invalid_request')
  expect(refusal(`[${'"x",'.repeat(2000)}""]`, 1000)).toBe('request_too_large')
  expect(refusal(`[${'1,'.repeat(9000)}1]`)).toBe('request_too_large')
  expect(refusal(`["${'[{,'.repeat(9000)}"]`)).toBe(2)
})

test('reads each byte once: twice the text is not more than thrice the searches', () => {
  const searches = (text: string) => {
    const bytes = Buffer.from(text)
    let looked = 0
    const indexOf = bytes.indexOf.bind(bytes)
    bytes.indexOf = ((...of: Parameters<typeof indexOf>) => {
      looked++
      return indexOf(...of)
    }) as typeof bytes.indexOf
    createJsonScale({ depth: 64, weight: Number.POSITIVE_INFINITY }).push(bytes)
    return looked
  }
  for (const worst of ['\\"', '\\\\', '"",', 'x']) {
    const [one, two] = [10_000, 20_000].map((times) => searches(`["${worst.repeat(times)}"]`))
    expect(two ?? 0).toBeLessThanOrEqual(3 * Math.max(1, one ?? 0))
  }
})
