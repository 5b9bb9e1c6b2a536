/**
 * The endpoints to objects in an upstream's account, as a table: one row for each address and method. Read: the resources of openai 7,
 * @anthropic-ai/sdk 1 (`beta.skills`, `beta.memoryStores`, `beta.agents`, `beta.environments`, `beta.vaults`) and @google/genai 2 and 3
 * (`caches`, `fileSearchStores`).
 */
import type { ObjectApi, ObjectEndpoint, ObjectKind } from '#canonical/account-object'

/** A kind of object at its path, with its calls: each `METHOD path` below it, and the type of the body. */
interface Collection {
  api: ObjectApi
  kind: ObjectKind
  at: string
  does: readonly (readonly [does: Exclude<ObjectEndpoint['does'], 'inside'>, takes?: ObjectEndpoint['takes'], method?: 'PATCH'])[]
  inside?: readonly (readonly [route: string, takes?: ObjectEndpoint['takes']])[]
}

const versions: Collection['inside'] = [
  ['POST /versions', 'either'],
  ['GET /versions'],
  ['GET /versions/:part'],
  ['DELETE /versions/:part'],
  ['GET /versions/:part/content'],
]

/** The calls that all of Anthropic's kinds have. */
const all: Collection['does'] = [['create', 'json'], ['list'], ['read'], ['change', 'json'], ['delete']]
const archive = ['POST /archive', 'json'] as const

type Inside = NonNullable<Collection['inside']>
const partsAt = (at: string): Inside => [
  [`POST ${at}`, 'json'],
  [`GET ${at}`],
  [`GET ${at}/:part`],
  [`POST ${at}/:part`, 'json'],
  [`DELETE ${at}/:part`],
]

/** Clients up to the second major version call `v1beta`, later ones `v1`. */
const googles = (version: string): Collection[] => [
  {
    ...{ api: 'gemini', kind: 'cached-content', at: `/${version}/cachedContents` },
    does: [['create', 'json'], ['list'], ['read'], ['change', 'json', 'PATCH'], ['delete']],
  },
  {
    ...{ api: 'gemini', kind: 'file-search-store', at: `/${version}/fileSearchStores` },
    does: [['create', 'json'], ['list'], ['read'], ['delete']],
    inside: [
      ['POST :importFile', 'json'],
      ['GET /documents'],
      ['GET /documents/:part'],
      ['DELETE /documents/:part'],
      ['GET /operations/:part'],
      ['GET /upload/operations/:part'],
    ],
  },
]

const collections: readonly Collection[] = [
  {
    ...{ api: 'openai', kind: 'vector-store', at: '/v1/vector_stores' },
    does: [['create', 'json'], ['list'], ['read'], ['change', 'json'], ['delete']],
    inside: [
      ['POST /search', 'json'],
      ['POST /files', 'json'],
      ['GET /files'],
      ['GET /files/:part'],
      ['POST /files/:part', 'json'],
      ['DELETE /files/:part'],
      ['GET /files/:part/content'],
      ['POST /file_batches', 'json'],
      ['GET /file_batches/:part'],
      ['POST /file_batches/:part/cancel', 'json'],
      ['GET /file_batches/:part/files'],
    ],
  },
  {
    ...{ api: 'openai', kind: 'container', at: '/v1/containers' },
    does: [['create', 'json'], ['list'], ['read'], ['delete']],
    inside: [['POST /files', 'either'], ['GET /files'], ['GET /files/:part'], ['DELETE /files/:part'], ['GET /files/:part/content']],
  },
  { ...{ api: 'openai', kind: 'voice', at: '/v1/audio/voices' }, does: [['create', 'either'], ['delete']] },
  {
    ...{ api: 'openai', kind: 'voice-consent', at: '/v1/audio/voice_consents' },
    does: [['create', 'form'], ['list'], ['read'], ['change', 'json'], ['delete']],
  },
  {
    ...{ api: 'openai', kind: 'skill', at: '/v1/skills' },
    does: [['create', 'either'], ['list'], ['read'], ['change', 'json'], ['delete']],
    inside: [['GET /content'], ...versions],
  },
  { ...{ api: 'messages', kind: 'skill', at: '/v1/skills' }, does: [['create', 'form'], ['list'], ['read'], ['delete']], inside: versions },
  {
    ...{ api: 'messages', kind: 'memory-store', at: '/v1/memory_stores' },
    does: all,
    inside: [
      archive,
      ...partsAt('/memories'),
      ['GET /memory_versions'],
      ['GET /memory_versions/:part'],
      ['POST /memory_versions/:part/redact', 'json'],
    ],
  },
  {
    ...{ api: 'messages', kind: 'agent', at: '/v1/agents' },
    does: [['create', 'json'], ['list'], ['read'], ['change', 'json']],
    inside: [archive, ['GET /versions']],
  },
  { ...{ api: 'messages', kind: 'environment', at: '/v1/environments' }, does: all, inside: [archive] },
  {
    ...{ api: 'messages', kind: 'vault', at: '/v1/vaults' },
    does: all,
    inside: [
      archive,
      ...partsAt('/credentials'),
      ['POST /credentials/:part/archive', 'json'],
      ['POST /credentials/:part/mcp_oauth_validate', 'json'],
    ],
  },
  ...['v1beta', 'v1'].flatMap(googles),
]

const methods = { create: 'POST', list: 'GET', read: 'GET', change: 'POST', delete: 'DELETE' } as const

function endpointsOf({ api, kind, at, does, inside = [] }: Collection): ObjectEndpoint[] {
  const own = does.map(([what, takes, method]): ObjectEndpoint => {
    const path = what === 'create' || what === 'list' ? at : `${at}/:id`
    return { api, kind, method: method ?? methods[what], path, does: what, ...(takes && { takes }) }
  })
  const others = inside.map(([route, takes]): ObjectEndpoint => {
    const [, method = '', rest = ''] = /^(\w+) (.*)$/.exec(route) ?? []
    const isAction = rest.startsWith(':')
    const path = `${at}/:id${isAction ? '' : rest}`
    const endpoint = { api, kind, method: method as ObjectEndpoint['method'], path, does: 'inside' } as const
    return { ...endpoint, ...(takes && { takes }), ...(isAction && { action: rest }) }
  })
  return [...own, ...others]
}

/** Google's addresses for uploads into a store. */
const uploads = ['v1beta', 'v1'].map((version): ObjectEndpoint => {
  const path = `/upload/${version}/fileSearchStores/:id`
  return { api: 'gemini', kind: 'file-search-store', method: 'POST', path, does: 'inside', action: ':uploadToFileSearchStore' }
})

/** The whole table. */
export const objectEndpoints: readonly ObjectEndpoint[] = [...collections.flatMap(endpointsOf), ...uploads]

/** Names of the kinds in messages. */
export const kindTitles: Readonly<Record<ObjectKind, string>> = {
  'vector-store': 'vector stores',
  container: 'containers',
  voice: 'voices of one’s own',
  'voice-consent': 'consents to voices',
  skill: 'skills',
  'cached-content': 'cached contents',
  'file-search-store': 'file search stores',
  'memory-store': 'memory stores',
  agent: 'agents',
  environment: 'environments of agents',
  vault: 'vaults',
}
