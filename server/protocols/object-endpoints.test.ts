/** The table of endpoints to objects in upstreams' accounts, held against the calls of the SDKs that it was read from. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { objectEndpoints } from './object-endpoints.ts'

/** As the vendors' references list them. */
const known = `
  POST /v1/vector_stores
  GET /v1/vector_stores
  GET /v1/vector_stores/:id
  POST /v1/vector_stores/:id
  DELETE /v1/vector_stores/:id
  POST /v1/vector_stores/:id/search
  POST /v1/vector_stores/:id/files
  GET /v1/vector_stores/:id/files
  GET /v1/vector_stores/:id/files/:part
  POST /v1/vector_stores/:id/files/:part
  DELETE /v1/vector_stores/:id/files/:part
  GET /v1/vector_stores/:id/files/:part/content
  POST /v1/vector_stores/:id/file_batches
  GET /v1/vector_stores/:id/file_batches/:part
  POST /v1/vector_stores/:id/file_batches/:part/cancel
  GET /v1/vector_stores/:id/file_batches/:part/files
  POST /v1/containers
  GET /v1/containers
  GET /v1/containers/:id
  DELETE /v1/containers/:id
  POST /v1/containers/:id/files
  GET /v1/containers/:id/files
  GET /v1/containers/:id/files/:part
  DELETE /v1/containers/:id/files/:part
  GET /v1/containers/:id/files/:part/content
  POST /v1/audio/voices
  DELETE /v1/audio/voices/:id
  POST /v1/audio/voice_consents
  GET /v1/audio/voice_consents
  GET /v1/audio/voice_consents/:id
  POST /v1/audio/voice_consents/:id
  DELETE /v1/audio/voice_consents/:id
  POST /v1/skills
  GET /v1/skills
  GET /v1/skills/:id
  POST /v1/skills/:id
  DELETE /v1/skills/:id
  GET /v1/skills/:id/content
  POST /v1/skills/:id/versions
  GET /v1/skills/:id/versions
  GET /v1/skills/:id/versions/:part
  DELETE /v1/skills/:id/versions/:part
  GET /v1/skills/:id/versions/:part/content
  POST /v1/memory_stores
  GET /v1/memory_stores
  GET /v1/memory_stores/:id
  POST /v1/memory_stores/:id
  DELETE /v1/memory_stores/:id
  POST /v1/memory_stores/:id/archive
  POST /v1/memory_stores/:id/memories
  GET /v1/memory_stores/:id/memories
  GET /v1/memory_stores/:id/memories/:part
  POST /v1/memory_stores/:id/memories/:part
  DELETE /v1/memory_stores/:id/memories/:part
  GET /v1/memory_stores/:id/memory_versions
  GET /v1/memory_stores/:id/memory_versions/:part
  POST /v1/memory_stores/:id/memory_versions/:part/redact
  POST /v1/agents
  GET /v1/agents
  GET /v1/agents/:id
  POST /v1/agents/:id
  POST /v1/agents/:id/archive
  GET /v1/agents/:id/versions
  POST /v1/environments
  GET /v1/environments
  GET /v1/environments/:id
  POST /v1/environments/:id
  DELETE /v1/environments/:id
  POST /v1/environments/:id/archive
  POST /v1/vaults
  GET /v1/vaults
  GET /v1/vaults/:id
  POST /v1/vaults/:id
  DELETE /v1/vaults/:id
  POST /v1/vaults/:id/archive
  POST /v1/vaults/:id/credentials
  GET /v1/vaults/:id/credentials
  GET /v1/vaults/:id/credentials/:part
  POST /v1/vaults/:id/credentials/:part
  DELETE /v1/vaults/:id/credentials/:part
  POST /v1/vaults/:id/credentials/:part/archive
  POST /v1/vaults/:id/credentials/:part/mcp_oauth_validate
  POST /v1beta/cachedContents
  GET /v1beta/cachedContents
  GET /v1beta/cachedContents/:id
  PATCH /v1beta/cachedContents/:id
  DELETE /v1beta/cachedContents/:id
  POST /v1beta/fileSearchStores
  GET /v1beta/fileSearchStores
  GET /v1beta/fileSearchStores/:id
  DELETE /v1beta/fileSearchStores/:id
  POST /v1beta/fileSearchStores/:id:importFile
  GET /v1beta/fileSearchStores/:id/documents
  GET /v1beta/fileSearchStores/:id/documents/:part
  DELETE /v1beta/fileSearchStores/:id/documents/:part
  GET /v1beta/fileSearchStores/:id/operations/:part
  GET /v1beta/fileSearchStores/:id/upload/operations/:part
  POST /v1/cachedContents
  GET /v1/cachedContents
  GET /v1/cachedContents/:id
  PATCH /v1/cachedContents/:id
  DELETE /v1/cachedContents/:id
  POST /v1/fileSearchStores
  GET /v1/fileSearchStores
  GET /v1/fileSearchStores/:id
  DELETE /v1/fileSearchStores/:id
  POST /v1/fileSearchStores/:id:importFile
  GET /v1/fileSearchStores/:id/documents
  GET /v1/fileSearchStores/:id/documents/:part
  DELETE /v1/fileSearchStores/:id/documents/:part
  GET /v1/fileSearchStores/:id/operations/:part
  GET /v1/fileSearchStores/:id/upload/operations/:part
  POST /upload/v1beta/fileSearchStores/:id:uploadToFileSearchStore
  POST /upload/v1/fileSearchStores/:id:uploadToFileSearchStore`
  .trim()
  .split(/\n\s*/)

