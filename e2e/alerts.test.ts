/** Alerts from outside: a destination is created, tested, and receives alerts of a running Parley. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { sampledEngines } from '#testing/database/database'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

interface Heard {
  headers: Headers
  text: string
  body: {
    type: string
    data: { text: string; link: string; subject: { kind: string; id: string; name: string }; facts: Record<string, string> }
  }
}

const heard: Heard[] = []
let refuses = false
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const text = await request.text()
    heard.push({ headers: request.headers, text, body: JSON.parse(text) })
    return refuses ? new Response('', { status: 500 }) : new Response('ok')
  },
})
afterAll(() => receiver.stop(true))

async function told(type: string, about = ''): Promise<Heard> {
  for (let tries = 0; tries < 900; tries++) {
    const found = heard.find(({ body, text }) => body.type === `parley.${type}` && text.includes(about))
    if (found) return found
    await Bun.sleep(50)
  }
  throw new Error(`nobody was told of ${type}: ${heard.map(({ text }) => text).join('\n')}`)
}

describe.each(sampledEngines(import.meta.file))('alerts on %s', (engine) => {
  let gateway: Gateway
  let hook: { id: string; secret: string; address: string }
  const vendor = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json(chatAnswer()) })
  beforeAll(async () => {
    gateway = await startGateway(engine, { quickTimers: { 30000: 500 } })
    hook = await gateway.admin.call('POST', '/api/alerts/hooks', { name: 'ops', form: 'http', url: `${receiver.url}x?token=hush` })
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await vendor.stop(true)
  })

  test('the test of a place arrives, signed; nothing of its address is shown', async () => {
    expect([hook.address, hook.secret.slice(0, 6)]).toEqual([receiver.url.origin, 'whsec_'])
    expect(await gateway.admin.call('POST', `/api/alerts/hooks/${hook.id}/test`)).toEqual({ ok: true, answer: 'HTTP 200' })
    const { headers, text } = await told('test')
    const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${text}`
    const key = Buffer.from(hook.secret.slice('whsec_'.length), 'base64')
    expect(headers.get('webhook-signature')).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    expect(await (await gateway.admin.raw('GET', '/api/alerts/hooks')).text()).not.toContain('hush')
  })

  test('a failed test of a channel sends an alert', async () => {
    const { id } = await gateway.channel('broken', 'http://127.0.0.1:9')
    await gateway.admin.call('POST', `/api/channels/${id}/test`, {})
    const { body } = await told('channel_test')
    expect(body.data.subject).toEqual({ kind: 'channel', id, name: 'broken' })
    expect(body.data.text).toContain('broken failed')
    await gateway.admin.call('DELETE', `/api/channels/${id}`)
  }, 60_000)

  test('a budget at 80 percent, a model without a price, and a model that loses money send an alert, once each', async () => {
    const costs = { paid: { input: '1', output: '1', request: '0.5' } }
    await gateway.channel('real', vendor.url.href, { models: ['paid', 'free'], costs })
    await gateway.price('paid', { input: '1', output: '1', request: '0.085' })
    await gateway.admin.call('DELETE', '/api/prices/free').catch(() => undefined)
    const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/keys', { name: 'tight', budget: { daily: '0.1' } })
    const ask = (model: string) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
      })
    expect((await ask('paid')).status).toBe(200)
    expect((await ask('free')).status).toBe(404)
    const { body } = await told('budget', 'tight')
    expect(body.data).toMatchObject({ text: 'The daily budget of the key tight is 80 % used.', subject: { kind: 'key', name: 'tight' } })
    expect((await told('unpriced')).body.data.subject).toEqual({ kind: 'model', id: 'free', name: 'free' })
    expect((await told('margin')).body.data.facts.margin).toStartWith('-')
    expect(heard.filter(({ body }) => body.type === 'parley.budget')).toHaveLength(1)
  }, 120_000)

  test('alerts name the cap of a member and the wallet of a team as such, not as the balance of the member', async () => {
    const { id } = await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'apps', balance: '0.15' })
    const mara = await gateway.user(`mara ${engine}`, '0.01')
    await gateway.admin.call('POST', `/api/teams/${id}/members`, { user: mara.id, budget: { daily: '0.1' } })
    const { key } = await mara.session.call<{ key: string }>('POST', '/api/keys', { name: 'theirs', team: id })
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'paid', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(answer.status).toBe(200)
    const cap = await told('budget', 'member')
    expect(cap.body.data).toMatchObject({
      text: `The daily budget of the member mara ${engine} (apps) is 80 % used.`,
      subject: { kind: 'member', id: `${id}.${mara.id}` },
    })
    expect((await told('balance', 'apps')).body.data.subject).toEqual({ kind: 'team', id, name: 'apps' })
    expect(heard.filter(({ body }) => body.type === 'parley.balance').map(({ body }) => body.data.subject.kind)).toEqual(['team'])
  }, 120_000)

  test('what a place refuses waits in the list, and one that was given up is tried again on request', async () => {
    refuses = true
    const { id } = await gateway.channel('broken too', 'http://127.0.0.1:9')
    await gateway.admin.call('POST', `/api/channels/${id}/test`, {})
    await told('channel_test', 'broken too')
    interface Row {
      id: string
      state: string
      answer: string
      data: { text: string }
    }
    const rows = async (query = '') => (await gateway.admin.call<{ data: Row[] }>('GET', `/api/alerts${query}`)).data
    const mine = async () => (await rows()).find(({ data }) => data.text.includes('broken too'))
    while ((await mine())?.answer !== 'HTTP 500') await Bun.sleep(50)
    expect(await mine()).toMatchObject({ state: 'waiting' })
    // A destination that is switched off gives up pending deliveries at their next try.
    await gateway.admin.call('PATCH', `/api/alerts/hooks/${hook.id}`, { enabled: false })
    while ((await rows('?state=dead')).length === 0) await Bun.sleep(100)
    await gateway.admin.call('PATCH', `/api/alerts/hooks/${hook.id}`, { enabled: true })
    refuses = false
    const [dead] = await rows('?state=dead')
    expect((await gateway.admin.raw('POST', `/api/alerts/${dead?.id}/retry`, {})).status).toBe(204)
    while ((await mine())?.state !== 'sent') await Bun.sleep(50)
    const audit = await gateway.admin.call<{ data: { action: string; target: string }[] }>('GET', '/api/audit?action=alert')
    expect(audit.data.map(({ action, target }) => [action, target])).toEqual([['alert.retry', dead?.id ?? '']])
    expect((await gateway.admin.raw('POST', '/api/alerts/nothing/retry', {})).status).toBe(404)
    expect((await gateway.admin.raw('GET', '/api/alerts?state=lost')).status).toBe(400)
  }, 60_000)
})
