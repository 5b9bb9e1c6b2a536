/** What other gateways keep in files, as a parley.yaml: no Parley runs, and none is asked. */
import { expect, test } from 'bun:test'
import { CommandError } from './api.ts'
import { runConsoleCommand } from './run.ts'

/** What was written. */
const home = new Map<string, string>()

/** Runs a command line of somebody with these files and without a key. */
async function parley(line: string, files: Record<string, string>) {
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
