/**
 * Scripted accounts of OpenAI, Anthropic and Google with the objects that their clients create: each key is a separate account, which does
 * not know another's ids. Written from the type declarations of openai 7, @anthropic-ai/sdk 1 and @google/genai 3, not from Parley's
 * tables.
 */
import { respond, respondJson } from '#testing/upstream/scripted-answers'
import type { Exchange, ReceivedRequest, Script } from '#testing/upstream/scripted-upstream'

type Thing = Record<string, unknown>

/** The objects of one account, by address. */
type Account = Map<string, Thing>

const created = 1_795_000_000
const openaiMissing = (what: string) =>
  respondJson(404, { error: { message: `No ${what} found.`, type: 'invalid_request_error', param: null, code: null } })
const messagesMissing = respondJson(404, { type: 'error', error: { type: 'not_found_error', message: 'Skill not found.' } })
const geminiMissing = respondJson(404, { error: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' } })

/** The text fields of a form, files by their name. */
function formOf(request: ReceivedRequest): Thing {
  const text = Buffer.from(request.body).toString('latin1')
  const parts = [...text.matchAll(/name="([^"]+)"(?:; filename="([^"]*)")?\r\n(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/g)]
  return Object.fromEntries(parts.map(([, name = '', file, value = '']) => [name, file === undefined ? value : { file, value }]))
}
const bodyOf = (request: ReceivedRequest): Thing => {
  if (/multipart/.test(request.header('content-type') ?? '')) return formOf(request)
  return request.body.length === 0 ? {} : (request.json() as Thing)
}

function accountsByKey(keyOf: (request: ReceivedRequest) => string | undefined): (request: ReceivedRequest) => Account {
  const accounts = new Map<string, Account>()
  return (request) => {
    const key = keyOf(request) ?? ''
    const account = accounts.get(key) ?? new Map<string, Thing>()
    accounts.set(key, account)
    return account
  }
}

let made = 0
const newId = (prefix: string) => `${prefix}${(++made).toString(36).padStart(8, '0')}`

const openaiKinds: Record<string, (body: Thing) => Thing> = {
  '/v1/files': (body) => ({ id: newId('file-'), object: 'file', bytes: 3, created_at: created, filename: 'a', purpose: body.purpose }),
  '/v1/vector_stores': (body) => ({
    ...{ id: newId('vs_'), object: 'vector_store', created_at: created, name: body.name ?? '', status: 'completed', usage_bytes: 1234 },
    ...{ file_counts: { total: 0 }, last_active_at: created, metadata: body.metadata ?? null, made_of: body.file_ids },
  }),
  '/v1/containers': (body) => ({ id: newId('cntr_'), object: 'container', created_at: created, name: body.name, status: 'running' }),
  '/v1/audio/voices': (body) => ({ id: newId('voice_'), object: 'audio.voice', name: body.name, created_at: created, of: body.consent }),
  '/v1/audio/voice_consents': (body) => ({ id: newId('cons_'), object: 'audio.voice_consent', name: body.name, language: body.language }),
  '/v1/skills': (body) => ({
    ...{ id: newId('skill_'), object: 'skill', name: 'a skill', created_at: created, description: '', files: Object.keys(body) },
    ...{ default_version: '1', latest_version: '1' },
  }),
}

/** An OpenAI whose generation is answered by `otherwise`. */
export function openaiObjects(otherwise?: Script): Script {
  const accountOf = accountsByKey((request) => request.header('authorization'))
  return (exchange) => {
    const { request } = exchange
    const [address = ''] = request.target.split('?')
    const account = accountOf(request)
    const collection = Object.keys(openaiKinds).find((one) => address === one || address.startsWith(`${one}/`))
    if (!collection) return (otherwise ?? openaiMissing('address'))(exchange)
    if (address === collection) {
      const thing = openaiKinds[collection]?.(bodyOf(request)) ?? {}
      account.set(`${collection}/${thing.id}`, thing)
      return respondJson(200, thing)(exchange)
    }
    const [, own = '', rest = ''] = /^([^/]+)(.*)$/.exec(address.slice(collection.length + 1)) ?? []
    const thing = account.get(`${collection}/${own}`)
    if (!thing) return openaiMissing(collection)(exchange)
    if (rest === '') return openaiOwn(exchange, account, address, thing)
    return openaiInside(exchange, account, address, own)
  }
}

function openaiOwn(exchange: Exchange, account: Account, address: string, thing: Thing): void | Promise<void> {
  const { method } = exchange.request
  if (method === 'DELETE') {
    account.delete(address)
    return respondJson(200, { id: thing.id, object: `${thing.object}.deleted`, deleted: true })(exchange)
  }
  if (method === 'POST') Object.assign(thing, bodyOf(exchange.request))
  return respondJson(200, thing)(exchange)
}

/** The contents of a vector store, a container or a skill. */
function openaiInside(exchange: Exchange, account: Account, address: string, own: string): void | Promise<void> {
  const { request } = exchange
  const body = bodyOf(request)
  const list = (data: unknown[]) => respondJson(200, { object: 'list', data, first_id: null, last_id: null, has_more: false })(exchange)
  if (address.endsWith('/search')) {
    const files = [...account.values()].filter(({ object }) => object === 'vector_store.file')
    const data = files.map(({ id }) => ({
      file_id: id,
      filename: 'a.txt',
      score: 1,
      attributes: null,
      content: [{ type: 'text', text: 'hi' }],
    }))
    return respondJson(200, {
      object: 'vector_store.search_results.page',
      search_query: [body.query],
      data,
      has_more: false,
      next_page: null,
    })(exchange)
  }
  if (address.endsWith('/content')) return respond(200, { 'content-type': 'text/html' }, Buffer.from([0, 255, 1, 254]))(exchange)
  if (request.method === 'GET' && /\/(?:files|versions)$/.test(address)) {
    return list([...account].flatMap(([at, thing]) => (at.startsWith(`${address}/`) ? [thing] : [])))
  }
  if (request.method === 'POST' && /\/(?:files|versions|file_batches)$/.test(address)) {
    // A vector store takes files of its own account only.
    const named = [body.file_id, ...((body.file_ids as unknown[]) ?? [])].filter((id) => id !== undefined)
    if (named.some((id) => !account.has(`/v1/files/${id}`))) return openaiMissing('file')(exchange)
    const id = address.includes('/vector_stores/') && body.file_id ? String(body.file_id) : newId('in_')
    const object = address.endsWith('batches')
      ? 'vector_store.files_batch'
      : address.includes('containers')
        ? 'container.file'
        : 'vector_store.file'
    const thing = { id, object, created_at: created, vector_store_id: own, status: 'completed', usage_bytes: 77, file_ids: body.file_ids }
    account.set(`${address}/${id}`, thing)
    return respondJson(200, thing)(exchange)
  }
  const thing = account.get(address.replace(/\/cancel$/, ''))
  if (!thing) return openaiMissing('object')(exchange)
  if (request.method !== 'DELETE') return respondJson(200, thing)(exchange)
  account.delete(address)
  return respondJson(200, { id: thing.id, object: `${thing.object}.deleted`, deleted: true })(exchange)
}

const managedKinds: Record<string, readonly [prefix: string, type: string]> = {
  '/v1/memory_stores': ['memstore_', 'memory_store'],
  '/v1/agents': ['agent_', 'agent'],
  '/v1/environments': ['env_', 'environment'],
  '/v1/vaults': ['vlt_', 'vault'],
}

/** Memory stores, agents, environments and vaults, with their contents; undefined for any other address. */
function managedAt(exchange: Exchange, account: Account, address: string): void | Promise<void> | undefined {
  const { request } = exchange
  const { method } = request
  const collection = Object.keys(managedKinds).find((one) => address === one || address.startsWith(`${one}/`))
  if (collection === undefined) return undefined
  if (!/managed-agents|agent-memory/.test(request.header('anthropic-beta') ?? ''))
    return respondJson(400, { type: 'error', error: { type: 'invalid_request_error', message: 'anthropic-beta: header is required' } })(
      exchange,
    )
  const [prefix, type] = managedKinds[collection] ?? ['', '']
  const body = method === 'POST' ? bodyOf(request) : {}
  const times = { created_at: '2026-11-24T00:00:00Z', updated_at: '2026-11-24T00:00:00Z' }
  const add = (at: string, thing: Thing) => {
    account.set(`${at}/${thing.id}`, { ...body, ...thing, ...times })
    return respondJson(200, account.get(`${at}/${thing.id}`))(exchange)
  }
  if (method === 'POST' && address === collection) return add(address, { id: newId(prefix), type })
  const [, own = '', inside] = /^\/([^/]+)(?:\/(.*))?$/.exec(address.slice(collection.length)) ?? []
  const thing = account.get(`${collection}/${own}`)
  if (!thing) return messagesMissing(exchange)
  if (inside === 'archive') return respondJson(200, { ...thing, archived_at: times.created_at })(exchange)
  if (inside !== undefined && !inside.includes('/')) {
    if (method === 'POST') return add(address, { id: newId('part_'), type: inside })
    const data = [...account].flatMap(([at, part]) => (at.startsWith(`${address}/`) ? [part] : []))
    return respondJson(200, { data, next_page: null, has_more: false })(exchange)
  }
  const named = account.get(address.replace(/\/archive$/, ''))
  if (!named) return messagesMissing(exchange)
  if (method === 'POST') Object.assign(named, body)
  if (method === 'DELETE') account.delete(address)
  return respondJson(200, method === 'DELETE' ? { id: named.id, type: `${named.type}_deleted` } : named)(exchange)
}

/** An Anthropic with skills, and the parts of its agents. */
export function anthropicObjects(): Script {
  const accountOf = accountsByKey((request) => request.header('x-api-key'))
  return (exchange) => {
    const { request } = exchange
    const [address = ''] = request.target.split('?')
    const account = accountOf(request)
    if (request.header('anthropic-version') === undefined)
      return respondJson(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'anthropic-version: header is required' },
      })(exchange)
    const managed = managedAt(exchange, account, address)
    if (managed !== undefined || Object.keys(managedKinds).some((one) => address.startsWith(one))) return managed
    if (request.method === 'POST') {
      const isVersion = address.endsWith('/versions')
      if (isVersion && !account.has(address.slice(0, -9))) return messagesMissing(exchange)
      const skill = { id: newId('skill_'), type: 'skill', display_name: formOf(request).display_name ?? null, source: { type: 'custom' } }
      const thing = isVersion ? { id: newId('skv_'), type: 'skill_version', version: '2' } : skill
      account.set(`${address}/${isVersion ? '2' : thing.id}`, thing)
      return respondJson(200, { ...thing, created_at: '2026-11-24T00:00:00Z', updated_at: '2026-11-24T00:00:00Z' })(exchange)
    }
    const thing = account.get(address)
    if (!thing) return messagesMissing(exchange)
    if (request.method === 'GET') return respondJson(200, thing)(exchange)
    account.delete(address)
    return respondJson(200, { id: thing.id, type: 'skill_deleted' })(exchange)
  }
}

