/** Descriptions of the endpoints for objects in an upstream's account: one for each row of their table. */
import type { ObjectEndpoint, ObjectKind } from '#canonical/account-object'
import { objectEndpoints } from '#protocols/object-endpoints'
import type { RouteDoc } from './route-doc.ts'

/** The first half of each summary. */
export const kindNames: Readonly<Record<ObjectKind, string>> = {
  'vector-store': 'Vector stores',
  container: 'Containers',
  voice: 'Voices',
  'voice-consent': 'Consents to voices',
  skill: 'Skills',
  'cached-content': 'Cached contents',
  'file-search-store': 'File search stores',
  'memory-store': 'Memory stores',
  agent: 'Agents',
  environment: 'Environments',
  vault: 'Vaults',
}

const own: Readonly<Record<Exclude<ObjectEndpoint['does'], 'inside'>, string>> = {
  create: 'make one',
  list: 'own ones',
  read: 'one of them',
  change: 'change one',
  delete: 'delete one',
}

/** Actions of the endpoints inside an object, by method and the end of their address. */
const inside: readonly (readonly [at: RegExp, what: string])[] = [
  [/^POST .*\/search$/, 'search in one'],
  [/^POST .*\/files$/, 'add a file'],
  [/^GET .*\/file_batches\/:part\/files$/, 'files of a batch'],
  [/^GET .*\/files$/, 'files in one'],
  [/^GET .*\/files\/:part$/, 'one file'],
  [/^POST .*\/files\/:part$/, 'change the metadata of a file'],
  [/^DELETE .*\/files\/:part$/, 'remove a file'],
  [/^GET .*\/files\/:part\/content$/, 'what is in a file'],
  [/^POST .*\/file_batches$/, 'add several files'],
  [/^GET .*\/file_batches\/:part$/, 'progress of a batch of files'],
  [/^POST .*\/cancel$/, 'cancel a batch of files'],
  [/^GET .*\/versions\/:part\/content$/, 'what is in a version'],
  [/^GET .*\/content$/, 'what is in one'],
  [/^POST .*\/(?:agents|environments|memory_stores|vaults)\/:id\/archive$/, 'archive one'],
  [/^POST .*\/memories$/, 'add a memory'],
  [/^GET .*\/memories$/, 'memories in one'],
  [/^GET .*\/memories\/:part$/, 'one memory'],
  [/^POST .*\/memories\/:part$/, 'change a memory'],
  [/^DELETE .*\/memories\/:part$/, 'delete a memory'],
  [/^GET .*\/memory_versions$/, 'versions of memories'],
  [/^GET .*\/memory_versions\/:part$/, 'one version of a memory'],
  [/^POST .*\/redact$/, 'redact a version of a memory'],
  [/^POST .*\/credentials$/, 'add a credential'],
  [/^GET .*\/credentials$/, 'credentials in one'],
  [/^GET .*\/credentials\/:part$/, 'one credential'],
  [/^POST .*\/credentials\/:part$/, 'change a credential'],
  [/^DELETE .*\/credentials\/:part$/, 'delete a credential'],
  [/^POST .*\/credentials\/:part\/archive$/, 'archive a credential'],
  [/^POST .*\/mcp_oauth_validate$/, 'try a credential'],
  [/^POST .*\/versions$/, 'add a version'],
  [/^GET .*\/versions$/, 'versions of one'],
  [/^GET .*\/versions\/:part$/, 'one version'],
  [/^DELETE .*\/versions\/:part$/, 'delete a version'],
  [/^GET .*\/documents$/, 'documents in one'],
  [/^GET .*\/documents\/:part$/, 'one document'],
  [/^DELETE .*\/documents\/:part$/, 'delete a document'],
  [/^GET .*\/upload\/operations\/:part$/, 'how far an upload is'],
  [/^GET .*\/operations\/:part$/, 'how far an import is'],
  [/^POST \/upload\//, 'upload a file'],
  [/^POST .*fileSearchStores\/:id$/, 'import a file'],
]

const routeOf = ({ method, path }: ObjectEndpoint) => `${method} ${path}`

/** The second half of each summary. */
export const deedOf = (endpoint: ObjectEndpoint): string =>
  endpoint.does === 'inside' ? (inside.find(([at]) => at.test(routeOf(endpoint)))?.[1] ?? '') : own[endpoint.does]

const descriptions: Readonly<Partial<Record<string, string>>> = {
  create:
    'In the account of one upstream, chosen among those channels of the key whose vendor has such objects. Later calls with its id go to the channel and key that created it, and so do requests that name it; no one else can see it.',
  list: 'Only objects created with keys of the same user or team.',
  'create cached-content':
    'In the account of one upstream that has the model. The tokens that it reports are charged as input of that model; the upstream’s storage fee is in the row. Requests that name it as `cachedContent` go to the channel and key that have it.',
  'upload a file':
    'Resumable uploads: `X-Goog-Upload-Command: start` answers with an address in `X-Goog-Upload-URL`, which takes the parts, at most 26 MiB each. For a day it needs no key: it acts for the one that began the upload.',
  'add a file': 'A file stored in Parley is copied into the account, once; answers use Parley’s id for it.',
  'import a file': 'Only files of the same upstream account: upload others to the store itself.',
}

function docOf(endpoint: ObjectEndpoint): RouteDoc {
  const { kind, does, takes, path, action } = endpoint
  const deed = deedOf(endpoint)
  const description = descriptions[`${does} ${kind}`] ?? descriptions[does] ?? descriptions[deed]
  const isRaw = path.endsWith('/content')
  return {
    ...{ route: routeOf(endpoint), who: 'key', tag: 'Objects', summary: `${kindNames[kind]}: ${deed}` },
    ...(action !== undefined && { path: path.replace(':id', `{id}${action}`) }),
    ...(description !== undefined && { description }),
    ...((takes || action !== undefined) && {
      takes: {
        ...(takes !== 'form' && { json: 'AccountObject' }),
        ...((takes === 'form' || takes === 'either') && { form: 'AccountObjectForm' }),
      },
    }),
    gives: isRaw ? { types: ['application/octet-stream', 'application/json'] } : { json: ['AccountObject'] },
  }
}

/** The endpoint that represents all at its address. */
export const describedEndpoints: readonly ObjectEndpoint[] = [...Map.groupBy(objectEndpoints, routeOf).values()].flatMap(
  ([first]) => first ?? [],
)

/** Descriptions of these endpoints. */
export const objectRouteDocs: readonly RouteDoc[] = describedEndpoints.map(docOf)
