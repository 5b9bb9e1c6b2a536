/**
 * Secrets of a channel outside its keys: in headers, options, parameters, certificates and the query of its URL, recognised by their names,
 * and the credentials of its proxy. They are sealed in the database, and shown as a hint; a hint that is sent back stands for the current
 * secret. Pure except for the sealer's IV.
 */
import type { Sealer } from '#runtime/secrets'
import type { ChannelPatch } from '#shared/console/channel'
import { isObject } from '#shared/json'
import type { ChannelFields } from '#store/channels/channels'
import { hintOf } from './channel-keys.ts'

/** The columns that may hold such secrets. */
type Suspect = Partial<Pick<ChannelFields, 'baseUrl' | 'headers' | 'options' | 'params' | 'proxy' | 'tls'>>

const suspects = ['headers', 'options', 'params', 'tls'] as const
const sealedMark = 'sealed:'
const hintMark = 'hidden '

const secretWord =
  /(?:^|[-_.])(?:(?:api|access|account|secret|private|auth|subscription|license)?-?_?key|token|secret|pass(?:word|wd|phrase)?|auth(?:orization)?|credentials?|cookie|sig(?:nature)?|sas)$/i
const noSecret = /cache[-_]?key$/i

/** Whether a field of this name holds a secret: `x-portkey-api-key`, `accessToken`, `sig`; not `prompt_cache_key` or `max_tokens`. */
export function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2')
  return secretWord.test(words) && !noSecret.test(words)
}

type Change = (secret: string, place: string) => string

/** The fields as they are stored. Secrets that are already sealed stay unchanged. */
export function sealSecrets<Fields extends Suspect>(fields: Fields, id: string, sealer: Sealer): Fields {
  return changed(fields, (secret, place) =>
    secret === '' || secret.startsWith(sealedMark) ? secret : sealedMark + sealer.seal(secret, `${id} ${place}`),
  )
}

/** The fields as they are used. Throws GatewayError `internal_error` for a secret that does not open. */
export function openSecrets<Fields extends Suspect>(fields: Fields, id: string, sealer: Sealer): Fields {
  return changed(fields, (secret, place) =>
    secret.startsWith(sealedMark) ? sealer.open(secret.slice(sealedMark.length), `${id} ${place}`) : secret,
  )
}

/** Whether the stored fields hold a secret as plain text, as earlier versions wrote them. */
export function hasPlainSecrets(fields: Suspect): boolean {
  let found = false
  changed(fields, (secret) => {
    found ||= secret !== '' && !secret.startsWith(sealedMark)
    return secret
  })
  return found
}

/** Only the columns that may hold secrets. */
export const suspectsOf = ({ baseUrl, headers, options, params, proxy, tls }: Required<Suspect>): Required<Suspect> => ({
  ...{ baseUrl, headers, options, params, proxy, tls },
})

/** The fields as administrators see them. */
export const hideSecrets = <Fields extends Suspect>(fields: Fields): Fields =>
  changed(fields, (secret) => (secret === '' ? secret : hintMark + hintOf(secret)))

/** The entered fields, with the hints of `current` replaced by its secrets. */
export function revealed(fields: ChannelPatch, current: Required<Suspect>): ChannelPatch {
  const known = new Map<string, string>()
  changed(suspectsOf(current), (secret, place) => {
    known.set(place, secret)
    return secret
  })
  return changed(fields as ChannelPatch & Suspect, (entered, place) => {
    const secret = known.get(place)
    return secret !== undefined && entered === hintMark + hintOf(secret) ? secret : entered
  })
}

/** Whether a channel that moves to another host would send it current secrets, in headers, options, parameters or the query of the URL. */
export function carriesSecrets(from: Required<Suspect>, to: Suspect): boolean {
  if (to.baseUrl === undefined || originOf(to.baseUrl) === originOf(from.baseUrl)) return false
  const kept = new Set(secretsOf(from))
  return secretsOf({ ...from, ...to }).some((secret) => kept.has(secret))
}

/** The secrets that are sent to the upstream. */
function secretsOf({ baseUrl, headers, options, params }: Required<Suspect>): string[] {
  const found: string[] = []
  changed({ baseUrl, headers, options, params }, (secret) => {
    if (secret !== '') found.push(secret)
    return secret
  })
  return found
}

const originOf = (address: string | null): string | undefined =>
  address !== null && URL.canParse(address) ? new URL(address).origin : undefined

function changed<Fields extends Suspect>(fields: Fields, change: Change): Fields {
  const given: Suspect = {}
  for (const name of suspects) if (fields[name] !== undefined) Object.assign(given, { [name]: inside(fields[name], name, change) })
  if (typeof fields.baseUrl === 'string') given.baseUrl = inAddress(fields.baseUrl, change)
  if (typeof fields.proxy === 'string') given.proxy = inProxy(fields.proxy, change)
  return { ...fields, ...given }
}

/** Changes every string with a secret name, at any depth; everything inside a field with such a name is secret. */
function inside(value: unknown, place: string, change: Change, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? change(value, place) : value
  if (Array.isArray(value)) return value.map((part, at) => inside(part, `${place}.${at}`, change, isSecret))
  if (!isObject(value)) return value
  const parts = Object.entries(value).map(([name, part]) => [
    name,
    inside(part, `${place}.${name}`, change, isSecret || isSecretName(name)),
  ])
  return Object.fromEntries(parts)
}

/** User and password as one secret that belongs to this proxy: it is not sent to a different one. */
function inProxy(address: string, change: Change): string {
  const [, scheme, secret, host] = /^(\w+:\/\/)(.*)@([^@]*)$/s.exec(address) ?? []
  return secret === undefined ? address : `${scheme}${change(secret, `proxy ${scheme}${host}`)}@${host}`
}

/** A URL without such a query stays letter for letter. */
function inAddress(address: string, change: Change): string {
  if (!address.includes('?') || !URL.canParse(address)) return address
  const url = new URL(address)
  const names = [...new Set(url.searchParams.keys())].filter(isSecretName)
  if (names.length === 0) return address
  for (const name of names) url.searchParams.set(name, change(url.searchParams.get(name) ?? '', `baseUrl.${name}`))
  return url.href
}
