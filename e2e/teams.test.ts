/** Teams from outside: whose money a request spends, whose cap refuses it, who may do what, and what remains when people leave. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { gate, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

const question = { model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 }
const body = JSON.stringify(question)
/** Nano-dollars: a quarter of the bytes at 1 USD and 1000 tokens at 2 USD per million; every answer costs exactly this much. */
const inputTokens = Math.ceil(Buffer.byteLength(body) / 4)
const costNano = inputTokens * 1000 + 1000 * 2000
const usd = (requests: number) => ((requests * costNano) / 1e9).toFixed(9)
const answer = chatAnswer({ prompt_tokens: inputTokens, completion_tokens: 1000, total_tokens: inputTokens + 1000 })

interface Place {
  id: string
  session: Session
  /** A key of the user's own. */
  own: string
}
interface TeamRow {
  id: string
  balance: string
  members: number
  role: string | null
}
interface Refusal {
  error: { code: string; message: string; param?: string }
}

describe.each(sampledEngines(import.meta.file))('teams on %s', (engine) => {
  let upstream: ScriptedUpstream
  let gateway: Gateway
  let names = 0

  beforeAll(async () => {
    upstream = await scriptedUpstream(respondJson(200, answer))
    gateway = await startGateway(engine)
    await gateway.channel('vendor', upstream.url)
    await gateway.price(testModel)
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  const ask = (key: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })
  const play = ({ cookie }: Session, fields: object) =>
    fetch(`${gateway.url}/pg/chat/completions`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ ...question, ...fields }),
    })
  const refusalOf = async (answer: Promise<Response>) => {
    const { status, ...response } = await answer.then(async (one) => ({ status: one.status, ...((await one.json()) as Refusal) }))
    return { status, ...response.error }
  }
  const person = async (balance = '0'): Promise<Place> => {
    const { session, key, id } = await gateway.user(`person ${++names} ${engine}`, balance)
    return { session, id, own: key }
  }
  const team = (fields: object = {}) =>
    gateway.admin.call<TeamRow>('POST', '/api/teams', { name: `team ${++names}`, balance: '10', ...fields })
  const join = (id: string, { id: user }: Place, role: string, budget?: object) =>
    gateway.admin.call('POST', `/api/teams/${id}/members`, { user, role, ...(budget && { budget }) })
  const keyFor = (session: Session, id: string, fields: object = {}) =>
    session.call<{ id: string; key: string }>('POST', '/api/keys', { name: 'of the team', team: id, ...fields })
  const balanceOf = async (id: string) => Number((await gateway.admin.call<TeamRow>('GET', `/api/teams/${id}`)).balance)
  const exact = async () => expect(await gateway.admin.call('GET', '/api/books')).toMatchObject({ exact: true, faults: [] })
  const status = async (session: Session, method: string, path: string, body?: object) => (await session.raw(method, path, body)).status

  test('a team’s key spends the team’s money, for its member, and nothing of the member’s', async () => {
    const ann = await person('1')
    const { id } = await team()
    await join(id, ann, 'member')
    const { key } = await keyFor(ann.session, id)
    const answered = await ask(key)
    expect(answered.status).toBe(200)
    const row = await gateway.log<Record<string, unknown>>(answered.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({ team: { id }, user: { id: ann.id }, charged: usd(1).replace(/0+$/, '') })
    expect(await balanceOf(id)).toBe(Number((10 - costNano / 1e9).toFixed(9)))
    expect((await ann.session.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance).toBe('1')
    const entries = await gateway.admin.call<{ data: { kind: string; amount: string }[] }>('GET', `/api/teams/${id}/entries`)
    expect(entries.data.map(({ kind }) => kind)).toEqual(['usage', 'grant'])
    // What the user paid, and what the team paid for the user, are asked for apart.
    const rows = async (query: string) => (await ann.session.call<{ data: unknown[] }>('GET', `/api/logs${query}`)).data.length
    expect([await rows(''), await rows(`?team=${id}`)]).toEqual([0, 1])
    await exact()
  })

  test('a member at its cap is refused while the team has money, and the other way round', async () => {
    const [ann, bob] = [await person(), await person()]
    const { id } = await team({ balance: usd(3.5) })
    await join(id, ann, 'member', { total: usd(1.5) })
    await join(id, bob, 'member', { total: '5' })
    const [{ key: capped }, { key: other }] = [await keyFor(ann.session, id), await keyFor(bob.session, id)]
    const { key: second } = await keyFor(ann.session, id, { name: 'another one of the same member' })
    expect((await ask(capped)).status).toBe(200)
    for (const key of [capped, second]) {
      const refused = await refusalOf(ask(key))
      expect(refused).toMatchObject({ status: 429, code: 'insufficient_quota' })
      expect(refused.message).toContain('The total cap of this member of the team')
    }
    expect((await ask(other)).status).toBe(200)
    expect((await ask(other)).status).toBe(200)
    const refused = await refusalOf(ask(other))
    expect(refused).toMatchObject({ status: 429, code: 'insufficient_quota' })
    expect(refused.message).toContain('The balance of this team')
    // More money for the team does not lift the member's cap.
    await gateway.admin.raw('POST', `/api/teams/${id}/credit`, { amount: '1', reason: 'more' }, { 'Idempotency-Key': `${id}-1` })
    for (let tries = 0; (await ask(other)).status !== 200 && tries < 100; tries++) await Bun.sleep(20)
    expect((await ask(capped)).status).toBe(429)
    await exact()
  })

  test('the team’s own budget bounds all of its keys, and names itself', async () => {
    const [ann, bob] = [await person(), await person()]
    const { id } = await team({ budget: { daily: usd(1.5) } })
    for (const one of [ann, bob]) await join(id, one, 'member')
    expect((await ask((await keyFor(ann.session, id)).key)).status).toBe(200)
    expect((await refusalOf(ask((await keyFor(bob.session, id)).key))).message).toContain('The daily budget of this team')
  })

  test('two hundred at once of four members get no more than fits, what is left is spent after them, and the books agree', async () => {
    const { id } = await team({ balance: usd(6.5) })
    const keys: string[] = []
    for (const cap of [1.2, 2.4, 100, 100]) {
      const one = await person()
      await join(id, one, 'member', { monthly: usd(cap) })
      keys.push((await keyFor(one.session, id)).key)
    }
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(keys[n % 4] ?? '')))
    const counts = keys.map((_, k) => answers.filter(({ status }, n) => n % 4 === k && status === 200).length)
    expect(counts[0]).toBeLessThanOrEqual(1)
    expect(counts[1]).toBeLessThanOrEqual(2)
    // A refused member may have blocked another for a moment.
    let served = counts.reduce((sum, one) => sum + one, 0)
    for (let tries = 0; served < 6 && tries < 100; tries++) {
      if ((await ask(keys[2] ?? '')).status === 200) served += 1
      else await Bun.sleep(20)
    }
    expect([served, (await ask(keys[3] ?? '')).status]).toEqual([6, 429])
    expect(await balanceOf(id)).toBe(Number(usd(0.5)))
    await exact()
  }, 60_000)

  test('in the playground, the body says whose money; the upstream never sees it', async () => {
    const [ann, stranger] = [await person('1'), await person('1')]
    const created = await team()
    await join(created.id, ann, 'member')
    const { name } = await gateway.admin.call<{ name: string }>('GET', `/api/teams/${created.id}`)
    expect((await play(ann.session, { team: name })).status).toBe(200)
    expect(new TextDecoder().decode(upstream.requests.at(-1)?.body)).not.toContain('team')
    expect(await balanceOf(created.id)).toBeLessThan(10)
    expect(await refusalOf(play(stranger.session, { team: created.id }))).toMatchObject({ status: 403, code: 'team_not_allowed' })
    expect(await refusalOf(play(stranger.session, { team: 'no such team' }))).toMatchObject({ status: 403, code: 'team_not_allowed' })
    for (const odd of [{ team: 5 }, { team: [name] }, { group: {} }])
      expect(await refusalOf(play(ann.session, odd))).toMatchObject({ status: 400, code: 'invalid_value', param: Object.keys(odd)[0] })
    for (const none of [{}, { team: null, group: null }]) expect((await play(ann.session, none)).status).toBe(200)
    expect(upstream.requests.at(-1)?.json()).not.toContainAnyKeys(['team', 'group'])
    expect(Number((await ann.session.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance)).toBeLessThan(1)
  })

  test('keys stay when their member leaves; what runs for a session ends, and nothing new begins', async () => {
    const [ann, boss] = [await person(), await person()]
    const { id } = await team()
    await join(id, ann, 'member', { total: usd(2.5) })
    await join(id, boss, 'manager')
    const { key, id: keyId } = await keyFor(ann.session, id)
    expect((await ask(key)).status).toBe(200)
    const held = gate(respondJson(200, answer))
    upstream.answer(held.script)
    const running = play(ann.session, { team: id })
    while (held.waiting() === 0) await Bun.sleep(10)
    await boss.session.call('DELETE', `/api/teams/${id}/members/${ann.id}`)
    expect(await refusalOf(running)).toMatchObject({ status: 403, code: 'team_not_allowed' })
    held.open()
    upstream.answer(respondJson(200, answer))
    expect((await refusalOf(play(ann.session, { team: id }))).code).toBe('team_not_allowed')
    for (const path of [`/api/teams/${id}`, `/api/keys/${keyId}`, `/api/teams/${id}/members`])
      expect(await status(ann.session, 'GET', path)).toBe(404)
    expect(await status(ann.session, 'GET', `/api/logs?team=${id}`)).toBe(403)
    // The key belongs to the team: it keeps working, without a cap, and owners and managers can revoke it.
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 200])
    await gateway.admin.call('DELETE', `/api/users/${ann.id}`)
    expect((await ask(key)).status).toBe(200)
    await boss.session.call('DELETE', `/api/keys/${keyId}`)
    expect((await ask(key)).status).toBe(401)
    await exact()
  }, 30_000)

  test('nobody reaches beyond a role: caps, other teams, the house', async () => {
    const [owner, manager, member, accountant] = [await person(), await person(), await person(), await person()]
    const [{ id: a }, { id: b }] = [await team(), await team()]
    await join(a, owner, 'owner')
    await join(a, manager, 'manager', { total: '1' })
    await join(a, member, 'member', { total: '1' })
    await join(a, accountant, 'accountant')
    const stranger = await person()
    await join(b, stranger, 'member', { total: '1' })
    const ofB = await keyFor(stranger.session, b)
    const cap = { budget: { total: '1000' } }
    const tries: [Session, string, string, object | undefined, number][] = [
      // A member raises no cap, makes nobody a manager, sees no ledger, and makes no key for others.
      [member.session, 'PATCH', `/api/teams/${a}/members/${member.id}`, cap, 403],
      [member.session, 'PATCH', `/api/teams/${a}/members/${member.id}`, { role: 'owner' }, 403],
      [member.session, 'DELETE', `/api/teams/${a}/members/${member.id}`, undefined, 403],
      [member.session, 'POST', `/api/teams/${a}/members`, { user: stranger.id }, 403],
      [member.session, 'GET', `/api/teams/${a}/entries`, undefined, 403],
      [member.session, 'POST', '/api/keys', { name: 'k', team: a, user: manager.id }, 403],
      // A manager neither: not its own cap, no owner, no other team.
      [manager.session, 'PATCH', `/api/teams/${a}/members/${manager.id}`, cap, 403],
      [manager.session, 'PATCH', `/api/teams/${a}/members/${member.id}`, { role: 'manager' }, 403],
      [manager.session, 'POST', `/api/teams/${a}/members`, { user: stranger.id, role: 'owner' }, 403],
      [manager.session, 'DELETE', `/api/teams/${a}/members/${owner.id}`, undefined, 403],
      [manager.session, 'PATCH', `/api/teams/${b}/members/${stranger.id}`, cap, 404],
      [manager.session, 'POST', `/api/teams/${b}/members`, { user: manager.id }, 404],
      [manager.session, 'GET', `/api/teams/${b}`, undefined, 404],
      [manager.session, 'GET', `/api/teams/${b}/members`, undefined, 404],
      [manager.session, 'GET', `/api/teams/${b}/entries`, undefined, 404],
      [manager.session, 'GET', `/api/keys?team=${b}`, undefined, 404],
      [manager.session, 'GET', `/api/keys/${ofB.id}`, undefined, 404],
      [manager.session, 'PATCH', `/api/keys/${ofB.id}`, { name: 'mine' }, 404],
      [manager.session, 'POST', `/api/keys/${ofB.id}/rotate`, { overlapHours: 0 }, 404],
      [manager.session, 'DELETE', `/api/keys/${ofB.id}`, undefined, 404],
      [manager.session, 'POST', '/api/keys', { name: 'k', team: b }, 403],
      [manager.session, 'GET', `/api/usage?team=${b}`, undefined, 403],
      // The house is for administrators.
      [owner.session, 'PATCH', `/api/teams/${a}`, { budget: { total: '1000' } }, 403],
      [owner.session, 'DELETE', `/api/teams/${a}`, undefined, 403],
      [owner.session, 'POST', '/api/teams', { name: 'another' }, 403],
      [owner.session, 'POST', `/api/teams/${a}/credit`, { amount: '1', reason: 'r' }, 403],
      // An accountant reads, and neither spends nor changes.
      [accountant.session, 'GET', `/api/teams/${a}/entries`, undefined, 200],
      [accountant.session, 'GET', `/api/usage?team=${a}&by=user`, undefined, 200],
      [accountant.session, 'POST', '/api/keys', { name: 'k', team: a }, 403],
      [accountant.session, 'PATCH', `/api/teams/${a}/members/${member.id}`, cap, 403],
      // Their own calls work.
      [manager.session, 'PATCH', `/api/teams/${a}/members/${member.id}`, { budget: { total: '2' } }, 200],
      [owner.session, 'PATCH', `/api/teams/${a}/members/${manager.id}`, { role: 'member' }, 200],
      [owner.session, 'PATCH', `/api/teams/${a}/members/${manager.id}`, { role: 'manager' }, 200],
    ]
    const outcomes: number[] = []
    for (const [session, method, path, body] of tries) outcomes.push(await status(session, method, path, body))
    expect(tries.map(([, method, path, body], n) => [method, path, body, outcomes[n]])).toEqual(
      tries.map(([, method, path, body, expected]) => [method, path, body, expected]),
    )
    expect((await refusalOf(play(accountant.session, { team: a }))).code).toBe('team_not_allowed')
    // Members see their own place and keys; a manager's key for a member counts for the member's cap.
    const made = await keyFor(manager.session, a, { user: member.id })
    const seen = await member.session.call<{ data: { id: string }[] }>('GET', `/api/teams/${a}/members`)
    expect(seen.data.map(({ id }) => id)).toEqual([member.id])
    expect((await ask(made.key)).status).toBe(200)
    const rows = await manager.session.call<{ data: { id: string; spent: string }[] }>('GET', `/api/teams/${a}/members`)
    expect(rows.data.find(({ id }) => id === member.id)?.spent).toBe(String(Number(usd(1))))
    expect(await status(accountant.session, 'DELETE', `/api/keys/${made.id}`)).toBe(403)
  }, 30_000)

  test('groups and models of the team bound its keys and its playground, whatever a key says', async () => {
    const ann = await person()
    const { id } = await team({ models: ['other-*'] })
    await join(id, ann, 'owner')
    const names = async (path: string) =>
      (await ann.session.call<{ data: { id?: string; name?: string }[] }>('GET', path)).data.map((row) => row.id ?? row.name)
    const stranger = await person()
    for (const list of ['groups', 'models'])
      expect(await refusalOf(stranger.session.raw('GET', `/api/${list}?team=${id}`))).toMatchObject({
        status: 403,
        code: 'team_not_allowed',
      })
    expect([await names(`/api/groups?team=${id}`), await names(`/api/models?team=${id}`)]).toEqual([['default'], []])
    const { key } = await keyFor(ann.session, id)
    expect(await refusalOf(ask(key))).toMatchObject({ status: 404, code: 'model_not_found' })
    expect((await refusalOf(ask((await keyFor(ann.session, id, { models: [testModel] })).key))).code).toBe('model_not_found')
    expect((await refusalOf(play(ann.session, { team: id }))).code).toBe('model_not_found')
    await gateway.admin.call('PATCH', `/api/teams/${id}`, { models: null })
    expect((await ask(key)).status).toBe(200)
    expect(await names(`/api/models?team=${id}`)).toContain(testModel)
    const group = `of-nobody-${engine}`
    await gateway.admin.call('POST', '/api/groups', { name: group })
    await gateway.admin.call('PATCH', `/api/teams/${id}`, { groups: ['default', group] })
    expect(await names(`/api/groups?team=${id}`)).toEqual(['default', group])
    expect(await names('/api/groups')).toEqual(['default'])
    await gateway.admin.call('PATCH', `/api/teams/${id}`, { groups: ['default'] })
    expect((await refusalOf(ann.session.raw('POST', '/api/keys', { name: 'k', team: id, group }))).code).toBe('group_not_allowed')
    await gateway.admin.call('PATCH', `/api/teams/${id}`, { enabled: false })
    expect((await refusalOf(ask(key))).code).toBe('invalid_api_key')
    expect((await refusalOf(play(ann.session, { team: id }))).code).toBe('team_not_allowed')
  }, 30_000)

  test('usage has the team as a dimension, a filter and columns, and a team that is gone keeps its name', async () => {
    const ann = await person()
    const { id } = await team()
    const { name } = await gateway.admin.call<{ name: string }>('GET', `/api/teams/${id}`)
    await join(id, ann, 'member')
    expect((await ask((await keyFor(ann.session, id)).key)).status).toBe(200)
    const report = (query: string) => gateway.admin.call<{ data: Record<string, unknown>[] }>('GET', `/api/usage?${query}`)
    const byTeam = await report('by=team,user')
    expect(byTeam.data).toContainEqual(
      expect.objectContaining({ team: { id, name }, user: { id: ann.id, name: expect.any(String) }, requests: 1 }),
    )
    expect((await report(`team=${id}`)).data).toMatchObject([{ requests: 1 }])
    expect((await report(`team=${encodeURIComponent(name)}&user=${ann.id}`)).data).toMatchObject([{ requests: 1 }])
    const csv = await (await gateway.admin.raw('GET', '/api/usage?by=team&format=csv')).text()
    expect(csv.split('\r\n')[0]).toStartWith('teamId,team,requests')
    expect(csv).toContain(`${id},${name},1`)
    await gateway.admin.call('DELETE', `/api/teams/${id}`)
    expect((await report('by=team')).data).toContainEqual(expect.objectContaining({ team: { id, name }, requests: 1 }))
    await exact()
  }, 30_000)

  test('a team’s key keeps files, batches, conversations and answers, which are not its maker’s and go with the team', async () => {
    const ann = await person('10')
    const { id } = await team()
    await join(id, ann, 'manager')
    const { key } = await keyFor(ann.session, id)
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const own = new OpenAI({ apiKey: ann.own, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: question })
    const file = await client.files.create({ file: new File([line], 'lines.jsonl'), purpose: 'batch' })
    const batch = await client.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' })
    const conversation = await client.conversations.create({ items: [{ type: 'message', role: 'user', content: 'hi' }] })
    const kept = await client.responses.create({ model: testModel, input: 'hi', max_output_tokens: 1000, store: true })
    const late = await client.responses.create({ model: testModel, input: 'hi', max_output_tokens: 1000, background: true })
    const reads = (by: OpenAI) => [
      by.files.retrieve(file.id),
      by.batches.retrieve(batch.id),
      by.conversations.retrieve(conversation.id),
      by.responses.retrieve(kept.id),
      by.responses.retrieve(late.id),
    ]
    expect((await Promise.all(reads(client))).map((one) => one.id)).toEqual([file.id, batch.id, conversation.id, kept.id, late.id])
    const refused = await Promise.all(reads(own).map((one) => one.then(() => 200).catch((thrown: { status: number }) => thrown.status)))
    expect(refused).toEqual([404, 404, 404, 404, 404])
    for (let state = ''; state !== 'completed'; await Bun.sleep(20)) state = (await client.batches.retrieve(batch.id)).status
    for (let state = ''; state !== 'completed'; await Bun.sleep(20)) state = (await client.responses.retrieve(late.id)).status ?? ''
    await gateway.admin.call('DELETE', `/api/teams/${id}`)
    await exact()
  }, 60_000)
})
