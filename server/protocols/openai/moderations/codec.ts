/**
 * Moderations: text, texts or parts with pictures, judged. Only OpenAI's layout exists, so the bytes pass; a request without
 * a model gets the default, for routing and for the upstream alike.
 */
import type { AnswerEdits, RequestEdits, StateRef, WholeAnswer } from '#canonical/codec'
import { nothingDelivered } from '#canonical/delivered'
import type { Incoming, OperationEndpoint, OperationHead } from '#canonical/operation/operation'
import { noUsage, type Usage } from '#canonical/usage'
import { operationNames } from '#protocols/codec/body-names'
import { addKeptAddresses } from '#protocols/codec/file-address'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanFields, scanObject } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { carries } from '../choice.ts'
import { editFields } from '../edit.ts'
import { readError, readInnerError } from '../error.ts'
import { isAbsent, missing, readModel, wrong } from '../fields.ts'
import { jsonOf, passingOnly } from '../passing.ts'
import { readUsage } from '../usage.ts'

/** The model when the client names none. */
export const defaultModerationModel = 'omni-moderation-latest'

interface ModerationHead extends OperationHead {
  /** Bytes of the texts; pictures are not counted, since they are not charged by the byte. */
  textBytes: number
}

/** Tokens held for a picture, in case that an upstream counts it. */
const tokensPerPicture = 1_500

function readHead(incoming: Incoming): ModerationHead {
  const body = jsonOf(incoming)
  const { model, input } = scanObject(body, operationNames).value
  const { textBytes, pictures } = measure(input)
  const stateRefs: StateRef[] = []
  for (const part of Array.isArray(input) ? input : []) if (isObject(part)) addKeptAddresses(part.image_url, stateRefs)
  const most = noUsage()
  most.in.fresh = Math.ceil(textBytes / 2) + tokensPerPicture * pictures
  return {
    model: isAbsent(model) ? defaultModerationModel : readModel(model),
    stream: false,
    n: 1,
    inputBytes: Buffer.byteLength(body),
    usageAsked: false,
    media: pictures > 0 ? ['image'] : [],
    searchAsked: false,
    affinity: [],
    stateRefs,
    most,
    textBytes,
  }
}

interface Measure {
  textBytes: number
  pictures: number
}

/** Checks known parts; a part of another type is left to the upstream. Throws GatewayError 400 with the path as `param`. */
function measure(input: unknown): Measure {
  if (isAbsent(input)) throw missing('input')
  if (typeof input === 'string') return { textBytes: Buffer.byteLength(input), pictures: 0 }
  if (!Array.isArray(input) || input.length === 0) throw wrong('input', 'text, or a list of at least one text or part')
  const sum = { textBytes: 0, pictures: 0 }
  for (const [index, item] of input.entries()) {
    const { textBytes, pictures } = measureItem(item, `input.${index}`)
    sum.textBytes += textBytes
    sum.pictures += pictures
  }
  return sum
}

function measureItem(item: unknown, path: string): Measure {
  if (typeof item === 'string') return { textBytes: Buffer.byteLength(item), pictures: 0 }
  if (!isObject(item)) throw wrong(path, 'text, or a part with `type`')
  if (typeof item.type !== 'string') throw wrong(`${path}.type`, 'the type of a part')
  if (item.type === 'text') {
    if (typeof item.text !== 'string') throw wrong(`${path}.text`, 'text')
    return { textBytes: Buffer.byteLength(item.text), pictures: 0 }
  }
  if (item.type === 'image_url') {
    const url = isObject(item.image_url) ? item.image_url.url : undefined
    if (typeof url !== 'string' || url === '') throw wrong(`${path}.image_url.url`, 'an address')
  }
  return { textBytes: 0, pictures: 1 }
}

/** The body with `model` added if it names none; unchanged if it names one or cannot be parsed. */
export function withModerationModel(body: string, model: string): string {
  if (model === defaultModerationModel) return body
  const asked = parseObject(body)
  return asked && isAbsent(asked.model) ? editFields(body, { model }, { field: 'input', put: (json) => json }) : body
}

function editRequest(incoming: Incoming, edits: RequestEdits): string {
  const body = jsonOf(incoming)
  const unnamed = isAbsent(parseObject(body)?.model)
  const named = unnamed ? { model: defaultModerationModel, ...edits } : edits
  return editFields(body, named, { field: 'input', put: (json) => json })
}

/** An answer without a verdict could be taken for a clean one, so it is an error. */
const isVerdict = (result: unknown) => isObject(result) && typeof result.flagged === 'boolean'

function readWhole(body: string, { model }: AnswerEdits, { textBytes }: ModerationHead): WholeAnswer {
  const answer = parseObject(body)
  if (answer && carries(answer.error)) throw readInnerError(answer.error)
  if (!answer || !Array.isArray(answer.results) || answer.results.length === 0 || !answer.results.every(isVerdict)) {
    throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a moderation.')
  }
  const spans = model === undefined ? undefined : scanFields(body)
  const renamed = new Map([['model', (json: string | undefined) => (json?.startsWith('"') ? JSON.stringify(model) : json)]])
  return {
    body: spans ? splice(body, fieldEdits(body, spans, renamed)) : body,
    usage: usageOf(answer, textBytes),
    end: 'complete',
  }
}

/** OpenAI reports no usage; other vendors count tokens. */
function usageOf(answer: Record<string, unknown>, textBytes: number): Usage {
  const reported = readUsage(answer.usage, nothingDelivered())
  if (reported) return reported.usage
  const usage = noUsage()
  usage.in.fresh = Math.ceil(textBytes / 4)
  return usage
}

/** `POST /v1/moderations`, passed between clients and upstreams of this style. */
export const moderationCodec: OperationEndpoint<never, never, ModerationHead> = {
  style: 'openai',
  readHead,
  editRequest,
  readWhole,
  ...passingOnly,
  readError,
}
