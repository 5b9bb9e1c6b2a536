/**
 * `contents` as turns. A function call may have no id, and a result only names its function: calls are numbered in order, which is stable
 * as a conversation grows, and results are matched by id, else by name in order.
 */
import type { CallPart, MediaPart, MediaSource, Part, ResultPart, TextPart, Turn } from '#canonical/conversation'
import { type Fields, invalidField, missingField } from '#protocols/codec/fields'
import { isKeptAddress } from '#protocols/codec/file-address'
import { exactCall } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type {
  GeminiContent,
  GeminiFunctionCall,
  GeminiFunctionResponse,
  GeminiPart,
  GenerateContentRequest,
} from '#shared/protocols/gemini/generate-content'
import { pickText } from '../proto-json.ts'
import { isYouTube } from './head.ts'
import { isEmptyPart, mediaKind, nativePart, signatureOf } from './part.ts'

interface OpenCall {
  callId: string
  /** The id that the caller gave. */
  given: string | undefined
  name: string
}

interface Reading {
  /** Calls without a result so far. */
  open: OpenCall[]
  taken: Set<string>
  count: number
  /** Paths of fields that only this dialect has. */
  notes: Set<string>
}

/** A content whose parts are open; an object is opened once. */
interface OpenContent {
  content: Fields<GeminiContent>
  parts: Fields<GeminiPart>[]
}

const roles: Readonly<Record<string, Turn['role']>> = { user: 'user', model: 'assistant', function: 'user', tool: 'user' }

/** `contents`; `notes` collects the paths of fields that only this dialect has. Throws GatewayError 400 with the field's path. */
export function readTurns(body: Fields<GenerateContentRequest>, notes: Set<string>): Turn[] {
  if (!body.has('contents')) throw missingField(body.pathOf('contents'))
  const contents = body.objects('contents').map((content) => ({ content, parts: content.objects('parts') }))
  if (contents.length === 0) throw invalidField(body.pathOf('contents'), 'a list with at least one content')
  const reading: Reading = { open: [], taken: givenIds(contents), count: 0, notes }
  return contents.flatMap((content) => readContent(content, reading))
}

/** Every id that the caller uses, so that a generated one is different. */
function givenIds(contents: readonly OpenContent[]): Set<string> {
  const calls = contents.flatMap(({ parts }) => parts.map((part) => part.json('functionCall'))).filter(isObject)
  return new Set(calls.flatMap((call) => pickText(call, 'id') ?? []))
}

/** One content is one turn, but tool results and other user parts are two. */
function readContent({ content, parts: given }: OpenContent, reading: Reading): Turn[] {
  const { path } = content
  const word = content.text('role') ?? 'user'
  const role = Object.hasOwn(roles, word) ? roles[word] : undefined
  if (!role) throw invalidField(content.pathOf('role'), 'user or model')
  const parts = given.flatMap((part) => readPart(part, reading))
  const turns: Turn[] = []
  for (const part of parts) {
    const partRole = part.kind === 'result' ? 'tool' : role
    const last = turns.at(-1)
    if (last?.role === partRole) last.parts.splice(-1, 1, ...joined(last.parts.at(-1), part))
    else turns.push({ role: partRole, parts: [part], path })
  }
  return turns.length > 0 ? turns : [{ role, parts: [], path }]
}

/** A streamed thought is sent back in pieces with the signature on the last: together they are one thought. */
function joined(before: Part | undefined, part: Part): Part[] {
  if (!before) return [part]
  if (before.kind !== 'reasoning' || part.kind !== 'reasoning' || before.opaque.length > 0) return [before, part]
  const text = [...before.text, ...part.text].join('')
  return [{ ...before, text: text === '' ? [] : [text], opaque: part.opaque }]
}

function readPart(part: Fields<GeminiPart>, reading: Reading): Part[] {
  const isThought = part.json('thought') === true
  const call = part.object('functionCall')
  if (call) return [readCall(call, part, reading)]
  const response = part.object('functionResponse')
  if (response) return [readResult(response, reading)]
  const text = part.text('text')
  if (text !== undefined) return readText(text, isThought, part)
  const media = readMedia(part, reading.notes)
  if (media) return [media]
  const raw = part.whole()
  return isEmptyPart(raw) ? [] : [nativePart(raw)]
}

function readText(text: string, isThought: boolean, part: Fields<GeminiPart>): Part[] {
  const opaque = signatureOf(part)
  if (text === '') return opaque.length > 0 ? [{ kind: 'reasoning', text: [], form: 'hidden', opaque }] : []
  if (isThought) return [{ kind: 'reasoning', text: [text], form: 'summary', opaque }]
  return [{ kind: 'text', text, ...(opaque.length > 0 && { opaque }) }]
}

