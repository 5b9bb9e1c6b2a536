/** Usage as the OpenAI family reports it (prompt and completion tokens), and the estimate that stands in for it. */
import { type Gauge, roughly, type Scale } from '#canonical/gauge'
import { noUsage, type Usage } from '#canonical/usage'
import { isObject } from '#wire/json-scan'

/** What was delivered so far, in bytes; text and reasoning do not overlap. */
export interface Delivered {
  text: number
  reasoning: number
  /** Gets every text that is measured. */
  hear?: Gauge['hear'] | undefined
}

/** A usage object that can be believed, with what had been delivered when it came. */
export interface Reading {
  usage: Omit<Usage, 'raw'>
  raw: Record<string, unknown>
  delivered: Delivered
}

/** More tokens than any request can have; larger figures are not believed. */
const absurd = 1e9

/**
 * OpenAI's arithmetic: prompt tokens include cached, cache-written, audio and image ones, completion tokens include
 * reasoning. The kinds always add up to the prompt. Undefined when a figure is missing, negative, no integer or absurd.
 */
export function readUsage(raw: unknown, delivered: Delivered): Reading | undefined {
  if (!isObject(raw)) return undefined
  const prompt = count(raw.prompt_tokens)
  const completion = count(raw.completion_tokens ?? 0)
  if (prompt === undefined || completion === undefined || prompt + completion === 0) return undefined

  const inputs = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const outputs = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const usage = noUsage()
  const input = share(prompt)
  usage.in.cacheRead = input.take(inputs.cached_tokens)
  usage.in.cacheWrite.other = input.take(inputs.cache_write_tokens)
  usage.in.audio = input.take(inputs.audio_tokens)
  usage.in.image = input.take(inputs.image_tokens)
  usage.in.fresh = input.rest()

  // Some upstreams count reasoning beside the completion; their total gives it away.
  const reasoning = count(outputs.reasoning_tokens) ?? 0
  const beside = reasoning > 0 && raw.total_tokens === prompt + completion + reasoning
  usage.out.total = beside ? completion + reasoning : completion
  const output = share(usage.out.total)
  usage.out.reasoning = output.take(outputs.reasoning_tokens)
  usage.out.audio = output.take(outputs.audio_tokens)
  usage.out.image = output.take(outputs.image_tokens)
  usage.provenance = 'provider'
  return { usage, raw, delivered: { ...delivered } }
}

/** Parts taken from a whole; none is negative and together they never exceed it. */
function share(whole: number) {
  let left = whole
  return {
    take(part: unknown): number {
      const taken = Math.min(left, count(part) ?? 0)
      left -= taken
      return taken
    },
    rest: () => left,
  }
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 && value <= absurd ? value : undefined
}

/** The later of two cumulative readings; one that claims less than the earlier is not believed. */
export function later(before: Reading | undefined, after: Reading | undefined): Reading | undefined {
  if (!before || !after) return after ?? before
  return after.usage.out.total < before.usage.out.total || prompt(after) < prompt(before) ? before : after
}

function prompt({ usage }: Reading): number {
  return usage.in.fresh + usage.in.cacheRead + usage.in.cacheWrite.other + usage.in.audio + usage.in.image
}

/**
 * The usage to charge: what the upstream said; more than that when text came after it said so (`partial`); what the scale
 * makes of it when it said nothing, or nothing that fits an answer that was delivered.
 */
export function settleUsage(reading: Reading | undefined, delivered: Delivered, inputBytes: number, scale: Scale = roughly): Usage {
  const before = reading?.delivered ?? { text: 0, reasoning: 0 }
  const rest = { text: delivered.text - before.text, reasoning: delivered.reasoning - before.reasoning }
  const isEmpty = reading?.usage.out.total === 0 && before.text + before.reasoning > 0
  if (!reading || isEmpty) return estimate(delivered, inputBytes, scale)

  const usage: Usage = { ...structuredClone(reading.usage), raw: bounded(reading.raw) }
  if (rest.text + rest.reasoning > 0) {
    usage.out.total += scale.output(rest.text + rest.reasoning)
    usage.out.reasoning += scale.output(rest.reasoning)
    usage.provenance = 'partial'
  }
  return usage
}

function estimate(delivered: Delivered, inputBytes: number, scale: Scale): Usage {
  const usage = noUsage()
  usage.in.fresh = scale.input(inputBytes)
  usage.out.total = scale.output(delivered.text + delivered.reasoning)
  usage.out.reasoning = scale.output(delivered.reasoning)
  return usage
}

/** OpenAI's arithmetic the other way: the prompt is the sum of its kinds. What is not known is left out. */
export function writeUsage({ in: input, out: output }: Usage): Record<string, unknown> {
  const written = input.cacheWrite['5m'] + input.cacheWrite['1h'] + input.cacheWrite.other
  const promptTokens = input.fresh + input.cacheRead + written + input.audio + input.image
  return {
    prompt_tokens: promptTokens,
    completion_tokens: output.total,
    total_tokens: promptTokens + output.total,
    prompt_tokens_details: {
      cached_tokens: input.cacheRead,
      cache_write_tokens: written,
      ...(input.audio > 0 && { audio_tokens: input.audio }),
      ...(input.image > 0 && { image_tokens: input.image }),
    },
    completion_tokens_details: {
      ...(output.reasoning > 0 && { reasoning_tokens: output.reasoning }),
      ...(output.audio > 0 && { audio_tokens: output.audio }),
      ...(output.image > 0 && { image_tokens: output.image }),
    },
  }
}

/** The log keeps the upstream's own object, but not one of a size or depth that no usage has. */
export function bounded(raw: Record<string, unknown>): unknown {
  try {
    return JSON.stringify(raw).length <= 4096 ? raw : null
  } catch {
    return null
  }
}
