/**
 * What this dialect can say survives being written and read again: streams of random parts, opened and grown in any order,
 * under any chunking; and whole answers. The generator prints what it made, and a kind that it never made fails the test.
 */
import { expect, test } from 'bun:test'
import type { ConversationEvent, Delta, FinishReason, Part, PartHead } from '#canonical/conversation'
import { noUsage } from '#canonical/usage'
import { createSseSplitter } from '#shared/sse'
import { conversation } from '#testing/conversation'
import { type Seeded, seeded } from '#testing/seeded'
import { messagesCodec as codec } from './codec.ts'

const pen = { now: () => 5000, id: (prefix: string) => `${prefix}fresh` }
const memo = { toolNames: {}, wrappedTools: [] }
const made = new Map<string, number>()
const count = (name: string) => made.set(name, (made.get(name) ?? 0) + 1)

const words = (dice: Seeded) =>
  dice.pick(['a', ' ', '日本🎉', '"quoted" \\ \n\n', 'data: x\n\nevent: error\n\n', '\u2028', 'x'.repeat(300), '\ufeff'])

/** A part with its head and its deltas, and the part that they come to. */
interface Draft {
  head: PartHead
  deltas: Delta[]
  part: Part
}

function draft(dice: Seeded, number: number): Draft {
  const kind = dice.pick(['text', 'cited', 'thought', 'sealed', 'redacted', 'call', 'empty-call', 'native'])
  count(kind)
  const texts = Array.from({ length: 1 + dice.below(4) }, () => words(dice))
  const grow: Delta[] = texts.map((text) => ({ text }))
  const opaque = (name: 'signature' | 'redacted') => ({ dialect: 'messages' as const, kind: name, value: `seal${number}` })
  switch (kind) {
    case 'text':
      return { head: { kind: 'text' }, deltas: grow, part: { kind: 'text', text: texts.join('') } }
    case 'cited': {
      const raw = { type: 'web_search_result_location', url: 'https://u.org', title: 'T', cited_text: 'c', encrypted_index: 'e' }
      const citation = {
        kind: 'web' as const,
        url: 'https://u.org',
        title: 'T',
        citedText: 'c',
        opaque: [{ dialect: 'messages' as const, kind: 'citation-index' as const, value: 'e' }],
        raw,
      }
      return {
        head: { kind: 'text' },
        deltas: [...grow, { citation }],
        part: { kind: 'text', text: texts.join(''), citations: [citation] },
      }
    }
    case 'thought':
      return {
        head: { kind: 'reasoning', form: 'full' },
        deltas: grow,
        part: { kind: 'reasoning', text: [texts.join('')], form: 'full', opaque: [] },
      }
    case 'sealed': {
      const seal = opaque('signature')
      const said = dice.below(3) > 0
      const part: Part = { kind: 'reasoning', text: said ? [texts.join('')] : [], form: 'full', opaque: [seal] }
      return { head: { kind: 'reasoning', form: 'full' }, deltas: [...(said ? grow : []), { opaque: seal }], part }
    }
    case 'redacted': {
      const seal = opaque('redacted')
      const part: Part = { kind: 'reasoning', text: [], form: 'hidden', opaque: [seal] }
      return { head: { kind: 'reasoning', form: 'hidden' }, deltas: [{ opaque: seal }], part }
    }
    case 'call': {
      const argsText = JSON.stringify({ text: texts.join(''), n: dice.below(1000), deep: [{ a: null }] })
      const cut = dice.below(argsText.length)
      const head = { kind: 'call' as const, callId: `call_${number}`, name: `tool-${number}`, form: 'json' as const }
      return { head, deltas: [{ text: argsText.slice(0, cut) }, { text: argsText.slice(cut) }], part: { ...head, argsText } }
    }
    case 'empty-call': {
      const head = { kind: 'call' as const, callId: `call_${number}`, name: 'now', form: 'json' as const }
      return { head, deltas: [], part: { ...head, argsText: '{}' } }
    }
    default: {
      const raw = { type: 'server_tool_use', id: `s${number}`, name: 'web_search', input: { query: texts.join('') } }
      return { head: { kind: 'native', dialect: 'messages', raw }, deltas: [], part: { kind: 'native', dialect: 'messages', raw } }
    }
  }
}

/** The events of `drafts`: opened in order, grown and closed as it comes. */
function shuffled(dice: Seeded, drafts: Draft[]): ConversationEvent[] {
  const events: ConversationEvent[] = []
  const open: { at: number; deltas: Delta[] }[] = []
  let next = 0
  while (next < drafts.length || open.length > 0) {
    const fresh = drafts[next]
    if (fresh && (open.length === 0 || dice.below(3) === 0)) {
      events.push({ kind: 'open', choice: 0, at: next, part: fresh.head })
      open.push({ at: next++, deltas: [...fresh.deltas] })
      continue
    }
    const place = dice.below(open.length)
    const part = open[place]
    const delta = part?.deltas.shift()
    if (part && delta) events.push({ kind: 'delta', choice: 0, at: part.at, delta })
    else if (part) {
      events.push({ kind: 'close', choice: 0, at: part.at })
      open.splice(place, 1)
    }
  }
  return events
}