function readCall(call: Fields<GeminiFunctionCall>, part: Fields<GeminiPart>, reading: Reading): CallPart {
  const name = call.text('name')
  if (!name) throw missingField(call.pathOf('name'))
  const args = call.object('args')?.whole() ?? {}
  const given = call.text('id') || undefined
  const callId = given ?? freshId(reading)
  reading.open.push({ callId, given, name })
  const opaque = signatureOf(part)
  return {
    kind: 'call',
    callId,
    name,
    form: 'json',
    argsText: JSON.stringify(exactCall(args)),
    ...(opaque.length > 0 && { opaque }),
    path: call.pathOf('args'),
  }
}

function freshId(reading: Reading): string {
  for (;;) {
    const id = `call_${++reading.count}`
    if (!reading.taken.has(id)) return id
  }
}

function readResult(response: Fields<GeminiFunctionResponse>, reading: Reading): ResultPart {
  const name = response.text('name')
  const id = response.text('id') || undefined
  const byId = reading.open.findIndex(({ given }) => id !== undefined && given === id)
  const at = byId === -1 ? reading.open.findIndex((call) => call.name === name && (id === undefined || call.given === undefined)) : byId
  const [call] = at === -1 ? [] : reading.open.splice(at, 1)
  if (!call) throw invalidField(response.path, 'the result of a function call that comes before it')
  const media = response.objects('parts').map((part) => {
    const found = readMedia(part.as<GeminiPart>(), reading.notes)
    if (!found) throw invalidField(part.path, 'media')
    return found
  })
  const { text, isError } = readOutcome(exactCall(response.object('response')?.whole() ?? {}), name)
  const said: TextPart[] = text === '' ? [] : [{ kind: 'text', text }]
  return { kind: 'result', callId: call.callId, name: call.name, form: 'json', isError, parts: [...said, ...media] }
}

/**
 * By Google's convention `output` is a function's result and `error` its error; anything else is the result itself. The AI SDK repeats the
 * function's name next to the error.
 */
function readOutcome(response: Record<string, unknown>, name: string | undefined): { text: string; isError: boolean } {
  const failed = 'error' in response && response.name === name
  const [key, ...others] = Object.keys(response).filter((field) => !(failed && field === 'name'))
  if (key === undefined) return { text: '', isError: false }
  const isError = key === 'error' && others.length === 0
  const value = isError || (key === 'output' && others.length === 0) ? response[key] : response
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError }
}

/** Undefined when the part has no media. `notes` collects the paths of fields that only this dialect has. */
export function readMedia(part: Fields<GeminiPart>, notes: Set<string>): MediaPart | undefined {
  const inline = part.object('inlineData')
  if (inline) {
    const mimeType = inline.text('mimeType')
    const data = inline.text('data')
    if (!mimeType) throw missingField(inline.pathOf('mimeType'))
    if (data === undefined) throw missingField(inline.pathOf('data'))
    // Bytes may use either base64 alphabet; other dialects only take the standard one.
    const source = { data: data.replaceAll('-', '+').replaceAll('_', '/') }
    return media(part, mimeType, source, inline.textIf('displayName'), notes)
  }
  const file = part.object('fileData')
  if (!file) return undefined
  const uri = file.text('fileUri')
  if (!uri) throw missingField(file.pathOf('fileUri'))
  const mimeType = file.text('mimeType') ?? (isYouTube(uri) ? 'video/*' : undefined)
  const source: MediaSource = isKeptAddress(uri) ? { fileId: uri, dialect: 'gemini' } : { url: uri }
  return media(part, mimeType, source, file.textIf('displayName'), notes)
}

const details: Readonly<Record<string, MediaPart['detail']>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'original',
}

function media(
  part: Fields<GeminiPart>,
  mimeType: string | undefined,
  source: MediaSource,
  name: string | undefined,
  notes: Set<string>,
): MediaPart {
  const level = part.objectIf('mediaResolution')?.textIf('level') ?? ''
  const detail = Object.hasOwn(details, level) ? details[level] : undefined
  const opaque = signatureOf(part)
  const extra: Record<string, unknown> = {}
  for (const field of onlyHere) {
    if (!part.has(field)) continue
    extra[field] = part.json(field)
    notes.add(part.pathOf(field))
  }
  return {
    kind: 'media',
    media: mediaKind(mimeType ?? ''),
    source,
    ...(mimeType !== undefined && { mimeType }),
    ...(name !== undefined && { name }),
    ...(detail && { detail }),
    ...(opaque.length > 0 && { opaque }),
    ...(Object.keys(extra).length > 0 && { extra }),
    path: part.path,
  }
}

/** Other fields of media in this dialect: the section of a video, the frame rate. */
const onlyHere = ['videoMetadata', 'mediaProcessing', 'partMetadata'] as const
