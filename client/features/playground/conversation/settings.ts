/**
 * The generation parameters of a conversation, as data. Every parameter has a switch: off means that its field is absent
 * from the request, whatever its value. Ranges and first values are the product's; the model's own limit may be lower.
 */
import type { ModelRow } from '#shared/console/model'

export const sliderNames = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty', 'maxTokens'] as const
export type SliderName = (typeof sliderNames)[number]

export interface Range {
  min: number
  max: number
  step: number
  /** Value when it is first switched on. */
  first: number
  /** Where the drawn part of the slider begins. */
  origin: number
}

const ranges: Record<SliderName, Range> = {
  temperature: { min: 0, max: 2, step: 0.01, first: 1, origin: 0 },
  topP: { min: 0, max: 1, step: 0.01, first: 1, origin: 0 },
  frequencyPenalty: { min: -2, max: 2, step: 0.01, first: 0, origin: 0 },
  presencePenalty: { min: -2, max: 2, step: 0.01, first: 0, origin: 0 },
  maxTokens: { min: 1, max: 128_000, step: 1, first: 4096, origin: 1 },
}

/** The range of a parameter for a model: Max tokens ends at the model's limit, Temperature at 1 where only Messages is spoken. */
export function rangeOf(name: SliderName, model: ModelRow | undefined): Range {
  const range = ranges[name]
  if (name === 'maxTokens' && model?.maxOutputTokens) {
    return { ...range, max: model.maxOutputTokens, first: Math.min(range.first, model.maxOutputTokens) }
  }
  if (name === 'temperature' && model && model.dialects.length > 0 && model.dialects.every((dialect) => dialect === 'messages')) {
    return { ...range, max: 1 }
  }
  return range
}

/** The field that carries a parameter. */
export const fieldOf: Record<SliderName, string> = {
  temperature: 'temperature',
  topP: 'top_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  maxTokens: 'max_tokens',
}

export const efforts = ['minimal', 'low', 'medium', 'high'] as const
export type Effort = (typeof efforts)[number]

export interface Switched<Value> {
  on: boolean
  value: Value
}

export interface Settings {
  temperature: Switched<number>
  topP: Switched<number>
  frequencyPenalty: Switched<number>
  presencePenalty: Switched<number>
  maxTokens: Switched<number>
  stream: boolean
  system: string
  effort: Effort | null
  seed: number | null
  /** At most four. */
  stop: string[]
  output: 'text' | 'json' | 'schema'
  /** JSON Schema text, used when `output` is `schema`. */
  schema: string
  /** JSON text: an array of tool definitions; empty for none. */
  tools: string
}

export function defaultSettings(): Settings {
  const off = (name: SliderName): Switched<number> => ({ on: false, value: ranges[name].first })
  return {
    temperature: off('temperature'),
    topP: off('topP'),
    frequencyPenalty: off('frequencyPenalty'),
    presencePenalty: off('presencePenalty'),
    maxTokens: off('maxTokens'),
    stream: true,
    system: '',
    effort: null,
    seed: null,
    stop: [],
    output: 'text',
    schema: '',
    tools: '',
  }
}

/** What was typed, brought into range and onto the step; `corrected` when it had to be. Undefined when it is no number. */
export function readNumber(typed: string, range: Range): { value: number; corrected: boolean } | undefined {
  const text = typed.trim().replace(',', '.')
  if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(text)) return undefined
  const asked = Number(text)
  const value = clamp(asked, range)
  return { value, corrected: value !== asked }
}

/** The nearest value that the range allows. */
export function clamp(value: number, range: Range): number {
  const inside = Math.min(Math.max(value, range.min), range.max)
  const steps = Math.round((inside - range.min) / range.step)
  return Number((range.min + steps * range.step).toFixed(range.step < 1 ? 2 : 0))
}

/** True when the model says that it refuses this parameter. */
export function isRefused(name: SliderName, model: ModelRow | undefined): boolean {
  const said = model?.capabilities[fieldOf[name]]
  const sampling = name !== 'maxTokens' && model?.capabilities.sampling === false
  return said === false || sampling
}
