/** Replays from outside: what is sent again and to whom, rights and payment, what is never sent, and the results of a job. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { KeptBody } from '#shared/console/body'
import type { LogRow } from '#shared/console/log'
import type { ReplayComparison, ReplayDetail, ReplayEstimate, ReplayRow } from '#shared/console/replay'
import { engines } from '#testing/database/database'
import { type Gate, gate, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type ChatReply, chatVendor } from '#testing/vendors/chat-vendor'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'
import { soon } from './support/raw-client.ts'

const usage = { prompt_tokens: 1000, completion_tokens: 500 }
const replies: Record<string, ChatReply> = {
  'gpt-one': {
    text: ['The order left on ', 'Wednesday.'],
    calls: [{ id: 'call_1', name: 'find_order', arguments: '{"number":4471}' }],
    finish: 'tool_calls',
    usage,
  },
  'gpt-two': {
    text: ['The order left on ', 'Thursday.'],
    calls: [{ id: 'call_1', name: 'find_order', arguments: '{"number":"4471"}' }],
    finish: 'tool_calls',
    usage,
  },
}
const vendor = chatVendor({ models: Object.keys(replies), reply: ({ model }) => replies[model] ?? {} })
const tool = { type: 'function', function: { name: 'find_order', parameters: { type: 'object' } } }

describe.each(engines)('on %s', (engine) => {
  let gateway: Gateway
  let first: ScriptedUpstream
  let second: ScriptedUpstream
  let ann: { session: Session; key: string; id: string }
  let bob: typeof ann

  beforeAll(async () => {
    ;[first, second] = await Promise.all([scriptedUpstream(vendor), scriptedUpstream(vendor)])
    gateway = await startGateway(engine)
    await gateway.channel('first', `${first.url}/v1`, { models: ['gpt-one'] })
    await gateway.channel('second', `${second.url}/v1`, { models: ['gpt-one', 'gpt-two'], priority: -1 })
    await gateway.price('gpt-one', { input: '10', output: '20' })
    await gateway.price('gpt-two', { input: '1', output: '2' })
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { keep: true, redactFields: ['metadata.user_id'] } })
    ;[ann, bob] = await Promise.all([gateway.user('ann', '10'), gateway.user('bob', '10')])
  }, 60_000)
  afterAll(async () => {
    await gateway.close()
    await Promise.all([first.close(), second.close()])
  })

  /** A kept request of ann's; its body has white space that no writer of JSON makes. */
  async function ask(fields: object = {}, path = '/v1/chat/completions') {
    const body = ` ${JSON.stringify({ model: 'gpt-one', messages: [{ role: 'user', content: 'Grüße' }], tools: [tool], ...fields })}\n`
    const headers = { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json', 'x-parley-strict': 'true' }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body })
    await answer.text()
    expect(answer.headers.get('x-parley-stored')).toBe('30d')
    return { id: answer.headers.get('x-request-id') ?? '', body }
  }

  const start = (by: Session, fields: object) => by.call<ReplayRow>('POST', '/api/replays', fields)
  const detail = (by: Session, { id }: { id: string }) => by.call<ReplayDetail>('GET', `/api/replays/${id}`)
  async function ended(by: Session, job: { id: string }): Promise<ReplayDetail> {
    await soon(async () => (await detail(by, job)).state !== 'running', 30_000)
    return detail(by, job)
  }
  const run = async (by: Session, fields: object) => ended(by, await start(by, fields))
  const refusal = async (by: Session, method: string, path: string, body?: unknown) => {
    const answer = await by.raw(method, path, body)
    const { error } = (await answer.json()) as { error: { code: string; param: string | null } }
    return [answer.status, error.code, error.param]
  }

  test('the same bytes to the same channel, at the expense of who asks, marked in the log', async () => {
    const { id, body } = await ask()
    const sent = first.requests.length
    const before = await balance(gateway.admin)
    const job = await run(gateway.admin, { requestIds: [id], targets: [{ sameChannel: true }] })
    expect(job).toMatchObject({ state: 'done', requests: 1, charged: '0.02', expected: '0.02', ceiling: '0.04' })
    const [item] = job.results
    expect(item).toMatchObject({
      state: 'done',
      requestId: id,
      exact: true,
      error: null,
      difference: { text: 'same', alike: 100, calls: 'same' },
    })
    expect(item?.original).toMatchObject({
      model: 'gpt-one',
      channel: 'first',
      charged: '0.02',
      answer: { finish: 'tool-calls', words: 5, calls: 1 },
    })
    expect(first.requests.length).toBe(sent + 1)
    expect(first.requests.at(-1)?.text()).toBe(body)
    expect(first.requests.at(-1)?.header('authorization')).toBe('Bearer sk-vendor')
    const row = await gateway.log<LogRow>(item?.replayId ?? '')
    expect(row).toMatchObject({ replayOf: id, key: null, user: { name: 'admin' }, charged: '0.02', stored: true })
    expect(before - (await balance(gateway.admin))).toBeCloseTo(0.02, 9)
    const { data } = await gateway.admin.call<{ data: { action: string }[] }>('GET', `/api/audit?target=${job.id}`)
    expect(data.map(({ action }) => action)).toEqual(['replay.create'])
  })

  test('many to another model and to a channel by name: a table, sums, and both answers', async () => {
    const ids = [
      (await ask()).id,
      (await ask({ stream: true })).id,
      (await ask({ max_tokens: 99, stream: true, messages: [{ role: 'user', content: 'x' }] }, '/v1/chat/completions')).id,
    ]
    const asked = { requestIds: ids, targets: [{ model: 'gpt-two' }, { channel: 'second', set: { temperature: 0 } }] }
    const estimate = await gateway.admin.call<ReplayEstimate>('POST', '/api/replays/estimate', asked)
    expect(estimate).toEqual({ requestIds: ids, refused: [], expected: '0.066', unknown: 0, ceiling: '0.132' })
    const sent = second.requests.length
    const job = await run(gateway.admin, asked)
    expect([job.state, job.items.done, job.charged]).toEqual(['done', 6, '0.066'])
    expect(second.requests.length).toBe(sent + 6)
    expect(second.requests.slice(sent).filter((request) => (request.json() as { temperature?: number }).temperature === 0)).toHaveLength(3)
    expect(job.totals).toMatchObject([
      { target: 0, done: 3, originalCharged: '0.06', charged: '0.006', tokensOut: 1500, sameText: 0, sameCalls: 0, sameFinish: 3 },
      { target: 1, done: 3, originalCharged: '0.06', charged: '0.06', sameText: 3, sameCalls: 3 },
    ])
    const place = job.results.find(({ target, requestId }) => target === 0 && requestId === ids[1])?.n ?? -1
    const both = await gateway.admin.call<ReplayComparison>('GET', `/api/replays/${job.id}/items/${place}`)
    expect(both.difference).toEqual({ text: 'different', alike: 80, calls: 'arguments', finish: 'same' })
    expect(both.pieces?.filter((piece) => piece.in !== 'both').map(({ text }) => text)).toEqual(['Wednesday', 'Thursday'])
    expect(both.replayAnswer).toMatchObject({
      text: 'The order left on Thursday.',
      calls: [{ name: 'find_order', args: '{"number":"4471"}' }],
    })
    expect(both.callPieces?.find((piece) => piece.in === 'replay')?.text).toContain('"4471"')
    const lines = (await (await gateway.admin.raw('GET', `/api/replays/${job.id}/export?format=jsonl&answers=true`)).text())
      .trim()
      .split('\n')
    expect(lines).toHaveLength(6)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      replay: job.id,
      n: 0,
      target: { model: 'gpt-two' },
      replayAnswer: { text: expect.any(String) },
    })
    const csv = await (await gateway.admin.raw('GET', `/api/replays/${job.id}/export?format=csv`)).text()
    expect(
      csv
        .split('\r\n')
        .slice(0, 2)
        .map((line) => line.split(',').slice(2, 9).join()),
    ).toEqual(['target_model,target_channel,state,error,exact,text,alike_percent', 'gpt-two,,done,,false,different,80'])
  }, 60_000)

  test('owners replay their own, without names of channels; somebody else’s is not there', async () => {
    const { id } = await ask()
    const job = await run(ann.session, { requestIds: [id], targets: [{ model: 'gpt-two' }] })
    expect(job.results[0]).toMatchObject({ state: 'done', result: { model: 'gpt-two', charged: '0.002' } })
    expect(JSON.stringify(job)).not.toContain('channel')
    const theirs = { requestIds: [id], targets: [{}] }
    expect(await refusal(bob.session, 'POST', '/api/replays', theirs)).toEqual([404, 'not_found', 'requestIds.0'])
    expect(await bob.session.call<ReplayEstimate>('POST', '/api/replays/estimate', theirs)).toMatchObject({
      refused: [{ requestId: id, code: 'not_found' }],
    })
    for (const path of [`/api/replays/${job.id}`, `/api/replays/${job.id}/items/0`, `/api/replays/${job.id}/export`])
      expect([path, (await bob.session.raw('GET', path)).status]).toEqual([path, 404])
    expect((await bob.session.raw('POST', `/api/replays/${job.id}/stop`)).status).toBe(404)
    expect((await bob.session.raw('DELETE', `/api/replays/${job.id}`)).status).toBe(404)
    const channel = { requestIds: [id], targets: [{ channel: 'second' }] }
    expect(await refusal(ann.session, 'POST', '/api/replays', channel)).toEqual([403, 'not_permitted', 'targets.0.channel'])
    const noModel = { requestIds: [id], targets: [{ model: 'gpt-none' }] }
    expect(await refusal(ann.session, 'POST', '/api/replays', noModel)).toEqual([404, 'model_not_found', 'targets.0.model'])
    // A priced model of another group gets the same message as one that does not exist.
    await gateway.admin.call('POST', '/api/groups', { name: 'others' })
    await gateway.channel('others', `${second.url}/v1`, { models: ['gpt-others'], groups: ['others'] })
    await gateway.price('gpt-others')
    for (const path of ['/api/replays', '/api/replays/estimate']) {
      const told = async (model: string) => {
        const answer = await ann.session.raw('POST', path, { requestIds: [id], targets: [{ model }] })
        return [answer.status, ((await answer.json()) as { error: unknown }).error]
      }
      expect(await told('gpt-others')).toEqual(await told('gpt-none'))
    }
    // The person's own money: none is left.
    const poor = await gateway.user('poor', '0.001')
    const own = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${poor.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-one', messages: [{ role: 'user', content: 'x' }] }),
    })
    await own.text()
    const refused = await run(poor.session, { requestIds: [own.headers.get('x-request-id')], targets: [{}] })
    expect(refused.results[0]).toMatchObject({ state: 'failed', error: { code: 'insufficient_quota' }, result: { charged: '0' } })
  }, 60_000)

  test('for the money of a team, within the cap of its member; the member reads what it says', async () => {
    type TeamRow = { id: string; name: string; balance: string }
    const team = await gateway.admin.call<TeamRow>('POST', '/api/teams', { name: 'payers', balance: '5' })
    await gateway.admin.call('POST', `/api/teams/${team.id}/members`, { user: ann.id, role: 'member', budget: { total: '0.03' } })
    const { key } = await ann.session.call<{ key: string }>('POST', '/api/keys', { name: 'of the team', team: team.id })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'gpt-one', max_tokens: 500, messages: [{ role: 'user', content: 'x' }] })
    const asked = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
    await asked.text()
    const id = asked.headers.get('x-request-id') ?? ''
    const own = await balance(ann.session)
    const job = await run(ann.session, { requestIds: [id], targets: [{ model: 'gpt-two' }], team: 'payers' })
    expect(job).toMatchObject({ state: 'done', charged: '0.002', team: { id: team.id, name: 'payers' } })
    const both = await ann.session.call<ReplayComparison>('GET', `/api/replays/${job.id}/items/0`)
    expect(both.replayAnswer?.text).toBe('The order left on Thursday.')
    expect(await gateway.log(both.replayId ?? '')).toMatchObject({ replayOf: id, team: { id: team.id }, user: { id: ann.id } })
    const capped = await run(ann.session, { requestIds: [id], targets: [{}], team: team.id })
    expect(capped.results[0]).toMatchObject({ state: 'failed', error: { code: 'insufficient_quota' } })
    expect(await balance(ann.session)).toBe(own)
    expect(Number((await gateway.admin.call<TeamRow>('GET', `/api/teams/${team.id}`)).balance)).toBeCloseTo(5 - 0.022, 9)
    // Only members can spend a team's money, not even administrators; and models not allowed to the team are refused.
    for (const path of ['/api/replays', '/api/replays/estimate'])
      expect(await refusal(gateway.admin, 'POST', path, { requestIds: [id], targets: [{}], team: team.id })).toEqual([
        403,
        'team_not_allowed',
        'team',
      ])
    await gateway.admin.call('PATCH', `/api/teams/${team.id}`, { models: ['gpt-one'] })
    expect(
      await refusal(ann.session, 'POST', '/api/replays', { requestIds: [id], targets: [{ model: 'gpt-two' }], team: team.id }),
    ).toEqual([404, 'model_not_found', 'targets.0.model'])
  }, 60_000)

  test('what is not the same any more is not sent, and says so', async () => {
    const { id: blanked } = await ask({ metadata: { user_id: 'ann-4471' } })
    const { id: large } = await ask({ messages: [{ role: 'user', content: 'x'.repeat(17 * 1024 * 1024) }] })
    const sent = first.requests.length + second.requests.length
    const job = await run(ann.session, { requestIds: [blanked, large], targets: [{}] })
    expect(job.results.map(({ state, error, replayId: _ }) => [state, error?.code])).toEqual([
      ['failed', 'body_redacted'],
      ['failed', 'body_incomplete'],
    ])
    expect(job.charged).toBe('0')
    expect(first.requests.length + second.requests.length).toBe(sent)
  }, 60_000)

  test('a management key needs the scope replay', async () => {
    const { id } = await ask()
    const open = async (scopes: string[]) => {
      const { key } = await ann.session.call<{ key: string }>('POST', '/api/management-keys', { name: scopes.join(), scopes })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const made = await fetch(`${gateway.url}/api/replays`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ requestIds: [id], targets: [{}] }),
      })
      return [made.status, (await fetch(`${gateway.url}/api/replays`, { headers })).status]
    }
    expect(await open(['read', 'bodies'])).toEqual([403, 403])
    expect(await open(['replay'])).toEqual([201, 200])
    expect(await soon(async () => (await ann.session.call<{ data: ReplayRow[] }>('GET', '/api/replays')).data[0]?.state === 'done')).toBe(
      true,
    )
  })

  test('a stop lets what was begun end, and skips the rest; a ceiling does so by itself', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await ask()).id))
    const held: Gate[] = [gate(vendor), gate(vendor)]
    for (const one of held) first.next(one.script)
    const sent = first.requests.length
    const job = await start(ann.session, { requestIds: ids, targets: [{ sameChannel: true }] })
    expect(await soon(() => held.every((one) => one.waiting() === 1))).toBe(true)
    expect(await ann.session.call<ReplayRow>('POST', `/api/replays/${job.id}/stop`)).toMatchObject({ state: 'running', stopping: true })
    expect(await refusal(ann.session, 'DELETE', `/api/replays/${job.id}`)).toEqual([400, 'invalid_value', null])
    for (const one of held) one.open()
    const over = await ended(ann.session, job)
    expect([over.state, over.items.done, over.items.skipped, first.requests.length - sent]).toEqual(['stopped', 2, 4, 2])
    const { data } = await gateway.admin.call<{ data: { action: string; actorName: string }[] }>('GET', `/api/audit?target=${job.id}`)
    expect(data.map(({ action, actorName }) => `${actorName} ${action}`)).toEqual(['ann replay.stop', 'ann replay.create'])
    const bounded = await run(ann.session, { requestIds: ids, targets: [{}], ceiling: '0.05' })
    expect([bounded.state, bounded.items.done, bounded.items.skipped, bounded.charged]).toEqual(['ceiling', 2, 4, '0.04'])
    first.next(respondJson(400, { error: { message: 'no', type: 'invalid_request_error' } }))
    const unknown = (await ask()).id
    const atOnce = await run(ann.session, { requestIds: [...ids.slice(0, 2), unknown], targets: [{}], ceiling: '0.04' })
    expect([atOnce.state, atOnce.items.done, atOnce.items.skipped, atOnce.charged]).toEqual(['ceiling', 2, 1, '0.04'])
    const answer = bounded.results.find(({ state }) => state === 'done')?.replayId
    expect((await gateway.admin.raw('GET', `/api/bodies/${answer}`)).status).toBe(200)
    expect((await ann.session.raw('DELETE', `/api/replays/${bounded.id}`)).status).toBe(204)
    expect((await gateway.admin.raw('GET', `/api/bodies/${answer}`)).status).toBe(404)
  }, 60_000)

  test('deleting a request deletes what repeats it, whoever asked', async () => {
    const { id } = await ask()
    const job = await run(gateway.admin, { requestIds: [id], targets: [{ model: 'gpt-two' }] })
    const copy = job.results[0]?.replayId ?? ''
    const again = (await run(gateway.admin, { requestIds: [copy], targets: [{}] })).results[0]?.replayId ?? ''
    expect((await ann.session.call<KeptBody>('GET', `/api/bodies/${copy}`)).parts.map(({ border }) => border)).toEqual([
      'client-request',
      'client-answer',
    ])
    expect((await ann.session.raw('DELETE', `/api/bodies/${id}`)).status).toBe(204)
    for (const gone of [id, copy, again])
      expect([gone, (await gateway.admin.raw('GET', `/api/bodies/${gone}`)).status]).toEqual([gone, 404])
    const both = await gateway.admin.raw('GET', `/api/replays/${job.id}/items/0`)
    expect(both.status).toBe(404)
  })
})

const balance = async (by: Session) => Number((await by.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance)
