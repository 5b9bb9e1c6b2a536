/**
 * Videos in OpenAI's format: from a prompt, or from an existing video (edited, extended, remixed), as JSON or a form. The request passes
 * unchanged, or is converted to another style (`conversion.ts`); the upstream's answer is a job, whose reports are read by `report`. Read:
 * the declarations of openai-node, resources/videos.d.ts.
 */
import type { RequestEdits, StateRef, WholeAnswer } from '#canonical/codec'
import type { Incoming, OperationCodec, ReadOperation, Variant } from '#canonical/operation/operation'
import { type AskedVideo, mostOf, type VideoHead, type VideoReader, type VideoReport, videoStates } from '#canonical/operation/video'
import type { VideoBegun, VideoQuestion } from '#canonical/operation/video-question'
import { operationNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject, scanObject } from '#wire/json-scan'
import { editFields } from '../edit.ts'
import { readError, readInnerError } from '../error.ts'
import { type Body, missing, readModel, readText, wrong } from '../fields.ts'
import { editForm, nestedTexts } from '../form.ts'
import { conversion, readQuestion } from './conversion.ts'

/** Seconds: OpenAI's default, and the longest plausible duration. */
const usualSeconds = 4
const mostSeconds = 600
const nowhere = { field: '', put: (json: string | undefined) => json }

const fieldsOf = (body: Incoming): Body => (typeof body === 'string' ? scanObject(body, operationNames).value : nestedTexts(body))

function secondsIn({ seconds }: Body): number | undefined {
  if (seconds === undefined || seconds === null) return undefined
  const number = typeof seconds === 'string' && /^\d{1,4}$/.test(seconds) ? Number(seconds) : seconds
  if (typeof number !== 'number' || !(number > 0 && number <= mostSeconds))
    throw wrong('seconds', `a number of seconds up to ${mostSeconds}`)
  return number
}

function promptIn(fields: Body): string {
  const prompt = readText(fields, 'prompt')
  if (prompt === undefined) throw missing('prompt')
  if (prompt.trim() === '') throw wrong('prompt', 'text that is not empty')
  return prompt
}

function keptIn({ input_reference: reference }: Body): StateRef[] {
  if (!isObject(reference)) return []
  const { file_id: id } = reference
  if (id !== undefined && id !== null && typeof id !== 'string') throw wrong('input_reference.file_id', 'the id of a file')
  return typeof id === 'string' ? [{ kind: 'file', id }] : []
}

/** Throws GatewayError 400 with the field as `param`; unknown fields pass. `path`: the upstream's id of the remixed video. */
function readHead(body: Incoming, path?: string, variant?: Variant): VideoHead {
  const fields = fieldsOf(body)
  const said = secondsIn(fields)
  const size = readText(fields, 'size')
  const video: AskedVideo = {
    prompt: promptIn(fields),
    seconds: said ?? usualSeconds,
    isSecondsSaid: said !== undefined,
    ...(size !== undefined && { size }),
    count: 1,
  }
  return {
    model: readModel(fields.model),
    stream: false,
    n: 1,
    maxOutput: 0,
    inputBytes: Buffer.byteLength(video.prompt ?? ''),
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
    stateRefs: keptIn(fields),
    most: mostOf(video),
    video,
    ...(variant === 'remix' && path !== undefined && { address: `/${encodeURIComponent(path)}/remix` }),
  }
}

const editRequest = (body: Incoming, edits: RequestEdits): Incoming =>
  typeof body === 'string' ? editFields(body, edits, nowhere) : editForm(body, edits)

const noVideo = () => new GatewayError('upstream_error', 'The upstream sent an answer that is not a video.')

function videoIn(body: string): Record<string, unknown> {
  const video = parseObject(body)
  // A video that failed has an error, too.
  if (video && typeof video.id !== 'string' && video.error) throw readInnerError(video.error)
  if (!video || typeof video.id !== 'string' || video.id === '') throw noVideo()
  return video
}

const words: Readonly<Record<string, VideoReport['state']>> = { processing: 'in_progress', pending: 'queued', succeeded: 'completed' }

function report(body: string): VideoReport {
  const said = videoIn(body)
  const status = String(said.status)
  const state = videoStates.find((one) => one === status) ?? words[status] ?? 'in_progress'
  const seconds = Number(said.seconds)
  const { error } = said
  return {
    state,
    progress: typeof said.progress === 'number' ? Math.min(100, Math.max(0, Math.round(said.progress))) : state === 'completed' ? 100 : 0,
    ...(seconds > 0 && seconds <= mostSeconds && { seconds }),
    ...(isObject(error) && { error: { code: String(error.code ?? 'video_generation_failed'), message: String(error.message ?? '') } }),
    files: [],
    said,
  }
}

/** Reads jobs. */
export const videoReader: VideoReader = { begun: (body) => String(videoIn(body).id), report }

/** `POST /v1/videos` and the endpoints that derive a video from another one. */
export const videoCodec: OperationCodec<VideoQuestion, VideoBegun, VideoHead> = {
  style: 'openai',
  ...conversion,
  readHead,
  editRequest,
  readWhole(body, _edits, asked): WholeAnswer {
    videoIn(body)
    return { body, usage: asked.most, end: 'complete' }
  },
  readQuestion: (body) => readQuestion(body, secondsIn(fieldsOf(body)) ?? usualSeconds),
  readAnswer([body = ''], question): ReadOperation<VideoBegun> {
    videoIn(body)
    return { answer: { body }, usage: mostOf({ ...question, prompt: null, isSecondsSaid: true }) }
  },
  writeAnswer: ({ body }) => ({ body, losses: [] }),
  readError,
}
