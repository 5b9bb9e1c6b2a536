/**
 * Frames of Gemini's live sessions as far as Parley reads them: their size, their model, and references to state that is not the caller's.
 */
import type { RealtimeFrame } from '#canonical/operation/realtime'
import { bodyNames } from '#protocols/codec/body-names'
import { invalidField, missingField } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { scanObject } from '#wire/json-scan'
import { createJsonScale } from '#wire/json-weight'
import { spliceAt } from '#wire/splice-at'
import { contentHead } from '../generate-content/head.ts'
import { readModelName } from '../path.ts'
import { type Body, pick, pickObject, pickObjects, pickText, snake } from '../proto-json.ts'

const names = bodyNames(
  'google',
  [GenerateContentRequest],
  `setup clientContent realtimeInput toolResponse contextUpdate turns turnComplete functionResponses mediaChunks audio video text data
   mimeType activityStart activityEnd audioStreamEnd sessionResumption handle transparent contextWindowCompression`,
  snake,
)

/** The kinds of client frames. */
const kinds = ['setup', 'clientContent', 'realtimeInput', 'toolResponse', 'contextUpdate'] as const
type Kind = (typeof kinds)[number]

/** Bytes of a frame whose values are not counted, and how many a larger one may have: thousands of tools have fewer. */
const smallFrame = 64 * 1024
const bounds = { depth: 64, weight: 16_384 }
/** Tokens of a picture or of a frame of a video. */
const imageTokens = 258

interface ReadFrame {
  kind: Kind
  body: Body
}

function read(text: string): ReadFrame {
  if (text.length > smallFrame) createJsonScale(bounds).push(Buffer.from(text))
  const { value } = scanObject(text, names)
  const found = kinds.filter((kind) => pick(value, kind) !== undefined)
  const [kind] = found
  if (kind === undefined || found.length > 1) throw invalidField(kinds[0], `the one of ${kinds.join(', ')}`)
  const body = pick(value, kind)
  if (!isObject(body)) throw invalidField(kind, 'an object')
  return { kind, body }
}

/** Reads a frame of the client. Throws GatewayError for an invalid or ambiguous one, which must not be forwarded. */
export function readLiveFrame(text: string): RealtimeFrame {
  const { kind, body } = read(text)
  const state = stateIn(kind, body)
  return {
    type: kind === 'clientContent' && pick(body, 'turnComplete') !== true ? `${kind}.more` : kind,
    size: sizeOf(kind, body, text),
    models: kind === 'setup' ? [modelIn(body)] : [],
    ...(state !== undefined && { state }),
  }
}

function modelIn(setup: Body): string {
  const named = pickText(setup, 'model')
  if (named === undefined) throw missingField('setup.model')
  return readModelName(named.replace(/^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models\//, ''))
}

function blobsIn(kind: Kind, body: Body): Body[] {
  if (kind === 'realtimeInput') {
    return [...pickObjects(body, 'mediaChunks'), ...pickObjects(body, 'audio'), ...pickObjects(body, 'video')]
  }
  const parts = pickObjects(body, 'turns').flatMap((turn) => pickObjects(turn, 'parts'))
  return parts.flatMap((part) => pickObjects(part, 'inlineData'))
}

function sizeOf(kind: Kind, body: Body, text: string): RealtimeFrame['size'] {
  let [sound, images, data] = [0, 0, 0]
  for (const blob of blobsIn(kind, body)) {
    const length = pickText(blob, 'data')?.length ?? 0
    data += length
    if (/^audio\//i.test(pickText(blob, 'mimeType') ?? '')) sound += length
    else images += 1
  }
  return { text: Math.ceil((Buffer.byteLength(text) - data) / 4) + images * imageTokens, sound }
}

/** The path of a reference to state in the upstream's account, which all tenants of a channel share. */
function stateIn(kind: Kind, body: Body): string | undefined {
  const contents = kind === 'clientContent' ? pickObjects(body, 'turns') : []
  const [ref] = contentHead({ ...(kind === 'setup' ? body : {}), contents: contents.length > 0 ? contents : [{}] }, '').stateRefs ?? []
  return ref && `${kind}.${ref.kind}`
}

/** The content of the frame that begins a session. */
export interface LiveSetup {
  model: string
  /** The session to resume. */
  handle?: string
}

/** The body of the first frame. Throws GatewayError for any other. */
export function readSetupBody(text: string): Body {
  const { kind, body } = read(text)
  if (kind !== 'setup') throw missingField('setup')
  return body
}

/** The first frame. Throws GatewayError for any other. */
export function readSetup(text: string): LiveSetup {
  const body = readSetupBody(text)
  const resumption = pickObject(body, 'sessionResumption')
  const handle = resumption && pickText(resumption, 'handle')
  return { model: modelIn(body), ...(handle !== undefined && handle !== '' && { handle }) }
}

/** The first frame for this upstream: with its name of the model, and its session handle. */
export function writeSetup(text: string, model: string, handle?: string): string {
  const named = spliceAt(text, [['setup'], ['model']], () => JSON.stringify(model.includes('/') ? model : `models/${model}`))
  if (handle === undefined) return named
  return spliceAt(named, [['setup'], ['sessionResumption', 'session_resumption'], ['handle']], () => JSON.stringify(handle))
}

/** A frame of the upstream with its session handle replaced; undefined if it has none. */
export function withHandle(text: string, replaced: (handle: string) => string): string | undefined {
  if (!/session_?[rR]esumption_?[uU]pdate/.test(text)) return undefined
  const at = [
    ['sessionResumptionUpdate', 'session_resumption_update'],
    ['newHandle', 'new_handle'],
  ]
  const changed = spliceAt(text, at, (handle) => (handle === '""' ? handle : JSON.stringify(replaced(String(JSON.parse(handle))))))
  return changed === text ? undefined : changed
}

/** The codes with which Google closes connections (RFC 6455). */
const invalid = 1007
const policy = 1008
const tryLater = 1013
const fault = 1011

/** The code with which a connection is closed for this refusal. */
export function closeCodeOf({ status, blame }: GatewayError): number {
  if (status === 400 || status === 413 || status === 422) return invalid
  if (status === 429 || status === 503) return status === 503 ? tryLater : policy
  return blame === 'client' || status === 404 || status === 402 ? policy : fault
}

/**
 * The error for an upstream that closed the connection instead of starting the session. Its message is not repeated if it may name an
 * account.
 */
export function readClosing(code: number, reason: string): GatewayError {
  const message = reason.toLowerCase()
  if (/quota|rate limit|resource.?exhausted/.test(message))
    return new GatewayError('upstream_rate_limited', 'The upstream limits sessions at the moment. Try again shortly.')
  if (/api key|credential|permission|unauthenticated/.test(message))
    return new GatewayError('upstream_auth_failed', 'The upstream did not accept the credentials of its channel.')
  if (/not found|not supported for bidi/.test(message))
    return new GatewayError('upstream_rejected', 'The upstream does not offer this model for live sessions.', {
      ...{ status: 404, publicCode: 'model_not_found', param: 'setup.model', retry: 'other' },
    })
  if (code === invalid) return new GatewayError('upstream_rejected', 'The upstream refused the set-up of the session.', { status: 400 })
  return new GatewayError('upstream_error', 'The upstream closed the connection before it began.')
}
