/** The first of a fixture's two runs: it creates everything that is sealed, hashed or configured, and then the program stops in order. */
import { administrator, administratorPassword, type Program } from '#testing/program/program'
import type { RealtimeVendor } from '#testing/vendors/realtime-vendor'
import type { Expected } from './expected.ts'
import { channelKeys, models } from './scene.ts'

type Json = Record<string, unknown>

interface ChatAnswer {
  choices: { message: { reasoning_details: { data?: string }[]; tool_calls: { id: string }[] } }[]
}

/** What the user and the clients of the first run hold from then on. */
export interface Made
  extends Pick<Expected, 'response' | 'saidInResponse' | 'call' | 'boundState' | 'boundTo' | 'envelope' | 'compaction' | 'channels'> {
  user: { id: string; name: string; password: string; cookie: string; key: string }
}

const spoken = 'Remember the number 4711.'
const encryptedContent = 'reasoning.encrypted_content'

/** The first sealed state in a Responses answer, or an empty text. */
function sealedIn(answer: Json): string {
  return /"encrypted_content":"([^"]+)"/.exec(JSON.stringify(answer))?.[1] ?? ''
}

/** Creates everything through the program's API. */
export async function live(program: Program, upstream: string, voice: RealtimeVendor): Promise<Made> {
  const signIn = async (name: string, password: string) => {
    const answer = await fetch(`${program.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password }),
    })
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  }
  const call = async (cookie: string, method: string, path: string, body?: unknown): Promise<Json> => {
    const headers = { cookie, 'idempotency-key': 'the-only-one', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const answer = await fetch(program.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
  const admin = await signIn(administrator.PARLEY_ADMIN_USER, administratorPassword)

  const channels: Made['channels'] = {}
  const channel = async (name: keyof typeof channelKeys, fields: Json) => {
    const given = { name, vendor: 'openai-compatible', baseUrl: upstream, keys: [channelKeys[name]], ...fields }
    channels[name] = { id: String((await call(admin, 'POST', '/api/channels', given)).id), key: channelKeys[name] }
  }
  await channel('chat', { models: [models.chat], speaks: ['chat'], costs: { [models.chat]: { input: '0.5', output: '1' } } })
  await channel('thinker', { models: [models.thinker], speaks: ['responses'] })
  for (const account of ['one', 'two'] as const)
    await channel(account, { vendor: 'openai', models: [models.native], speaks: ['responses'] })
  await channel('realtime', { baseUrl: voice.url, models: [models.realtime] })
  for (const model of [models.chat, models.thinker, models.native])
    await call(admin, 'PUT', `/api/prices/${model}`, { input: '1', output: '2' })
  const voicePrice = { input: '4', output: '16', cacheRead: '0.4', audioIn: '32', audioOut: '64' }
  await call(admin, 'PUT', `/api/prices/${models.realtime}`, voicePrice)
  await call(admin, 'PATCH', '/api/groups/default', { description: 'Everybody', budget: { total: '90' }, limits: { rpm: 6000 } })
  await call(admin, 'PATCH', '/api/settings', { keepLogsMonths: null })

  const [name, password] = ['ada', 'a password of long ago']
  const limits = { rpm: 6000, tpm: 6_000_000, concurrency: 500 }
  const { id } = await call(admin, 'POST', '/api/users', { name, password, balance: '20', budget: { total: '50' }, limits })
  const cookie = await signIn(name, password)
  const { key } = await call(cookie, 'POST', '/api/keys', { name: 'key of ada', budget: { total: '10', monthly: '9' } })
  await call(admin, 'POST', `/api/users/${id}/credit`, { amount: '1.5', reason: 'for the fixture' })

  const ask = async (path: string, body: Json): Promise<Json> => {
    const answer = await fetch(program.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: { step: { type: 'number' } } } } }]
  const loop = { model: models.thinker, reasoning_effort: 'medium', tools, messages: [{ role: 'user', content: 'scenario loop' }] }
  const thought = (await ask('/v1/chat/completions', loop)) as unknown as ChatAnswer
  const message = thought.choices[0]?.message
  const kept = await ask('/v1/responses', { model: models.chat, input: spoken })
  const trigger = { type: 'compaction_trigger' }
  const compacted = await ask('/v1/responses', { model: models.chat, store: false, input: [{ role: 'user', content: spoken }, trigger] })
  const native = await ask('/v1/responses', { model: models.native, store: false, include: [encryptedContent], input: 'please think' })
  const boundState = sealedIn(native)
  if (message === undefined || boundState === '') throw new Error('nothing was sealed')
  return {
    user: { id: String(id), name, password, cookie, key: String(key) },
    channels,
    response: String(kept.id),
    saidInResponse: spoken,
    call: message.tool_calls[0]?.id ?? '',
    envelope: message.reasoning_details.find(({ data }) => data !== undefined)?.data ?? '',
    boundState,
    boundTo: boundState.startsWith('sealed-by-one') ? 'one' : 'two',
    compaction: sealedIn(compacted),
  }
}