const named = objectEndpoints.map(({ method, path, action = '' }) => `${method} ${path}${action}`)

test('the table has these endpoints and no others', () => {
  expect([...new Set(named)].toSorted()).toEqual(known.toSorted())
})

/** Calls in a file of an SDK, as `METHOD path` with names instead of parameters. */
function callsIn(file: string, prefix: string): string[] {
  const source = readFileSync(`${import.meta.dir}/../../node_modules/${file}`, 'utf8')
  const calls = [...source.matchAll(/_client\.(get|post|delete|getAPIList)\((?:path)? ?['`](\/[^'`?]+)/g)]
  return calls.map(([, method = '', path = '']) => {
    const verb = method === 'getAPIList' ? (path.endsWith('/search') ? 'POST' : 'GET') : method.toUpperCase()
    return `${verb} ${prefix}${path.replace(/\$\{[^}]*\}/g, ':id')}`
  })
}

test.each([
  ['openai/resources/vector-stores/vector-stores.mjs', '/v1', 6],
  ['openai/resources/vector-stores/files.mjs', '/v1', 6],
  ['openai/resources/vector-stores/file-batches.mjs', '/v1', 4],
  ['openai/resources/containers/containers.mjs', '/v1', 4],
  ['openai/resources/containers/files/files.mjs', '/v1', 4],
  ['openai/resources/containers/files/content.mjs', '/v1', 1],
  ['openai/resources/skills/skills.mjs', '/v1', 5],
  ['openai/resources/skills/versions/versions.mjs', '/v1', 4],
  ['openai/resources/audio/voices.mjs', '/v1', 2],
  ['openai/resources/audio/voice-consents.mjs', '/v1', 5],
  ['@anthropic-ai/sdk/resources/beta/skills/skills.mjs', '', 4],
  ['@anthropic-ai/sdk/resources/beta/skills/versions.mjs', '', 5],
])('every call of %s has its endpoint', (file, prefix, least) => {
  const endpoints = new Set(named.map((one) => one.replaceAll(':part', ':id')))
  const calls = callsIn(file, prefix)
  expect(calls.length).toBeGreaterThanOrEqual(least)
  expect(calls.filter((one) => !endpoints.has(one))).toEqual([])
})
