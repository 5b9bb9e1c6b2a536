/** A request for an interaction in the Responses format: a stored conversation in both. Pure. */
import type { Reworded } from '#canonical/wording'
import { bodyNames } from '#protocols/codec/body-names'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { missingField, readBody } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { InteractionRequest } from '#shared/protocols/gemini/interactions'
import { keepCallNumbers, scanObject } from '#wire/json-scan'
import { readInput } from './input.ts'
import { onlyNative, readSettings } from './settings.ts'

const names = bodyNames('interactions', [InteractionRequest])

/** Features that only Google's own service has. */
const native = {
  environment: 'An environment',
  cached_content: 'Cached content',
  continuation_token: 'Going on where an answer stopped',
} as const

/** Throws GatewayError. */
export function readInteraction(text: string): Reworded {
  const losses = lossList()
  const scan = scanObject(text, names)
  keepCallNumbers(scan)
  const { fields: body, unread } = readBody<InteractionRequest>(scan.value)
  if (body.has('agent')) throw onlyNative('agent', 'An agent')
  const more = body.as<Record<keyof typeof native | 'webhook_config' | 'safety_settings', unknown>>()
  for (const name of Object.keys(native) as (keyof typeof native)[]) if (more.has(name)) throw onlyNative(name, native[name])
  if (more.has('webhook_config'))
    throw new GatewayError('unsupported_here', 'Parley sends no webhooks: poll the interaction until it is complete.', {
      param: 'webhook_config',
    })
  if (more.has('safety_settings')) losses.dropped('safety_settings', 'Gemini’s filters can only be set in its own protocol.')
  more.ignore('safety_settings')
  const model = body.needText('model').replace(/^models\//, '')
  const previous = body.text('previous_interaction_id')
  const said = readInput(body, losses)
  if (said.input === undefined && previous === undefined) throw missingField('input')
  const system = body.text('system_instruction')
  const flags = Object.fromEntries(
    (['store', 'background', 'stream'] as const).flatMap((name) => {
      const flag = body.flag(name)
      return flag === undefined ? [] : [[name, flag]]
    }),
  )
  const asked = {
    model,
    ...said,
    ...(system !== undefined && { instructions: system }),
    ...(previous !== undefined && { previous_response_id: previous }),
    ...flags,
    ...readSettings(body, losses),
    // The signatures of thoughts.
    include: ['reasoning.encrypted_content'],
  }
  recordUnread(unread(), losses)
  return { body: JSON.stringify(asked), losses: losses.losses }
}
