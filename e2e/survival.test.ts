/**
 * What must survive every change of this code: a data folder and a PostgreSQL dump that an earlier version left behind after `kill -9`,
 * with an open journal and sealed rows of every kind (`survival/fixtures/*.note.txt`). This build starts on them, opens everything sealed,
 * and enters every journal line into the books once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines } from '#testing/database/database'
import { administratorPassword, type Program } from '#testing/program/program'
import { namesInLine, rewritten } from '#testing/survival/journal-view'
import { openNoticeView } from '#testing/survival/notice-view'
import { type OpenedSecrets, openSecrets, storedDigest } from '#testing/survival/stored-secrets'
import type { StoredView } from '#testing/survival/stored-view'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ReceivedRequest, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { journalNames, settingNames } from './survival/names.ts'
import { type Fixture, unpack } from './survival/outside.ts'
import { models, wholeAnswer } from './survival/scene.ts'

const responsesAnswer = {
  id: 'resp_later',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output: [
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Yes', annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 2,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 3,
  },
}

type Json = Record<string, unknown>

/** With the kind of the line in front. */
const namesIn = (lines: Json[]) => new Set(lines.flatMap((line) => namesInLine(line).map((name) => `${line.kind} ${name}`)))

describe.each([...engines])('what an earlier version left behind (%s)', (engine) => {
  let fixture: Fixture
  let upstream: ScriptedUpstream
  let program: Program
  /** The old journal, before this build touches it. */
  let oldJournal: Awaited<ReturnType<Fixture['journal']>>
  let view: StoredView | undefined

  beforeAll(async () => {
    fixture = await unpack(engine)
    oldJournal = await fixture.journal()
    upstream = await scriptedUpstream((exchange) =>
      respondJson(200, exchange.request.target.endsWith('/responses') ? responsesAnswer : wholeAnswer)(exchange),
    )
    program = await fixture.start(upstream.url)
  }, 60_000)
  afterAll(async () => {
    await program?.stop()
    await view?.close()
    await upstream?.close()
    await fixture?.remove()
  })

  const call = async (method: string, path: string, cookie: string, body?: unknown) => {
    const headers = { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const answer = await fetch(program.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    return {
      status: answer.status,
      cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
      body: (await answer.json()) as Json,
    }
  }
  const signIn = (name: string, password: string) => call('POST', '/api/session', '', { name, password })
  /** Asks with the old key, and answers what arrived upstream. */
  const ask = async (path: string, body: Json, key = fixture.expected.user.key): Promise<ReceivedRequest> => {
    const number = upstream.requests.length
    const answer = await fetch(program.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return upstream.received(number)
  }
  const select = <Row>(statement: string) => (view as StoredView).select<Row>(statement)
  const keyIn = (request: ReceivedRequest) => request.header('authorization')?.replace('Bearer ', '')

  test('the balance is what every line of the journal leaves of it, and nothing is held', async () => {
    const { user, free } = fixture.expected
    const { body } = await call('GET', '/api/session', user.cookie)
    expect(JSON.stringify(body)).toContain(user.name)
    const { cookie } = await signIn('admin', administratorPassword)
    const { data } = (await call('GET', '/api/users', cookie)).body as { data: { id: string; balance: string; held: string }[] }
    const nanos = (usd: string) => BigInt(Math.round(Number(usd) * 1e9))
    const found = data.find(({ id }) => id === user.id)
    expect([nanos(found?.balance ?? '0'), found?.held]).toEqual([BigInt(free[user.id] ?? 0), '0'])
  })

  test('the old session and the old passwords are good', async () => {
    const { user, declared } = fixture.expected
    expect((await call('GET', '/api/keys', user.cookie)).status).toBe(200)
    for (const { name, password } of [user, declared]) expect((await signIn(name, password)).status).toBe(200)
    expect((await signIn(user.name, 'another password')).status).toBe(401)
  })

  describe('when the program has ended in order', () => {
    let opened: OpenedSecrets

    beforeAll(async () => {
      await program.stop()
      view = await fixture.view()
      const { masterKey, user, ...given } = fixture.expected
      opened = await openSecrets(view.store, { ...given, masterKey, tenant: user.id, password: user.password })
    }, 60_000)

    test('every request has been charged once, exactly as it was to be', async () => {
      const { requests, opened: without, user } = fixture.expected
      expect(without).not.toBeEmpty()
      const rows = await select<Json & { id: string }>('select request_id as id, status, "end", charged::text from logs')
      expect(rows.sort((a, b) => a.id.localeCompare(b.id))).toEqual(
        requests.map(({ killed: _, ...row }) => row).sort((a, b) => a.id.localeCompare(b.id)),
      )
      const paid = await select<{ ref: string; amount: string }>(
        `select ref, amount::text from entries where kind = 'usage' and wallet_id = '${user.id}'`,
      )
      const entries = Object.fromEntries(paid.map(({ ref, amount }) => [ref, amount]))
      for (const { id, charged } of requests) expect([id, entries[`usage:${id}`]]).toEqual([id, `-${charged}`])
    })

    test('every account has exactly what is left, nothing is on lease, and the books are right', async () => {
      const accounts = await select<{ id: string; free: string }>('select id, free::text from accounts')
      expect(Object.fromEntries(accounts.map(({ id, free }) => [id, free]))).toEqual(fixture.expected.free)
      expect(await select('select * from leases')).toEqual([])
      expect(await select(`select * from instances where state <> 'closed'`)).toEqual([])
      expect(await view?.wrongBooks()).toEqual([])
    })

    test('everything sealed opens with this build`s identities', async () => {
      const { channels, boundTo, saidInResponse } = fixture.expected
      const keys = Object.entries(channels).map(([name, { key }]) => [name, [key]])
      expect(opened.channelKeys).toEqual({ ...Object.fromEntries(keys), declared: ['sk-declared-of-old'] })
      expect([opened.masterKeyFits, opened.passwordFits, opened.boundTo]).toEqual([true, true, channels[boundTo]?.id])
      expect(JSON.stringify(opened.response)).toContain(saidInResponse)
      expect(opened.call).toContain('"gAAAA-scripted-state-1"')
      expect(opened.restored).toEqual([])
      expect(opened.envelope).toMatchObject({ dialect: 'responses', kind: 'encrypted', value: 'gAAAA-scripted-state-1' })
      expect(opened.compaction).toMatchObject({ dialect: 'completions', kind: 'compaction' })
    })

    test('keys and sessions lie under the same digests, and no password was hashed anew', async () => {
      const { user, declared } = fixture.expected
      const [key] = await select<{ user_id: string }>(`select user_id from api_keys where digest = '${storedDigest(user.key)}'`)
      const [session] = await select<{ user_id: string }>(
        `select user_id from sessions where digest = '${storedDigest(user.cookie.replace('parley=', ''))}'`,
      )
      expect([key?.user_id, session?.user_id]).toEqual([user.id, user.id])
      expect(await select(`select password_hash as hash from users where name = '${declared.name}'`)).toEqual([{ hash: declared.hash }])
    })

    test('no setting has another name, the check of the master key among them', async () => {
      const names = await select<{ name: string }>('select name from settings order by name collate "C"')
      expect(names.map(({ name }) => name)).toEqual([...settingNames])
    })

    test('no table and no column has another name, and no row of old is gone', async () => {
      const now = new Set(await view?.columns())
      expect(fixture.expected.columns.filter((name) => !now.has(name))).toEqual([])
      for (const [table, before] of Object.entries(fixture.expected.rows)) {
        // A limit's row goes after an hour; a mark is one statement that wrote rows, and a replay takes as few as it can.
        if (table.startsWith('rate') || table === 'usage_marks') continue
        const [row] = await select<{ n: number }>(`select count(*)::int as n from ${table}`)
        expect([table, (row?.n ?? 0) >= before]).toEqual([table, true])
      }
    })

    test('a line of the journal is read and written as it was', async () => {
      expect(new Set(oldJournal.map(({ written }) => written.kind))).toEqual(new Set(['v', 'o', 'g', 'p', 's']))
      for (const { written, read } of oldJournal) expect(read && rewritten(read)).toEqual(written)
      const old = namesIn(oldJournal.map(({ written }) => written))
      expect(journalNames.filter((name) => !old.has(name))).toEqual([])
    })
  })

  describe('when it runs again and its channels lead to an upstream of today', () => {
    beforeAll(async () => {
      await select(`update channels set base_url = '${upstream.url}'`)
      await view?.close()
      view = undefined
      program = await fixture.start(upstream.url)
    }, 60_000)

    test('every channel sends the key that was sealed for it', async () => {
      const { channels, declared } = fixture.expected
      const messages = [{ role: 'user', content: 'hi' }]
      expect(keyIn(await ask('/v1/chat/completions', { model: models.chat, messages }))).toBe(channels.chat?.key)
      expect(keyIn(await ask('/v1/chat/completions', { model: models.thinker, messages }))).toBe(channels.thinker?.key)
      expect(keyIn(await ask('/v1/chat/completions', { model: 'declared', messages }, declared.key))).toBe('sk-declared-of-old')
    })

    test('a stored conversation goes on', async () => {
      const { response, saidInResponse } = fixture.expected
      const request = await ask('/v1/responses', { model: models.chat, previous_response_id: response, input: 'And now?' })
      expect(request.text()).toContain(saidInResponse)
    })

    test('reasoning in the hands of a client arrives unsealed; what was named by a call id alone is not put back', async () => {
      const { envelope, call: callId } = fixture.expected
      const tools = [
        { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: { step: { type: 'number' } } } } },
      ]
      const details = [{ type: 'reasoning.encrypted', data: envelope, index: 0 }]
      // Nothing is remembered of the first call: only the envelope can tell. Of the second the client kept nothing, and its id does not
      // tell in which conversation it was.
      const kept: [id: string, fields: Json, state: number][] = [
        ['call_unknown', { reasoning_details: details }, 1],
        [callId, {}, 0],
      ]
      for (const [id, fields, state] of kept) {
        const calls = [{ id, type: 'function', function: { name: 'look', arguments: '{"step":1}' } }]
        const messages = [
          { role: 'user', content: 'scenario loop' },
          { role: 'assistant', content: null, tool_calls: calls, ...fields },
          { role: 'tool', tool_call_id: id, content: 'seen' },
        ]
        const request = await ask('/v1/chat/completions', { model: models.thinker, reasoning_effort: 'medium', tools, messages })
        expect(request.text().match(/"gAAAA-scripted-state-1"/g)?.length ?? 0).toBe(state)
        expect(request.text()).not.toContain('gw1.')
      }
    })

    test('state that is bound to an account goes to that account, a compacted conversation is words again', async () => {
      const { boundState, boundTo, channels, compaction, saidInResponse } = fixture.expected
      const input = [
        { type: 'reasoning', summary: [], encrypted_content: boundState },
        { role: 'user', content: 'And now?' },
      ]
      for (let n = 0; n < 3; n++) {
        const request = await ask('/v1/responses', {
          model: models.native,
          store: false,
          input: [{ role: 'user', content: `${n}` }, ...input],
        })
        expect(keyIn(request)).toBe(channels[boundTo]?.key)
        expect(request.text()).toContain(boundState)
      }
      const item = { type: 'compaction', encrypted_content: compaction }
      const request = await ask('/v1/responses', { model: models.chat, store: false, input: [item, { role: 'user', content: 'And now?' }] })
      expect(request.text()).toContain('<summary>')
      expect(saidInResponse).not.toBe('')
    })

    // The embedded engine has one instance, so there is no other to notify.
    const told = engine === 'postgres' ? test : undefined
    told?.('instances of old are heard, and hear what changes', async () => {
      const notices = await openNoticeView(fixture.databaseUrl ?? '')
      try {
        const { user } = fixture.expected
        const { body } = await call('POST', '/api/keys', user.cookie, { name: 'of today' })
        await notices.about('api_keys', String(body.id))
        await ask('/v1/chat/completions', { model: models.chat, messages: [{ role: 'user', content: 'hi' }] }, String(body.key))
        await notices.run(`update api_keys set enabled = false where id = '${body.id}'`)
        await notices.say('api_keys', String(body.id))
        const listed = () => fetch(`${program.url}/v1/models`, { headers: { authorization: `Bearer ${body.key}` } })
        while ((await listed()).status !== 401) await Bun.sleep(20)
      } finally {
        await notices.close()
      }
    })

    test('the journal that this build writes has the names of old', async () => {
      await program.stop()
      const instances = new Set(oldJournal.map(({ instance }) => instance))
      const mine = (await fixture.journal()).filter(({ instance }) => !instances.has(instance))
      const now = namesIn(mine.map(({ written }) => written))
      expect(journalNames.filter((name) => /^[vos] /.test(name) && !now.has(name))).toEqual([])
    })
  })
})
