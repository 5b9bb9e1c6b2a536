/**
 * Every method of every resource of the official SDKs, found by reflection and called once: each is answered by an endpoint, in the format
 * of its protocol. None gets the router's bare 404 or 405. Deliberate refusals are in `sdk-endpoints.txt` with their reason; what works
 * without a server, there too. `PARLEY_UPDATE_ENDPOINTS=1` writes that page anew.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OlderAnthropic from 'anthropic-sdk-0'
import { GoogleGenAI as OlderGenAI } from 'google-genai-2'
import { Ollama } from 'ollama'
import OpenAI, { AzureOpenAI } from 'openai'
import OlderOpenAI from 'openai-6'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { anthropicObjects, geminiObjects, openaiObjects } from '#testing/vendors/objects-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { type Asked, type Called, callAll, noting, type Ways } from './support/sdk-endpoints/asked.ts'

const page = join(import.meta.dir, 'sdk-endpoints.txt')
const file = () => new File(['words'], 'a.txt', { type: 'text/plain' })
const upstreams: ScriptedUpstream[] = []
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  for (const [vendor, script] of [
    ['openai', openaiObjects()],
    ['anthropic', anthropicObjects()],
    ['gemini', geminiObjects()],
  ] as const) {
    const upstream = await scriptedUpstream(script)
    upstreams.push(upstream)
    await gateway.channel(vendor, upstream.url, { vendor, models: [`of-${vendor}`] })
    await gateway.price(`of-${vendor}`)
  }
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  for (const upstream of upstreams) await upstream.close()
})

const model = 'parley-demo'
/** A value for every field name of bodies; the endpoint refuses wrong ones. */
const body = {
  ...{ model, messages: [{ role: 'user', content: 'hi' }], input: 'hi', prompt: 'hi', max_tokens: 900, contents: 'hi', src: 'files/a' },
  ...{ name: 'a', purpose: 'user_data', sdp: 'v=0', query: 'q', documents: ['a'], bytes: 4, filename: 'a.txt', mime_type: 'text/plain' },
  ...{ requests: [], voice: 'alloy', betas: [], tools: [] },
}

/** Of the SDKs that OpenAI's generator writes: ids of the address are parameters, or are taken out of the body. */
const stainless: Ways = {
  isResource: (value) => '_client' in value,
  // They never end.
  isOwn: (_, method) => method === 'worker' || method === 'poller',
  argsOf(_, __, parameters, source) {
    const inAddress = (name: string) => new RegExp(`\\$\\{(?:encodeURIComponent\\()?${name}\\b`).test(source)
    const taken = [...source.matchAll(/const \{([^}]*)\} = (?:params|body|query)/g)].flatMap(([, names = '']) => names.split(','))
    const ids = Object.fromEntries(
      taken.map((name) => [name.split(':')[0]?.trim() ?? '', 'an_id']).filter(([name]) => /_id$|^id$|version/.test(name ?? '')),
    )
    const isRead = /_client\.get(?:APIList)?\(/.test(source)
    return parameters.map((name) => {
      if (name === 'options' || name === 'opts') return {}
      const isId = inAddress(name) || /(?:ID|Id|_id|version|model|email)$/.test(name) || name === 'id'
      if (isId) return 'an_id'
      if (isRead) return { limit: 2, ...ids }
      return name === 'file' || name === 'files' ? file() : { ...body, file: file(), image: file(), part: file(), data: file(), ...ids }
    })
  },
}

