/** Usage as the OpenAI family reports it (prompt and completion tokens), both ways. */
import type { Delivered, ReportedUsage } from '#canonical/delivered'
import type { LossList } from '#canonical/loss'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'

/** More tokens than any request can have; larger figures are not believed. */
const absurd = 1e9

/**
 * OpenAI's arithmetic: prompt tokens include cached, cache-written, audio and image ones, completion tokens include
 * reasoning. The kinds always add up to the prompt. Undefined when a figure is negative, no integer or absurd, or when there is none.
 */
export function readUsage(raw: unknown, delivered: Delivered): ReportedUsage | undefined {
  if (!isObject(raw)) return undefined
  const prompt = count(raw.prompt_tokens ?? 0)
  const completion = count(raw.completion_tokens ?? 0)
  if (prompt === undefined || completion === undefined || prompt + completion === 0) return undefined

  const inputs = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const outputs = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const usage = noUsage()
  const input = new Share(prompt)
  // Kimi reports it next to the prompt: platform.kimi.ai, "Automatic context caching".
  usage.in.cacheRead = input.take(inputs.cached_tokens ?? raw.cached_tokens)
  usage.in.cacheWrite.other = input.take(inputs.cache_write_tokens)
  usage.in.audio = input.take(inputs.audio_tokens)
  usage.in.image = input.take(inputs.image_tokens)
  usage.in.fresh = input.left

  // Some upstreams count reasoning separately from the completion; their total reveals it.
  const reasoning = count(outputs.reasoning_tokens) ?? 0
  const beside = reasoning > 0 && raw.total_tokens === prompt + completion + reasoning
  usage.out.total = beside ? completion + reasoning : completion
  const output = new Share(usage.out.total)
  usage.out.reasoning = output.take(outputs.reasoning_tokens)
  usage.out.audio = output.take(outputs.audio_tokens)
  usage.out.image = output.take(outputs.image_tokens)
  usage.provenance = 'provider'
  usage.raw = bounded(raw)
  return { usage, delivered: { ...delivered } }
}

const predictions = ['accepted_prediction_tokens', 'rejected_prediction_tokens']

/** Records how much of a predicted output was used, for which no other dialect has a figure. */
export function recordPredictions(raw: unknown, losses: LossList): void {
  const details = isObject(raw) ? raw.completion_tokens_details : undefined
  if (!isObject(details)) return
  for (const name of predictions)
    if (count(details[name]))
      losses.leftOut(`usage.completion_tokens_details.${name}`, 'They are included in the output total; the usage row has them.')
}

/** Parts taken from a whole; none is negative and together they never exceed it. */
class Share {
  /** The remaining tokens. */
  left: number

  constructor(whole: number) {
    this.left = whole
  }

  take(part: unknown): number {
    const taken = Math.min(this.left, count(part) ?? 0)
    this.left -= taken
    return taken
  }
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= 0 && value <= absurd ? value : undefined
}

/** OpenAI's arithmetic in reverse: the prompt is the sum of its kinds. Unknown figures are left out. */
export function writeUsage(usage: Usage): Record<string, unknown> {
  const { in: input, out: output } = usage
  const written = input.cacheWrite['5m'] + input.cacheWrite['1h'] + input.cacheWrite.other
  const promptTokens = promptOf(usage)
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

/** The usage row keeps the upstream's own object, unless it is larger or deeper than any real usage. */
export function bounded(raw: Record<string, unknown>): unknown {
  try {
    return JSON.stringify(raw).length <= 4096 ? raw : null
  } catch {
    return null
  }
}
