/**
 * Conversations that clients make and fill by themselves, with the calls of the SDK: kept here, continued on upstreams of any dialect,
 * one user's only, in bounded pages and within the quota.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe.each(sampledEngines(import.meta.file))('on %s, a conversation', (engine) => {
  let gateway: Gateway
  let vendor: ScriptedUpstream
  let claude: ScriptedUpstream
  beforeAll(async () => {
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'off' } })
    vendor = await scriptedUpstream(responsesVendor())
    claude = await scriptedUpstream(messagesVendor({ models: ['claude-opus-4-8'] }))
    await gateway.price('gpt-test')
    await gateway.price('claude-opus-4-8')
    await gateway.channel('responses', vendor.url, { vendor: 'openai', speaks: ['responses'] })
    await gateway.channel('claude', claude.url, { vendor: 'anthropic', models: ['claude-opus-4-8'] })
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await vendor?.close()
    await claude?.close()
  })
  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  const says = (text: string) => ({ type: 'message', role: 'user', content: text }) as const
  const sent = (upstream: ScriptedUpstream) => upstream.requests.at(-1)?.json() as Record<string, unknown>

  test('is made, changed, listed by pages, and deleted', async () => {
    const client = clientOf(gateway.key)
    const made = await client.conversations.create({ metadata: { topic: 'tiles' }, items: [says('one'), says('two')] })
    expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'tiles' } })
    expect(await client.conversations.retrieve(made.id)).toEqual(made)
    expect(await client.conversations.update(made.id, { metadata: { topic: 'roofs' } })).toEqual({ ...made, metadata: { topic: 'roofs' } })
    const more = await client.conversations.items.create(made.id, { items: ['three', 'four', 'five'].map(says) })
    expect(more.data).toMatchObject([
      { type: 'message', role: 'user', status: 'completed', content: [{ type: 'input_text', text: 'three' }] },
      { content: [{ text: 'four' }] },
      { content: [{ text: 'five' }] },
    ])
    const textsOf = async (order: 'asc' | 'desc') => {
      const found: string[] = []
      for await (const item of client.conversations.items.list(made.id, { order, limit: 2 })) found.push(JSON.stringify(item))
      return found.map((item) => /"text":"(\w+)"/.exec(item)?.[1])
    }
    expect(await textsOf('asc')).toEqual(['one', 'two', 'three', 'four', 'five'])
    expect(await textsOf('desc')).toEqual(['five', 'four', 'three', 'two', 'one'])
    const id = more.data[1]?.id ?? ''
    expect(await client.conversations.items.retrieve(id, { conversation_id: made.id })).toMatchObject({ id, content: [{ text: 'four' }] })
    expect(await client.conversations.items.delete(id, { conversation_id: made.id })).toMatchObject({ id: made.id })
    expect(await thrownBy(client.conversations.items.retrieve(id, { conversation_id: made.id }))).toMatchObject({ status: 404 })
    expect(await textsOf('asc')).toEqual(['one', 'two', 'three', 'five'])
    expect(await thrownBy(client.conversations.items.list(made.id, { after: 'msg_nobodys' }))).toMatchObject({
      status: 400,
      param: 'after',
    })
    expect(await thrownBy(client.conversations.items.list(made.id, { limit: 1000 }))).toMatchObject({ status: 400, param: 'limit' })
    expect(await client.conversations.delete(made.id)).toEqual({ id: made.id, object: 'conversation.deleted', deleted: true })
    expect(await thrownBy(client.conversations.retrieve(made.id))).toMatchObject({ status: 404, code: 'not_found' })
  })

  test.each([
    ['of its own dialect', 'gpt-test', () => vendor],
    ['of another dialect', 'claude-opus-4-8', () => claude],
  ])('goes on with an upstream %s, whole and streamed', async (_, model, upstream) => {
    const client = clientOf(gateway.key)
    const { id } = await client.conversations.create({ items: [says('my name is Ann')] })
    const first = await client.responses.create({ model, conversation: id, input: 'what is my name?' })
    expect(first.conversation).toEqual({ id })
    expect(sent(upstream())).not.toHaveProperty('conversation')
    expect(JSON.stringify(sent(upstream()))).toMatch(/my name is Ann.*what is my name/)
    const events = await client.responses.create({ model, conversation: { id }, input: 'and again?', stream: true, store: false })
    let streamed = ''
    for await (const event of events) {
      if ('response' in event) expect([event.type, event.response.conversation]).toEqual([event.type, { id }])
      if (event.type === 'response.completed') streamed = event.response.id
    }
    expect(JSON.stringify(sent(upstream()))).toMatch(/my name is Ann.*what is my name.*You said.*and again/)
    const kept = []
    for await (const item of client.conversations.items.list(id, { order: 'asc' })) kept.push((item as { role?: string }).role)
    expect(kept).toEqual(['user', 'user', 'assistant', 'user', 'assistant'])
    expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, conversation: { id } })
    expect(await thrownBy(client.responses.retrieve(streamed))).toMatchObject({ status: 404 })
    const both = { model, conversation: id, previous_response_id: first.id, input: 'x' }
    expect(await thrownBy(client.responses.create(both))).toMatchObject({ status: 400, code: 'invalid_value' })
    expect(
      await client.responses.inputTokens.count({ model, conversation: id, input: 'x' }).then(({ input_tokens }) => input_tokens > 10),
    ).toBe(true)
  })

  test('that is large goes through the worker', async () => {
    const client = clientOf(gateway.key)
    const { id } = await client.conversations.create()
    const long = 'x'.repeat(1_200_000)
    await client.responses.create({ model: 'gpt-test', conversation: id, input: [says(long)] })
    await client.responses.create({ model: 'claude-opus-4-8', conversation: id, input: 'short' })
    expect(JSON.stringify(sent(claude))).toContain(long)
    const kept = []
    for await (const item of client.conversations.items.list(id, { order: 'asc' })) kept.push(JSON.stringify(item).length > 1_000_000)
    // The vendor repeats what it was sent.
    expect(kept).toEqual([true, true, false, false])
  }, 30_000)

  test('belongs to one user, and counts against the quota', async () => {
    const { key } = await gateway.user('ann', '1')
    const client = clientOf(key)
    const { id } = await client.conversations.create({ items: [says('the secret of ann')] })
    const others = clientOf(gateway.key)
    const item = (await client.conversations.items.list(id)).data[0]?.id ?? ''
    for (const call of [
      () => others.conversations.retrieve(id),
      () => others.conversations.update(id, { metadata: {} }),
      () => others.conversations.delete(id),
      () => others.conversations.items.list(id),
      () => others.conversations.items.create(id, { items: [says('mine')] }),
      () => others.conversations.items.retrieve(item, { conversation_id: id }),
      () => others.conversations.items.delete(item, { conversation_id: id }),
      () => others.responses.create({ model: 'gpt-test', conversation: id, input: 'x' }),
      () => others.responses.create({ model: 'gpt-test', conversation: 'conv_of_the_vendor', input: 'x' }),
    ]) {
      expect(await thrownBy(call())).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect(await client.conversations.items.list(id).then(({ data }) => data.length)).toBe(1)
    await gateway.admin.call('PATCH', '/api/settings', { quotas: { conversations: 1 } })
    expect(await thrownBy(client.conversations.create())).toMatchObject({ status: 403, code: 'quota_exceeded' })
    await client.conversations.delete(id)
    expect((await client.conversations.create()).object).toBe('conversation')
    await gateway.admin.call('PATCH', '/api/settings', { quotas: { conversations: 10_000 } })
  })

  test.each([
    [{ items: 'x' }, 'items'],
    [{ items: Array.from({ length: 21 }, () => says('x')) }, 'items'],
    [{ items: [{ type: 'item_reference', id: 'msg_1' }] }, 'items[0]'],
    [{ items: [{}] }, 'items[0]'],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ metadata: 'x' }, 'metadata'],
  ])('that says %j is refused', async (body, param) => {
    expect(await thrownBy(clientOf(gateway.key).conversations.create(body as never))).toMatchObject({ status: 400, param })
  })

  test.each([
    ['GET', '/v1/conversations/conv_nobodys'],
    ['POST', '/v1/conversations/conv_nobodys'],
    ['DELETE', '/v1/conversations/conv_nobodys'],
    ['GET', '/v1/conversations/conv_nobodys/items'],
    ['POST', '/v1/conversations/conv_nobodys/items'],
    ['GET', '/v1/conversations/conv_nobodys/items/msg_nobodys'],
    ['DELETE', '/v1/conversations/conv_nobodys/items/msg_nobodys'],
  ])('of nobody is not there: %s %s', async (method, path) => {
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([404, 'not_found'])
  })
})
