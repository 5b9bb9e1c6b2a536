/** Translates model names, ids of file copies and headers in object requests and in their answers. */
import type { StateRef } from '#canonical/codec'
import { inCallersModel, type ObjectBody, withModelName } from '#protocols/objects'
import type { ObjectAsk, ObjectContent } from '#relay/contract/objects'
import type { Candidate } from '#routing/order'
import { isObject } from '#shared/json'
import { spliceAt } from '#wire/splice-at'
import { withIds } from './copies.ts'
import { callersNames, isJson, type ObjectAnswer } from './sending.ts'

/** The path after the version. */
export function pathOf({ endpoint, part, query }: ObjectAsk, object: StateRef | undefined, copies: ReadonlyMap<string, string>): string {
  const collection = endpoint.path.replace(/^(?:\/upload)?\/v\w+\//, '')
  const [, last = ''] = /([^/]*)$/.exec(object?.id ?? '') ?? []
  const named = { id: encodeURIComponent(last) + (endpoint.action ?? ''), part: encodeURIComponent(copies.get(part ?? '') ?? part ?? '') }
  const path = collection.replace(/:(id|part)/g, (_, name: 'id' | 'part') => named[name])
  const search = query.toString()
  return search === '' ? path : `${path}?${search}`
}

/** The body with the upstream's model name, and with its ids of file copies. */
export function written(
  content: ObjectContent,
  { value }: ObjectBody,
  { model, channel }: Candidate,
  copies: ReadonlyMap<string, string>,
): ObjectContent {
  if (!('text' in content)) return content
  const upstream = (channel.vendor.cacheName && channel.vendor.sessionModel?.(model.upstream, channel.options)) ?? model.upstream
  const text = withIds(content.text, copies)
  if (model.name === '' || upstream === model.name) return { text }
  return { text: withFields(text, withModelName(value, upstream)) }
}

/** The answer with the model's public name: `asked`, or the channel's name for it. */
export function named(answer: ObjectAnswer, { channel, model }: Candidate): ObjectAnswer {
  const names = callersNames(channel)
  if (model.name !== '') names.set(model.upstream, model.name)
  const value = inCallersModel(answer.value, names)
  return value === answer.value || answer.text === undefined ? answer : { ...answer, value, text: withFields(answer.text, value) }
}

/** The text with the name and the model that `object` has; everything else stays as it was written. */
function withFields(text: string, object: unknown): string {
  const { name, model } = isObject(object) ? object : {}
  const named = typeof name === 'string' ? spliceAt(text, [['name']], () => JSON.stringify(name)) : text
  return typeof model === 'string' ? spliceAt(named, [['model']], () => JSON.stringify(model)) : named
}

/** Headers of Google's uploads, and the name of a file. */
export const headersOf = ({ headers }: ObjectAnswer): Record<string, string> => ({
  ...(!isJson(headers) && { 'content-disposition': dispositionOf(headers.get('content-disposition') ?? '') }),
  ...Object.fromEntries([...headers].flatMap(([name, value]) => (/^x-goog-upload-/i.test(name) ? [[name.toLowerCase(), value]] : []))),
})

const dispositionOf = (disposition: string) => (/^attachment\b/i.test(disposition) ? disposition : 'attachment')
