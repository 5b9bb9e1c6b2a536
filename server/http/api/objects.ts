/**
 * The endpoints for objects in an upstream's account: vector stores, containers, voices, skills, cached contents, file search stores. They
 * are listed in `#protocols/object-endpoints` and implemented in `#relay/objects/objects`.
 */
import type { ObjectEndpoint } from '#canonical/account-object'
import { decodeUtf8, join, readBody, readJsonPieces } from '#http/request/read-body'
import { type FormServices, isForm, readForm } from '#http/request/read-form'
import { relayed, withAllowances } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { spokenIn } from '#http/request/spoken'
import { admitUpload, type UploadAddressServices, uploadAddress, uploadCommands } from '#http/request/upload-address'
import { withRoom } from '#http/request/with-room'
import { objectEndpoints } from '#protocols/object-endpoints'
import type { BodyRoom } from '#relay/contract/body-rooms'
import type { ObjectAsk, ServeObject } from '#relay/contract/objects'
import { GatewayError } from '#shared/errors'
import { admit, type RelayServices, senderOf } from './relay-route.ts'
import { unservedEndpoint } from './unserved-endpoints.ts'

/** Dependencies. */
export interface ObjectServices
  extends FormServices,
    Pick<RelayServices, 'rooms' | 'heartbeatMs'>,
    Pick<UploadAddressServices, 'sealer' | 'publicUrl'> {
  accounts: RelayServices['accounts'] & UploadAddressServices['accounts']
  objects: ServeObject
}

/** Most bytes of JSON, which is parsed in one turn; and of one part of an upload. */
const mostJson = 4 * 1024 * 1024
const mostPart = 26 * 1024 * 1024
/** Milliseconds for which the address of an upload replaces its key. With the key it is valid as long as the upstream keeps the upload. */
const addressMs = 24 * 3_600_000
const goesAlong = /^(?:protocol|command|offset|file-name|header-content-length|header-content-type)$/

const noAddress = () => new GatewayError('not_found', 'There is nothing at this address.')
const noUpload = () => new GatewayError('not_found', 'There is no such upload.')

type BodyOf = Awaited<ReturnType<ObjectAsk['body']>>

async function formOf(services: ObjectServices, { request }: Visit, room: BodyRoom): Promise<BodyOf> {
  const { content, release } = await readForm(services, request, undefined, room)
  return { content: { form: content }, release }
}

async function jsonOf(services: ObjectServices, { request }: Visit, room: BodyRoom): Promise<BodyOf> {
  const { pieces, bytes } = await readJsonPieces(request, services, room)
  if (bytes > mostJson) throw new GatewayError('request_too_large', `A JSON body may have at most ${mostJson} bytes here.`)
  return bytes === 0 ? undefined : { content: { text: decodeUtf8(join(pieces)) } }
}

/** A part of one of Google's uploads: the file's metadata, or its bytes. */
async function partOf(services: ObjectServices, { request }: Visit): Promise<BodyOf> {
  const bytes = await readBody(request, mostPart, services.clock, services.idleMs)
  const type = request.headers.get('content-type') ?? 'application/octet-stream'
  return { content: { bytes, type } }
}

const isUpload = ({ path }: ObjectEndpoint) => path.startsWith('/upload/')

/** The upload that a call continues: its headers, and the upstream's address of it. Throws `not_found`. */
function uploadOf({ request }: Visit, upstreams: string | undefined): NonNullable<ObjectAsk['upload']> {
  const named = [...request.headers].map(([name, value]) => [/^x-goog-upload-(.*)$/.exec(name)?.[1] ?? '', value] as const)
  const headers = Object.fromEntries(named.flatMap(([name, value]) => (goesAlong.test(name) ? [[`x-goog-upload-${name}`, value]] : [])))
  if (uploadCommands(request).includes('start')) return { headers }
  if (upstreams === undefined) throw noUpload()
  return { headers, url: upstreams }
}

async function serve(services: ObjectServices, visit: Visit, endpoint: ObjectEndpoint): Promise<Response> {
  const { request, url, params, requestId } = visit
  const place = params.id ?? ''
  const { caller, upload: begun } = isUpload(endpoint) ? admitUpload(services, visit, place) : { caller: admit(services, visit) }
  const id = endpoint.action === undefined ? params.id : withoutAction(place, endpoint.action)
  const upload = isUpload(endpoint) ? uploadOf(visit, begun) : undefined
  const query = new URLSearchParams(url.search)
  for (const name of ['key', 'upload_id']) query.delete(name)
  const takesForm = endpoint.takes === 'form' || (endpoint.takes === 'either' && isForm(request))
  return withRoom(
    services.rooms,
    senderOf(caller),
    async (room) => {
      const reply = await services.objects({
        ...{ requestId, caller, endpoint, query, headers: request.headers, signal: request.signal },
        ...(id !== undefined && { id }),
        ...(params.part !== undefined && { part: params.part }),
        ...(upload && { upload }),
        body: async () => {
          if (upload) return partOf(services, visit)
          if (endpoint.takes === undefined) return undefined
          return takesForm ? formOf(services, visit, room) : jsonOf(services, visit, room)
        },
      })
      const response = withAllowances(
        relayed(reply, visit, services),
        endpoint.api === 'messages' ? 'messages' : endpoint.api,
        reply,
        services.clock,
      )
      for (const [name, value] of Object.entries(reply.headers)) response.headers.set(name, value)
      const at = reply.headers['x-goog-upload-url']
      // The upstream's address, rewritten to one of Parley's.
      if (at !== undefined) {
        response.headers.set('x-goog-upload-url', uploadAddress(services, visit, { caller, place, upload: at, lastsMs: addressMs }))
      }
      return response
    },
    takesForm,
  )
}

function withoutAction(named: string, action: string): string {
  if (!named.endsWith(action)) throw noAddress()
  return named.slice(0, -action.length)
}

/** Endpoints at one address: those of the caller's protocol. Other vendors' clients mean different objects of the same name. */
function handlerOf(services: ObjectServices, endpoints: readonly [ObjectEndpoint, ...ObjectEndpoint[]]): Route['handle'] {
  const [first] = endpoints
  return (visit) => {
    const spoken = spokenIn(visit)
    const endpoint = endpoints.find(({ api }) => api === (spoken === 'chat' ? 'openai' : spoken))
    const foreign = endpoint ? undefined : unservedEndpoint(visit.request, visit.url)
    if (foreign) {
      admit(services, visit)
      throw foreign.error
    }
    return serve(services, visit, endpoint ?? first)
  }
}

/** All of them. */
export function objectRoutes(services: ObjectServices): Route[] {
  const byAddress = Map.groupBy(objectEndpoints, ({ method, path }) => `${method} ${path}`)
  return [...byAddress.values()].flatMap(([first, ...others]): Route[] => {
    if (!first) return []
    const envelope = first.api === 'gemini' ? 'gemini' : spokenIn
    const { method, path } = first
    return [{ method, path, envelope, slow: true, handle: handlerOf(services, [first, ...others]) }]
  })
}
