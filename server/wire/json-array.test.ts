import { describe, expect, test } from 'bun:test'
import { createSseSplitter, type Frame } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { createJsonArrayJoiner, createJsonArraySplitter } from './json-array.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function split(pieces: readonly Uint8Array[], options = {}): Frame[] {
  const splitter = createJsonArraySplitter(options)
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
}
const elements = (text: string) => split([encode(text)]).map(({ data }) => data)

describe('an array that an upstream sends', () => {
  test('is cut into its elements, whatever stands between them', () => {
    expect(elements('[{"a":1},\n{"b":[1,{"c":"]}"}]}]')).toEqual(['{"a":1}', '{"b":[1,{"c":"]}"}]}'])
    expect(elements(' \r\n[\r\n{ "a" : "x\\"],{" }\r\n,\r\n{}\n]\n')).toEqual(['{ "a" : "x\\"],{" }', '{}'])
    expect(elements('[]')).toEqual([])
    expect(elements('')).toEqual([])
    expect(elements('[1, "a,b" ,null,[[2]],true]')).toEqual(['1', '"a,b"', 'null', '[[2]]', 'true'])
    expect(elements('{"error":{"code":503}}')).toEqual(['{"error":{"code":503}}'])
  })

  test('each element is an event of its own, on one line', () => {
    const [frame] = split([encode('[{\r\n  "text": "a\\nb"\n}]')])
    expect(decode(frame?.raw ?? new Uint8Array())).toBe('data: {   "text": "a\\nb" }\n\n')
    expect(createSseSplitter().push(frame?.raw ?? new Uint8Array())).toMatchObject([{ data: frame?.data }])
  })

  test('an element that the stream ends in is unfinished', () => {
    expect(split([encode('[{"a":1},{"b":')])).toMatchObject([{ data: '{"a":1}' }, { data: '{"b":', unfinished: true }])
    expect(split([encode('[{"a":1},')])).toHaveLength(1)
  })

  test('the same at every cut, also inside a character', () => {
    const text = '[{"t":"日本🎉 \\"[{"},\r\n {"n":[1,2,{"deep":"}]"}]},{"e":"\\\\"}]'
    const whole = elements(text)
    expect(whole).toHaveLength(3)
    for (let seed = 1; seed <= 200; seed++) {
      const random = seeded(seed)
      const cut = split(random.cut(encode(text), random.pick([1, 2, 9]))).map(({ data }) => data)
      expect({ seed, cut }).toEqual({ seed, cut: whole })
    }
  })

  test('garbage makes frames or none, and never hangs', () => {
    for (const text of ['}}}]]]', '<html><body>no</body></html>', '[[[[', ',,,,', '"', '[{"a":"\\', '\u0000\u0001', '{]}[']) {
      expect(split([encode(text)]).length).toBeLessThan(4)
    }
  })

  test('T04: a large element in small chunks takes linear time, and a limit holds', () => {
    const bytes = encode(`[{"data":"${'A'.repeat(3_000_000)}"}]`)
    const pieces: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += 65_536) pieces.push(bytes.subarray(at, at + 65_536))
    const start = threadNow()
    expect(split(pieces)).toHaveLength(1)
    expect(threadNow() - start).toBeLessThan(2000)
    expect(() => split(pieces, { maxFrameBytes: 1_000_000 })).toThrow(expect.objectContaining({ code: 'upstream_error' }))
  })
})

describe('T13: an array that a client reads', () => {
  const write = (events: readonly string[]) => {
    const joiner = createJsonArrayJoiner()
    return [...events.map((event) => decode(joiner.push(encode(event)))), decode(joiner.end())]
  }

  test('is valid JSON wherever the stream ends', () => {
    const events = ['data: {"a":1}\n\n', ': keep-alive\n\n', 'data: {"b":2}\n\ndata: {"c":3}\n\n', 'data: {"error":{"code":502}}\n\n']
    const values = [[], [{ a: 1 }], [{ a: 1 }], [{ a: 1 }, { b: 2 }, { c: 3 }], [{ a: 1 }, { b: 2 }, { c: 3 }, { error: { code: 502 } }]]
    for (const [count, value] of values.entries()) expect(JSON.parse(write(events.slice(0, count)).join(''))).toEqual(value)
  })

  test('each element leaves when it comes', () => {
    expect(write([': keep-alive\n\n', 'data: {"a":1}\n\n', 'data: {"b":2}\n\n'])).toEqual(['\n', '[{"a":1}', ',\n{"b":2}', ']'])
    expect(write([])).toEqual(['[]'])
  })

  test('events cut anywhere', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const joiner = createJsonArrayJoiner()
      const pieces = seeded(seed).cut(encode('data: {"t":"日本"}\r\n\r\n: hi\n\ndata:{"u":1}\n\n'), 3)
      const text = pieces.map((piece) => decode(joiner.push(piece))).join('') + decode(joiner.end())
      expect({ seed, value: JSON.parse(text) }).toEqual({ seed, value: [{ t: '日本' }, { u: 1 }] })
    }
  })
})
