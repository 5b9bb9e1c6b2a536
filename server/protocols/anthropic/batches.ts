/** Batches in the Messages format: requests in the call that creates it, results as lines of JSON. */
import type { Batch, BatchQuestion, BatchResult } from '#canonical/batch'
import { bodyNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'

const names = bodyNames('anthropic', [], 'custom_id params')

const wrong = (param: string, rule: string) => new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })

/** A request of the list, at this place. Throws GatewayError 400. */
export function readMessagesRequest(text: string, place: number): BatchQuestion {
  const at = `requests[${place}]`
  const request = scanObject(text, names)
  const { custom_id: name, params } = request.value
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw wrong(`${at}.custom_id`, '1 to 64 letters, digits, _ or -')
  const field = request.fields.find(({ keyStart, keyEnd }) => text.slice(keyStart, keyEnd) === '"params"')
  if (!isObject(params) || !field) throw wrong(`${at}.params`, 'an object')
  if (params.stream === true) throw wrong(`${at}.params.stream`, 'absent or false: a batch has no streams')
  return { name, body: text.slice(field.valueStart, field.valueEnd) }
}

/** A batch. `origin`: Parley's own address. */
export function writeMessagesBatch(batch: Batch, origin: string): Record<string, unknown> {
  const { id, createdAt, endsAt, cancelledAt, endedAt, total, counts } = batch
  const { succeeded, failed, cancelled, expired } = counts
  return {
    ...{ id, type: 'message_batch' },
    processing_status: endedAt ? 'ended' : cancelledAt ? 'canceling' : 'in_progress',
    request_counts: {
      processing: total - succeeded - failed - cancelled - expired,
      ...{ succeeded, errored: failed, canceled: cancelled, expired },
    },
    created_at: createdAt.toISOString(),
    expires_at: endsAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancelledAt?.toISOString() ?? null,
    archived_at: null,
    results_url: endedAt ? `${origin}/v1/messages/batches/${id}/results` : null,
  }
}

/** A page of batches. */
export function writeMessagesBatches(batches: readonly Batch[], hasMore: boolean, origin: string): unknown {
  const data = batches.map((batch) => writeMessagesBatch(batch, origin))
  const last = data.at(-1)?.id ?? null
  return { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: last, next_page: hasMore ? last : null }
}

/** JSON has line breaks only between its tokens. */
const inOneLine = (json: string) => json.replace(/[\r\n]+/g, ' ')

/** A line of the results. */
export function writeMessagesResult({ name, end, answer }: BatchResult): string {
  const head = `{"custom_id":${JSON.stringify(name)},"result":`
  if (!answer) return `${head}{"type":"${end === 'expired' ? 'expired' : 'canceled'}"}}\n`
  const body = inOneLine(answer.body)
  return end === 'succeeded' ? `${head}{"type":"succeeded","message":${body}}}\n` : `${head}{"type":"errored","error":${body}}}\n`
}
