/** Fallback models of a group: they hold in place of those of the installation, for its callers only. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
let upstream: ScriptedUpstream
beforeAll(async () => {
  upstream = await scriptedUpstream()
  upstream.answer((exchange) => {
    const { model } = exchange.request.json() as { model: string }
    if (model === 'down') return respondJson(500, { error: { message: 'out of order' } })(exchange)
    const message = { role: 'assistant', content: 'Yes' }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    return respondJson(200, {
      ...{ id: 'c', object: 'chat.completion', created: 1, model, usage },
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    })(exchange)
  })
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.admin.call('POST', '/api/groups', { name: 'vip' })
  await gateway.channel('c', `${upstream.url}/v1`, { models: ['down', 'near', 'far'], groups: ['default', 'vip'] })
  for (const model of ['down', 'near', 'far']) await gateway.price(model)
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

/** The model that answers a request for the one that is down, as the usage row has it. */
async function answers(key: string): Promise<string | number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'down', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const answer = (await response.json()) as { model: string }
  return response.ok ? answer.model : response.status
}

test('a group’s own list applies to it, the installation’s to all others', async () => {
  const { admin } = gateway
  await admin.call('PATCH', '/api/settings', { fallbacks: { down: { error: ['near'] } } })
  const { user } = await admin.call<{ user: { id: string } }>('GET', '/api/session')
  await admin.call('PATCH', `/api/users/${user.id}`, { groups: ['default', 'vip'] }).catch(() => undefined)
  const { key } = await admin.call<{ key: string }>('POST', '/api/keys', { name: 'vip', group: 'vip' })
  expect([await answers(gateway.key), await answers(key)]).toEqual(['near', 'near'])

  await admin.call('PATCH', '/api/groups/vip', { fallbacks: { down: { error: ['far'] } } })
  expect([await answers(gateway.key), await answers(key)]).toEqual(['near', 'far'])
  const explained = (group: string) =>
    admin.call<{ fallbacks: { error: string[] } }>('POST', '/api/route', {
      group,
      body: { model: 'down', messages: [{ role: 'user', content: 'Hello' }] },
    })
  expect((await explained('vip')).fallbacks.error).toEqual(['far'])
  expect((await explained('default')).fallbacks.error).toEqual(['near'])

  // A list that says nothing for a cause says that nothing stands in.
  await admin.call('PATCH', '/api/groups/vip', { fallbacks: { down: { context: ['far'] } } })
  expect([await answers(gateway.key), await answers(key)]).toEqual(['near', 502])
  const rows = await admin.call<{ data: { name: string; fallbacks: object }[] }>('GET', '/api/groups?all=true')
  expect(rows.data.find(({ name }) => name === 'vip')?.fallbacks).toEqual({ down: { context: ['far'] } })

  await admin.call('PATCH', '/api/groups/vip', { fallbacks: {} })
  expect([await answers(gateway.key), await answers(key)]).toEqual(['near', 'near'])
}, 30_000)