const named: Readonly<Record<string, string>> = {
  ...{ caches: 'cachedContents/a', files: 'files/a', batches: 'batches/a', models: `models/${model}`, tunings: 'tunedModels/a' },
  ...{ fileSearchStores: 'fileSearchStores/a', 'fileSearchStores.documents': 'fileSearchStores/a/documents/b' },
}
const googles: Ways = {
  isResource: (value, name) =>
    !/^(?:apiClient|httpOptions|parentClient|sdk|options|afc|client|auth|webSocketFactory)$/i.test(name) &&
    !Array.isArray(value) &&
    !(value instanceof Map),
  // What the SDK calls itself, under the name of what its users call.
  isOwn: (_, method) =>
    /Internal$|^(?:getClient|resolveClient|isCallableTool|(?:maybe|process|init|format)[A-Z].*|createInlined.*|get(?:Gcs|Bigquery)Uri)$/.test(
      method,
    ),
  argsOf: (resource, _, parameters) =>
    parameters.map((name) => {
      if (/(?:^|_)id$/i.test(name)) return 'an_id'
      if (name === 'options') return {}
      const name_ = named[resource] ?? 'operations/a'
      return {
        ...{
          ...body,
          name: name_,
          file: file(),
          fileSearchStoreName: 'fileSearchStores/a',
          fileName: 'files/a',
          parent: 'fileSearchStores/a',
        },
        ...{ documentName: 'fileSearchStores/a/documents/b', operation: { name: 'operations/a' }, config: {}, video: { uri: 'files/a' } },
        ...{
          environment_id: 'an_id',
          environment: 'an_id',
          id: 'an_id',
          agent_id: 'an_id',
          path: 'a',
          uris: ['gs://a/b'],
          baseModel: model,
          trainingDataset: {},
        },
        ...{ image: { imageBytes: 'aGk=', mimeType: 'image/png' }, referenceImages: [], downloadPath: '/dev/null', callbacks: {} },
      }
    }),
}

const ollamas: Ways = {
  isResource: (_, name) => name === 'ollama',
  isOwn: (_, method) => /^(?:fetch|encodeImage|fileExists|processStreamableRequest)$/.test(method),
  argsOf: () => [{ ...body, from: model, source: model, destination: 'b', urls: ['https://example.com'], url: 'https://example.com' }],
}

interface Sdk {
  name: string
  words: 'openai' | 'messages' | 'gemini' | 'ollama'
  least: number
  ways: Ways
  client(fetching: typeof fetch): object
}

const key = () => gateway.key
const sdks: Sdk[] = [
  {
    name: 'openai',
    words: 'openai',
    least: 350,
    ways: stainless,
    client: (fetching) =>
      new OpenAI({ apiKey: key(), adminAPIKey: key(), baseURL: `${gateway.url}/v1`, maxRetries: 0, fetch: fetching } as never),
  },
  {
    name: 'openai 6',
    words: 'openai',
    least: 150,
    ways: stainless,
    client: (fetching) =>
      new OlderOpenAI({ apiKey: key(), adminAPIKey: key(), baseURL: `${gateway.url}/v1`, maxRetries: 0, fetch: fetching } as never),
  },
  {
    name: 'openai at Azure',
    words: 'openai',
    least: 350,
    ways: stainless,
    client: (fetching) =>
      new AzureOpenAI({ apiKey: key(), endpoint: gateway.url, apiVersion: '2025-04-01-preview', maxRetries: 0, fetch: fetching }),
  },
  {
    name: '@anthropic-ai/sdk',
    words: 'messages',
    least: 250,
    ways: stainless,
    client: (fetching) => new Anthropic({ apiKey: key(), baseURL: gateway.url, maxRetries: 0, fetch: fetching }),
  },
  {
    name: '@anthropic-ai/sdk 0',
    words: 'messages',
    least: 80,
    ways: stainless,
    client: (fetching) => new OlderAnthropic({ apiKey: key(), baseURL: gateway.url, maxRetries: 0, fetch: fetching }),
  },
  {
    name: '@google/genai',
    words: 'gemini',
    least: 70,
    ways: googles,
    client: () => new GoogleGenAI({ apiKey: key(), httpOptions: { baseUrl: gateway.url } }),
  },
  {
    name: '@google/genai 2',
    words: 'gemini',
    least: 50,
    ways: googles,
    client: () => new OlderGenAI({ apiKey: key(), httpOptions: { baseUrl: gateway.url } }),
  },
  {
    name: 'ollama',
    words: 'ollama',
    least: 10,
    ways: ollamas,
    client: (fetching) => ({
      ollama: new Ollama({ host: `${gateway.url}/ollama`, headers: { authorization: `Bearer ${key()}` }, fetch: fetching }),
    }),
  },
]

