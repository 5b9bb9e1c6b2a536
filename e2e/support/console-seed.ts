/** A busy installation for pictures of the console: channels, one of them failing, prices, users, groups, keys and a month of usage. */

import { type Throwaway, throwawayDatabase } from '#testing/database/database'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { seeded } from '#testing/seeded'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { putPaidRow } from '#testing/usage-row'
import { consoleApi } from './console-api.ts'

/** What the pictures are taken of. */
export interface Busy {
  program: Program
  /** The id of a request that was retried on another channel. */
  retried: string
  /** The id of a key, a user and a channel. */
  key: string
  user: string
  channel: string
  /** Makes one key of that channel rest, and a model behind another. */
  trouble(): Promise<void>
  close(): Promise<void>
}

const dayMs = 86_400_000
const models = ['gpt-5', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'gpt-5-mini', 'claude-haiku-4-5', 'mistral-large'] as const
const prices: Record<string, Record<string, string>> = {
  'gpt-5': { input: '1.25', output: '10', cacheRead: '0.125' },
  'claude-sonnet-4-5': { input: '3', output: '15', cacheRead: '0.3', cacheWrite5m: '3.75' },
  'gemini-2.5-pro': { input: '1.25', output: '10', tiers: [{ above: 200_000, input: '2.5', output: '15' }] as never },
  'gpt-5-mini': { input: '0.25', output: '2' },
  'claude-haiku-4-5': { input: '1', output: '5' },
}

