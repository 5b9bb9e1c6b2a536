/** Whole answers with pictures that pass: checked, counted, and returned under the model name that the client asked for. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import { type ImageHead, settleImages } from '#canonical/operation/image'
import type { Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { type FieldChanges, fieldEdits, splice } from '#wire/splice'
import { readInnerError } from '../error.ts'
import type { Body } from '../fields.ts'
import { readImageUsage } from './usage.ts'

/** Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function parseImages(text: string): { answer: Body; images: Body[] } {
  const answer = parseObject(text)
  if (isObject(answer?.error) || typeof answer?.error === 'string') throw readInnerError(answer.error)
  const images = Array.isArray(answer?.data) ? answer.data.filter(isPicture) : []
  if (!answer || images.length === 0) throw new GatewayError('upstream_error', 'The upstream sent an answer that holds no picture.')
  return { answer, images }
}

/** Some services answer a list in which single pictures are errors. */
const isPicture = (item: unknown): item is Body => isObject(item) && (isFilled(item.b64_json) || isFilled(item.url))
const isFilled = (value: unknown) => typeof value === 'string' && value !== ''

/** The usage to charge for the pictures of an answer. */
export function usageOf(answer: Body, images: readonly Body[], asked: ImageHead): Usage {
  const reported = readImageUsage(answer.usage, answer.svg_usage)
  return settleImages(asked, { images: images.length, reported, unreported: reported ? 0 : images.length, partials: 0 })
}

/** Throws GatewayError `upstream_error` when the body holds no picture. */
export function readWhole(body: string, edits: AnswerEdits, asked: ImageHead): WholeAnswer {
  const { answer, images } = parseImages(body)
  const changes = modelChange(edits)
  const spans = changes.size > 0 && typeof answer.model === 'string' ? scanFields(body) : undefined
  return {
    body: spans ? splice(body, fieldEdits(body, spans, changes)) : body,
    usage: usageOf(answer, images, asked),
    end: 'complete',
  }
}

/** Replaces the upstream's model name by the one that the client used, if an answer has one. */
export function modelChange({ model }: AnswerEdits): FieldChanges {
  const name = JSON.stringify(model)
  return new Map(model === undefined ? [] : [['model', (json: string | undefined) => (json?.startsWith('"') ? name : json)]])
}
