import { expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { eventsTaken } from '#testing/events-taken'
import { seeded } from '#testing/seeded'
import { bytewise } from '#wire/bytewise'
import { responsesMeter } from './stream-meter.ts'

let number = 0
const event = (type: string, more: object) => ({ type: `response.${type}`, sequence_number: number++, ...more })
const at = (index: number) => ({ item_id: `item_${index}`, output_index: index, content_index: 0 })
const words = ['Hello', ' world', 'é\u{1F600}', 'a"b', 'c\\d\n', 'x'.repeat(2_000), ' the', ' end']
const filled = (delta: string) => ({ delta, logprobs: [], obfuscation: 'aB3'.repeat(delta.length % 5) })

const events = [
  event('created', { response: { id: 'resp_1', model: 'upstream-model', status: 'in_progress', output: [] } }),
  event('output_item.added', { output_index: 0, item: { type: 'reasoning', id: 'item_0', summary: [] } }),
  ...words.map((delta) => event('reasoning_summary_text.delta', { item_id: 'item_0', output_index: 0, summary_index: 0, delta })),
  event('output_item.added', { output_index: 1, item: { type: 'message', id: 'item_1', content: [] } }),
  ...words.map((delta) => event('output_text.delta', { ...at(1), ...filled(delta) })),
  event('output_text.delta', { ...at(1), delta: 'with odds', logprobs: [{ token: 'with', logprob: -1 }] }),
  ...words.map((delta) => event('output_text.delta', { ...at(1), ...filled(delta) })),
  event('output_item.added', { output_index: 2, item: { type: 'function_call', id: 'item_2', name: 'f', arguments: '' } }),
  ...words.map((delta) => event('function_call_arguments.delta', { item_id: 'item_2', output_index: 2, delta })),
]

/** With `differing` no event is like another in the bytes around its text. */
const streamOf = (differing: boolean) =>
  events.map((each, n) => `event: ${each.type}\ndata: ${JSON.stringify(each)}${' '.repeat(differing ? n : 0)}\n\n`).join('')

function outcome(stream: Uint8Array, { chunks = [stream], most = 0 }: { chunks?: readonly Uint8Array[]; most?: number } = {}) {
  const heard: string[] = []
  const meter = responsesMeter({ model: 'asked' }, { addText: (text) => void heard.push(text) })
  const cutter = createSseSplitter({ bytewise })
  const out: Buffer[] = []
  let together = 0
  for (const chunk of chunks) {
    cutter.feed(chunk)
    for (;;) {
      const run = most > 0 ? eventsTaken(cutter, (text, from) => meter.pass?.(text, from, most)?.end) : undefined
      const frame = run ? undefined : cutter.next()
      if (!run && !frame) break
      if (run) together += 1
      const bytes = run ? run.chunk.subarray(run.start, run.end) : frame && meter.push(frame).out
      if (bytes) out.push(Buffer.from(bytes))
    }
  }
  const failure = Buffer.from(meter.failure?.(new GatewayError('upstream_error', 'It broke.')) ?? []).toString()
  return { heard: heard.join(''), out: Buffer.concat(out).toString(), together, failure, usage: meter.usage(100), end: meter.end() }
}

test('deltas that are like the one before count as all others, one by one and together, however they arrive', () => {
  const { out: _, together: none, ...differing } = outcome(Buffer.from(streamOf(true)))
  expect(none).toBe(0)
  expect(differing.failure).toContain(`"sequence_number":${events.length}`)
  const stream = Buffer.from(streamOf(false))
  const expected = streamOf(false).replace('"upstream-model"', '"asked"')
  const { together: alone, ...single } = outcome(stream)
  expect({ ...single, alone }).toEqual({ ...differing, out: expected, alone: 0 })
  for (let seed = 1; seed <= 40; seed++) {
    const { together, ...seen } = outcome(stream, {
      chunks: seed === 1 ? [stream] : seeded(seed).cut(stream, seed),
      most: [1, 10, 100_000][seed % 3] ?? 1,
    })
    expect({ seed, ...seen }).toEqual({ seed, ...differing, out: expected })
    if (seed === 1) expect(together).toBeGreaterThan(3)
  }
})

test('deltas with nothing but text are parsed once', () => {
  const { parse } = JSON
  let count = 0
  JSON.parse = (...given) => {
    count += 1
    return parse(...given)
  }
  try {
    const meter = responsesMeter({})
    const lines = Array.from({ length: 200 }, (_, n) => event('output_text.delta', { ...at(0), ...filled(`word ${n}`) }))
    const stream = lines.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('')
    for (const frame of createSseSplitter().push(Buffer.from(stream))) expect(meter.push(frame).meaningful).toBe(true)
    expect(count).toBe(2)
  } finally {
    JSON.parse = parse
  }
})