/** Starts it, with a month behind it. */
export async function busyInstallation(): Promise<Busy> {
  const database: Throwaway = await throwawayDatabase('postgres')
  const upstream = await scriptedUpstream()
  const program = await startProgram({ env: { ...administrator, DATABASE_URL: database.databaseUrl ?? '' } })
  const call = await consoleApi(program)
  const answer = (model: string) => ({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Certainly.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 612, completion_tokens: 88, total_tokens: 700, prompt_tokens_details: { cached_tokens: 240 } },
  })
  const listed = ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5-codex'].map((id) => ({ id, object: 'model', created: 1, owned_by: 'vendor' }))
  const limited = { error: { message: 'Rate limit reached.', type: 'requests', code: 'rate_limit_exceeded' } }
  const refused = { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' } }
  const gone = { error: { message: 'The model gpt-4o does not exist.', type: 'invalid_request_error', code: 'model_not_found' } }
  let isTroubled = false
  upstream.answer((exchange) => {
    const { target } = exchange.request
    const isWell = exchange.request.header('authorization')?.endsWith('sk-pool-1') ?? false
    if (target.endsWith('/models')) return respondJson(200, { object: 'list', data: listed })(exchange)
    if (isTroubled && !isWell) return respondJson(401, refused)(exchange)
    if (isTroubled && exchange.request.text().includes('gpt-5-mini')) return respondJson(429, limited, { 'retry-after': '42' })(exchange)
    if (exchange.request.text().includes('"gpt-4o"')) return respondJson(404, gone)(exchange)
    return respondJson(200, answer('gpt-5'))(exchange)
  })

  for (const [name, ratio] of [
    ['vip', '0.8'],
    ['research', '1'],
  ]) {
    await call('POST', '/api/groups', {
      name,
      ratio,
      description: name === 'vip' ? 'Priority' : 'Papers and trials',
      budget: { monthly: '500' },
    })
  }
  const channel = (name: string, vendor: string, offered: readonly string[], fields: object = {}) =>
    call('POST', '/api/channels', {
      name,
      vendor,
      baseUrl: `${upstream.url}/v1`,
      keys: ['sk-vendor-of-pictures'],
      models: offered,
      groups: ['default', 'vip'],
      ...fields,
    }) as Promise<{ id: string }>
  const failing = await channel('azure-sweden', 'openai-compatible', ['gpt-5', 'gpt-5-mini'], { priority: 20, tags: ['eu'] })
  const costs = { 'gpt-5': { input: '1.1', output: '9' } }
  const pool = await channel('openai-main', 'openai-compatible', ['gpt-5', 'gpt-5-mini', 'gpt-4o'], {
    priority: 10,
    costs,
    keys: [
      { key: 'sk-pool-1', name: 'main-1' },
      { key: 'sk-pool-2', name: 'main-2' },
    ],
    models: ['gpt-5', 'gpt-5-mini', { name: 'fast', upstream: 'gpt-5-mini' }, 'gpt-4o'],
  })
  await channel('anthropic-main', 'anthropic', ['claude-sonnet-4-5', 'claude-haiku-4-5'], { baseUrl: upstream.url, priority: 10 })
  await channel('gemini-pool', 'gemini', ['gemini-2.5-pro'], { baseUrl: upstream.url, keys: ['AIza-one', 'AIza-two'] })
  await channel('vllm-local', 'openai-compatible', ['mistral-large'], { groups: ['research'], weight: 2 })
  await channel('old-proxy', 'openai-compatible', ['gpt-5-mini'], { enabled: false })
  for (const [model, price] of Object.entries(prices)) await call('PUT', `/api/prices/${model}`, price)

  const userIds: string[] = []
  for (const [name, balance, groups] of [
    ['support-desk', '240', ['default', 'vip']],
    ['mobile-app', '38.9', ['default']],
    ['research', '500', ['default', 'research']],
  ] as const) {
    const made = (await call('POST', '/api/users', {
      name,
      password: `password of ${name}`,
      balance,
      groups,
      budget: { monthly: '400' },
    })) as { id: string }
    userIds.push(made.id)
  }
  const keyOf = (fields: object) => call('POST', '/api/keys', fields) as Promise<{ id: string; key: string; name: string }>
  const bot = await keyOf({
    name: 'support-bot',
    group: null,
    budget: { monthly: '200' },
    limits: { rpm: 600 },
    models: ['gpt-5', 'gpt-5-mini'],
  })
  const ci = await keyOf({ name: 'ci', note: 'nightly evaluation', budget: { daily: '5' }, limits: { rpm: 60 } })
  await keyOf({ name: 'laptop' })
  await keyOf({ name: 'invoice-ocr', user: 'research', expiresAt: new Date(Date.now() + 3 * dayMs).toISOString(), budget: { total: '20' } })
  await keyOf({ name: 'old-notebook', enabled: false })

  const me = (await call('GET', '/api/session')) as { user: { id: string } }
  const team = (await call('POST', '/api/teams', {
    name: 'data-platform',
    balance: '850',
    groups: ['default', 'vip'],
    models: ['gpt-5', 'gpt-5-mini'],
    budget: { monthly: '600' },
  })) as { id: string }
  await call('POST', '/api/teams', { name: 'growth', balance: '120' })
  for (const [user, role, cap] of [
    [me.user.id, 'owner', {}],
    ['support-desk', 'manager', { monthly: '200' }],
    ['mobile-app', 'member', { daily: '5', monthly: '60' }],
    ['research', 'accountant', {}],
  ] as const) {
    await call('POST', `/api/teams/${team.id}/members`, { user, role, ...(Object.keys(cap).length > 0 && { budget: cap }) })
  }
  const batch = await keyOf({ name: 'nightly-batch', team: team.id, budget: { daily: '20' } })
  await keyOf({ name: 'dashboards', team: team.id, user: 'mobile-app' })
  await pastUsage(database, [me.user.id, ...userIds], [bot, ci])

  const ask = async (key: string, model = 'gpt-5') => {
    const response = await fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Where is my order?' }] }),
    })
    await response.text()
    return response.headers.get('x-request-id') ?? ''
  }
  for (let count = 0; count < 6; count++) await ask(count % 2 === 0 ? bot.key : ci.key, count % 3 === 0 ? 'gpt-5-mini' : 'gpt-5')
  let retried = ''
  for (let count = 0; count < 5; count++) {
    upstream.next(respondJson(401, refused))
    retried = (await ask(bot.key)) || retried
    upstream.forgetNext()
  }
  await ask(ci.key, 'mistral-large')
  for (let count = 0; count < 8; count++) await ask(batch.key)

  const place = (fields: object) => call('POST', '/api/alerts/hooks', { url: `${upstream.url}/alerts`, ...fields })
  await place({ name: 'ops', form: 'slack', kinds: ['breaker', 'channel_test', 'key_spend', 'journal'] })
  await place({ name: 'night-watch', form: 'dingtalk' })
  await place({ name: 'ledger', form: 'http', kinds: ['budget', 'balance'], enabled: false })
  upstream.next(respondJson(503, { error: { message: 'Overloaded.' } }))
  await call('POST', `/api/channels/${failing.id}/test`, {})
  upstream.forgetNext()
  const toldOf = async () => ((await call('GET', '/api/alerts')) as { data: { answer: string | null }[] }).data
  while (!(await toldOf()).some(({ answer }) => answer !== null)) await Bun.sleep(100)
  return {
    program,
    retried,
    key: bot.id,
    user: userIds[1] ?? '',
    channel: pool.id,
    async trouble() {
      isTroubled = true
      const rests = async () => {
        const { data } = (await call('GET', `/api/channels/${pool.id}/health`)) as { data: { state: string }[] }
        return data.filter(({ state }) => state !== 'closed').length
      }
      for (let count = 0; count < 60 && (await rests()) < 2; count++) await ask(bot.key, count % 4 === 3 ? 'gpt-5-mini' : 'gpt-5')
      isTroubled = false
    },
    async close() {
      await program.stop()
      await (upstream as ScriptedUpstream).close()
      await database.close()
    },
  }
}

