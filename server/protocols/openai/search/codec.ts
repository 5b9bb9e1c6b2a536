/**
 * The web search of a code agent (Codex). Body and answer pass unchanged except for the model's name; the upstream stores later actions of
 * the agent (open, click, find) under the request's `id`, so that id keeps it on its channel.
 */
import type { RequestEdits, WholeAnswer } from '#canonical/codec'
import { nothingDelivered } from '#canonical/delivered'
import type { Incoming, OperationEndpoint, OperationHead } from '#canonical/operation/operation'
import { noUsage, type Usage } from '#canonical/usage'
import { operationNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanObject } from '#wire/json-scan'
import { carries } from '../choice.ts'
import { editFields } from '../edit.ts'
import { readError, readInnerError } from '../error.ts'
import { isAbsent, readCount, readModel, readText, wrong } from '../fields.ts'
import { jsonOf, passingOnly } from '../passing.ts'
import { readUsage as readResponsesUsage } from '../responses/usage.ts'
import { readUsage } from '../usage.ts'

/** Tokens held where the agent names no limit. */
const usualOutput = 16_384
const longestId = 512

/** Throws GatewayError 400 with the field as `param`; the upstream reads everything else. */
function readHead(incoming: Incoming): OperationHead {
  const raw = jsonOf(incoming)
  const body = scanObject(raw, operationNames).value
  const id = readText(body, 'id') ?? ''
  if (id.length > longestId) throw wrong('id', `text of at most ${longestId} characters`)
  for (const field of ['commands', 'settings']) if (!isAbsent(body[field]) && !isObject(body[field])) throw wrong(field, 'an object')
  const inputBytes = Buffer.byteLength(raw)
  const most = noUsage()
  most.in.fresh = Math.ceil(inputBytes / 4)
  most.out.total = readCount(body, 'max_output_tokens') ?? usualOutput
  most.units.searches = 1
  return {
    model: readModel(body.model),
    stream: false,
    n: 1,
    inputBytes,
    usageAsked: false,
    media: [],
    searchAsked: true,
    affinity: id === '' ? [] : [id],
    most,
  }
}

const editRequest = (body: Incoming, edits: RequestEdits) => editFields(jsonOf(body), edits, { field: 'input', put: (json) => json })

/** The unchanged bytes. Throws GatewayError `upstream_error`, or the error inside a successful response. */
function readWhole(body: string): WholeAnswer {
  const answer = parseObject(body)
  if (answer && carries(answer.error)) throw readInnerError(answer.error)
  if (typeof answer?.output !== 'string') throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a search.')
  return { body, usage: usageOf(answer.usage), end: 'complete' }
}

/** One search, and the tokens that the upstream reports. */
function usageOf(raw: unknown): Usage {
  const delivered = nothingDelivered()
  const reported = readResponsesUsage(raw, delivered) ?? readUsage(raw, delivered)
  const usage: Usage = reported?.usage ?? noUsage()
  usage.units.searches = 1
  return usage
}

/** `POST /v1/search`, passed between clients and upstreams of this style. */
export const searchCodec: OperationEndpoint<never, never> = {
  style: 'openai',
  readHead,
  editRequest,
  readWhole,
  ...passingOnly,
  readError,
}
