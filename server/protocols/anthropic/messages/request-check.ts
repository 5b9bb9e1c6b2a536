/** A caller's body, parsed and checked against the schema that it must satisfy whatever becomes of it. */
import { type Checker, checker, type Fault } from '#shared/check'
import { GatewayError } from '#shared/errors'
import { CountTokensDoor, MessagesDoor } from '#shared/protocols/anthropic/messages'
import { scanObject } from '#wire/json-scan'

const messagesCheck = checker(MessagesDoor)
const countCheck = checker(CountTokensDoor)

/** Checked fields have their types, all others are as they came. */
export type MessagesBody = MessagesDoor & Record<string, unknown>
export type CountBody = CountTokensDoor & Record<string, unknown>

/** The body of POST /v1/messages. Throws GatewayError 400 with the first wrong field as `param`. */
export const checkMessages = (raw: string): MessagesBody => checked(raw, messagesCheck)

/** The body of POST /v1/messages/count_tokens, which has no `max_tokens`. Throws as checkMessages does. */
export const checkCount = (raw: string): CountBody => checked(raw, countCheck)

function checked<T extends CountTokensDoor>(raw: string, { accepts, faults }: Checker<T>): T & Record<string, unknown> {
  const body = scanObject(raw).value
  if (!accepts(body)) throw refusal(faults(body)[0])
  if (!body.model.isWellFormed() || /\p{Cc}/u.test(body.model)) {
    throw new GatewayError('invalid_value', 'The field `model` must be a name without control characters.', { param: 'model' })
  }
  return body
}

function refusal(fault: Fault | undefined): GatewayError {
  const param = fault?.path.reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`), '') ?? ''
  if (fault?.code === 'missing_field') return new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
  return new GatewayError('invalid_value', `The field \`${param}\` is not what it should be. ${fault?.message ?? ''}`.trim(), { param })
}
