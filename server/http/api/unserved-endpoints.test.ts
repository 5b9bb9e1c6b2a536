import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { batchRouteDocs } from '#http/docs/batch-routes'
import { fileRouteDocs } from '#http/docs/file-routes'
import { interactionRouteDocs } from '#http/docs/interaction-routes'
import { objectRouteDocs } from '#http/docs/object-routes'
import { sideRouteDocs } from '#http/docs/operation-routes'
import { realtimeRouteDocs } from '#http/docs/realtime-routes'
import { conversationRouteDocs } from '#http/docs/relay-routes'
import { unservedEndpoint } from './unserved-endpoints.ts'

const packages = join(import.meta.dir, '../../../node_modules')

/** Every address that the resources of an SDK call, with a name in the place of each parameter. */
function addressesIn(folder: string, prefix: string): string[] {
  const names = readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'))
  const written = /(?<=[(\s])(?:path)?['`](\/[a-z][^'`?\n]*)[^'`\n]*['`]/g
  const found = names.flatMap((name) =>
    [...readFileSync(join(packages, folder, name), 'utf8').matchAll(written)].map(([, path = '']) => path),
  )
  return [...new Set(found.map((path) => prefix + path.replace(/\$\{[^}]*\}/g, 'name')).filter((path) => path.startsWith('/v1/')))].sort()
}

const routes = [
  ...[conversationRouteDocs, interactionRouteDocs, sideRouteDocs, fileRouteDocs],
  ...[batchRouteDocs, objectRouteDocs, realtimeRouteDocs],
].flat()
const served = routes.map(({ route }) => {
  const path = route.replace(/^\w+ /, '')
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace('*', '.+')}$`)
})
const isServed = (path: string) => served.some((pattern) => pattern.test(path))
const refused = (path: string, headers: Record<string, string> = {}) => {
  const url = new URL(`http://parley.test${path}`)
  return unservedEndpoint(new Request(url, { headers }), url)
}

describe('an address that an SDK calls is served, or refused with what would be needed', () => {
  test.each([
    ['openai', 'openai/resources', '/v1', 200],
    ['@anthropic-ai/sdk', '@anthropic-ai/sdk/resources', '', 100],
  ])('every one of %s', (_, folder, prefix, least) => {
    const addresses = addressesIn(folder, prefix)
    expect(addresses.length).toBeGreaterThan(least)
    expect(addresses.filter((path) => !isServed(path) && !refused(path))).toEqual([])
  })

  test('those of @google/genai', () => {
    const source = readFileSync(join(packages, '@google/genai/dist/node/index.mjs'), 'utf8')
    const resources = [...source.matchAll(/formatMap\('([a-zA-Z_]+)(?=['/:])/g)].map(([, name = '']) => name)
    // Vertex serves these at addresses with a project in them.
    const ofVertex = new Set(['batchPredictionJobs', 'tuningJobs', 'upload'])
    const addresses = [...new Set(resources.filter((name) => !ofVertex.has(name)))].map((name) => `/v1beta/${name}`)
    expect(addresses.length).toBeGreaterThan(5)
    expect([...addresses, '/upload/v1beta/files', '/v1beta/operations/a'].filter((path) => !isServed(path) && !refused(path))).toEqual([])
  })
})

test.each([
  ['/v1/assistants', {}, 'chat'],
  ['/v1/sessions', { 'anthropic-version': '2023-06-01' }, 'messages'],
  ['/v1/messages/nothing/batches', {}, undefined],
  ['/v1/corpora', { 'x-goog-api-key': 'k' }, 'gemini'],
  ['/v1beta/corpora/a', {}, 'gemini'],
  ['/v1beta/openai/assistants', {}, 'chat'],
  ['/v1alpha/corpora', {}, 'gemini'],
  ['/v1/nothing-that-anybody-calls', {}, undefined],
  ['/assets/files', {}, undefined],
])('%s with %j is refused in the envelope %s', (path, headers, envelope) => {
  expect(refused(path, headers)?.envelope).toBe(envelope as never)
  if (envelope !== undefined) expect(refused(path, headers)?.error).toMatchObject({ code: 'unsupported_here', status: 400 })
})
