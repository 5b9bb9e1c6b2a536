/**
 * Counts what an answer delivers as it passes, and decides what is charged: the upstream's figures as far as it reports plausible
 * ones; the rest is estimated here. No text is stored.
 */
import { roughly, type Scale, type TextListener } from './token-estimator.ts'
import { noUsage, promptOf, type Usage } from './usage.ts'

/** Amounts delivered; the kinds do not overlap. */
export interface Delivered {
  /** Bytes of text, and of names and arguments of calls. */
  text: number
  /** Bytes. */
  reasoning: number
  /** Bytes of text repeated next to the text, as in log probabilities: counts only as far as it exceeds the text. */
  echoed: number
  /** Tokens. */
  sound: number
  /** Pieces. */
  images: number
  /** Gets every text that is counted. */
  listener?: TextListener | undefined
}

/** Usage reported by an upstream, with what had been delivered at that time. An output of zero means that the output was not reported. */
export interface ReportedUsage {
  usage: Usage
  delivered: Delivered
}

/** Zero of everything. */
export const nothingDelivered = (listener?: TextListener): Delivered => ({
  text: 0,
  reasoning: 0,
  echoed: 0,
  sound: 0,
  images: 0,
  listener,
})

/** Tokens that Google charges for a generated image; others are similar. */
const tokensOfImage = 1290

/** Tokens per second of generated speech at OpenAI. */
const spokenTokens = 20
/** Bytes per second of audio by type, as vendors produce it. */
const soundRates: readonly [type: RegExp, second: number][] = [
  [/mpeg|mp3|aac|mp4/i, 16_000],
  [/opus|ogg|basic/i, 8_000],
  [/flac/i, 28_000],
]
/** 24 kHz, 16 bits. */
const plainSound = 48_000

/** Tokens of base64 audio. Unknown type = 16-bit samples at 24 kHz. */
export function soundTokens(base64: string, type = ''): number {
  const second = soundRates.find(([name]) => name.test(type))?.[1] ?? plainSound
  return (base64.length * 3 * spokenTokens) / (4 * second)
}

/** The bytes of a text, which is also passed to `listener`; 0 for anything else. */
export function textBytes(text: unknown, { listener }: Pick<Delivered, 'listener'>): number {
  if (typeof text !== 'string') return 0
  const bytes = Buffer.byteLength(text)
  listener?.addText(text, bytes)
  return bytes
}

/** The later of two running totals, side by side: input or output that the last one omits or puts at zero is the earlier one's. */
export function later(before: ReportedUsage | undefined, after: ReportedUsage | undefined): ReportedUsage | undefined {
  if (!before || !after) return after ?? before
  const lacksIn = promptOf(after.usage) === 0 && promptOf(before.usage) > 0
  const lacksOut = after.usage.out.total === 0 && before.usage.out.total > 0
  if (!lacksIn && !lacksOut) return after
  if (lacksIn && lacksOut) return before
  if (lacksIn) return { ...after, usage: { ...after.usage, in: before.usage.in } }
  // Output after its figures counts from then on.
  return { usage: { ...after.usage, out: before.usage.out }, delivered: before.delivered }
}

/** What `settled` needs. */
export interface Settling {
  /** Bytes of the request; 0 = its tokens are counted elsewhere. */
  inputBytes: number
  /** Absent = four bytes per token. */
  scale?: Scale | undefined
  /** True when the upstream's last figures cover the whole answer. */
  isOver: boolean
}

/**
 * The usage to charge. Missing or implausible figures: everything is estimated here (`estimated`). Input or output that the upstream
 * omitted, and output after its figures, is estimated and added; an interrupted answer is charged at least what was delivered (`partial`).
 */
export function settled(
  reported: ReportedUsage | undefined,
  delivered: Delivered,
  { inputBytes, scale = roughly, isOver }: Settling,
): Usage {
  if (!reported || scale.isPlausible?.(reported.usage) === false) return counted(delivered, inputBytes, scale)
  const usage: Usage = {
    ...reported.usage,
    in: { ...reported.usage.in },
    out: { ...reported.usage.out },
    units: { ...reported.usage.units },
  }
  const before = usage.out.total === 0 ? nothingDelivered() : reported.delivered
  const added = !isSame(before, delivered) && addOut(usage, outOf(since(before, delivered), scale))
  const raised = !isOver && raiseOut(usage, outOf(delivered, scale))
  const filled = promptOf(usage) === 0 && inputBytes > 0
  if (filled) usage.in.fresh = scale.input(inputBytes)
  if (added || raised || filled) usage.provenance = 'partial'
  return usage
}

/** Whether the tokens of the texts themselves are needed: figures of the upstream for a whole answer are missing or implausible. */
export const needsTexts = (reported: ReportedUsage | undefined, scale: Scale | undefined): boolean =>
  !reported || reported.usage.out.total === 0 || scale?.isPlausible?.(reported.usage) === false

/** Estimates everything here. */
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

const isSame = (one: Delivered, other: Delivered) =>
  one.text === other.text &&
  one.echoed === other.echoed &&
  one.reasoning === other.reasoning &&
  one.sound === other.sound &&
  one.images === other.images

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
