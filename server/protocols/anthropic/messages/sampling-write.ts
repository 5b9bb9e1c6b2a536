/** Sampling fields: never rescaled, left out where a model refuses them. */
import type { Json } from './frame.ts'
import type { Writing } from './writing.ts'

/** `thinks` = the model will think, which leaves it no temperature but 1. */
export function writeSampling({ request, target, losses }: Writing, thinks: boolean): Json {
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = request.sampling
  if (frequencyPenalty) losses.forgotten('sampling.frequencyPenalty', 'This upstream has no penalties.')
  if (presencePenalty) losses.forgotten('sampling.presencePenalty', 'This upstream has no penalties.')
  if (seed !== undefined) losses.forgotten('sampling.seed', 'This upstream takes no seed.')

  const asked: [string, string, number | undefined][] = [
    ['sampling.temperature', 'temperature', temperature],
    ['sampling.topP', 'top_p', topP],
    ['sampling.topK', 'top_k', topK],
  ]
  const written: Json = {}
  const { samplingRefused, topPWithTemperatureRefused } = target.capabilities
  for (const [field, key, value] of asked) {
    if (value === undefined) continue
    const isUsual = value === 1 && key !== 'top_k'
    if (samplingRefused === true) {
      if (!isUsual) losses.dropped(field, 'This model takes no sampling fields.')
    } else if (thinks && !(key === 'top_p' && value >= 0.95)) {
      if (!isUsual) losses.forgotten(field, 'A model that thinks takes no such sampling.')
    } else if (key === 'top_p' && written.temperature !== undefined && topPWithTemperatureRefused === true) {
      if (!isUsual) losses.dropped(field, 'This model takes temperature or top_p, not both.')
    } else {
      written[key] = key === 'temperature' ? clamped(value) : key === 'top_k' ? Math.max(1, Math.round(value)) : value
    }
    if (written[key] === undefined || written[key] === value) continue
    if (key === 'top_k') losses.adapted(field, 'The upstream takes whole numbers from 1.')
    else losses.altered(field, 'The value was brought between its limits.')
  }
  return written
}

const clamped = (temperature: number) => Math.min(1, Math.max(0, temperature))
