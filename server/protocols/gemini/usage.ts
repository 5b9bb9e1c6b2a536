/**
 * Usage as Gemini reports it (usageMetadata), the estimate that stands in for it, and the way back. Google's arithmetic: the
 * prompt includes what came from a cache but not what its own tools put in; candidates exclude thoughts.
 */
import { type Gauge, roughly, type Scale } from '#canonical/gauge'
import { noUsage, type Usage } from '#canonical/usage'
import { isObject } from '#wire/json-scan'
import { type Body, numeric, pick, pickObjects } from './proto-json.ts'

/** What was delivered so far: bytes of text and of thoughts, which do not overlap, pictures, and searches that were made. */
export interface Delivered {
  text: number
  reasoning: number
  images: number
  searches: number
  /** Gets every text that is measured. */
  hear?: Gauge['hear'] | undefined
}

/** A usage object that can be believed, with what had been delivered when it came. */
export interface Reading {
  usage: Usage
  delivered: Delivered
}

export const nothingDelivered = (hear?: Gauge['hear']): Delivered => ({ text: 0, reasoning: 0, images: 0, searches: 0, hear })

/** More tokens than any request can have; larger figures are not believed. */
const absurd = 1e9
/** What Google charges for a picture that a model made, where nobody says. */
const tokensOfImage = 1290

/**
 * The figures of one usageMetadata; each is a running total. The kinds always add up to the prompt. Undefined when a figure
 * is negative, no integer or absurd, or when there is none. Zeros are left out by proto3 JSON, so absence is zero.
 */
export function readUsage(raw: unknown, delivered: Delivered): Reading | undefined {
  if (!isObject(raw)) return undefined
  const prompt = count(raw, 'promptTokenCount')
  const fromTools = count(raw, 'toolUsePromptTokenCount')
  const candidates = count(raw, 'candidatesTokenCount')
  const thoughts = count(raw, 'thoughtsTokenCount')
  if (prompt === undefined || fromTools === undefined || candidates === undefined || thoughts === undefined) return undefined
  if (prompt + fromTools + candidates + thoughts === 0) return undefined

  const usage = noUsage()
  const input = share(prompt + fromTools)
  usage.in.cacheRead = input.take(count(raw, 'cachedContentTokenCount'))
  usage.in.audio = input.take(freshOf(raw, 'AUDIO'))
  usage.in.image = input.take(freshOf(raw, 'IMAGE'))
  usage.in.fresh = input.rest()

  // Some upstreams count thoughts among the candidates; their total gives it away.
  const within = thoughts > 0 && thoughts <= candidates && count(raw, 'totalTokenCount') === prompt + fromTools + candidates
  usage.out.total = within ? candidates : candidates + thoughts
  const output = share(usage.out.total)
  usage.out.reasoning = output.take(thoughts)
  usage.out.audio = output.take(modality(raw, 'candidatesTokensDetails', 'AUDIO'))
  usage.out.image = output.take(modality(raw, 'candidatesTokensDetails', 'IMAGE'))
  usage.units.searches = delivered.searches
  usage.provenance = 'provider'
  usage.raw = bounded(raw)
  return { usage, delivered: { ...delivered } }
}

/** Parts taken from a whole; none is negative and together they never exceed it. */
function share(whole: number) {
  let left = whole
  return {
    take(part: number | undefined): number {
      const taken = Math.min(left, part ?? 0)
      left -= taken
      return taken
    },
    rest: () => left,
  }
}

function count(raw: Body, name: string): number | undefined {
  const value = numeric(pick(raw, name) ?? 0)
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 && value <= absurd ? value : undefined
}

function modality(raw: Body, name: string, kind: string): number {
  let sum = 0
  for (const detail of pickObjects(raw, name)) if (detail.modality === kind) sum += count(detail, 'tokenCount') ?? 0
  return sum
}

/** Of one modality, what did not come from the cache. */
function freshOf(raw: Body, kind: string): number {
  const all = modality(raw, 'promptTokensDetails', kind) + modality(raw, 'toolUsePromptTokensDetails', kind)
  return Math.max(0, all - modality(raw, 'cacheTokensDetails', kind))
}

/** The later of two running totals; one that claims less than the earlier is not believed. */
export function later(before: Reading | undefined, after: Reading | undefined): Reading | undefined {
  if (!before || !after) return after ?? before
  return after.usage.out.total < before.usage.out.total || promptOf(after.usage) < promptOf(before.usage) ? before : after
}

function promptOf({ in: { fresh, cacheRead, cacheWrite, audio, image } }: Usage): number {
  return fresh + cacheRead + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other + audio + image
}

/**
 * The usage to charge: what the upstream said; more than that when text came that it had not counted (`partial`); what the
 * scale makes of it when it said nothing.
 */
export function settleUsage(reading: Reading | undefined, delivered: Delivered, inputBytes: number, scale: Scale = roughly): Usage {
  if (!reading) return estimate(delivered, inputBytes, scale)
  const usage = copied(reading.usage)
  usage.units.searches = delivered.searches
  // Early events of a stream name the prompt alone.
  const before = reading.usage.out.total === 0 ? nothingDelivered() : reading.delivered
  const rest = estimate(
    {
      text: delivered.text - before.text,
      reasoning: delivered.reasoning - before.reasoning,
      images: delivered.images - before.images,
      searches: 0,
    },
    0,
    scale,
  )
  if (rest.out.total > 0) {
    usage.out.total += rest.out.total
    usage.out.reasoning += rest.out.reasoning
    usage.out.image += rest.out.image
    usage.provenance = 'partial'
  }
  return usage
}

/** A stream asks at every event, so only what may change is copied. */
const copied = (usage: Usage): Usage => ({ ...usage, out: { ...usage.out }, units: { ...usage.units } })

function estimate({ text, reasoning, images, searches }: Delivered, inputBytes: number, scale: Scale): Usage {
  const usage = noUsage()
  usage.in.fresh = scale.input(inputBytes)
  usage.out.image = images * tokensOfImage
  usage.out.total = scale.output(text + reasoning) + usage.out.image
  usage.out.reasoning = scale.output(reasoning)
  usage.units.searches = searches
  return usage
}

/** The log keeps the upstream's own object, but not one of a size or depth that no usage has. */
function bounded(raw: Body): unknown {
  try {
    return JSON.stringify(raw).length <= 4096 ? raw : null
  } catch {
    return null
  }
}

/** Usage in Google's arithmetic. What was written to a cache is part of the prompt; zeros are left out but for the totals. */
export function writeUsage(usage: Usage): Body {
  const prompt = promptOf(usage)
  const { total, reasoning } = usage.out
  const some = (name: string, tokenCount: number) => (tokenCount > 0 ? { [name]: tokenCount } : {})
  return {
    promptTokenCount: prompt,
    ...some('cachedContentTokenCount', usage.in.cacheRead),
    candidatesTokenCount: total - reasoning,
    ...some('thoughtsTokenCount', reasoning),
    totalTokenCount: prompt + total,
    ...details('promptTokensDetails', prompt, usage.in),
    ...details('candidatesTokensDetails', total - reasoning, usage.out),
  }
}

function details(name: string, whole: number, { audio, image }: { audio: number; image: number }): Body {
  if (audio + image === 0) return {}
  const parts = { TEXT: whole - audio - image, AUDIO: audio, IMAGE: image }
  return { [name]: Object.entries(parts).flatMap(([kind, tokenCount]) => (tokenCount > 0 ? [{ modality: kind, tokenCount }] : [])) }
}