const parsed = ({ text }: Asked): Record<string, unknown> | undefined => {
  try {
    const [first] = [JSON.parse(text)].flat()
    return first
  } catch {
    return undefined
  }
}
const errorIn = (answer: Record<string, unknown> | undefined) => answer?.error as Record<string, unknown> | string | undefined

/** Undefined: it is an answer of an endpoint. */
function faultOf(asked: Asked, words: Sdk['words']): string | undefined {
  if (asked.status === 0) return asked.text
  if (/html/.test(asked.type) && asked.status !== 200) return 'a page'
  if (asked.status < 400) return undefined
  if (asked.status >= 500) return `${asked.status} ${asked.text.slice(0, 200)}`
  const answer = parsed(asked)
  const error = errorIn(answer)
  const message = typeof error === 'string' ? error : String(error?.message)
  if (/^There is nothing at this address|^This address does not take this method/.test(message)) return `${asked.status}: ${message}`
  const isInWords = {
    openai: () => typeof error === 'object' && typeof error.type === 'string' && 'code' in error,
    messages: () => answer?.type === 'error' && typeof error === 'object' && typeof error.type === 'string',
    gemini: () => typeof error === 'object' && error.code === asked.status && typeof error.status === 'string',
    ollama: () => typeof error === 'string',
  }[words]()
  return isInWords ? undefined : `in other words: ${asked.text.slice(0, 200)}`
}

/** Why it is refused on purpose; undefined: it is not. */
function refusalOf({ asked: [first] }: Called): string | undefined {
  if (!first || ![400, 405].includes(first.status)) return undefined
  const error = errorIn(parsed(first))
  const message = typeof error === 'string' ? error : String(error?.message ?? '')
  return /^Parley (?:does not serve|serves no)/.test(message) ? message : undefined
}

/** Methods of a resource on one line each, under the reason of their refusal. */
function pageOf(sdk: string, called: readonly Called[]): string {
  const lines = (those: readonly Called[]) =>
    [...Map.groupBy(those, ({ resource }) => resource)].map(
      ([resource, methods]) => `    ${resource}: ${methods.map(({ method }) => method).join(' ')}`,
    )
  const refused = Map.groupBy(
    called.filter((one) => refusalOf(one) !== undefined),
    (one) => refusalOf(one) ?? '',
  )
  const silent = called.filter(({ asked }) => asked.length === 0)
  return [
    `${sdk}`,
    ...[...refused].sort(([a], [b]) => a.localeCompare(b)).flatMap(([reason, those]) => [`  ${reason}`, ...lines(those)]),
    ...(silent.length > 0 ? ['  Asks no server over HTTP with these arguments:', ...lines(silent)] : []),
  ].join('\n')
}

const isUpdate = process.env.PARLEY_UPDATE_ENDPOINTS === '1'
const known = new Map((isUpdate ? '' : readFileSync(page, 'utf8')).split('\n\n').map((part) => [part.split('\n')[0], part.trimEnd()]))
const found: string[] = []
afterAll(() => {
  if (isUpdate) writeFileSync(page, `${found.join('\n\n')}\n`)
})

describe('each method of', () => {
  test.each(sdks)(
    '$name is answered by an endpoint',
    async ({ name, words, least, ways, client }) => {
      const { fetch: fetching, taken } = noting()
      const before = globalThis.fetch
      // Google's SDK takes no other.
      if (words === 'gemini') globalThis.fetch = fetching
      let called: Called[]
      try {
        called = await callAll(client(fetching), ways, taken)
      } finally {
        globalThis.fetch = before
      }
      const faults = called.flatMap(({ resource, method, asked }) =>
        asked.flatMap((one) => {
          const fault = faultOf(one, words)
          return fault === undefined ? [] : [`${resource}.${method}: ${one.method} ${one.path}: ${fault}`]
        }),
      )
      expect(called.length).toBeGreaterThan(least)
      expect(faults).toEqual([])
      const text = pageOf(name, called)
      found.push(text)
      if (!isUpdate) expect(text).toBe(known.get(name) ?? '')
    },
    120_000,
  )
})
