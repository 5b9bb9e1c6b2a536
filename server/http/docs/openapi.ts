/**
 * The API document (OpenAPI 3.1), built from the routes that are actually served and their descriptions. A route without a
 * description is still listed, by its path alone; a test makes sure that there is none. Must not know what the endpoints do.
 * Start with `document`.
 */

import type { Envelope, Route } from '#http/request/route'
import { type Carrier, carriers } from '#shared/api/carriers'
import { type SchemaName, schemas } from '#shared/api/schemas'
import { addressRouteDocs } from './address-routes.ts'
import { batchRouteDocs } from './batch-routes.ts'
import { consoleRouteDocs } from './console/console-routes.ts'
import { peopleRouteDocs } from './console/people-routes.ts'
import { sellingRouteDocs } from './console/selling-routes.ts'
import { teamRouteDocs } from './console/team-routes.ts'
import { fileRouteDocs } from './file-routes.ts'
import { interactionRouteDocs } from './interaction-routes.ts'
import { objectRouteDocs } from './object-routes.ts'
import { operationRouteDocs, sideRouteDocs, videoRouteDocs } from './operation-routes.ts'
import { realtimeRouteDocs } from './realtime-routes.ts'
import { conversationRouteDocs } from './relay-routes.ts'
import { type Gives, type RouteDoc, tags } from './route-doc.ts'

/** All descriptions. */
export const routeDocs: readonly RouteDoc[] = [
  ...conversationRouteDocs,
  ...interactionRouteDocs,
  ...sideRouteDocs,
  ...fileRouteDocs,
  ...batchRouteDocs,
  ...realtimeRouteDocs,
  ...videoRouteDocs,
  ...objectRouteDocs,
  ...addressRouteDocs,
  ...consoleRouteDocs,
  ...teamRouteDocs,
  ...peopleRouteDocs,
  ...sellingRouteDocs,
  ...operationRouteDocs,
]

type Json = Record<string, unknown>

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`

/** Routes without a description, and descriptions without a route. */
export function strayRoutes(routes: readonly Route[]): { undescribed: string[]; unserved: string[] } {
  const served = new Set(routes.map(nameOf))
  const described = new Set(routeDocs.map(({ route }) => route))
  return { undescribed: [...served].filter((name) => !described.has(name)), unserved: [...described].filter((name) => !served.has(name)) }
}

/** An endpoint as the document lists it: `POST /v1/models/{model}:generateContent`. */
export interface DescribedRoute extends Pick<Route, 'openedBy'> {
  method: string
  path: string
  doc: RouteDoc
  envelope: Route['envelope']
}

/** The served routes with their descriptions, in the order of the descriptions. */
export function describe(routes: readonly Route[]): DescribedRoute[] {
  const byName = new Map(routes.map((route) => [nameOf(route), route]))
  const known = routeDocs.flatMap((doc) => {
    const route = byName.get(doc.route)
    return route
      ? [{ method: route.method, path: doc.path ?? templated(route.path), doc, envelope: route.envelope, ...openings(route) }]
      : []
  })
  const { undescribed } = strayRoutes(routes)
  return [...known, ...routes.filter((route) => undescribed.includes(nameOf(route))).map(bare)]
}

const templated = (path: string) => path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')

function bare(route: Route): DescribedRoute {
  const path = templated(route.path)
  const doc: RouteDoc = { route: nameOf(route), tag: 'Operation', summary: path, who: 'anyone', gives: {} }
  return { method: route.method, path, doc, envelope: route.envelope, ...openings(route) }
}

const openings = ({ openedBy }: Route) => openedBy && { openedBy }

/** The whole document as a JSON value. */
export function document(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const described of describe(routes)) {
    const { path, method } = described
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(described) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version,
      summary: 'One API for every AI model.',
      description: 'The human-readable reference is at /docs.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, securitySchemes, responses, headers },
  }
}

function operation({ method, path, doc, envelope, openedBy }: DescribedRoute): Json {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const others = (doc.parameters ?? []).map((parameter) => ({ ...parameter, schema: { type: 'string' } }))
  return {
    operationId: `${method} ${path}`
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/-$/, ''),
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.description !== undefined && { description: doc.description }),
    security: [...security[doc.who], ...(openedBy ?? []).map((scope) => ({ managementKey: [scope] }))],
    parameters: [...inPath, ...others, ...(doc.who === 'key' && method === 'POST' ? [strict] : [])],
    ...(doc.takes && { requestBody: { required: !doc.takes.optional, content: body(doc.takes) } }),
    responses: { [doc.gives.status ?? 200]: success(doc.gives), default: refusal(envelope) },
  }
}

const strict = {
  name: 'x-parley-strict',
  in: 'header',
  description: '`true` refuses requests that cannot be converted without loss, instead of reporting the losses.',
  schema: { type: 'string', enum: ['true', 'false'] },
}

const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` })

