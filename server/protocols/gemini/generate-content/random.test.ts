/** Random answers, written and read back; and streams of garbage. */
import { expect, test } from 'bun:test'
import type { Memo, Pen } from '#canonical/codec'
import type { ConversationEvent, ConversationRequest, Delta, Finish, FinishReason, PartHead } from '#canonical/conversation'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { type Seeded, seeded } from '#testing/seeded'
import { createJsonArrayJoiner, createJsonArraySplitter } from '#wire/json-array'
import { geminiCodec as codec } from './codec.ts'
import { gathered } from './gather.ts'

const memo: Memo = { toolNames: {}, wrappedTools: [] }
const newPen = (): Pen => {
  let count = 0
  return { now: () => 5000, id: (prefix) => `${prefix}${++count}` }
}
const asked: ConversationRequest = {
  ...codec.readRequest('{"contents":[{"parts":[{"text":"x"}]}]}', 'asked:streamGenerateContent'),
  reasoning: { visible: 'summary' },
}
const texts = ['a', ' ', '日本', '🎉', '\n', '"\\', 'data: x\n\n', '</s>', 'long '.repeat(50)] as const
const reasons: Finish[] = (['stop', 'length', 'content-filter', 'refusal', 'paused', 'bad-tool-call'] as FinishReason[]).map((reason) => ({
  reason,
  raw: '',
}))
const kinds = ['text', 'reasoning', 'signed', 'hidden', 'call', 'media', 'native'] as const
type Kind = (typeof kinds)[number]

/** Parts that this dialect can say, one after the other; texts of one kind never stand side by side, where they would be one. */
function randomStream(dice: Seeded, made: Set<string>): ConversationEvent[] {
  const events: ConversationEvent[] = []
  const choices = 1 + dice.below(2)
  for (let choice = 0; choice < choices; choice++) {
    let before: Kind | undefined
    let hasCalls = false
    for (let at = 0, count = dice.below(6); at < count; at++) {
      const kind = dice.pick(kinds.filter((one) => !follows(one, before)) as [Kind])
      before = kind
      hasCalls ||= kind === 'call'
      made.add(kind)
      const [head, deltas] = randomPart(kind, dice, `${choice}_${at}`)
      events.push({ kind: 'open', choice, at, part: head }, ...deltas.map((delta) => ({ kind: 'delta' as const, choice, at, delta })), {
        kind: 'close',
        choice,
        at,
      })
    }
    const finish = dice.pick(reasons as [Finish])
    made.add(finish.reason)
    events.push({ kind: 'finish', choice, finish: hasCalls && finish.reason === 'stop' ? { reason: 'tool-calls', raw: '' } : finish })
  }
  const usage = noUsage()
  usage.provenance = 'provider'
  Object.assign(usage.in, { fresh: 1 + dice.below(100), cacheRead: dice.below(50), audio: dice.below(9) })
  const reasoning = dice.below(50)
  Object.assign(usage.out, { reasoning, total: reasoning + 1 + dice.below(100) })
  return [{ kind: 'start', id: 'r', model: 'up', created: 5 }, ...events, { kind: 'usage', usage }, { kind: 'end' }]
}

function follows(kind: Kind, before: Kind | undefined): boolean {
  const isThought = (one: Kind | undefined) => one === 'reasoning' || one === 'signed'
  if (kind === 'text') return before === 'text' || before === 'hidden'
  return isThought(kind) ? isThought(before) : kind === 'hidden' && before === 'reasoning'
}

function randomPart(kind: Kind, dice: Seeded, id: string): [PartHead, Delta[]] {
  const words = Array.from({ length: 1 + dice.below(4) }, () => ({ text: dice.pick(texts) }))
  const opaque: Delta = { opaque: { dialect: 'gemini', kind: 'thought-signature', value: `sig${dice.below(99)}` } }
  switch (kind) {
    case 'text':
      return [{ kind }, words]
    case 'reasoning':
      return [{ kind, form: 'summary' }, words]
    case 'signed':
      return [{ kind: 'reasoning', form: 'summary' }, [...words, opaque]]
    case 'hidden':
      return [{ kind: 'reasoning', form: 'hidden' }, [opaque]]
    case 'call':
      return [
        { kind, callId: id, name: dice.pick(['f', 'g']), form: 'json' },
        cut(JSON.stringify({ a: dice.pick(texts), b: [1, { c: null }] }), dice),
      ]
    case 'media':
      return [{ kind, media: 'image', mimeType: 'image/png' }, [{ data: 'iVBORw0KGgo=' }]]
    case 'native':
      return [{ kind, dialect: 'gemini', raw: { codeExecutionResult: { output: dice.pick(texts) } } }, []]
  }
}

function cut(text: string, dice: Seeded): Delta[] {
  const at = dice.below(text.length)
  return [{ text: text.slice(0, at) }, { text: text.slice(at) }]
}

function readBack(pieces: readonly Uint8Array[], splitter = createSseSplitter()): ConversationEvent[] {
  const reader = codec.reader(memo, newPen())
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
}

/** What was said, whoever counted how. Native parts carry a summary that the reader makes. */
function spoken(events: readonly ConversationEvent[]): unknown {
  const { choices, usage } = gathered(events)
  return JSON.parse(
    JSON.stringify({ choices, in: usage.in, out: usage.out }, (key, value) =>
      key === 'raw' && typeof value === 'string' ? '' : key === 'summary' ? undefined : value,
    ),
  )
}

