/**
 * Imports from databases of other gateways, with real servers: the command reads them and writes a file, Parley applies it, and clients
 * keep using their keys. The tables are those of the projects' public schemas, their rows made for these tests.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasMariadb, hasMysql, type MariadbServer, mariadbServer, mysqlServer } from '#testing/database/mariadb-server'
import { type NewDatabase, restoredPostgresDatabase } from '#testing/database/postgres-server'
import { startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'

const root = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'parley-imports-'))
const tokenKey = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL'
let upstream: ScriptedUpstream

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, chatAnswer()))
})
afterAll(async () => {
  await upstream?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function parley(words: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, 'server/cli.ts', ...words], {
    ...{ cwd: root, stdout: 'pipe', stderr: 'pipe' },
    env: { ...process.env, ...env },
  })
  const [out, error, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited])
  return { code, out, error }
}

/** Answers of a Parley that was started with this file, to these keys. */
async function answersWith(file: string, keys: string[], model: string): Promise<number[]> {
  const program = await startProgram({ config: readFileSync(file, 'utf8') })
  try {
    const ask = async (key: string) => {
      const answer = await fetch(`${program.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      await answer.text()
      return answer.status
    }
    const statuses: number[] = []
    for (const key of keys) statuses.push(await ask(key))
    return statuses
  } finally {
    await program.stop()
  }
}

/** The columns of new-api that matter, in the types of each server. */
const newApiTables = (q: (name: string) => string, bool: string) => `
  create table users (id bigint primary key, username varchar(64), password text, role bigint, status bigint, quota bigint, ${q('group')} varchar(64), deleted_at timestamp null);
  create table tokens (id bigint primary key, user_id bigint, ${q('key')} char(48), name varchar(64), status bigint, expired_time bigint, remain_quota bigint, unlimited_quota ${bool}, model_limits_enabled ${bool}, model_limits varchar(1024), ${q('group')} varchar(64), deleted_at timestamp null);
  create table channels (id bigint primary key, type bigint, ${q('key')} text, name varchar(64), status bigint, weight bigint, base_url varchar(255), models text, ${q('group')} varchar(64), model_mapping text, priority bigint);
  create table options (${q('key')} varchar(191) primary key, value text);
  insert into users values (1, 'root', 'x', 100, 1, 500000, 'default', null), (2, 'left', 'x', 1, 1, 5, 'default', '2026-01-01 00:00:00');
  insert into tokens values (1, 1, '${tokenKey}', 'ci', 1, -1, 0, true, false, '', '', null), (2, 1, '${tokenKey.toLowerCase().replace('a', 'b')}', 'other', 1, -1, 5, false, true, 'gpt-else', '', null);
  insert into channels values (1, 8, 'sk-vendor', 'main', 1, 0, '${upstream.url}/v1', 'gpt-old', 'default', '', 0);
  insert into options values ('ModelRatio', '{"gpt-old": 1}'), ('CompletionRatio', '{"gpt-old": 2}'), ('GroupRatio', '{"default": 1}');
`

async function movesIn(url: string, file: string): Promise<void> {
  const dry = await parley(['import', 'new-api', 'env:OLD'], { OLD: url })
  expect([dry.code, dry.error]).toEqual([0, ''])
  expect(dry.out).toContain('1 groups, 1 channels, 1 prices, 1 users, 2 keys')
  expect((await parley(['import', 'new-api', url, '--out', file])).code).toBe(0)
  expect(await answersWith(file, [`sk-${tokenKey}`, 'sk-nobody-has-this-one'], 'gpt-old')).toEqual([200, 401])
}

describe('PostgreSQL', () => {
  const opened: NewDatabase[] = []
  afterAll(async () => {
    for (const { drop } of opened) await drop()
  })
  const databaseOf = async (statements: string) => {
    const database = await restoredPostgresDatabase(statements)
    opened.push(database)
    return database.url
  }

  test('new-api moves in', async () => {
    await movesIn(await databaseOf(newApiTables((name) => `"${name}"`, 'boolean')), join(folder, 'from-postgres.yaml'))
  }, 120_000)

  test('LiteLLM moves in: keys that nobody knows, a team, a sealed deployment', async () => {
    const [salt, ann, ci] = ['sk-salt-of-the-house', 'sk-annskey1234567890', 'sk-ciskey1234567890']
    const sealKey = new Uint8Array(hkdfSync('sha256', salt, '', 'litellm-at-rest-v3', 32))
    const sealed = (text: string) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce)
      return `v3:gcm:${Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')}`
    }
    const digest = (key: string) => createHash('sha256').update(key).digest('hex')
    const params = {
      model: sealed('openai/gpt-5'),
      api_base: sealed(`${upstream.url}/v1`),
      api_key: sealed('sk-vendor'),
      input_cost_per_token: 1e-6,
      output_cost_per_token: 2e-6,
    }
    const url = await databaseOf(`
      create table "LiteLLM_UserTable" (user_id text primary key, user_email text, user_role text, max_budget double precision, spend double precision default 0, models text[], metadata jsonb default '{}');
      create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text, members_with_roles jsonb, max_budget double precision, budget_duration text, spend double precision default 0, models text[], rpm_limit bigint, blocked boolean default false);
      create table "LiteLLM_VerificationToken" (token text primary key, key_alias text, user_id text, team_id text, models text[], spend double precision default 0, expires timestamp(3), tpm_limit bigint, blocked boolean);
      create table "LiteLLM_ProxyModelTable" (model_id text primary key, model_name text, litellm_params jsonb, model_info jsonb);
      insert into "LiteLLM_UserTable" values ('u1', 'ann@example.com', 'proxy_admin', 10, 2.5, '{}', '{"sso": "x"}');
      insert into "LiteLLM_TeamTable" values ('t1', 'apps', '[{"user_id": "u1", "role": "admin"}]', 100, '30d', 1, '{gpt}', 600, false);
      insert into "LiteLLM_VerificationToken" values ('${digest(ann)}', 'ann', 'u1', null, '{}', 0, null, 100000, null), ('${digest(ci)}', 'ci', null, 't1', '{all-team-models}', 0, '2099-01-01', null, null);
      insert into "LiteLLM_ProxyModelTable" values ('m1', 'gpt', '${JSON.stringify(params)}', '{"id": "m1", "db_model": true}');
    `)
    const blind = await parley(['import', 'litellm', url])
    expect([blind.code, blind.out]).toEqual([0, expect.stringMatching(/model gpt +litellm_params/)])
    const file = join(folder, 'from-litellm.yaml')
    const made = await parley(['import', 'litellm', 'env:OLD', '--balance', '5', '--out', file], { OLD: url, LITELLM_SALT_KEY: salt })
    expect([made.code, made.error]).toEqual([0, ''])
    expect(made.out).toContain('1 channels, 1 prices, 2 users, 2 keys, 0 fallbacks, 1 teams')
    expect(made.out).toMatch(/user ann@example.com +metadata/)
    expect(await answersWith(file, [ann, ci, `${ci}x`], 'gpt')).toEqual([200, 200, 401])
  }, 120_000)

  test('a server that is not there, and a database of something else, are one line', async () => {
    const away = await parley(['import', 'new-api', 'postgres://nobody:secret@127.0.0.1:9/none'])
    expect([away.code, away.error]).toEqual([1, expect.stringContaining('The database cannot be read')])
    expect(away.error).not.toContain('secret')
    const other = await databaseOf('create table things (id bigint)')
    expect((await parley(['import', 'litellm', other])).error).toContain('no LiteLLM rows')
    expect((await parley(['import', 'one-api', other])).error).toContain('no users and no channels')
    expect((await parley(['import', 'one-api', 'env:NOT_SET'])).error).toContain('NOT_SET')
  }, 60_000)
})

// MariaDB is a server of half a gigabyte that nothing else needs: `npm test` brings it in CI, in deep runs, and when this file is named.
// MySQL is a package of Debian's unstable release only: it is tested if its `mysqld` is on the path.
describe.each(
  [
    { name: 'MariaDB', isThere: hasMariadb(), start: mariadbServer },
    { name: 'MySQL', isThere: hasMysql(), start: mysqlServer },
  ].filter(({ isThere }) => isThere),
)('$name', ({ name, start }) => {
  let server: MariadbServer
  beforeAll(async () => {
    server = await start()
  }, 120_000)
  afterAll(() => server?.close())

  test('new-api moves in', async () => {
    const url = await server.newDatabase(
      'new-api',
      newApiTables((name) => `\`${name}\``, 'boolean'),
    )
    await movesIn(url, join(folder, `from-${name}.yaml`))
  }, 120_000)
})