/** The parts that a stream's events come to. */
function gathered(events: ConversationEvent[]): Part[] {
  const parts = new Map<number, Part>()
  for (const event of events) {
    if (event.kind === 'open') parts.set(event.at, begun(event.part))
    const part = event.kind === 'delta' ? parts.get(event.at) : undefined
    if (event.kind === 'delta' && part) grown(part, event.delta)
  }
  return [...parts.values()]
}

function begun(head: PartHead): Part {
  switch (head.kind) {
    case 'text':
    case 'refusal':
      return { kind: head.kind, text: '' }
    case 'reasoning':
      return { kind: 'reasoning', text: [], form: head.form, opaque: [] }
    case 'call':
      return { ...head, argsText: '' }
    case 'native':
      return head
    case 'media':
      throw new Error('no media in this dialect')
  }
}

function grown(part: Part, delta: Delta): void {
  if (part.kind === 'text' && 'citation' in delta) part.citations = [...(part.citations ?? []), delta.citation]
  if (part.kind === 'reasoning' && 'opaque' in delta) part.opaque.push(delta.opaque)
  if (!('text' in delta)) return
  if (part.kind === 'text') part.text += delta.text
  if (part.kind === 'call') part.argsText += delta.text
  if (part.kind === 'reasoning') part.text = [part.text.join('') + delta.text]
}

const reasons: [FinishReason, ...FinishReason[]] = [
  'stop',
  'stop-sequence',
  'tool-calls',
  'length',
  'context-full',
  'content-filter',
  'paused',
]

test('streams', () => {
  for (let seed = 1; seed <= 600; seed++) {
    const dice = seeded(seed)
    const drafts = Array.from({ length: dice.below(7) }, (_, number) => draft(dice, number))
    const hasCalls = drafts.some(({ head }) => head.kind === 'call')
    const reason = dice.pick(reasons)
    const finish = {
      reason: hasCalls && reason === 'stop' ? ('tool-calls' as const) : reason,
      raw: '',
      ...(reason === 'stop-sequence' && { stopSequence: 'END' }),
    }
    const usage = noUsage()
    usage.in.fresh = dice.below(100)
    usage.in.cacheRead = dice.below(100)
    usage.in.cacheWrite['5m'] = dice.below(50)
    usage.in.cacheWrite['1h'] = dice.below(50)
    usage.out.total = 100 + dice.below(100)
    usage.out.reasoning = dice.below(100)
    count(finish.reason)
    const events: ConversationEvent[] = [
      { kind: 'start', id: 'msg_1', model: 'asked', created: 5 },
      ...shuffled(dice, drafts),
      { kind: 'usage', usage },
      { kind: 'finish', choice: 0, finish },
      { kind: 'end' },
    ]
    const writer = codec.writer(conversation(), pen)
    const bytes = Buffer.concat(events.map((event) => writer.push(event)))
    const size = dice.pick([1, 5, 80, 4000])
    count(`chunks of ${size}`)
    const splitter = createSseSplitter()
    const reader = codec.reader(memo, pen)
    const frames = [...dice.cut(bytes, size).flatMap((piece) => splitter.push(piece)), ...splitter.end()]
    const again = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]

    expect({ seed, parts: gathered(again) }).toEqual({ seed, parts: drafts.map(({ part }) => part) })
    const told = again.findLast((event) => event.kind === 'usage')
    expect({ seed, told: told?.kind === 'usage' && { in: told.usage.in, out: told.usage.out } }).toEqual({
      seed,
      told: { in: usage.in, out: usage.out },
    })
    expect(again.find((event) => event.kind === 'finish')).toMatchObject({ finish: { ...finish, raw: expect.any(String) } })
    expect(again.at(-1)).toEqual({ kind: 'end' })
  }
  console.info(`round trip made: ${[...made].map(([name, times]) => `${name} ${times}`).join(', ')}`)
  const kinds = ['text', 'cited', 'thought', 'sealed', 'redacted', 'call', 'empty-call', 'native']
  const all = [...kinds, ...reasons, 'chunks of 1', 'chunks of 5', 'chunks of 80', 'chunks of 4000']
  expect(all.filter((name) => !made.has(name))).toEqual([])
})

test('whole answers', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const dice = seeded(seed)
    const parts = Array.from({ length: dice.below(7) }, (_, number) => draft(dice, number).part)
    const hasCalls = parts.some(({ kind }) => kind === 'call')
    const finish = { reason: hasCalls ? ('tool-calls' as const) : ('stop' as const), raw: '' }
    const usage = { ...noUsage(), provenance: 'provider' as const }
    usage.in.fresh = 1 + dice.below(100)
    const response = { id: 'msg_1', model: 'asked', created: 5, choices: [{ index: 0, parts, finish }], usage, tier: 'default' }
    const written = codec.writeResponse(response, conversation(), pen)
    const again = codec.readResponse(written.body, memo, pen)
    expect(written.losses).toEqual([])
    expect({ seed, ...again.choices[0], finish: undefined }).toEqual({ seed, index: 0, parts, finish: undefined })
    expect(again).toMatchObject({ id: 'msg_1', model: 'asked', created: 5, tier: 'default' })
    expect(again.choices[0]?.finish.reason).toBe(finish.reason)
    // A block that is delivered and not counted is counted here.
    expect(again.usage.in).toEqual(usage.in)
  }
})