const body = ({ json, form }: NonNullable<RouteDoc['takes']>): Json => ({
  ...(json && { 'application/json': { schema: reference(json) } }),
  ...(form && { 'multipart/form-data': { schema: reference(form) } }),
})

function success({ status = 200, json = [], events, types = [] }: Gives): Json {
  const [only, ...more] = json.map(reference)
  const content: Json = {
    ...(only && { 'application/json': { schema: more.length > 0 ? { anyOf: [only, ...more] } : only } }),
    ...(events && { 'text/event-stream': { schema: { type: 'string', description: 'The events are listed at /docs.' } } }),
    ...Object.fromEntries(types.map((type) => [type, {}])),
  }
  const sent = { 'x-request-id': { $ref: '#/components/headers/RequestId' }, 'x-parley-losses': { $ref: '#/components/headers/Losses' } }
  return { description: words[status] ?? 'Success.', headers: sent, ...(Object.keys(content).length > 0 && { content }) }
}

const words: Readonly<Record<number, string>> = {
  101: 'The WebSocket is open.',
  201: 'The created object.',
  204: 'Done.',
  426: 'Use POST.',
}

const envelopes = {
  chat: 'OpenaiError',
  messages: 'MessagesError',
  gemini: 'GeminiError',
  ollama: 'OllamaError',
  converse: 'ConverseError',
} as const satisfies Record<Envelope, SchemaName>
/** Envelopes of addresses that serve several protocols. */
const shared = [envelopes.chat, envelopes.messages, envelopes.gemini]

/** The error response. An address that serves several protocols has an envelope for each. */
const refusal = (envelope: Route['envelope']): Json => ({
  $ref: `#/components/responses/${typeof envelope === 'function' ? 'AnyRefusal' : envelopes[envelope]}`,
})

const refusalOf = (schema: Json): Json => ({
  description: 'Error. The codes are listed at /docs.',
  headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' }, 'retry-after': { $ref: '#/components/headers/RetryAfter' } },
  content: { 'application/json': { schema } },
})

const responses: Json = {
  ...Object.fromEntries(Object.values(envelopes).map((name) => [name, refusalOf(reference(name))])),
  AnyRefusal: refusalOf({ anyOf: shared.map(reference) }),
}

const headers: Json = {
  RequestId: { description: 'Id of the request in the logs; also sent as `request-id`.', schema: { type: 'string' } },
  Losses: {
    description: 'What the conversion to the upstream’s dialect changed or dropped: `field:what`, separated by commas.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'string' } },
}

const inRequest = carriers.filter(({ place }) => place !== 'subprotocol')

const securitySchemes: Json = {
  ...Object.fromEntries(inRequest.map((carrier) => [carrier.id, scheme(carrier)])),
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley',
    description: 'The login session. The cookie is named `__Host-parley` when the public URL is https.',
  },
  managementKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A management key, `Authorization: Bearer pk-...`. Each operation names the scopes of which one opens it; an operation without any needs a session.',
  },
}

function scheme({ id, place, name, usedBy: description }: Carrier): Json {
  return id === 'bearer' ? { type: 'http', scheme: 'bearer', description } : { type: 'apiKey', in: place, name, description }
}

const security: Readonly<Record<RouteDoc['who'], readonly Json[]>> = {
  anyone: [],
  key: inRequest.map(({ id }) => ({ [id]: [] })),
  session: [{ session: [] }],
  admin: [{ session: [] }],
}
