/** Batches in Gemini's format: requests in the call that creates it or in a file, answers in the batch itself or in another file. */
import type { Batch, BatchQuestion, BatchResult } from '#canonical/batch'
import { keptFileIn } from '#canonical/kept-file'
import { bodyNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { isNamed, type ScannedObject, scanObject } from '#wire/json-scan'
import { rpcCode } from './error.ts'
import { readModelName } from './path.ts'
import { pick, pickObject, pickText, snake } from './proto-json.ts'

const names = bodyNames('google', [], 'batch displayName inputConfig fileName requests priority webhookConfig', snake)
const lineNames = bodyNames('google', [], 'key request metadata', snake)

/** The actions that create batches, and the action of their requests. */
const asks = { batchGenerateContent: 'generateContent', asyncBatchEmbedContent: 'embedContent' } as const

/** The parsed path of a call that creates a batch. */
export interface BatchAction {
  model: string
  action: (typeof asks)[keyof typeof asks]
}

/** Parses `{model}:{action}`; undefined if it does not create a batch. Throws GatewayError `invalid_value` for an impossible model. */
export function readBatchPath(path: string): BatchAction | undefined {
  const [, model = '', named = ''] = /^(.*):(\w+)$/s.exec(path) ?? []
  if (!Object.hasOwn(asks, named)) return undefined
  return { model: readModelName(model), action: asks[named as keyof typeof asks] }
}

/** The paths of the requests in that call. */
export const inlineRequests = [['batch'], ['inputConfig', 'input_config'], ['requests'], ['requests']] as const

const wrong = (param: string, rule: string) => new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })
const inlineAt = (place: number) => `batch.inputConfig.requests.requests[${place}]`

/** An error about a request of that list. */
export const atInline = (place: number, { code, message, param }: GatewayError): GatewayError =>
  new GatewayError(code, message, { param: `${inlineAt(place)}.request${param === undefined ? '' : `.${param}`}` })

/** An error about a line, which the caller finds in its file. */
export const atLine = (number: number, { code, message }: GatewayError): GatewayError =>
  new GatewayError(code, `Line ${number}: ${message}`, { param: 'batch.inputConfig.fileName' })

/** The other fields of a call that creates a batch. */
export interface BatchFields {
  displayName?: string
  /** Id of the stored file with its requests. */
  file?: string
}

/** The body of that call without the elements of its list; `inline`: how many those are. Throws GatewayError 400. */
export function readGeminiBatch(text: string, inline: number): BatchFields {
  const batch = pickObject(scanObject(text, names).value, 'batch')
  const input = batch && pickObject(batch, 'inputConfig')
  if (!input) throw wrong('batch.inputConfig', 'an object with `requests` or `fileName`')
  if (pick(batch, 'webhookConfig') !== undefined)
    throw new GatewayError('unsupported_here', 'Parley sends no webhooks when a batch ends: poll the batch.', {
      param: 'batch.webhookConfig',
    })
  const displayName = pick(batch, 'displayName')
  if (displayName !== undefined && (typeof displayName !== 'string' || displayName.length > 512))
    throw wrong('batch.displayName', 'a text of at most 512 characters')
  const named = pick(input, 'fileName')
  if ((named === undefined) === (inline === 0)) throw wrong('batch.inputConfig', 'either `requests` or `fileName`')
  const file = named === undefined ? undefined : keptFileIn(named)
  if (named !== undefined && file === undefined)
    throw new GatewayError('not_found', 'There is no file with this name.', { param: 'batch.inputConfig.fileName' })
  return { ...(displayName && { displayName }), ...(file && { file }) }
}

/** Maximum characters of a request's name. */
const mostName = 4096

/** The JSON of a field. */
function rawOf({ fields }: ScannedObject, text: string, name: string): string | undefined {
  const field = fields.find((field) => isNamed(text, field, name))
  return field && text.slice(field.valueStart, field.valueEnd)
}

/** The request in an object, named by the field `by`. */
function questionIn(text: string, by: 'metadata' | 'key', model: string): BatchQuestion {
  const line = scanObject(text, lineNames)
  const request = pickObject(line.value, 'request')
  const body = rawOf(line, text, 'request')
  if (!request || body === undefined) throw wrong('request', 'an object')
  const said = pickText(request, 'model')
  if (said !== undefined && readModelName(said) !== model) throw wrong('model', 'the model of the batch')
  const name = rawOf(line, text, by) ?? ''
  if (name.length > mostName) throw wrong(by, `at most ${mostName} characters`)
  return { name, body }
}

/** A request of the list, at this place. Throws GatewayError 400. */
export function readInlineRequest(text: string, place: number, model: string): BatchQuestion {
  try {
    return questionIn(text, 'metadata', model)
  } catch (thrown) {
    throw thrown instanceof GatewayError ? new GatewayError(thrown.code, thrown.message, { param: inlineAt(place) }) : thrown
  }
}

