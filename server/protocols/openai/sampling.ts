/** Sampling parameters, which Chat and Completions spell alike. */
import type { Target } from '#canonical/codec'
import type { ConversationRequest, Sampling } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { isObject } from '#wire/json-scan'
import { type Body, isAbsent, readNumber, wrong } from './fields.ts'

interface Writing {
  request: ConversationRequest
  target: Target
  losses: LossList
}

/** Throws GatewayError 400 with the field's name as `param`. */
export function readSampling(body: Body): Sampling {
  const read = {
    temperature: readNumber(body, 'temperature'),
    topP: readNumber(body, 'top_p'),
    frequencyPenalty: readNumber(body, 'frequency_penalty'),
    presencePenalty: readNumber(body, 'presence_penalty'),
    seed: readNumber(body, 'seed'),
    logitBias: readBias(body.logit_bias),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

function readBias(bias: unknown): Record<string, number> | undefined {
  if (isAbsent(bias)) return undefined
  const isMap = isObject(bias) && Object.values(bias).every((value) => typeof value === 'number')
  if (!isMap) throw wrong('logit_bias', 'a map of token ids to numbers')
  return Object.keys(bias).length > 0 ? (bias as Record<string, number>) : undefined
}

/** Throws GatewayError `unsupported_value` for ids of tokens that belong to another model. */
export function writeSampling({ request, target, losses }: Writing): Body {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed, logitBias } = request.sampling
  if (topK !== undefined) losses.dropped('sampling.topK', 'The upstream has no such limit.')
  if (logitBias !== undefined && request.dialect !== 'chat' && request.dialect !== 'completions') {
    throw cannotCarry(request, 'sampling.logitBias', 'Ids of tokens mean something only to the model they were made for.')
  }
  const fields: Body = {
    temperature,
    top_p: topP,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
    seed,
    logit_bias: logitBias,
  }
  if (target.capabilities.samplingRefused) {
    for (const [field, name] of Object.entries(tuned)) {
      if (fields[field] !== undefined) losses.dropped(name, 'This model takes no sampling parameters.')
      fields[field] = undefined
    }
  } else if (target.capabilities.topPWithTemperatureRefused && temperature !== undefined && topP !== undefined) {
    losses.dropped('sampling.topP', 'This model takes a temperature or top_p, not both.')
    fields.top_p = undefined
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const tuned: Readonly<Record<string, string>> = {
  temperature: 'sampling.temperature',
  top_p: 'sampling.topP',
  frequency_penalty: 'sampling.frequencyPenalty',
  presence_penalty: 'sampling.presencePenalty',
}
