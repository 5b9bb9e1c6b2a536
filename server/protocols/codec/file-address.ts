/**
 * Addresses of files that an upstream is asked to read. Some are read with the credentials of the channel, in whatever way they are
 * written: files of a Google account, objects in buckets, and files at the channel's own host. An address is read here as upstreams do;
 * where they might disagree, it counts as one of these.
 */
import type { StateRef } from '#canonical/codec'
import { isObject } from '#shared/json'

/**
 * An address may begin with spaces and contain tabs and line ends, which the URL standard removes; many languages also trim other kinds of
 * spaces, and invisible characters.
 */
const blank = '\\0-\\x20\\s\\x7f-\\xa0\\xad\\u180e\\u200b-\\u200f\\u2060-\\u2064'
const schemed = new RegExp(`^[${blank}]*([a-z][a-z0-9+.\\-\\t\\n\\r]{0,31}):`, 'i')
const fileName = new RegExp(`^[${blank}]*(?:generated)?files[/\\\\]`, 'i')
const dropped = new RegExp(`^[${blank}]+|[\\t\\n\\r]`, 'g')
/** Bucket schemes, and any scheme with an authority: vendors have their own for files that were uploaded to them. */
const bound = /^(?:(?:gs|s3):|[a-z0-9+.-]+:[/\\]{2})/i
const googleHost = /(?:^|\.)(?:googleapis|google)\.com$/
/** Uploaded files, and those that Google's models made. */
const googleFile = /^\/files\/|\/v[a-z0-9]+\/(?:generated)?files(?:\/|$)/

/** What a text is: not an address; one that anybody can open, with its host if that might be the channel's own; or one with an owner. */
type Place = 'text' | 'open' | 'kept' | { host: string }

function placeOf(text: string): Place {
  const scheme = schemed
    .exec(text)?.[1]
    ?.replace(/[\t\n\r]/g, '')
    .toLowerCase()
  if (scheme === undefined) return fileName.test(text) ? 'kept' : 'text'
  if (scheme === 'data') return 'open'
  const address = text.replace(dropped, '')
  if (scheme !== 'http' && scheme !== 'https') return bound.test(address) ? 'kept' : 'text'
  return placeOnWeb(address)
}

function placeOnWeb(address: string): Place {
  const url = URL.parse(address)
  // Some take a backslash for a slash, others for a part of the user's name, and they also differ without slashes.
  if (!url || !/^https?:\/\/[^/]/i.test(address) || /^[^?#]*\\/.test(address)) return 'kept'
  const host = url.hostname.replace(/\.+$/, '')
  const path = plainPath(url.pathname)
  if (googleHost.test(host) && googleFile.test(path)) return 'kept'
  return /\/files(?:\/|$)/.test(path) ? { host } : 'open'
}

/** A path in lower case, decoded as often as a chain of servers might, without empty and relative segments and parameters. */
function plainPath(pathname: string): string {
  let path = pathname
  for (let times = 0; times < 3 && path.includes('%'); times++) {
    path = path.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  const segments: string[] = []
  for (const one of path.toLowerCase().split(/[/\\]/)) {
    const segment = one.split(';', 1)[0] ?? ''
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** A file in an account, or an object in a bucket: read with the channel's credentials. */
export const isKeptFile = (text: string): boolean => placeOf(text) === 'kept'

/** The same of a text that must be an address: true for everything but `http`, `https` and `data`. */
export const isKeptAddress = (uri: string): boolean => uri !== '' && ['kept', 'text'].includes(placeOf(uri) as string)

/** Adds a text that must be an address, unless anybody could open it. */
export function addAddress(uri: string, refs: StateRef[]): void {
  if (isKeptAddress(uri)) refs.push({ kind: 'file', id: uri })
  else addFile(uri, refs)
}

function addFile(text: string, refs: StateRef[]): void {
  const place = placeOf(text)
  if (place === 'kept') refs.push({ kind: 'file', id: text })
  else if (typeof place === 'object') refs.push({ kind: 'file', id: text, host: place.host })
}

const deepest = 4

/** Adds the addresses of stored files in one piece of media; items of lists are pieces of their own. */
export function addKeptAddresses(piece: unknown, refs: StateRef[], depth = 0): void {
  if (typeof piece === 'string') addFile(piece, refs)
  else if (isObject(piece) && depth < deepest) {
    for (const name in piece) if (name !== 'text') addKeptAddresses(piece[name], refs, depth + 1)
  }
}

/** Files and buckets of Google, wherever a question for pictures or videos names them: they are read or written by the channel's account. */
export function googleAddresses(value: unknown): StateRef[] {
  if (Array.isArray(value)) return value.flatMap(googleAddresses)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' && /^(?:uri|gcs_?uri|file_?uri|storage_?uri)$/i.test(name)
      ? [{ kind: 'file' as const, id: inner }]
      : googleAddresses(inner),
  )
}