/** A line of the file, the `number`th from 1 on. Throws GatewayError 400, which names the line. */
export function readFileRequest(text: string, number: number, model: string): BatchQuestion {
  try {
    return questionIn(text, 'key', model)
  } catch (thrown) {
    throw thrown instanceof GatewayError ? atLine(number, thrown) : thrown
  }
}

const addressed = /\/models\/(.*):(\w+)$/s
const type = (name: string) => `type.googleapis.com/google.ai.generativelanguage.v1beta.${name}`

function stateOf({ endedAt, counts, cancelledAt }: Batch): string {
  if (!endedAt) return 'BATCH_STATE_RUNNING'
  if (cancelledAt && counts.cancelled > 0) return 'BATCH_STATE_CANCELLED'
  return counts.expired > 0 ? 'BATCH_STATE_EXPIRED' : 'BATCH_STATE_SUCCEEDED'
}

function metadataOf(batch: Batch): Record<string, unknown> {
  const { id, endpoint, title, createdAt, endedAt, cancelledAt, total, counts, input } = batch
  const { succeeded, failed, cancelled, expired } = counts
  const [, model = '', action] = addressed.exec(endpoint) ?? []
  return {
    '@type': type(action === 'embedContent' ? 'EmbedContentBatch' : 'GenerateContentBatch'),
    ...{ name: `batches/${id}`, model: `models/${model}`, displayName: title ?? '', state: stateOf(batch) },
    ...(input && { inputConfig: { fileName: `files/${input}` } }),
    createTime: createdAt.toISOString(),
    updateTime: (endedAt ?? cancelledAt ?? createdAt).toISOString(),
    ...(endedAt && { endTime: endedAt.toISOString() }),
    batchStats: {
      requestCount: String(total),
      successfulRequestCount: String(succeeded),
      failedRequestCount: String(failed + cancelled + expired),
      pendingRequestCount: String(total - succeeded - failed - cancelled - expired),
    },
  }
}

/** A batch as an operation. Its answers are not in it, unless they are in a file. */
export function writeGeminiBatch(batch: Batch): Record<string, unknown> {
  const metadata = metadataOf(batch)
  const file = batch.output === undefined ? undefined : { responsesFile: `files/${batch.output}` }
  return {
    name: metadata.name,
    metadata: { ...metadata, ...(file && { output: file }) },
    ...(batch.endedAt && { done: true, response: { '@type': `${metadata['@type']}Output`, ...file } }),
  }
}

/** The texts before, between and after the answers of an ended batch, in the operation, which has them twice. */
export function aroundAnswers(batch: Batch): readonly [string, string, string] {
  const { name, metadata, response } = writeGeminiBatch(batch)
  const opened = '"inlinedResponses":{"inlinedResponses":['
  const within = (object: unknown) => JSON.stringify(object).slice(0, -1)
  return [
    `${within({ name, metadata }).slice(0, -1)},"output":{${opened}`,
    `]}}},"done":true,"response":${within(response)},${opened}`,
    ']}}}',
  ]
}

/** Whether a batch contains its answers inline. */
export const hasAnswersInside = ({ endedAt, input }: Batch): boolean => endedAt !== null && input === undefined

/** A page of batches. */
export const writeGeminiBatches = (batches: readonly Batch[], hasMore: boolean) => ({
  operations: batches.map(writeGeminiBatch),
  ...(hasMore && { nextPageToken: batches.at(-1)?.id }),
})

/** Why a request was not sent. */
const unasked = {
  expired: { code: rpcCode('DEADLINE_EXCEEDED'), message: 'The batch expired before this request was executed.' },
  cancelled: { code: rpcCode('CANCELLED'), message: 'The batch was cancelled before this request was executed.' },
}

/** JSON has line breaks only between its tokens. */
const inOneLine = (json: string) => json.replace(/[\r\n]+/g, ' ')

function errorIn(body: string): unknown {
  const parsed: unknown = JSON.parse(body)
  const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {}
  return { ...error, code: rpcCode(error.status) }
}

/** An answer, in one line without its end: called by `key` in files, by `metadata` in batches. */
export function writeGeminiAnswer({ name, end, answer }: BatchResult, by: 'key' | 'metadata'): string {
  const head = name === '' ? '{' : `{"${by}":${inOneLine(name)},`
  if (end === 'succeeded' && answer) return `${head}"response":${inOneLine(answer.body)}}`
  return `${head}"error":${JSON.stringify(answer ? errorIn(answer.body) : unasked[end === 'expired' ? 'expired' : 'cancelled'])}}`
}
