/** Batches in OpenAI's format: a file with a request in each line, and files with an answer or an error in each. */
import type { Batch, BatchQuestion, BatchResult } from '#canonical/batch'
import { bodyNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { readMetadata } from './conversations.ts'
import { isAbsent, missing, wrong } from './fields.ts'

/** The addresses that batches may be for, as the vendor has them and Parley serves them. */
export const openaiBatchEndpoints = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
] as const

const names = bodyNames('openai', [], 'input_file_id endpoint completion_window output_expires_after')
const lineNames = bodyNames('openai', [], 'custom_id method url body')

/** The fields of a call that creates a batch. */
export interface BatchFields {
  file: string
  endpoint: (typeof openaiBatchEndpoints)[number]
  metadata?: Record<string, string>
  /** Milliseconds until its files expire. */
  outputMs?: number
}

/** The body of that call. Throws GatewayError 400. */
export function readBatch(text: string): BatchFields {
  const { value: body } = scanObject(text, names)
  for (const field of ['input_file_id', 'endpoint', 'completion_window']) if (isAbsent(body[field])) throw missing(field)
  const endpoint = openaiBatchEndpoints.find((one) => one === body.endpoint)
  if (!endpoint) throw wrong('endpoint', `one of ${openaiBatchEndpoints.join(', ')}`)
  if (body.completion_window !== '24h') throw wrong('completion_window', '24h')
  if (typeof body.input_file_id !== 'string') throw wrong('input_file_id', 'the id of a file')
  return {
    ...{ file: body.input_file_id, endpoint },
    ...(!isAbsent(body.metadata) && { metadata: readMetadata(body.metadata) }),
    ...(!isAbsent(body.output_expires_after) && { outputMs: lifeIn(body.output_expires_after) }),
  }
}

function lifeIn(given: unknown): number {
  const seconds = isObject(given) ? given.seconds : undefined
  if (typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds >= 3600 && seconds <= 2_592_000) return seconds * 1000
  throw wrong('output_expires_after', 'an anchor and from 3600 to 2592000 seconds')
}

/** A line of the file, the `number`th from 1 on. Throws GatewayError 400, which names the line. */
export function readBatchLine(text: string, number: number, endpoint: string): BatchQuestion {
  try {
    const line = scanObject(text, lineNames)
    const { custom_id: name, method, url, body } = line.value
    if (typeof name !== 'string' || name === '' || name.length > 512) throw wrong('custom_id', 'a text of 1 to 512 characters')
    if (method !== undefined && method !== 'POST') throw wrong('method', 'POST')
    if (url !== endpoint) throw wrong('url', `the endpoint of the batch, ${endpoint}`)
    const field = line.fields.find(({ keyStart, keyEnd }) => text.slice(keyStart, keyEnd) === '"body"')
    if (!isObject(body) || !field) throw wrong('body', 'an object')
    for (const name of ['stream', 'background'])
      if (body[name] === true) throw wrong(`body.${name}`, 'absent or false: a batch has no streams')
    return { name, body: text.slice(field.valueStart, field.valueEnd) }
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw inLine(number, thrown)
  }
}

/** An error about a line, which the caller finds in its file. */
export const inLine = (number: number, { code, message }: GatewayError) =>
  new GatewayError(code, `Line ${number}: ${message}`, { param: 'input_file_id' })

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
const fileId = (id: string) => `file_${id}`

function statusOf({ endedAt, cancelledAt, counts }: Batch): string {
  if (!endedAt) return cancelledAt ? 'cancelling' : 'in_progress'
  if (counts.cancelled > 0) return 'cancelled'
  return counts.expired > 0 ? 'expired' : 'completed'
}

/** A batch. */
export function writeBatch(batch: Batch): Record<string, unknown> {
  const { id, endpoint, createdAt, endsAt, cancelledAt, endedAt, total, counts, input, output, errors, metadata, model } = batch
  const status = statusOf(batch)
  const ended = endedAt ? seconds(endedAt) : null
  return {
    ...{ id, object: 'batch', endpoint, model: model ?? null, errors: null },
    input_file_id: input === undefined ? null : fileId(input),
    ...{ completion_window: '24h', status },
    output_file_id: output === undefined ? null : fileId(output),
    error_file_id: errors === undefined ? null : fileId(errors),
    ...{ created_at: seconds(createdAt), in_progress_at: seconds(createdAt), expires_at: seconds(endsAt) },
    ...{ finalizing_at: ended, failed_at: null },
    completed_at: status === 'completed' ? ended : null,
    expired_at: status === 'expired' ? ended : null,
    cancelling_at: cancelledAt ? seconds(cancelledAt) : null,
    cancelled_at: status === 'cancelled' ? ended : null,
    request_counts: { total, completed: counts.succeeded, failed: counts.failed },
    metadata: metadata ?? null,
  }
}

/** A page of batches. */
export function writeBatches(batches: readonly Batch[], hasMore: boolean): unknown {
  const data = batches.map(writeBatch)
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore }
}

/** Why a request was not sent. */
const unasked = {
  expired: { code: 'batch_expired', message: 'This request could not be executed before the completion window expired.' },
  cancelled: { code: 'batch_cancelled', message: 'The batch was cancelled before this request was executed.' },
} as const

/** JSON has line breaks only between its tokens. */
const inOneLine = (json: string) => json.replace(/[\r\n]+/g, ' ')

/** The line of an output file or, for what did not succeed, of an error file. */
export function writeBatchLine(batch: string, { place, name, end, requestId, answer }: BatchResult): string {
  const head = `{"id":${JSON.stringify(`batch_req_${batch.slice('batch_'.length)}${place}`)},"custom_id":${JSON.stringify(name)}`
  if (!answer) {
    const why = unasked[end === 'expired' ? 'expired' : 'cancelled']
    return `${head},"response":null,"error":${JSON.stringify(why)}}\n`
  }
  const response = `{"status_code":${answer.status},"request_id":${JSON.stringify(requestId)},"body":${inOneLine(answer.body)}}`
  return `${head},"response":${response},"error":null}\n`
}
