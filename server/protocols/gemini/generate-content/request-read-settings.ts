/** `generationConfig` and the service tier, as far as they have a canonical equivalent; other fields keep their names. */
import type { ConversationRequest, Effort, Output, ReasoningSettings, Sampling } from '#canonical/conversation'
import { type Fields, invalidField, readBody } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { GeminiGenerationConfig, GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { type Body, camel, protoRules } from '../proto-json.ts'
import { readSchema } from '../schema.ts'

type Config = Fields<GeminiGenerationConfig>

const int32 = 2 ** 31 - 1

/** The requested settings of an answer. */
export interface Settings {
  output: Output
  sampling: Sampling
  reasoning: ReasoningSettings
  /** Fields of `generationConfig` that only this dialect has, by their full name. */
  extensions: Body
  /** Canonical fields as the caller spells them. */
  paths: Record<string, string>
}

/** Throws GatewayError 400 with the field's path. */
export function readSettings(body: Fields<GenerateContentRequest>): Settings {
  const config = body.object('generationConfig') ?? readBody<GeminiGenerationConfig>({}, protoRules, 'generationConfig').fields
  const extensions: Body = {}
  const output = readOutput(config, extensions)
  const sampling = readSampling(config)
  const reasoning = readReasoning(config, extensions)
  for (const [name, value] of Object.entries(config.rest())) extensions[`generationConfig.${camel(name)}`] = value
  const paths = Object.fromEntries(Object.entries(places).map(([field, name]) => [field, config.pathOf(name)]))
  return { output, sampling, reasoning, extensions, paths }
}

/** Canonical fields, and their names in `generationConfig`. */
const places = {
  'output.stop': 'stopSequences',
  'output.n': 'candidateCount',
  'output.maxTokens': 'maxOutputTokens',
  'output.modalities': 'responseModalities',
  'output.logprobs': 'responseLogprobs',
  'output.format': 'responseMimeType',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'topP',
  'sampling.topK': 'topK',
  reasoning: 'thinkingConfig',
} as const

function readOutput(config: Config, extensions: Body): Output {
  const maxTokens = config.integer('maxOutputTokens', 1)
  const logprobs = config.flag('responseLogprobs') === true ? (config.integer('logprobs', 0, 20) ?? 0) : undefined
  // Meaningless unless log probabilities are requested.
  config.ignore('logprobs')
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    format: readFormat(config, extensions),
    modalities: readModalities(config, extensions),
    stop: config.texts('stopSequences').filter((sequence) => sequence !== ''),
    n: config.integer('candidateCount', 1, 8) ?? 1,
    ...(logprobs !== undefined && { logprobs }),
  }
}

function readFormat(config: Config, extensions: Body): Output['format'] {
  const mimeType = config.text('responseMimeType') ?? 'text/plain'
  const older = exact(config.object('responseSchema')?.whole())
  const [newer, earlier] = [exact(config.json('responseJsonSchema')), exact(config.json('_responseJsonSchema'))]
  const full = newer ?? earlier
  if (full !== undefined && !isObject(full)) throw invalidField(config.pathOf('responseJsonSchema'), 'an object')
  const schema = full ?? (older && readSchema(older))
  if (mimeType === 'application/json') return schema ? { kind: 'schema', schema } : { kind: 'json' }
  // `text/x.enum`, one value of a list as plain text: no other dialect has it.
  if (mimeType !== 'text/plain') {
    extensions['generationConfig.responseMimeType'] = mimeType
    if (older) extensions['generationConfig.responseSchema'] = older
  }
  return { kind: 'text' }
}

function readModalities(config: Config, extensions: Body): Output['modalities'] {
  const asked = config.texts('responseModalities').map((word) => word.toUpperCase())
  // Only this dialect can request an answer without text.
  if (asked.length > 0 && !asked.includes('TEXT')) extensions['generationConfig.responseModalities'] = asked
  return [...(asked.includes('AUDIO') ? (['audio'] as const) : []), ...(asked.includes('IMAGE') ? (['image'] as const) : [])]
}

function readSampling(config: Config): Sampling {
  const given = {
    temperature: config.number('temperature', 0, 2),
    topP: config.number('topP', 0, 1),
    topK: config.number('topK', 0, 1e6),
    frequencyPenalty: config.number('frequencyPenalty', -2, 2),
    presencePenalty: config.number('presencePenalty', -2, 2),
    seed: config.integer('seed', -int32 - 1, int32),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const efforts: Readonly<Record<string, Effort>> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high', XHIGH: 'xhigh' }

function readReasoning(config: Config, extensions: Body): ReasoningSettings {
  const thinking = config.object('thinkingConfig')
  if (!thinking) return { visible: 'none' }
  const budget = thinking.integer('thinkingBudget', -1)
  const level = thinking.text('thinkingLevel') ?? ''
  const effort = efforts[level.toUpperCase()]
  if (effort === undefined && level !== '' && !isUnspecified(level)) extensions['generationConfig.thinkingConfig.thinkingLevel'] = level
  return {
    ...(effort !== undefined && { effort }),
    ...(budget !== undefined && { budget }),
    visible: thinking.flag('includeThoughts') === true ? 'summary' : 'none',
  }
}

const tiers: Readonly<Record<string, NonNullable<ConversationRequest['tier']>>> = {
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
}

/** Whether this is the empty value of an enumeration. */
export const isUnspecified = (word: string): boolean => /^(?:\w+_)?unspecified$/i.test(word)

/** `serviceTier`; undefined if it is unspecified or unknown. */
export function readTier(body: Fields<GenerateContentRequest>): ConversationRequest['tier'] {
  const word = (body.textIf('serviceTier') ?? '').toLowerCase().replace(/^service_tier_/, '')
  return Object.hasOwn(tiers, word) ? tiers[word] : undefined
}
