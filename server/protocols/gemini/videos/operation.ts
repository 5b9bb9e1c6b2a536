/** A video as Google's clients read it: an operation, whose files are at addresses of Parley's. */
import type { KeptVideo } from '#canonical/operation/kept-video'
import { isObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { type Body, pickObject, pickObjects, pickText } from '../proto-json.ts'

/** The address of the file of this number. */
export type FileAddress = (index: number) => string

const kind = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse'

/** Samples with Parley's URLs instead of the upstream's. */
function samplesOf({ style, report }: KeptVideo, addressOf: FileAddress): Body[] {
  if (style !== 'gemini') return [{ video: { uri: addressOf(0) } }]
  const response = pickObject(report.said, 'response') ?? {}
  let file = 0
  return pickObjects(pickObject(response, 'generateVideoResponse') ?? {}, 'generatedSamples').map((sample) => {
    const video = pickObject(sample, 'video')
    return video && isObject(video) && typeof video.uri === 'string' ? { ...sample, video: { ...video, uri: addressOf(file++) } } : sample
  })
}

/** The operation. */
export function writeOperation(video: KeptVideo, addressOf: FileAddress): Record<string, unknown> {
  const { id, model, style, report } = video
  const said = style === 'gemini' ? report.said : {}
  const { name: _, response, error: __, done: ___, ...others } = said
  const name = `models/${model}/operations/${id}`
  if (report.state === 'queued' || report.state === 'in_progress')
    return { ...others, name, ...(style !== 'gemini' && { metadata: { progressPercent: report.progress } }) }
  if (report.state === 'failed') {
    const { code = '', message = '' } = report.error ?? {}
    return { ...others, name, done: true, error: said.error ?? { code: 13, message, status: code } }
  }
  const before = isObject(response) ? response : { '@type': kind }
  const inner = pickObject(before, 'generateVideoResponse') ?? {}
  const generateVideoResponse = { ...inner, generatedSamples: samplesOf(video, addressOf) }
  return { ...others, name, done: true, response: { ...before, generateVideoResponse } }
}

/** The URL of the video that a request extends; undefined: it names none, or cannot be read. */
export function extendedIn(text: string): string | undefined {
  const body = parseObject(text)
  const [instance] = body ? pickObjects(body, 'instances') : []
  const video = instance && pickObject(instance, 'video')
  return video && (pickText(video, 'uri') ?? pickText(video, 'gcsUri'))
}

/** The same request with this address in its place. */
export function withVideo(text: string, uri: string): string {
  const spans = scanFields(text)
  if (!spans) return text
  const [first = {}, ...others] = pickObjects(parseObject(text) ?? {}, 'instances')
  const { gcsUri: _, gcs_uri: __, ...video } = pickObject(first, 'video') ?? {}
  const instances = JSON.stringify([{ ...first, video: { ...video, uri } }, ...others])
  return splice(text, fieldEdits(text, spans, new Map([['instances', () => instances]])))
}