/** A month of requests, more on weekdays and at noon. */
async function pastUsage(database: Throwaway, users: readonly string[], keys: readonly { id: string; name: string }[]): Promise<void> {
  const random = seeded(7)
  const now = Date.now()
  let count = 0
  const put = async (at: Date, which: number, part = 1) => {
    const key = keys[random.below(keys.length)]
    const failed = random.below(60) === 0
    const fresh = Math.ceil((20_000 + random.below(600_000)) / part / 2) * 2
    const out = Math.ceil((2_000 + random.below(60_000)) / part)
    const usage = {
      in: { fresh, cacheRead: fresh / 2, cacheWrite: { '5m': 0, '1h': 0, other: 0 }, audio: 0, image: 0 },
      out: { total: out, reasoning: 0, audio: 0, image: 0 },
      units: { requests: 1, images: 0, seconds: 0, characters: 0, searches: 0 },
      provenance: 'provider' as const,
      raw: null,
    }
    await putPaidRow(database.store, {
      requestId: `req_${at.getTime()}${count++}${'x'.repeat(6)}`,
      at,
      userId: users[random.below(users.length)] ?? '',
      ...(key && random.below(5) > 0 ? { keyId: key.id, key: key.name } : {}),
      group: random.below(3) === 0 ? 'vip' : 'default',
      model: models[which] ?? 'gpt-5',
      channel: which === 0 ? 'openai-main' : 'anthropic-main',
      stream: true,
      status: failed ? 502 : 200,
      end: failed ? 'error' : 'complete',
      ...(failed && { error: { code: 'upstream_error', message: 'The upstream failed. Retrying may help.' } }),
      cost: failed ? 0n : BigInt(fresh) * 1_250n + BigInt(out) * 10_000n,
      upstreamCost: failed ? null : BigInt(fresh) * 1_100n + BigInt(out) * 9_000n,
      usage: failed ? null : usage,
      provenance: failed ? null : 'provider',
      firstTokenMs: 200 + random.below(900),
      totalMs: 1_500 + random.below(12_000),
    })
  }
  for (let day = 59; day >= 0; day--) {
    const weekend = [0, 6].includes(new Date(now - day * dayMs).getUTCDay())
    for (let row = 0; row < (weekend ? 6 : 16); row++) {
      const at = new Date(now - day * dayMs - random.below(20) * 3_600_000 - random.below(3_600_000))
      await put(at, Math.min(random.below(8), random.below(8), models.length - 1))
    }
  }
  // Today so far and the same day a week ago, hour by hour, as a working day goes.
  const midnight = now - (now % dayMs)
  for (const day of [7, 0]) {
    for (const [hour, rows] of [2, 1, 1, 1, 2, 3, 4, 6, 8, 9, 9, 8, 7, 8, 9, 8, 7, 6, 5, 4, 4, 3, 3, 2].entries()) {
      for (let row = 0; row < rows; row++) {
        const at = midnight - day * dayMs + hour * 3_600_000 + random.below(3_600_000)
        if (at < now) await put(new Date(at), Math.min(random.below(5), random.below(5)), 8)
      }
    }
  }
}
