import { describe, expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { GatewayError } from '#shared/errors'
import type { Frame } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { createEventStreamSplitter } from './event-stream.ts'

/** Written from the documentation, apart from the reader: type 7 is text. */
function message(headers: Record<string, string>, payload: string): Buffer {
  const parts = Object.entries(headers).flatMap(([name, value]) => {
    const size = Buffer.alloc(2)
    size.writeUInt16BE(Buffer.byteLength(value))
    return [Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]
  })
  return rawMessage(Buffer.concat(parts), Buffer.from(payload))
}

function rawMessage(head: Buffer, body: Buffer): Buffer {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + head.length + body.length, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const open = Buffer.concat([prelude, head, body])
  const end = Buffer.alloc(4)
  end.writeUInt32BE(crc32(open))
  return Buffer.concat([open, end])
}

const event = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' }
const wrapped = (json: string) => JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p: 'abcdefgh' })
const chunk = (json: string) => message(event, wrapped(json))
const exception = (type: string) => message({ ':message-type': 'exception', ':exception-type': type }, '{"message":"account 123"}')

const text = (frame: Frame) => Buffer.from(frame.raw).toString()

function read(pieces: Iterable<Uint8Array>, options?: { maxFrameBytes: number }): string[] {
  const splitter = createEventStreamSplitter(options)
  const frames = [...pieces].flatMap((piece) => splitter.push(piece))
  return [...frames, ...splitter.end()].map(text)
}

/** The frames before the error, and the error. */
function readUntilFault(pieces: readonly Uint8Array[]): { frames: string[]; fault: unknown } {
  const splitter = createEventStreamSplitter()
  const frames: string[] = []
  try {
    for (const piece of pieces) frames.push(...splitter.push(piece).map(text))
    splitter.end()
    return { frames, fault: undefined }
  } catch (fault) {
    return { frames, fault }
  }
}

test('CRC-32 of the usual check value, in one piece and in two', () => {
  const bytes = Buffer.from('123456789')
  expect(crc32(bytes)).toBe(0xcbf43926)
  expect(crc32(bytes.subarray(4), crc32(bytes.subarray(0, 4)))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array(0))).toBe(0)
})

test('the published vector of an empty message, which is no event', () => {
  expect(read([Buffer.from('000000100000000005c248eb7d98c8ff', 'hex')])).toEqual([])
})

const start = '{"type":"message_start","message":{"usage":{"input_tokens":3}}}'
const delta = '{"type":"content_block_delta","delta":{"text":"hé\\n☃"}}'

describe('events', () => {
  test('become the server-sent events of the dialect inside', () => {
    expect(read([chunk(start), chunk(delta)])).toEqual([
      `event: message_start\ndata: ${start}\n\n`,
      `event: content_block_delta\ndata: ${delta}\n\n`,
    ])
    const [frame] = createEventStreamSplitter().push(chunk(start))
    expect(frame).toMatchObject({ event: 'message_start', data: start })
  })

  test('pretty-printed JSON is one line of data', () => {
    expect(read([chunk('{\n  "type": "ping"\r\n}')])).toEqual(['event: ping\ndata: {   "type": "ping" }\n\n'])
  })

  test('a type that would break the frame names no event', () => {
    const odd = JSON.stringify({ type: 'a\n\ndata: {}' })
    expect(read([chunk(odd)])).toEqual([`data: ${odd}\n\n`])
    expect(read([chunk('{"type":5}')])).toEqual(['data: {"type":5}\n\n'])
  })

  test('headers of every type are passed over', () => {
    const others = [
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 4],
      [5, 8],
      [8, 8],
      [9, 16],
    ].map(([type = 0, size = 0]) => Buffer.from([1, 0x78, type, ...new Array<number>(size).fill(7)]))
    const bytes = Buffer.from([1, 0x79, 6, 0, 2, 9, 9])
    const last = Buffer.concat([Buffer.from([13]), Buffer.from(':message-type'), Buffer.from([7, 0, 5]), Buffer.from('event')])
    expect(read([rawMessage(Buffer.concat([...others, bytes, last]), Buffer.from(wrapped('{"type":"ping"}')))])).toHaveLength(1)
  })

  test('what carries no event is no frame', () => {
    expect(read([message(event, '{}'), message({ ':message-type': 'other' }, 'x'), message(event, '[]')])).toEqual([])
  })
})

