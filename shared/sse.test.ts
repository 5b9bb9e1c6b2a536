import { describe, expect, test } from 'bun:test'
import { eventsTaken } from '#testing/events-taken'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { createSseSplitter, type Frame } from './sse.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function feed(chunks: Uint8Array[], limit?: number): Frame[] {
  const splitter = createSseSplitter(limit === undefined ? {} : { maxFrameBytes: limit })
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

const oneByOne = (bytes: Uint8Array) => [...bytes].map((byte) => Uint8Array.of(byte))
const dataOf = (frames: Frame[]) => frames.map((frame) => frame.data).filter((data) => data !== undefined)
const rawOf = (frames: Frame[]) => Buffer.concat(frames.map((frame) => frame.raw)).toString('hex')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('reading events', () => {
  test('T01: CRLF, one byte at a time, characters of three and four bytes', () => {
    const stream = encode('data: {"t":"日本🎉"}\r\n\r\ndata: b\r\n\r\n')
    expect(dataOf(feed(oneByOne(stream)))).toEqual(['{"t":"日本🎉"}', 'b'])
  })

  test('T02: several data lines are one data, joined by LF', () => {
    expect(dataOf(feed([encode('data: {"a":\ndata: 1}\n\n')]))).toEqual(['{"a":\n1}'])
  })

  test('T03: no space, empty data, comments, retry, byte order mark', () => {
    const frames = feed([encode('\ufeffdata:{"x":1}\n\ndata:\n\ndata\n\n:note\n\nretry: 5\n\n')])
    expect(frames.map((frame) => frame.data)).toEqual(['{"x":1}', '', '', undefined, undefined])
  })

  test('a byte order mark counts only at the start', () => {
    expect(feed([encode('data: a\n\n\ufeffdata: b\n\n')]).map((frame) => frame.data)).toEqual(['a', undefined])
  })

  test('names of events, the last one wins, and fields that only begin like them', () => {
    const [named, alike] = feed([encode('event: first\nevent: ping\ndata: {}\n\ndatas: x\neventful: y\n\n')])
    expect([named?.event, named?.data]).toEqual(['ping', '{}'])
    expect([alike?.event, alike?.data]).toEqual([undefined, undefined])
  })

  test('only one space after the colon is taken away', () => {
    expect(dataOf(feed([encode('data:  a \n\n')]))).toEqual([' a '])
  })

  test('the last event without its blank line is read and marked', () => {
    for (const end of ['', '\n', '\r', '\r\n']) {
      const [frame] = feed([encode(`data: a${end}`)])
      expect([frame?.data, frame?.unfinished]).toEqual(['a', true])
    }
    expect(feed([encode('data: a\n\n')])[0]?.unfinished).toBe(false)
  })
})

describe('when a frame goes out', () => {
  const frames = (splitter: ReturnType<typeof createSseSplitter>, text: string) => splitter.push(encode(text)).length

  test('at once, whatever ends its lines', () => {
    for (const end of ['\n', '\r', '\r\n']) expect(frames(createSseSplitter(), `data: a${end}${end}`)).toBe(1)
  })

  test('a lone CR does not wait for the next chunk', () => {
    const splitter = createSseSplitter()
    expect(frames(splitter, 'data: a\r\r')).toBe(1)
    expect(frames(splitter, 'data: b\r\r')).toBe(1)
  })

  test('in a CRLF stream the LF stays with its CR', () => {
    const splitter = createSseSplitter()
    expect(frames(splitter, 'data: a\r\n\r')).toBe(0)
    expect(decode(splitter.push(encode('\ndata: b'))[0]?.raw ?? new Uint8Array())).toBe('data: a\r\n\r\n')
  })

  test('an LF that comes too late leads the next frame and means nothing', () => {
    const splitter = createSseSplitter()
    expect(frames(splitter, 'data: a\n\r')).toBe(1)
    const [late] = splitter.push(encode('\ndata: b\n\n'))
    expect([late?.data, decode(late?.raw ?? new Uint8Array())]).toEqual(['b', '\ndata: b\n\n'])
  })
})

