import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { conversation } from '#testing/conversions/conversation'
import { threadNow } from '#testing/thread-time'
import { messagesCodec as codec } from './codec.ts'

const codecContext = { now: () => 5000, id: (prefix: string) => `${prefix}fresh` }
const memo = { toolNames: {}, wrappedTools: [] }

test('T14: the keep-alive is a ping', () => {
  const [frame] = createSseSplitter().push(codec.keepalive)
  expect([frame?.event, frame?.data, frame?.unfinished]).toEqual(['ping', '{"type":"ping"}', false])
})

describe('nesting that no stack can hold', () => {
  const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`
  const block = `{"type":"tool_use","id":"x","name":"n","input":{"a":${deep}}}`
  const begin = 'event: message_start\ndata: {"type":"message_start","message":{}}\n\n'
  const stream = `${begin}event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":${block}}\n\nevent: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n`
  const frames = () => createSseSplitter().push(Buffer.from(stream))

  test('in a stream', () => {
    const meter = codec.meter({ model: 'asked' })
    const verdicts = frames().map((frame) => meter.push(frame))
    expect(verdicts.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
    // Its name.
    expect(meter.usage(4).out.total).toBe(1)
    const reader = codec.reader(memo, codecContext)
    expect(
      frames()
        .flatMap((frame) => reader.push(frame))
        .at(-1),
    ).toMatchObject({ kind: 'error', error: { code: 'upstream_error' } })
  })

  test('in a whole answer', () => {
    const body = `{"content":[${block}]}`
    expect(codec.readWhole(body, {}, 4).body).toContain(deep)
    expect(() => codec.readResponse(body, memo, codecContext)).toThrow(GatewayError)
  })

  test('in a request', () => {
    const raw = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[${block}]}]}`
    for (const read of [codec.readHead, codec.readRequest]) expect(() => read(raw)).toThrow(expect.objectContaining({ status: 400 }))
  })
})

test('speed: microseconds per event of an ordinary stream, passed through and converted', () => {
  const head =
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","model":"up","usage":{"input_tokens":10,"output_tokens":1}}}\n\n'
  const event =
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word"}}\n\n'
  const events = 200
  const bytes = Buffer.from(head + event.repeat(events))
  const best = (watch: () => (frame: ReturnType<ReturnType<typeof createSseSplitter>['push']>[number]) => void) => {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < 60; round++) {
      const start = threadNow()
      const splitter = createSseSplitter()
      const see = watch()
      for (let at = 0; at < bytes.length; at += 1400) for (const frame of splitter.push(bytes.subarray(at, at + 1400))) see(frame)
      least = Math.min(least, ((threadNow() - start) * 1000) / events)
    }
    return least
  }
  const passed = best(() => {
    const meter = codec.meter({ model: 'asked' })
    return (frame) => void meter.push(frame)
  })
  const converted = best(() => {
    const [reader, writer] = [codec.reader(memo, codecContext), codec.writer(conversation(), codecContext)]
    return (frame) => reader.push(frame).forEach((one) => void writer.push(one))
  })
  console.info(`messages stream, µs per event: passed ${passed.toFixed(2)}, read and written ${converted.toFixed(2)}`)
  expect(passed).toBeLessThan(60)
  expect(converted).toBeLessThan(160)
})
