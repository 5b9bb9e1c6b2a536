/**
 * The generation parameters of a conversation, as data. Each parameter has a switch: off means that its field is absent from
 * the request, whatever its value. The model's own limits may narrow the ranges.
 */
import type { ModelRow } from '#shared/console/model'

/** Parameters that have a slider, in the order of the panel. */
export const sliderNames = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty', 'maxTokens'] as const
/** Name of a parameter with a slider. */
export type SliderName = (typeof sliderNames)[number]

/** The range of a parameter. */
export interface Range {
  min: number
  max: number
  step: number
  /** The value when it is switched on for the first time. */
  first: number
  /** Where the filled part of the slider begins. */
  origin: number
}

const ranges: Record<SliderName, Range> = {
  temperature: { min: 0, max: 2, step: 0.01, first: 1, origin: 0 },
  topP: { min: 0, max: 1, step: 0.01, first: 1, origin: 0 },
  frequencyPenalty: { min: -2, max: 2, step: 0.01, first: 0, origin: 0 },
  presencePenalty: { min: -2, max: 2, step: 0.01, first: 0, origin: 0 },
  maxTokens: { min: 1, max: 128_000, step: 1, first: 4096, origin: 1 },
}

/**
 * The range of a parameter for a model: Max tokens ends at the model's limit, and Temperature at 1 for models that support only
 * Messages.
 */
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

/** The request field of each parameter. */
export const fieldOf: Record<SliderName, string> = {
  temperature: 'temperature',
  topP: 'top_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  maxTokens: 'max_tokens',
}

/** Levels of reasoning effort. */
export const efforts = ['minimal', 'low', 'medium', 'high'] as const
/** A level of reasoning effort. */
export type Effort = (typeof efforts)[number]

/** A value with its switch. */
export interface Switched<Value> {
  on: boolean
  value: Value
}

/** All generation parameters of a conversation. Stored: names must not change. */
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
  /** Id of the team that pays; absent = the user. */
  team?: string | undefined
}

/** Settings with everything switched off, streaming on. */
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

/** Typed text as a number within `range` and on its step; `corrected` when it had to be changed. Undefined when it is not a number. */
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

/** Whether the model is known to refuse this parameter. */
export function isRefused(name: SliderName, model: ModelRow | undefined): boolean {
  return name !== 'maxTokens' && model?.capabilities.samplingRefused === true
}
