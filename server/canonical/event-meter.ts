/** The usage of an answer that is converted to events: the same rule as for passthrough (`delivered.ts`). Stores numbers only. */
import type { TakeText } from './codec.ts'
import type { ConversationEvent, Delta, PartHead } from './conversation-event.ts'
import { type Delivered, nothingDelivered, type ReportedUsage, settled, soundTokens, textBytes } from './delivered.ts'
import type { Scale, TextListener } from './token-estimator.ts'
import { noUsage, type Usage } from './usage.ts'

/** Counts the events of one answer. */
export interface EventMeter {
  /** Takes the events of one upstream frame, or of a whole answer. */
  add(events: readonly ConversationEvent[]): void
  /** Takes further texts of an open part, instead of `add`. */
  texts(choice: number, at: number): TakeText
  used(inputBytes: number, scale: Scale): Usage
}

/** A meter; `listener` gets every text. */
export function eventMeter(listener: TextListener): EventMeter {
  const delivered = nothingDelivered(listener)
  const open = new Map<string, PartHead>()
  const unfinished = new Set<number>()
  let hasFinished = false
  let reported: ReportedUsage | undefined
  /** As counted by a codec without figures of the upstream. */
  let searches = 0

  function note(event: ConversationEvent): void {
    switch (event.kind) {
      case 'start':
        if (event.usage) setUsage(event.usage)
        break
      case 'open':
        unfinished.add(event.choice)
        open.set(`${event.choice}/${event.at}`, event.part)
        addHead(event.part, delivered)
        break
      case 'delta':
        addDelta(event.delta, open.get(`${event.choice}/${event.at}`), delivered)
        break
      case 'close':
        open.delete(`${event.choice}/${event.at}`)
        break
      case 'usage':
        setUsage(event.usage)
        break
      case 'finish':
        unfinished.delete(event.choice)
        hasFinished = true
        break
      case 'end':
      case 'error':
        break
    }
  }

  /**
   * A codec that got only input figures estimates the output, and one without any does not know the input: both are estimated here
   * instead.
   */
  function setUsage(usage: Usage): void {
    if (usage.provenance === 'estimated') searches = usage.units.searches
    else if (usage.provenance === 'provider') reported = { usage, delivered }
    else reported = { usage: { ...usage, out: reported?.usage.out ?? noUsage().out }, delivered: reported?.delivered ?? nothingDelivered() }
  }

  return {
    add(events) {
      const before = { ...delivered }
      for (const event of events) note(event)
      if (reported?.delivered === delivered) reported.delivered = { ...delivered }
      // Events that a reader held back until the end had arrived before the figures.
      else if (reported && events.some(({ kind }) => kind === 'end')) reported.delivered = plus(reported.delivered, before, delivered)
    },
    texts(choice, at) {
      const kind = kindOf(open.get(`${choice}/${at}`))
      return (text, bytes) => {
        delivered[kind] += bytes
        listener.addText(text, bytes)
      }
    },
    used(inputBytes, scale) {
      const usage = settled(reported, delivered, { inputBytes, scale, isOver: hasFinished && unfinished.size === 0 })
      if (usage.provenance === 'estimated') usage.units.searches = searches
      return usage
    },
  }
}

function addHead(part: PartHead, delivered: Delivered): void {
  if (part.kind === 'call') delivered.text += textBytes(part.name, delivered)
  else if (part.kind === 'media' && part.media === 'image') delivered.images += 1
}

const kindOf = (part: PartHead | undefined) => (part?.kind === 'reasoning' ? 'reasoning' : 'text')

function addDelta(delta: Delta, part: PartHead | undefined, delivered: Delivered): void {
  if ('text' in delta) delivered[kindOf(part)] += textBytes(delta.text, delivered)
  else if ('logprobs' in delta) for (const { token } of delta.logprobs) delivered.echoed += textBytes(token, delivered)
  else if ('data' in delta && part?.kind === 'media' && part.media === 'audio') delivered.sound += soundTokens(delta.data, part.mimeType)
}

/** `sum` plus the difference between two moments. */
function plus(sum: Delivered, from: Delivered, to: Delivered): Delivered {
  const all = { ...sum }
  for (const kind of ['text', 'reasoning', 'echoed', 'sound', 'images'] as const) all[kind] += to[kind] - from[kind]
  return all
}
