/** Reading a chunk without parsing it has the same result as parsing it. */
import { expect, test } from 'bun:test'
import { createSseSplitter } from '#shared/sse'
import { eventsTaken } from '#testing/events-taken'
import { seeded } from '#testing/seeded'
import { measureMessage, textOnly } from './choice.ts'
import { chunkMeter } from './chunk-meter.ts'

const chunk = (delta: unknown, more: object = {}, choice: object = {}) =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null, ...choice }],
    ...more,
  })
const texts = ['Hello', ' world', '', 'a"b', 'c\\d', '\n', 'é\u{1F600}', 'index', 'content', 'x'.repeat(3000), '","role":"tool', '0']

const said = texts.map((content) => chunk({ content }))
const odd = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'a', tool_calls: [{ index: 0, function: { name: 'f', arguments: '{"content":"a"}' } }] }),
  chunk({ content: 'thought', reasoning_content: 'thought' }),
  chunk({ content: 'b', refusal: null }),
  chunk({ content: 'c', refusal: null }),
  chunk({ content: 'd' }, {}, { logprobs: { content: [{ token: 'd' }] } }),
  chunk({ content: 'e' }, { usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } }),
  chunk({ content: 'f' }, { error: null }),
  chunk({ content: 'g' }, {}, { index: 1 }),
  `: a comment`,
  chunk({ content: 'last' }, {}, { finish_reason: 'length' }),
  '[DONE]',
]
const lines = [...said, ...odd.slice(0, 4), ...said, ...odd.slice(4, 9), ...said, ...odd.slice(9)]
const stream = lines.map((line) => (line.startsWith(':') ? `${line}\n\n` : `data: ${line}\n\n`)).join('')

function outcome(reader: Parameters<typeof chunkMeter>[1], edits: Parameters<typeof chunkMeter>[0] = {}) {
  const heard: string[] = []
  const meter = chunkMeter(edits, reader, { addText: (text) => void heard.push(text) })
  const verdicts = createSseSplitter()
    .push(Buffer.from(stream))
    .map((frame) => {
      const verdict = meter.push(frame)
      return { ...verdict, out: verdict.out && Buffer.from(verdict.out).toString() }
    })
  return { heard, verdicts, end: meter.end(), usage: meter.usage(100) }
}

test.each([[{}], [{ model: 'n' }], [{ hideUsage: true }]])('a stream of many kinds of chunks, edits %j', (edits) => {
  expect(outcome({ measure: measureMessage, textOnly }, edits)).toEqual(outcome({ measure: measureMessage }, edits))
})

/** As the relay reads it: events that are like one before are taken together, as many as bring `most` bytes of text. */
function outcomeTogether(edits: Parameters<typeof chunkMeter>[0], chunks: readonly Uint8Array[], most: number) {
  const heard: string[] = []
  const meter = chunkMeter(edits, { measure: measureMessage, textOnly }, { addText: (text) => void heard.push(text) })
  const cutter = createSseSplitter()
  const out: string[] = []
  let together = 0
  for (const chunk of chunks) {
    cutter.feed(chunk)
    for (;;) {
      let passed: ReturnType<NonNullable<typeof meter.pass>>
      const run = eventsTaken(cutter, (text, from) => {
        passed = meter.pass?.(text, from, most)
        return passed?.end
      })
      const frame = run ? undefined : cutter.next()
      if (!run && !frame) break
      if (run) together += 1
      const bytes = run ? (passed?.out ?? run.chunk.subarray(run.start, run.end)) : frame && meter.push(frame).out
      if (bytes) out.push(Buffer.from(bytes).toString())
    }
  }
  return { heard, out: out.join(''), together, end: meter.end(), usage: meter.usage(100) }
}

test.each([[{}], [{ model: 'n' }], [{ hideUsage: true }]])('events taken together are those that are pushed, edits %j', (edits) => {
  const { heard, verdicts, end, usage } = outcome({ measure: measureMessage }, edits)
  const out = verdicts.map((verdict) => verdict.out ?? '').join('')
  const bytes = Buffer.from(stream)
  for (let seed = 0; seed < 60; seed++) {
    const chunks = seed === 0 ? [bytes] : seeded(seed).cut(bytes, seed)
    const { together, ...seen } = outcomeTogether(edits, chunks, [1, 10, 100_000][seed % 3] ?? 1)
    expect({ seed, ...seen }).toEqual({ seed, heard, out, end, usage })
  }
})

test('events are taken together until they brought as much as was asked for, at least one', () => {
  const plain = Array.from({ length: 50 }, (_, at) => `data: ${chunk({ content: `word ${at + 10}` })}\n\n`).join('')
  const runs = (most: number) => outcomeTogether({}, [Buffer.from(plain)], most).together
  // The first one is pushed; each of the others brings seven bytes.
  expect([runs(0), runs(7), runs(8), runs(70), runs(1_000)]).toEqual([49, 49, 25, 5, 1])
})

test('chunks with nothing but text are parsed once', () => {
  const parse = JSON.parse
  let count = 0
  JSON.parse = (...given) => {
    count += 1
    return parse(...given)
  }
  try {
    const meter = chunkMeter({}, { measure: measureMessage, textOnly })
    const plain = Array.from({ length: 200 }, (_, at) => `data: ${chunk({ content: `word ${at}` })}\n\n`).join('')
    for (const frame of createSseSplitter().push(Buffer.from(plain))) expect(meter.push(frame).meaningful).toBe(true)
    // The first one, and once more to be sure which string it is that changes.
    expect(count).toBe(2)
  } finally {
    JSON.parse = parse
  }
})

test('data over several lines is not taken for the same text on one', () => {
  const heard: string[] = []
  const meter = chunkMeter({}, { measure: measureMessage, textOnly }, { addText: (text) => void heard.push(text) })
  const [before, after] = chunk({ content: 'TEXT' }).split('"TEXT"')
  const usual = `data: ${before}\ndata: "one"${after}\n\n`
  // Its second line is not data, so only half an object is left.
  const odd = `data: ${before}\n"two"${after}\n\n`
  const [first, second] = createSseSplitter()
    .push(Buffer.from(usual + odd))
    .map((frame) => meter.push(frame))
  expect(first?.meaningful).toBe(true)
  expect(second?.error?.code).toBe('upstream_error')
  expect(heard).toEqual(['one'])
})