test('the bytes of all frames are the bytes of the stream, for any line ends and any cuts', () => {
  for (let seed = 1; seed <= 600; seed++) {
    const random = seeded(seed)
    const piece = () =>
      random.pick(['data: x', 'data:', ':c', 'event: e', '\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n', '日', '🎉', '\ufeff', 'id: 1'])
    const text = Array.from({ length: random.below(60) }, piece).join('')
    const bytes = Buffer.concat([encode(text), Uint8Array.of(0xff, 0x80).subarray(random.below(3))])
    const whole = feed([bytes])
    const cut = feed(random.cut(bytes, 1 + random.below(8)))
    expect({ seed, raw: rawOf(cut), data: dataOf(cut) }).toEqual({ seed, raw: hex(bytes), data: dataOf(whole) })
    expect({ seed, raw: rawOf(whole) }).toEqual({ seed, raw: hex(bytes) })
  }
})

test('known events are taken only where an event begins, and what follows is read as before', () => {
  const known = 'data: k\n\n'
  const endOf = (text: string, from: number) => (text.startsWith(known, from) ? from + known.length : undefined)
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed)
    const piece = () => random.pick([known, known, 'data: x', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '日', '\ufeff', ': c\n\n'])
    const bytes = encode(Array.from({ length: random.below(40) }, piece).join(''))
    const cutter = createSseSplitter()
    const seen: string[] = []
    const chunks = random.cut(bytes, 1 + random.below(6))
    for (const chunk of chunks) {
      cutter.feed(chunk)
      for (;;) {
        const run = eventsTaken(cutter, endOf)
        const raw = run ? run.chunk.subarray(run.start, run.end) : cutter.next()?.raw
        if (!raw) break
        seen.push(decode(raw))
      }
    }
    for (const { raw } of cutter.end()) seen.push(decode(raw))
    expect({ seed, seen }).toEqual({ seed, seen: feed(chunks).map(({ raw }) => decode(raw)) })
  }
})

describe('size', () => {
  test('T04: 3 MB in pieces of 64 kB, and in tiny ones, in linear time', () => {
    const event = encode(`data: {"image":"${'A'.repeat(3_000_000)}"}\n\n`)
    for (const size of [65536, 7]) {
      const chunks = Array.from({ length: Math.ceil(event.length / size) }, (_, i) => event.subarray(i * size, (i + 1) * size))
      const start = threadNow()
      const [frame] = feed(chunks)
      expect(frame?.data?.length).toBe(3_000_012)
      // Quadratic time would be minutes; a busy machine may take seconds.
      expect(threadNow() - start).toBeLessThan(10_000)
    }
  })

  test('many lines in one event, with CR, take linear time', () => {
    const event = encode(`${'data: x\r'.repeat(300_000)}\r`)
    const start = threadNow()
    expect(feed([event])[0]?.data?.length).toBe(599_999)
    expect(threadNow() - start).toBeLessThan(2000)
  })

  test.each(['\n', '\r\n', '\r'])('lines of any length, ended by %j, are read as they are', (end) => {
    for (const length of [0, 1, 200, 255, 256, 257, 511, 768, 769, 5000]) {
      const [first, second] = ['a'.repeat(length), 'b'.repeat(300)]
      const lines = [`event: ${first}`, `data:${first}`, `: ${second}`, 'event: end', `data: ${second}`, `data: ${first}`, '', '']
      const [frame] = feed([encode(lines.join(end))])
      expect([frame?.event, frame?.data]).toEqual(['end', `${first}\n${second}\n${first}`])
    }
  })

  test('long lines that end in CR alone take linear time', () => {
    const cost = (lines: number) => {
      const bytes = encode(`${`data: ${'a'.repeat(600)}\r`.repeat(lines)}\r`)
      const start = threadNow()
      expect(feed([bytes])[0]?.data?.length).toBe(lines * 601 - 1)
      return threadNow() - start
    }
    cost(1000)
    expect(cost(16_000)).toBeLessThan(Math.max(64 * cost(1000), 400))
  })

  test('a frame at the limit passes, one byte more is an upstream error, in one chunk or many', () => {
    const event = (size: number) => encode(`data: ${'x'.repeat(size - 8)}\n\n`)
    for (const cut of [(bytes: Uint8Array) => [bytes], oneByOne]) {
      expect(feed(cut(event(1000)), 1000)).toHaveLength(1)
      expect(() => feed(cut(event(1001)), 1000)).toThrow(expect.objectContaining({ code: 'upstream_error' }))
    }
  })

  test('the limit is 64 MiB, so that a few large pictures fit', () => {
    const splitter = createSseSplitter()
    expect(splitter.push(new Uint8Array(64 * 1024 * 1024).fill(0x61))).toEqual([])
    expect(() => splitter.push(Uint8Array.of(0x61))).toThrow(expect.objectContaining({ code: 'upstream_error' }))
  })
})
