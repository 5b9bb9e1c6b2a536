/** What Parley itself reads and changes of a Chat request that passes; everything else passes unseen. */

import type { Head, RequestBody, RequestEdits, ScannedBody, StateRef } from '#canonical/codec'
import type { NonTextContent } from '#canonical/non-text-content'
import { bodyNames, cacheMark } from '#protocols/codec/body-names'
import { addKeptAddresses } from '#protocols/codec/file-address'
import { addRef, bring, noContent, scanned, standInsOf, uniqueRefs } from '#protocols/codec/head'
import { chatUnpriced } from '#protocols/codec/unpriced'
import { isObject } from '#shared/json'
import { ChatRequest } from '#shared/protocols/openai/chat'
import { scanObject } from '#wire/json-scan'
import { editFields } from '../edit.ts'
import { type Body, isAbsent, missing, readCount, readFlag, readModel, wrong } from '../fields.ts'

const names = bodyNames('openai', [ChatRequest])
/** Scans a body. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scan = (text: string): ScannedBody => scanObject(text, names)

/** Throws GatewayError 400 with the field's name as `param`; unknown fields and kinds pass. */
export function readHead(given: RequestBody): Head {
  const request = scanned(given, scan)
  const { text: raw, value: body } = request
  const messages = messageList(body.messages).filter(isObject)
  const kept = keptIn(messages, body.audio)
  const { media, brought } = mediaIn(messages)
  const settings = settingsIn(request)
  const head: Head = {
    model: readModel(body.model),
    stream: readFlag(body, 'stream') ?? false,
    n: readCount(body, 'n', 128) ?? 1,
    inputBytes: Buffer.byteLength(raw),
    usageAsked: isObject(body.stream_options) && body.stream_options.include_usage === true,
    media: media ? [...media] : [],
    searchAsked: asksSearch(body),
    affinity: affinityOf(body),
    ...standInsOf(body),
    ...(body.service_tier !== undefined && chatUnpriced(body)),
    ...(kept.length > 0 && { stateRefs: kept }),
  }
  if (brought || settings) head.nonText = { ...(brought ?? noContent()), ...settings }
  const older = readCount(body, 'max_tokens')
  const newer = readCount(body, 'max_completion_tokens')
  if (older !== undefined || newer !== undefined) head.maxOutput = Math.max(older ?? 0, newer ?? 0)
  if (body.group !== undefined) head.group = body.group
  if (body.team !== undefined) head.team = body.team
  return head
}

/** The messages of a request. Throws GatewayError 400 when there are none. */
export function messageList(messages: unknown): unknown[] {
  if (isAbsent(messages)) throw missing('messages')
  if (!Array.isArray(messages) || messages.length === 0) throw wrong('messages', 'a list with at least one message')
  return messages
}

/** Kinds of media by part type; an unknown type is `other`. */
const kinds: Readonly<Record<string, string>> = {
  image_url: 'image',
  input_image: 'image',
  image: 'image',
  input_audio: 'audio',
  audio: 'audio',
  file: 'file',
  input_file: 'file',
}

function mediaIn(messages: Body[]): { media: Set<string> | undefined; brought: NonTextContent | undefined } {
  let media: Set<string> | undefined
  let brought: NonTextContent | undefined
  for (const message of messages) {
    if (isObject(message.audio)) {
      media ??= new Set()
      media.add('audio')
    }
    if (!Array.isArray(message.content)) continue
    for (const part of message.content) {
      if (!isObject(part) || part.type === 'text' || part.type === 'refusal') continue
      const kind = (typeof part.type === 'string' && Object.hasOwn(kinds, part.type) && kinds[part.type]) || 'other'
      media ??= new Set()
      media.add(kind)
      brought ??= noContent()
      bring(brought, kind, part)
    }
  }
  return { media, brought }
}

/**
 * Requested kinds of output, cache breakpoints as many clients write them, and tools that run at the upstream; undefined if there are none.
 */
function settingsIn(request: ScannedBody): Pick<NonTextContent, 'modalities' | 'cached' | 'unseen'> | undefined {
  const { text: raw, value: body } = request
  const { modalities } = body
  const hosts = asksSearch(body) || !isAbsent(body.plugins) || !isAbsent(body.search_parameters)
  const isMarked = request.begins?.has(cacheMark) ?? request.text.includes(`"${cacheMark}`)
  if (!hosts && !isMarked && !Array.isArray(modalities)) return undefined
  return {
    ...(Array.isArray(modalities) && {
      modalities: modalities.filter((kind) => typeof kind === 'string').map((kind) => kind.toLowerCase()),
    }),
    ...(isMarked && { cached: /"ttl"\s*:\s*"1h"/.test(raw) ? '1h' : '5m' }),
    ...(hosts && { unseen: true }),
  }
}

/** Files, audio of earlier answers, and custom voices, which are stored in one upstream account; `wanted`: the requested audio. */
function keptIn(messages: Body[], wanted: unknown): StateRef[] {
  const refs: StateRef[] = []
  if (isObject(wanted) && isObject(wanted.voice)) addRef('voice', wanted.voice.id, refs)
  for (const { content, audio } of messages) {
    if (isObject(audio) && typeof audio.id === 'string' && audio.id !== '') refs.push({ kind: 'audio', id: audio.id })
    if (!Array.isArray(content)) continue
    for (const part of content) {
      if (!isObject(part) || part.type === 'text') continue
      const file = isObject(part.file) ? part.file.file_id : undefined
      if (typeof file === 'string' && file !== '') refs.push({ kind: 'file', id: file })
      addKeptAddresses(part, refs)
    }
  }
  return uniqueRefs(refs)
}

function asksSearch(body: Body): boolean {
  if (body.web_search_options !== undefined && body.web_search_options !== null) return true
  if (!Array.isArray(body.tools)) return false
  return body.tools.some((tool) => isObject(tool) && tool.type !== 'function' && tool.type !== 'custom' && !isObject(tool.function))
}

const isSessionName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 512

function affinityOf(body: Body): string[] {
  const userId = isObject(body.metadata) ? body.metadata.user_id : undefined
  return [body.prompt_cache_key, body.user, userId].filter(isSessionName)
}

/** `raw` is a body that readHead accepted. The channel's system prompt becomes the first message. */
export function editRequest(raw: string, edits: RequestEdits): string {
  return editFields(raw, edits, promptPlace)
}

function withSystem(messages: string | undefined, content: string): string | undefined {
  if (!messages?.startsWith('[')) return messages
  const rest = messages.slice(1)
  const comma = /^\s*\]/.test(rest) ? '' : ','
  return `[${JSON.stringify({ role: 'system', content })}${comma}${rest}`
}

const promptPlace = { field: 'messages', put: withSystem }