/** Order as the contract of events has it. */
function expectOrder(events: readonly ConversationEvent[], seed: number): void {
  const open = new Set<string>()
  const used = new Set<string>()
  const finished = new Set<number>()
  for (const [index, event] of events.entries()) {
    const place = 'at' in event ? `${event.choice}/${event.at}` : ''
    const isLast = index === events.length - 1
    const fine = {
      start: index === 0,
      open: !used.has(place),
      delta: open.has(place),
      close: open.has(place),
      usage: true,
      finish: event.kind === 'finish' && !finished.has(event.choice) && ![...open].some((one) => one.startsWith(`${event.choice}/`)),
      end: isLast,
      error: isLast,
    }[event.kind]
    expect({
      seed,
      index,
      kind: event.kind,
      fine: fine && (index === 0 || event.kind !== 'start') && (event.kind === 'start' || event.kind === 'error' || index > 0),
    }).toEqual({ seed, index, kind: event.kind, fine: true })
    if (event.kind === 'open') used.add(place) && open.add(place)
    if (event.kind === 'close') open.delete(place)
    if (event.kind === 'finish') finished.add(event.choice)
  }
  expect({ seed, last: events.at(-1)?.kind === 'end' || events.at(-1)?.kind === 'error' }).toEqual({ seed, last: true })
}

test('400 random answers are the same after writing and reading, at any cut, in both framings', () => {
  const made = new Set<string>()
  for (let seed = 1; seed <= 400; seed++) {
    const dice = seeded(seed)
    const events = randomStream(dice, made)
    const writer = codec.writer(asked, newPen())
    const bytes = Buffer.concat(events.map((event) => writer.push(event)))
    const again = readBack(dice.cut(bytes, dice.pick([1, 7, 300])))
    expectOrder(again, seed)
    expect({ seed, said: spoken(again) }).toEqual({ seed, said: spoken(events) })

    const joiner = createJsonArrayJoiner()
    const array = Buffer.concat([...dice.cut(bytes, 50).map((piece) => joiner.push(piece)), joiner.end()])
    expect({ seed, list: Array.isArray(JSON.parse(array.toString())) }).toEqual({ seed, list: true })
    expect({ seed, said: spoken(readBack(dice.cut(array, 9), createJsonArraySplitter())) }).toEqual({ seed, said: spoken(events) })
  }
  expect([...made].sort()).toEqual([...kinds, ...reasons.map(({ reason }) => reason)].sort())
})

test('T13: a stream of nothing is an empty array, a failure its last element', () => {
  const joiner = createJsonArrayJoiner()
  const failure = codec.writer(asked, newPen()).push({ kind: 'error', error: new GatewayError('upstream_error', 'x') })
  const text = Buffer.concat([joiner.push(failure), joiner.end()]).toString()
  expect(JSON.parse(text)).toMatchObject([{ error: { code: 502 } }])
})

test('whatever an upstream sends, the order of events holds', () => {
  const odd: unknown[] = [null, 0, -1, 1e300, '', 'x', true, [], {}, [null], [[]], { ['__proto__']: 1 }, '\ud800', 'STOP', 'image/png']
  const names =
    `candidates content parts text thought thoughtSignature functionCall name args id partialArgs jsonPath stringValue willContinue inlineData mimeType data
    finishReason index usageMetadata promptTokenCount candidatesTokenCount promptFeedback blockReason groundingMetadata groundingChunks web uri groundingSupports segment
    startIndex endIndex groundingChunkIndices logprobsResult chosenCandidates responseId modelVersion`.split(/\s+/)
  for (let seed = 1; seed <= 3000; seed++) {
    const dice = seeded(seed)
    const value = (depth: number): unknown => {
      if (depth === 0 || dice.below(4) === 0) return odd[dice.below(odd.length)]
      if (dice.below(4) === 0) return [value(depth - 1), value(depth - 1)]
      return Object.fromEntries(Array.from({ length: 1 + dice.below(5) }, () => [names[dice.below(names.length)] ?? '', value(depth - 1)]))
    }
    const stream = Array.from({ length: dice.below(6) }, () => {
      const candidate = { content: { parts: [value(3), value(2)] }, index: value(0), ...(value(3) as object) }
      const body = dice.below(3) === 0 ? value(5) : { candidates: [candidate], ...(dice.below(3) === 0 && (value(2) as object)) }
      return `data: ${JSON.stringify(body)}\n\n`
    })
    const events = readBack([new TextEncoder().encode(stream.join(''))])
    expectOrder(events, seed)
    const writer = codec.writer(asked, newPen())
    for (const event of events) writer.push(event)
  }
})

test('T04: a picture of 3 MB takes linear time', () => {
  const data = 'A'.repeat(3_000_000)
  const start = performance.now()
  const bytes = new TextEncoder().encode(
    `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' }] })}\n\n`,
  )
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 65_536) pieces.push(bytes.subarray(at, at + 65_536))
  const events = readBack(pieces)
  expect(events.find((event) => event.kind === 'delta')).toMatchObject({ delta: { data } })
  expect(performance.now() - start).toBeLessThan(20_000)
})
