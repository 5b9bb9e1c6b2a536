/**
 * Usage as Gemini reports it (usageMetadata), both ways. Google's arithmetic: the prompt includes cache reads but not the input from its
 * own tools; candidates exclude thoughts.
 */
import {
  type Delivered as Brought,
  nothingDelivered as nothingBrought,
  type ReportedUsage,
  type Settling,
  settled,
} from '#canonical/delivered'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { type Body, numeric, pick, pickObjects } from './proto-json.ts'

/** What was delivered so far, with the number of searches. */
export interface Delivered extends Brought {
  searches: number
}

/** Counters at zero; `listener` gets every delivered text. */
export const nothingDelivered = (listener?: Delivered['listener']): Delivered => ({ ...nothingBrought(listener), searches: 0 })

/** More tokens than any request can have; larger figures are implausible. */
const absurd = 1e9
/**
 * The figures of one usageMetadata; each is a running total. The kinds always add up to the prompt. Undefined when a figure
 * is implausible (negative, not an integer, enormous) or when there is none. Zeros are left out by proto3 JSON, so absence is zero.
 */
export function readUsage(raw: unknown, delivered: Delivered): ReportedUsage | undefined {
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

  // Some upstreams count thoughts among the candidates; their total reveals it.
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

/** Splits a whole into parts that are never negative and never exceed it together. */
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

/** The uncached part of one modality. */
function freshOf(raw: Body, kind: string): number {
  const all = modality(raw, 'promptTokensDetails', kind) + modality(raw, 'toolUsePromptTokensDetails', kind)
  return Math.max(0, all - modality(raw, 'cacheTokensDetails', kind))
}

/** The usage to charge, with the searches that were made. */
export function settleUsage(reported: ReportedUsage | undefined, delivered: Delivered, settling: Settling): Usage {
  const usage = settled(reported, delivered, settling)
  usage.units.searches = delivered.searches
  return usage
}

/** The usage row keeps the upstream's own object, unless it is larger or deeper than any real usage. */
function bounded(raw: Body): unknown {
  try {
    return JSON.stringify(raw).length <= 4096 ? raw : null
  } catch {
    return null
  }
}

/** Usage in Google's arithmetic. Cache writes are part of the prompt; zeros are left out except for totals. */
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
