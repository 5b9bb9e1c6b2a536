/** What is not the client's own in what goes to an upstream, nor the upstream's own in what comes back: names of models, ids of copies, headers. */
import type { StateRef } from '#canonical/codec'
import { inCallersModel, type ObjectBody, withModelName } from '#protocols/objects'
import type { ObjectAsk, ObjectContent } from '#relay/contract/objects'
import type { Candidate } from '#routing/order'
import { withIds } from './copies.ts'
import { callersNames, isJson, type ObjectAnswer } from './sending.ts'

/** The address behind the version. */
export function pathOf({ door, part, query }: ObjectAsk, object: StateRef | undefined, copies: ReadonlyMap<string, string>): string {
  const collection = door.path.replace(/^(?:\/upload)?\/v\w+\//, '')
  const [, last = ''] = /([^/]*)$/.exec(object?.id ?? '') ?? []
  const named = { id: encodeURIComponent(last) + (door.action ?? ''), part: encodeURIComponent(copies.get(part ?? '') ?? part ?? '') }
  const path = collection.replace(/:(id|part)/g, (_, name: 'id' | 'part') => named[name])
  const search = query.toString()
  return search === '' ? path : `${path}?${search}`
}

/** The body with the upstream's name of its model, or its ids of copies. */
export function written(
  content: ObjectContent,
  { value }: ObjectBody,
  { model, channel }: Candidate,
  copies: ReadonlyMap<string, string>,
): ObjectContent {
  if (!('text' in content)) return content
  const upstream = (channel.vendor.cacheName && channel.vendor.sessionModel?.(model.upstream, channel.options)) ?? model.upstream
  if (model.name !== '' && upstream !== model.name) return { text: JSON.stringify(withModelName(value, upstream)) }
  return { text: withIds(content.text, copies) }
}

/** The answer with the model's name as the caller knows it: `asked`, or what the channel calls it. */
export function named(answer: ObjectAnswer, { channel, model }: Candidate): ObjectAnswer {
  const names = callersNames(channel)
  if (model.name !== '') names.set(model.upstream, model.name)
  const value = inCallersModel(answer.value, names)
  return value === answer.value ? answer : { ...answer, value, text: JSON.stringify(value) }
}

/** Of Google's uploads, and how a file is called. */
export const headersOf = ({ headers }: ObjectAnswer): Record<string, string> => ({
  ...(!isJson(headers) && { 'content-disposition': dispositionOf(headers.get('content-disposition') ?? '') }),
  ...Object.fromEntries([...headers].flatMap(([name, value]) => (/^x-goog-upload-/i.test(name) ? [[name.toLowerCase(), value]] : []))),
})

const dispositionOf = (said: string) => (/^attachment\b/i.test(said) ? said : 'attachment')
