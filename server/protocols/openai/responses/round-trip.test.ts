/** Random canonical streams, written and read again under random chunks, are the same within what the dialect can say. */
import { expect, test } from 'bun:test'
import type { CallPart, ConversationEvent, Delta, FinishReason, Part, PartHead } from '#canonical/conversation'
import { noUsage, type Usage } from '#canonical/usage'
import { createSseSplitter } from '#shared/sse'
import { type Seeded, seeded } from '#testing/seeded'
import { responsesCodec as codec } from './codec.ts'

let fresh = 0
const pen = { now: () => 1_764_000_000_000, id: (prefix: string) => `${prefix}${++fresh}` }
const asked = codec.readRequest('{"model":"m","input":"x"}')

/** What the generator made, so that a kind it never makes fails the test. */
const made = new Map<string, number>()
const note = (what: string) => made.set(what, (made.get(what) ?? 0) + 1)

const words = ['a', 'Hello ', '日本🎉', '"quoted"\n', '{"x":', '\\u0000', ' ', 'data: x\n\n'] as const
const text = (dice: Seeded) => dice.pick(words)

function head(dice: Seeded, at: number): PartHead {
  const callId = `call_${at}`
  return dice.pick<PartHead>([
    { kind: 'text' },
    { kind: 'text', phase: dice.pick(['commentary', 'final_answer']) },
    { kind: 'refusal' },
    { kind: 'reasoning', form: dice.pick(['summary', 'full', 'hidden']) },
    { kind: 'call', callId, name: 'f', form: 'json' },
    { kind: 'call', callId, name: 'g', form: 'text', namespace: 'ns' },
    { kind: 'media', media: 'image', mimeType: 'image/png' },
    {
      kind: 'native',
      dialect: 'responses',
      raw: { type: 'web_search_call', id: `ws_${at}`, status: 'completed', action: { type: 'search' } },
    },
    { kind: 'native', dialect: 'responses', raw: { type: 'brand_new', id: `x_${at}` } },
  ])
}

/** What may come to a part; the first of it comes with its opening, for a part that never says anything is none. */
function delta(dice: Seeded, part: PartHead, isFirst: boolean): Delta[] {
  if (part.kind === 'native') return []
  if (part.kind === 'media') return isFirst ? [{ data: 'QUJD' }] : []
  if (part.kind === 'reasoning') {
    if (part.form === 'hidden') return isFirst ? [{ opaque: { dialect: 'responses', kind: 'encrypted', value: `E${dice.below(99)}` } }] : []
    return dice.below(3) === 0 && !isFirst ? [{ segment: true }, { text: text(dice) }] : [{ text: text(dice) }]
  }
  if (part.kind !== 'text') return [{ text: text(dice) }]
  const kind = isFirst ? 0 : dice.below(6)
  if (kind === 1) return [{ citation: citation(dice.below(9)) }]
  if (kind !== 2) return [{ text: text(dice) }]
  return [{ logprobs: [{ token: 't', logprob: -1, bytes: [116], top: [{ token: 'u', logprob: -2, bytes: [] }] }] }, { text: 't' }]
}

const citation = (start: number) => {
  const raw = { type: 'url_citation', start_index: start, end_index: start + 1, url: 'https://a.example', title: 'A' }
  return { kind: 'web' as const, raw, url: raw.url, title: 'A', start, end: start + 1 }
}

function randomStream(dice: Seeded): ConversationEvent[] {
  const events: ConversationEvent[] = [{ kind: 'start', id: 'resp_1', model: 'm', created: 1_764_000_000 }]
  const open = new Map<number, PartHead>()
  const say = (at: number, deltas: Delta[]) => {
    for (const one of deltas) {
      note(`delta ${Object.keys(one).join()}`)
      events.push({ kind: 'delta', choice: 0, at, delta: one })
    }
  }
  const close = (at: number) => {
    open.delete(at)
    events.push({ kind: 'close', choice: 0, at })
  }
  for (let at = 0, steps = dice.below(40); steps > 0; steps--) {
    const [place, part] = dice.pick<[number, PartHead | undefined]>([[-1, undefined], ...open])
    if (!part || dice.below(4) === 0) {
      const opened = head(dice, at)
      note(`part ${opened.kind}${'form' in opened ? ` ${opened.form}` : ''}`)
      // Of what is said, one part is open at a time: the final object tells the order of items, not of openings.
      for (const [other, it] of open) if (it.kind !== 'call' || opened.kind !== 'call') close(other)
      events.push({ kind: 'open', choice: 0, at, part: opened })
      open.set(at, opened)
      say(at++, opened.kind === 'call' && dice.below(2) === 0 ? [] : delta(dice, opened, true))
    } else if (dice.below(3) === 0) close(place)
    else say(place, delta(dice, part, false))
  }
  for (const at of open.keys()) close(at)
  const usage = noUsage()
  Object.assign(usage.in, { fresh: 1 + dice.below(9), cacheRead: dice.below(9) })
  Object.assign(usage.out, { total: 5, reasoning: dice.below(5) })
  usage.in.cacheWrite.other = dice.below(9)
  usage.units.searches = events.filter((event) => event.kind === 'open' && JSON.stringify(event).includes('web_search_call')).length
  if (dice.below(2) === 0) events.push({ kind: 'usage', usage })
  const reason = dice.pick<FinishReason>(['stop', 'length', 'content-filter', 'paused'])
  note(`finish ${reason}`)
  events.push({ kind: 'finish', choice: 0, finish: { reason, raw: reason } }, { kind: 'end' })
  return events
}

