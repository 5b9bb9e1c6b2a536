/** What other gateways keep in files and databases, as a parley.yaml: no Parley is asked. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { CommandError } from './api.ts'
import { runConsoleCommand } from './run.ts'

/** The result. */
const home = new Map<string, string>()

/** Runs a command line with these files and without a key. */
async function parley(line: string, files: Record<string, string> = {}) {
  const out: string[] = []
  const error: string[] = []
  const code = await runConsoleCommand(line.split(' '), {
    env: {},
    out: (text) => void out.push(text),
    error: (text) => void error.push(text),
    async readText(file) {
      const text = files[file]
      if (text === undefined) throw new CommandError(`There is no file ${file}.`)
      return text
    },
    confirm: async () => false,
    files: {
      home: '/home/ann',
      read: async (path) => home.get(path) ?? null,
      write: async (path, text) => void (text === null ? home.delete(path) : home.set(path, text)),
      append: async (path, text) => void home.set(path, (home.get(path) ?? '') + text),
    },
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

test('import: LiteLLM’s configuration, and what is none', async () => {
  const files = {
    'config.yaml':
      'model_list:\n  - model_name: gpt\n    litellm_params: { model: openai/gpt-5, api_key: os.environ/OPENAI_API_KEY, rpm: 5 }\n',
    'other.yaml': 'a: 1\n',
  }
  const { code, out } = await parley('import litellm config.yaml --out /lite.yaml', files)
  expect([code, out]).toEqual([0, expect.stringMatching(/model gpt +rpm/)])
  expect(home.get('/lite.yaml')).toContain('OPENAI_API_KEY')
  expect((await parley('import litellm other.yaml', files)).error).toContain('it has no model_list')
})

test('import: a config of Portkey, and what is none', async () => {
  const files = {
    'config.json':
      '{"strategy": {"mode": "loadbalance"}, "targets": [{"provider": "openai", "virtual_key": "main", "cache": {"mode": "simple"}}]}',
    'other.json': '{"a": 1}',
    'broken.json': '{',
  }
  const { code, out } = await parley('import portkey config.json --models gpt-5,fast --out /portkey.yaml', files)
  expect([code, out]).toEqual([0, expect.stringMatching(/channel openai +cache/)])
  expect(home.get('/portkey.yaml')).toContain('MAIN_KEY')
  expect((await parley('import portkey other.json', files)).error).toContain('no config of Portkey')
  expect((await parley('import portkey broken.json', files)).code).toBe(1)
})

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-cli',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
}

test('import: the database of new-api becomes a parley.yaml that Parley takes', async () => {
  home.clear()
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'))
  const path = join(folder, 'one-api.db')
  const upstream = await scriptedUpstream(respondJson(200, answer))
  const database = new DatabaseSync(path)
  database.exec(`
    create table users (id integer, username text, password text, role integer, status integer, quota integer, "group" text);
    create table tokens (id integer, user_id integer, key text, name text, status integer, expired_time integer, remain_quota integer, unlimited_quota numeric);
    create table channels (id integer, type integer, key text, name text, status integer, weight integer, base_url text, models text, "group" text, model_mapping text, priority integer);
    create table options (key text, value text);
    insert into users values (1, 'root', 'x', 100, 1, 500000, 'default');
    insert into tokens values (1, 1, 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL', 'ci', 1, -1, 0, 1);
    insert into channels values (1, 8, 'sk-vendor', 'main', 1, 0, '${upstream.url}/v1', 'gpt-cli', 'default', '', 0);
    insert into options values ('ModelRatio', '{"gpt-cli": 1}'), ('CompletionRatio', '{"gpt-cli": 2}'), ('GroupRatio', '{"default": 1}');
  `)
  database.close()
  const dry = await parley(`import new-api ${path}`)
  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining('1 groups, 1 channels, 1 prices, 1 users, 1 keys')])
  expect(dry.out).toContain('Nothing was written')
  expect(dry.out).toMatch(/user root +password/)
  expect([...home.keys()].some((name) => name.includes('yaml'))).toBe(false)
  expect((await parley(`import one-api ${path} --out /moved.yaml`)).code).toBe(0)
  const made = home.get('/moved.yaml') ?? ''
  expect((await parley(`import one-api ${path} --out /moved.yaml`)).code).toBe(1)
  // The client keeps using its key.
  const moved = await startProgram({ config: made })
  try {
    const asked = await fetch(`${moved.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-cli', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    expect(asked.status).toBe(200)
  } finally {
    await moved.stop()
    await upstream.close()
  }
  expect((await parley(`import new-api ${join(folder, 'nothing.db')}`)).code).toBe(1)
  rmSync(folder, { recursive: true })
}, 60_000)
