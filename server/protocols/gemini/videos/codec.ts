/**
 * Videos in the format of Google's clients: `:predictLongRunning` of Veo, whose answer is an operation. The request passes unchanged, or is
 * converted to another style (`conversion.ts`). Read: @google/genai 2.32, generateVideosParametersToMldev,
 * generateVideosOperationFromMldev.
 */
import type { WholeAnswer } from '#canonical/codec'
import type { Incoming, OperationCodec, ReadOperation } from '#canonical/operation/operation'
import { type AskedVideo, mostOf, type VideoHead, type VideoReader, type VideoReport } from '#canonical/operation/video'
import type { VideoBegun, VideoQuestion } from '#canonical/operation/video-question'
import { invalidField, missingField, readBody } from '#protocols/codec/fields'
import { googleAddresses } from '#protocols/codec/file-address'
import { GatewayError } from '#shared/errors'
import type { GeminiPredictRequest } from '#shared/protocols/gemini/predict'
import { parseObject } from '#wire/json-scan'
import { scan } from '../body-names.ts'
import { readError, readInnerError } from '../error.ts'
import { readPath } from '../path.ts'
import { type Body, pick, pickObject, pickObjects, pickText, protoRules } from '../proto-json.ts'
import { editRequest } from '../request-edit.ts'
import { conversion, readQuestion, usualSeconds } from './conversion.ts'

/** Longer durations are not believed. */
const mostSeconds = 600
const mostVideos = 8

/** Throws GatewayError 400 with the field's path as `param`; unknown fields pass. */
function readHead(body: Incoming, path?: string): VideoHead {
  if (typeof body !== 'string') throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
  const { model } = readPath(path)
  const { value } = scan(body)
  if (pick(value, 'webhookConfig') !== undefined) {
    throw new GatewayError('unsupported_here', 'The upstream would send its own ids. Poll the operation instead.', {
      param: 'webhookConfig',
    })
  }
  const { fields } = readBody<GeminiPredictRequest>(value, protoRules)
  if (!fields.has('instances')) throw missingField('instances')
  const instances = fields.objects('instances')
  if (instances.length === 0) throw invalidField('instances', 'a list with at least one instance')
  const parameters = fields.object('parameters')
  const said = parameters?.integer('durationSeconds', 1, mostSeconds)
  const count = (parameters?.integer('sampleCount', 1, mostVideos) ?? 1) * instances.length
  if (count > mostVideos) throw invalidField('parameters.sampleCount', `at most ${mostVideos} in all`)
  const size = parameters?.text('resolution')
  const prompt = instances.map((instance) => instance.text('prompt') ?? '').join('\n')
  const video: AskedVideo = {
    prompt: prompt === '' ? null : prompt,
    seconds: said ?? usualSeconds,
    isSecondsSaid: said !== undefined,
    ...(size !== undefined && { size }),
    count,
  }
  return {
    model,
    stream: false,
    n: 1,
    maxOutput: 0,
    inputBytes: Buffer.byteLength(prompt),
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
    stateRefs: googleAddresses(value),
    most: mostOf(video),
    video,
  }
}

const noOperation = () => new GatewayError('upstream_error', 'The upstream sent an answer that is not an operation.')

function operationIn(body: string): Body {
  const operation = parseObject(body)
  if (operation?.error && pickText(operation, 'name') === undefined) throw readInnerError(operation.error)
  if (!operation || !/^(?:[\w.-]+\/)*operations\/[\w.-]+$/.test(pickText(operation, 'name') ?? '')) throw noOperation()
  return operation
}

function report(body: string): VideoReport {
  const said = operationIn(body)
  const isDone = pick(said, 'done') === true
  const failure = pickObject(said, 'error')
  if (isDone && failure) {
    const code = String(pick(failure, 'status') ?? pick(failure, 'code') ?? 'INTERNAL')
    return { state: 'failed', progress: 0, error: { code, message: pickText(failure, 'message') ?? '' }, files: [], said }
  }
  const response = pickObject(said, 'response')
  const answer = response && pickObject(response, 'generateVideoResponse')
  const samples = answer ? pickObjects(answer, 'generatedSamples') : []
  const files = samples.flatMap((sample) => pickText(pickObject(sample, 'video') ?? {}, 'uri') ?? [])
  return { state: isDone ? 'completed' : 'in_progress', progress: isDone ? 100 : 0, ...(isDone && { count: files.length }), files, said }
}

/** Reads operations. */
export const videoReader: VideoReader = { begun: (body) => pickText(operationIn(body), 'name') ?? '', report }

/** `:predictLongRunning`. */
export const videoCodec: OperationCodec<VideoQuestion, VideoBegun, VideoHead> = {
  style: 'gemini',
  ...conversion,
  readHead,
  editRequest: (body, { model: _, ...edits }) => (typeof body === 'string' ? editRequest(body, edits) : body),
  readWhole(body, _edits, asked): WholeAnswer {
    operationIn(body)
    return { body, usage: asked.most, end: 'complete' }
  },
  readQuestion: (body) => readQuestion(String(body)),
  readAnswer([body = ''], question): ReadOperation<VideoBegun> {
    operationIn(body)
    return { answer: { body }, usage: mostOf({ ...question, prompt: null, isSecondsSaid: true }) }
  },
  writeAnswer: ({ body }) => ({ body, losses: [] }),
  readError,
}
