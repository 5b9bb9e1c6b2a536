/** Sampling parameters, which Chat and Completions spell alike. */
import type { Target } from '#canonical/codec'
import type { ConversationRequest, Sampling } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, writeFields } from '#protocols/codec/field-writers'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { isObject } from '#shared/json'
import type { SamplingFields } from '#shared/protocols/openai/tolerant'
import type { Body } from './fields.ts'

interface Writing {
  request: ConversationRequest
  target: Target
  losses: LossList
}

/** Throws GatewayError 400 with the field's name as `param`. */
export function readSampling(body: Fields<SamplingFields>): Sampling {
  const read = {
    temperature: body.number('temperature'),
    topP: body.number('top_p'),
    topK: body.number('top_k'),
    frequencyPenalty: body.number('frequency_penalty'),
    presencePenalty: body.number('presence_penalty'),
    seed: body.number('seed'),
    logitBias: readBias(body.json('logit_bias')),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

function readBias(bias: unknown): Record<string, number> | undefined {
  if (bias === undefined) return undefined
  const isMap = isObject(bias) && Object.values(bias).every((value) => typeof value === 'number')
  if (!isMap) throw invalidField('logit_bias', 'a map of token ids to numbers')
  return Object.keys(bias).length > 0 ? (bias as Record<string, number>) : undefined
}

/** Throws GatewayError `unsupported_value` for ids of tokens that belong to another model. */
export const writeSampling = (writing: Writing): Body => writeFields(writing.request.sampling, writers, writing)

const writers: FieldWriters<Sampling, Writing> = {
  temperature: (temperature, writing) => tuned('sampling.temperature', { temperature }, writing),
  topP: (top_p, writing, { temperature }) => {
    const { samplingRefused, topPWithTemperatureRefused } = writing.target.capabilities
    if (samplingRefused || !topPWithTemperatureRefused || temperature === undefined) return tuned('sampling.topP', { top_p }, writing)
    writing.losses.dropped('sampling.topP', 'This model takes a temperature or top_p, not both.')
    return undefined
  },
  topK: (top_k, { request, losses }) => {
    // Callers of this dialect set it for upstreams that support it.
    if (request.dialect === 'chat' || request.dialect === 'completions') return { top_k }
    losses.dropped('sampling.topK', 'The upstream has no such limit.')
    return undefined
  },
  frequencyPenalty: (frequency_penalty, writing) => tuned('sampling.frequencyPenalty', { frequency_penalty }, writing),
  presencePenalty: (presence_penalty, writing) => tuned('sampling.presencePenalty', { presence_penalty }, writing),
  seed: (seed) => ({ seed }),
  logitBias: (logit_bias, { request }) => {
    if (request.dialect === 'chat' || request.dialect === 'completions') return { logit_bias }
    throw cannotCarry(request, 'sampling.logitBias', 'Ids of tokens mean something only to the model they were made for.')
  },
}

/** A field that models with sampling of their own refuse. */
function tuned(name: string, field: Body, { target, losses }: Writing): Body | undefined {
  if (!target.capabilities.samplingRefused) return field
  losses.dropped(name, 'This model takes no sampling parameters.')
  return undefined
}
