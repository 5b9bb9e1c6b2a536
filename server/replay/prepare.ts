/** From a kept request to the one sent again: the same bytes, except for what the target changes. Pure. */
import type { KeptRecord } from '#bodies/record'
import { conversationCodecs } from '#protocols/index'
import type { ReplayTarget } from '#shared/console/replay'
import { GatewayError } from '#shared/errors'
import type { ReplayCall } from './dispatch.ts'
import { blanked, endpointOf, playground, type Spoken, spokenAt } from './spoken.ts'

/** The request to send. `exact`: no byte of the body differs, and the model is the same. */
export interface Prepared extends Pick<ReplayCall, 'address' | 'headers' | 'body' | 'model'> {
  /** The format of the conversation; absent: not a conversation. */
  spoken?: Spoken
  exact: boolean
}

/** Most bytes of a body whose fields are changed here; larger ones would block other requests. */
const mostEdited = 1024 * 1024

const redacted = () =>
  new GatewayError(
    'body_redacted',
    'Part of this request was blanked before it was stored, so it cannot be replayed unchanged. Nothing was sent.',
  )
const incomplete = () =>
  new GatewayError(
    'body_incomplete',
    'This request was stored only in part: it was too large, or broke off. It cannot be replayed. Nothing was sent.',
  )
const unchangeable = (what: string) => new GatewayError('not_replayable', what)

/** Throws `body_redacted`, `body_incomplete` and `not_replayable`: none of these may be sent. */
export function prepared({ parts }: KeptRecord, target: ReplayTarget): Prepared {
  const part = parts.find(({ border }) => border === 'client-request')
  if (part?.method === 'GET') throw unchangeable('A session cannot be asked again: only single requests can.')
  if (!part || part.leftOut || part.broken !== undefined || isShort(part.headers, part.bytes)) throw incomplete()
  if (part.redacted) throw redacted()
  const { path, query, named } = endpointOf(part.address ?? '')
  const spoken = spokenAt(path)
  const isPlayground = path === playground
  const headers = part.headers.filter(([name, value]) => value !== blanked && isSent(name))
  const set = { ...target.set }
  const remove = [
    ...(target.remove ?? []),
    ...(isPlayground ? ['group', 'team'] : []),
    ...(spoken?.dialect === 'responses' && part.body.length <= mostEdited ? ['background'] : []),
  ]
  const given = edited(part.body, spoken, { set, remove })
  const model = target.model ?? named
  const inPath = spoken?.dialect === 'gemini' || /^\/(?:v1beta\/models|model)\//.test(path)
  const address = inPath && target.model !== undefined ? withModelInPath(path, target.model) : isPlayground ? '/v1/chat/completions' : path
  return {
    address: `${address}${query}`,
    headers,
    body: given,
    ...(model !== undefined && !inPath && { model }),
    ...(spoken && { spoken }),
    exact: given === part.body && target.model === undefined && named === undefined,
  }
}

function withModelInPath(path: string, model: string): string {
  const converse = /^\/model\/[^/]+(\/converse(?:-stream)?)$/.exec(path)
  if (converse) return `/model/${encodeURIComponent(model)}${converse[1]}`
  return path.replace(
    /\/models\/.+(:\w+)$/,
    (_, action: string) => `/models/${model.split('/').map(encodeURIComponent).join('/')}${action}`,
  )
}

/** Headers about the transfer of the body, its sender, or its handling here are set anew. */
const isSent = (name: string) =>
  !/^(?:content-length|content-encoding|transfer-encoding|x-parley-(?:store|stored|losses)|x-request-id|request-id|date|server)$/.test(name)

function isShort(headers: readonly (readonly [string, string])[], bytes: number): boolean {
  const [, declared] = headers.find(([name]) => name === 'content-length') ?? []
  return declared !== undefined && /^\d+$/.test(declared) && Number(declared) !== bytes
}

/** The body with its differing top-level fields changed; the same object where none differs. */
function edited(
  body: Uint8Array,
  spoken: Spoken | undefined,
  { set, remove }: { set: Record<string, unknown>; remove: string[] },
): Uint8Array {
  const isWanted = Object.keys(set).length > 0
  if (!isWanted && remove.length === 0) return body
  if (!spoken) throw unchangeable('Only the fields of a conversation can be changed.')
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  const isThere = remove.filter((name) => text.includes(JSON.stringify(name)))
  if (!isWanted && isThere.length === 0) return body
  if (body.byteLength > mostEdited) throw unchangeable('The fields of a body over a megabyte cannot be changed.')
  try {
    const changed = conversationCodecs[spoken.dialect].editRequest(text, { set, remove: isThere })
    return changed === text ? body : Buffer.from(changed, 'utf8')
  } catch {
    throw unchangeable('The body is not JSON, so that no field of it can be changed.')
  }
}