/** A Google with caches and file search stores, whose generation is answered by `otherwise`. */
export function geminiObjects(otherwise?: Script): Script {
  const accountOf = accountsByKey((request) => request.header('x-goog-api-key'))
  const collections = /^\/(?:upload\/)?v1beta\/(cachedContents|fileSearchStores)(?:\/([^/:]+))?(.*)$/
  return (exchange) => {
    const { request } = exchange
    const [address = ''] = request.target.split('?')
    const [, collection, own, rest = ''] = collections.exec(address) ?? []
    if (collection === undefined) return (otherwise ?? geminiMissing)(exchange)
    const account = accountOf(request)
    const name = own === undefined ? newId(`${collection}/`) : `${collection}/${own}`
    if (own === undefined) {
      const figures =
        collection === 'cachedContents'
          ? { usageMetadata: { totalTokenCount: 1000 }, expireTime: '2026-11-24T04:00:00Z' }
          : { sizeBytes: '9' }
      const body = bodyOf(request)
      account.set(name, {
        name,
        createTime: '2026-11-24T03:00:00Z',
        displayName: body.displayName,
        ...(body.model !== undefined && { model: body.model }),
        ...figures,
      })
      return respondJson(200, account.get(name))(exchange)
    }
    const thing = account.get(name)
    if (!thing) return geminiMissing(exchange)
    if (rest !== '') return geminiInside(exchange, name, rest)
    if (request.method === 'PATCH') Object.assign(thing, bodyOf(request))
    if (request.method === 'DELETE') account.delete(name)
    return respondJson(200, request.method === 'DELETE' ? {} : thing)(exchange)
  }
}

/** Uploads that can be resumed, and the operations that they begin. */
function geminiInside(exchange: Exchange, name: string, rest: string): void | Promise<void> {
  const { request } = exchange
  const operation = { name: `${name}/upload/operations/op1`, done: true, response: { documentName: `${name}/documents/d1` } }
  const command = request.header('x-goog-upload-command') ?? ''
  if (command === 'start') {
    const url = `https://generativelanguage.googleapis.com/upload/v1beta/${name}:uploadToFileSearchStore?upload_id=u1&upload_protocol=resumable`
    return respondJson(200, {}, { 'X-Goog-Upload-URL': url, 'X-Goog-Upload-Status': 'active' })(exchange)
  }
  if (command !== '') return respondJson(200, operation, { 'X-Goog-Upload-Status': 'final' })(exchange)
  if (rest === '/documents') return respondJson(200, { documents: [{ name: `${name}/documents/d1` }] })(exchange)
  if (rest.startsWith('/documents/')) return respondJson(200, request.method === 'DELETE' ? {} : { name: `${name}${rest}` })(exchange)
  return respondJson(200, operation)(exchange)
}
