/**
 * What an answer brought, counted as it passes, and the one rule for what is charged: the upstream's figures as far as it gave
 * them and they can be; what they leave out is counted here. Nothing that was said is kept.
 */
import { roughly, type Scale, type TokenEstimator } from './token-estimator.ts'
import { noUsage, promptOf, type Usage } from './usage.ts'

/** So much has been delivered; no kind holds another. */
export interface Delivered {
  /** Bytes of words, and of the names and arguments of calls. */
  text: number
  /** Bytes. */
  reasoning: number
  /** Bytes of text that is told beside the text, as probabilities tell it: counts as far as there is more of it than of text. */
  echoed: number
  /** Tokens. */
  sound: number
  /** Pieces. */
  images: number
  /** Gets every text that is measured. */
  hear?: TokenEstimator['observe'] | undefined
}

/** What an upstream said of its usage, with what had been delivered when it said so. An output of zero says nothing of the output. */
export interface Told {
  usage: Usage
  delivered: Delivered
}

export const nothingDelivered = (hear?: TokenEstimator['observe']): Delivered => ({
  text: 0,
  reasoning: 0,
  echoed: 0,
  sound: 0,
  images: 0,
  hear,
})

/** What Google charges for a picture that a model made; others are of its order. */
const tokensOfImage = 1290

/** OpenAI counts twenty for a second of what a model says. */
const spokenTokens = 20
/** Bytes of a second of sound by its type, as vendors make it. */
const soundRates: readonly [type: RegExp, second: number][] = [
  [/mpeg|mp3|aac|mp4/i, 16_000],
  [/opus|ogg|basic/i, 8_000],
  [/flac/i, 28_000],
]
/** 24 kHz, 16 bits. */
const plainSound = 48_000

/** Tokens of sound in base64. Unknown type = samples of 16 bits, 24,000 a second. */
export function soundTokens(base64: string, type = ''): number {
  const second = soundRates.find(([name]) => name.test(type))?.[1] ?? plainSound
  return (base64.length * 3 * spokenTokens) / (4 * second)
}

/** Counts a text and lets it be heard; bytes. */
export function textBytes(text: unknown, { hear }: Pick<Delivered, 'hear'>): number {
  if (typeof text !== 'string') return 0
  hear?.(text)
  return Buffer.byteLength(text)
}

/** The later of two running totals: the last word holds, unless it leaves out a side that the earlier one names. */
export function later(before: Told | undefined, after: Told | undefined): Told | undefined {
  if (!before || !after) return after ?? before
  const leavesOut = (side: (usage: Usage) => number) => side(after.usage) === 0 && side(before.usage) > 0
  return leavesOut(promptOf) || leavesOut(({ out }) => out.total) ? before : after
}

export interface Settling {
  /** Of the request; 0 = its tokens are somebody else's to count. */
  inputBytes: number
  /** Absent = roughly. */
  scale?: Scale | undefined
  /** The upstream has said all that it had to say: its last figures are of the whole answer. */
  isOver: boolean
}

/**
 * The usage to charge. Told nothing, or nothing that can be: counted here (`estimated`). A side that was left out although
 * something went in or came out, and what came after the figures, is counted and added; of an answer that broke off no less is
 * charged than what had come of it (`partial`).
 */
export function settled(told: Told | undefined, delivered: Delivered, { inputBytes, scale = roughly, isOver }: Settling): Usage {
  if (!told || scale.isPlausible?.(told.usage) === false) return counted(delivered, inputBytes, scale)
  const usage: Usage = { ...told.usage, in: { ...told.usage.in }, out: { ...told.usage.out }, units: { ...told.usage.units } }
  const before = usage.out.total === 0 ? nothingDelivered() : told.delivered
  const added = addOut(usage, outOf(since(before, delivered), scale))
  const raised = !isOver && raiseOut(usage, outOf(delivered, scale))
  const filled = promptOf(usage) === 0 && inputBytes > 0
  if (filled) usage.in.fresh = scale.input(inputBytes)
  if (added || raised || filled) usage.provenance = 'partial'
  return usage
}

/** All of it counted here. */
function counted(delivered: Delivered, inputBytes: number, scale: Scale): Usage {
  const usage = noUsage()
  usage.in.fresh = scale.input(inputBytes)
  usage.out = outOf(delivered, scale)
  return usage
}

function outOf({ text, reasoning, echoed, sound, images }: Delivered, scale: Scale): Usage['out'] {
  const [audio, image] = [Math.ceil(sound), images * tokensOfImage]
  const total = scale.output(Math.max(text, echoed) + reasoning) + audio + image
  return { total, reasoning: scale.output(reasoning), audio, image }
}

const since = (before: Delivered, now: Delivered): Delivered => ({
  text: Math.max(now.text, now.echoed) - Math.max(before.text, before.echoed),
  reasoning: now.reasoning - before.reasoning,
  echoed: 0,
  sound: now.sound - before.sound,
  images: now.images - before.images,
})

function addOut({ out }: Usage, more: Usage['out']): boolean {
  for (const kind of ['total', 'reasoning', 'audio', 'image'] as const) out[kind] += more[kind]
  return more.total > 0
}

function raiseOut(usage: Usage, least: Usage['out']): boolean {
  if (least.total <= usage.out.total) return false
  usage.out = least
  return true
}