test('any chunking gives the same frames, in linear time', () => {
  const stream = Buffer.concat(Array.from({ length: 200 }, (_, index) => chunk(`{"type":"ping","n":${index}}`)))
  const whole = read([stream])
  expect(whole).toHaveLength(200)
  for (let seed = 1; seed <= 30; seed++) expect(read(seeded(seed).cut(stream, seed))).toEqual(whole)
  expect(read(Array.from(stream, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  const large = chunk(JSON.stringify({ type: 'x', text: 'a'.repeat(1_000_000) }))
  const started = threadNow()
  expect(read(seeded(7).cut(large, 8))).toHaveLength(1)
  // Measured at 0.1 s; quadratic work would take minutes.
  expect(threadNow() - started).toBeLessThan(2500)
})

describe('damage', () => {
  const good = chunk(start)

  test('one flipped bit anywhere is found, and what came before it is still answered', () => {
    const bad = chunk(delta)
    for (let at = 0; at < bad.length; at++) {
      const flipped = Buffer.from(bad)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      for (const pieces of [[good, flipped], [Buffer.concat([good, flipped])]]) {
        const { frames, fault } = readUntilFault(pieces)
        expect(frames).toEqual([`event: message_start\ndata: ${start}\n\n`])
        expect(fault).toBeInstanceOf(GatewayError)
        expect(fault).toMatchObject({ code: 'upstream_error' })
      }
    }
  })

  test('a wrong length is found before anything waits for that many bytes', () => {
    for (let bit = 0; bit < 12 * 8; bit++) {
      const prelude = Buffer.from(good.subarray(0, 12))
      prelude[bit >> 3] = (prelude[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => createEventStreamSplitter().push(prelude)).toThrow('corrupt')
    }
  })

  test('a stream that ends inside a message did not end', () => {
    for (const cut of [1, 11, 12, 15, good.length - 1]) {
      expect(readUntilFault([good, good.subarray(0, cut)])).toMatchObject({
        frames: [text(frameOf(good))],
        fault: { code: 'upstream_error' },
      })
    }
  })

  test('after a fault nothing is read any more', () => {
    const splitter = createEventStreamSplitter()
    expect(splitter.push(Buffer.concat([good, exception('internalServerException')]))).toHaveLength(1)
    expect(() => splitter.push(good)).toThrow(GatewayError)
    expect(() => splitter.end()).toThrow(GatewayError)
  })

  test('lengths that cannot be, with right checksums', () => {
    const lengths = (total: number, headers: number) => {
      const prelude = Buffer.alloc(12)
      prelude.writeUInt32BE(total, 0)
      prelude.writeUInt32BE(headers, 4)
      prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
      return prelude
    }
    for (const [total, headers] of [
      [0, 0],
      [15, 0],
      [20, 5],
      [16, 0xffffffff],
      [0xffffffff, 0],
    ] as const) {
      expect(readUntilFault([lengths(total, headers)]).fault).toMatchObject({ code: 'upstream_error' })
    }
  })

  test('headers that run out of their bytes, or of an unknown type', () => {
    for (const head of [[200, 1], [1, 0x78, 7, 0, 9, 1], [1, 0x78, 42], [1]]) {
      expect(readUntilFault([rawMessage(Buffer.from(head), Buffer.alloc(0))]).fault).toMatchObject({ code: 'upstream_error' })
    }
  })

  test('payloads that are no JSON, outside and inside', () => {
    for (const bad of [message(event, '<html>'), chunk('not json'), chunk('')]) {
      expect(readUntilFault([bad]).fault).toMatchObject({ code: 'upstream_error' })
    }
  })

  test('an event over the limit is refused from its first twelve bytes', () => {
    const splitter = createEventStreamSplitter({ maxFrameBytes: 100 })
    expect(() => splitter.push(chunk(delta).subarray(0, 12))).toThrow('larger')
    expect(read([good], { maxFrameBytes: good.length })).toHaveLength(1)
  })

  test('random bytes end in a refusal and nothing else', () => {
    const random = seeded(11)
    for (let round = 0; round < 300; round++) {
      const bytes = Uint8Array.from({ length: 12 + random.below(60) }, () => random.below(256))
      expect(readUntilFault([bytes]).fault).toBeInstanceOf(GatewayError)
    }
  })
})

function frameOf(bytes: Uint8Array): Frame {
  const [frame] = createEventStreamSplitter().push(bytes)
  if (!frame) throw new Error('no frame')
  return frame
}

test.each([
  ['throttlingException', 'upstream_rate_limited'],
  ['modelTimeoutException', 'upstream_timeout'],
  ['validationException', 'upstream_rejected'],
  ['internalServerException', 'upstream_error'],
  ['modelStreamErrorException', 'upstream_error'],
  ['constructor', 'upstream_error'],
])('%s ends the stream as %s and is not repeated', (type, code) => {
  const { frames, fault } = readUntilFault([chunk(start), exception(type)])
  expect(frames).toHaveLength(1)
  expect(fault).toMatchObject({ code })
  expect((fault as Error).message).not.toContain('123')
})