/** A stream as the answer it amounts to. */
function gather(events: ConversationEvent[]) {
  const parts = new Map<number, Part & { logprobs?: unknown[] }>()
  let usage: Usage | undefined
  let reason: FinishReason | undefined
  for (const event of events) {
    if (event.kind === 'open') parts.set(event.at, begun(event.part))
    if (event.kind === 'delta') grow(parts.get(event.at)!, event.delta)
    if (event.kind === 'usage') usage = event.usage
    if (event.kind === 'finish') reason = event.finish.reason
  }
  const whole = [...parts.values()].map((part) => (part.kind === 'call' ? { ...part, argsText: argsOf(part) } : part))
  return { parts: whole, usage: usage && { ...usage, provenance: '', raw: null }, reason, last: events.at(-1)?.kind }
}

const argsOf = ({ form, argsText }: CallPart) => (form === 'json' && argsText === '' ? '{}' : argsText)

function begun(part: PartHead): Part {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { ...part, text: '' }
    case 'reasoning':
      return { ...part, text: [], opaque: [] }
    case 'call':
      return { ...part, argsText: '' }
    case 'media':
      return { ...part, source: { data: '' } }
    case 'native':
      return part
  }
}

function grow(part: Part & { logprobs?: unknown[] }, delta: Delta): void {
  if ('logprobs' in delta) part.logprobs = [...(part.logprobs ?? []), ...delta.logprobs]
  else if ('citation' in delta && part.kind === 'text') part.citations = [...(part.citations ?? []), delta.citation]
  else if ('opaque' in delta && part.kind === 'reasoning') part.opaque.push(delta.opaque)
  else if ('data' in delta && part.kind === 'media') part.source = { data: delta.data }
  else if ('segment' in delta && part.kind === 'reasoning') part.text.push('')
  else if ('text' in delta && part.kind === 'reasoning') part.text.push((part.text.pop() ?? '') + delta.text)
  else if ('text' in delta && part.kind === 'call') part.argsText += delta.text
  else if ('text' in delta && (part.kind === 'text' || part.kind === 'refusal')) part.text += delta.text
}

/** A finish that says no more than that there were calls or a refusal is told by the parts. */
function expected(answer: ReturnType<typeof gather>): ReturnType<typeof gather> {
  if (answer.reason !== 'stop') return answer
  const has = (kind: Part['kind']) => answer.parts.some((part) => part.kind === kind)
  return { ...answer, reason: has('call') ? 'tool-calls' : has('refusal') ? 'refusal' : 'stop' }
}

function readBack(bytes: Uint8Array, dice: Seeded): ConversationEvent[] {
  const splitter = createSseSplitter()
  const reader = codec.reader({ toolNames: {}, wrappedTools: [] }, pen)
  const pieces = dice.cut(bytes, dice.pick([1, 5, 60, 5000]))
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
}

/** Events of a whole answer, for the other half of the codec. */
function answerOf(events: ConversationEvent[]) {
  const { parts, usage, reason = 'stop' } = gather(events)
  const finish = { reason, raw: reason }
  const plain = parts.map((part) => Object.fromEntries(Object.entries(part).filter(([key]) => key !== 'logprobs')) as unknown as Part)
  return { id: 'resp_1', model: 'm', created: 5, choices: [{ index: 0, parts: plain, finish }], usage: { ...noUsage(), ...usage } as Usage }
}

test('300 streams', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const dice = seeded(seed)
    const events = randomStream(dice)
    const writer = codec.writer(asked, pen)
    const bytes = Buffer.concat(events.map((event) => writer.push(event)))
    const back = gather(readBack(bytes, dice))
    const wish = expected(gather(events))
    expect({ seed, ...back }).toEqual({ seed, ...wish })
  }
  const kinds = ['text', 'refusal', 'media', 'native', 'reasoning summary', 'reasoning full', 'reasoning hidden', 'call json', 'call text']
  const deltas = ['text', 'segment', 'citation', 'logprobs', 'opaque', 'data']
  const wanted = [
    ...kinds.map((kind) => `part ${kind}`),
    ...deltas.map((kind) => `delta ${kind}`),
    'finish stop',
    'finish length',
    'finish paused',
  ]
  console.info(`round trips: ${[...made].map(([what, count]) => `${what} ${count}`).join(', ')}`)
  expect(wanted.filter((what) => !made.has(what))).toEqual([])
})

test('300 whole answers', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const events = randomStream(seeded(seed))
    const answer = answerOf(events)
    const { body, losses } = codec.writeResponse(answer, asked, pen)
    const back = codec.readResponse(body, { toolNames: {}, wrappedTools: [] }, pen)
    expect({ seed, losses, parts: back.choices[0]?.parts }).toEqual({ seed, losses: [], parts: answer.choices[0]?.parts })
    expect(back.choices[0]?.finish.reason).toBe(expected(gather(events)).reason!)
  }
})
