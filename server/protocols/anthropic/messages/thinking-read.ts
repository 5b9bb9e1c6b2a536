/** How much a client wants the model to think, and what of it it wants to see. */
import type { Effort, ReasoningWish } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { wrong } from './check.ts'

const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** `thinking` and `output_config.effort`. Throws GatewayError 400 with the field's path. */
export function readThinking(thinking: unknown, outputConfig: unknown): ReasoningWish {
  const effort = readEffort(isObject(outputConfig) ? outputConfig.effort : undefined)
  const wish = thinking === undefined || thinking === null ? {} : readMode(thinking)
  // Thinking that is switched off has no effort, whatever the answer's is.
  return wish.budget === 0 || effort === undefined ? wish : { effort, ...wish }
}

function readEffort(value: unknown): Effort | undefined {
  if (value === undefined || value === null) return undefined
  const effort = efforts.find((one) => one === value)
  if (effort === undefined) throw wrong('output_config.effort', `one of ${efforts.join(', ')}`)
  return effort
}

function readMode(thinking: unknown): ReasoningWish {
  if (!isObject(thinking)) throw wrong('thinking', 'an object')
  const visible = thinking.display === 'omitted' ? ('none' as const) : ('summary' as const)
  switch (thinking.type) {
    case 'disabled':
      return { effort: 'none', budget: 0 }
    case 'adaptive':
    case 'between_tools':
      return { adaptive: true, visible }
    case 'enabled': {
      const budget = thinking.budget_tokens
      if (typeof budget !== 'number' || !Number.isSafeInteger(budget) || budget < 1) {
        throw wrong('thinking.budget_tokens', 'a positive integer')
      }
      return { budget, visible }
    }
    default:
      throw wrong('thinking.type', 'one of enabled, disabled, adaptive, between_tools')
  }
}
