/**
 * Mistakes of operators, from outside: arguments of the command line, and settings that name a folder for a file, a file for a folder, or a
 * number of the wrong kind. Each is answered with one sentence that names it, and the exit code that says whose fault it was.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { administrator, administratorPassword, type Program, runToExit, startProgram } from '#testing/program/program'
import { runParley } from './support/db-command.ts'

const place = mkdtempSync(join(tmpdir(), 'parley-misuse-'))
const folder = join(place, 'folder')
const file = join(place, 'file')
const empty = join(place, 'empty.json')
const lite = join(place, 'lite.yaml')
const loop = join(place, 'loop')
mkdirSync(folder)
writeFileSync(file, 'not what it should be')
writeFileSync(empty, '{}')
writeFileSync(lite, 'model_list: []')
symlinkSync(loop, loop)

let program: Program
let env: Record<string, string> = {}
beforeAll(async () => {
  program = await startProgram({ env: administrator })
  const post = (path: string, body: object, cookie = '') =>
    fetch(program.url + path, { method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify(body) })
  const signedIn = await post('/api/session', { name: administrator.PARLEY_ADMIN_USER, password: administratorPassword })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const scopes = ['read', 'keys', 'channels', 'prices', 'users', 'teams', 'groups', 'settings', 'bodies', 'replay']
  const made = (await (await post('/api/management-keys', { name: 'misuse', scopes }, cookie)).json()) as { key: string }
  env = { PARLEY_URL: program.url, PARLEY_MANAGEMENT_KEY: made.key, HOME: folder, PARLEY_KEY: 'sk-nobody-has-this-one' }
}, 90_000)
afterAll(async () => {
  await program?.stop()
  rmSync(place, { recursive: true, force: true })
})

/** No stack, no name of a system call, no object that was printed. */
const isPlain = (text: string) => !/\n\s+at |E[A-Z]{4,}:|\[object|errno|undefined/.test(text)

describe('the command line', () => {
  test.each<[words: string[], code: number, complaint: RegExp]>([
    [['zork'], 2, /^parley: There is no command zork\. `parley help` lists them\.\n$/],
    [['help', 'zork'], 2, /^parley: There is no command zork\./],
    [['help', 'keys', 'zork'], 2, /^parley: There is no command keys zork\. There are: keys list/],
    [['keys', 'zork', '--help'], 2, /^parley: There is no command keys zork/],
    [['usage', '--from', 'zork'], 2, /^parley: --from takes a time like 2026-03-01T00:00:00Z, or an age in hours or days: 12h, 7d\.\n$/],
    [['requests', 'list', '--to', '2026-13-01T00:00:00Z'], 2, /^parley: --to takes a time like/],
    [['replay', '--filter', 'from=zork'], 2, /^parley: from takes a time like/],
    [['usage', '--by', 'zork'], 2, /^parley: --by takes one of model, key, user/],
    [['usage', '--by', 'model,zork'], 2, /^parley: --by takes one of model/],
    [['usage', '--timezone', 'zork'], 1, /timezone/],
    [['keys', 'list', '--status', 'zork'], 2, /^parley: --status takes one of active, off, expired\./],
    [['requests', 'list', '--end', 'zork'], 2, /^parley: --end takes one of complete/],
    [['requests', 'list', '--min-ms', 'zork'], 1, /minMs/],
    [['requests', 'list', '--min-cost', 'zork'], 1, /minCost/],
    [['requests', 'list', '--limit', '0'], 2, /^parley: --limit takes a whole number above zero\./],
    [['requests', 'export', '--as', 'zork'], 2, /^parley: --as takes one of evals/],
    [['requests', 'export', '--borders', 'zork'], 2, /^parley: --borders takes one of/],
    [['replay', 'list', '--limit', '-1'], 2, /^parley: --limit takes a whole number above zero\./],
    [['keys', 'rotate', 'first', '--overlap', ''], 2, /^parley: --overlap takes a number of hours\./],
    [['keys', 'create', 'ci', '--daily', 'zork'], 1, /daily/],
    [['keys', 'create', 'ci', '--expires', 'zork'], 1, /expiresAt: Expected a time like/],
    [['keys', 'create', 'ci', '--group', 'zork'], 1, /group/],
    [['channels', 'create', 'c', '--vendor', 'zork'], 1, /models: This field is required/],
    [['channels', 'create', 'c', '--vendor', 'zork', '--models', 'm'], 1, /vendor: Expected one of: openai/],
    [['channels', 'create', 'c', '--file', folder], 1, /folder is a folder, not a file\.\n$/],
    [['channels', 'create', 'c', '--file', file], 1, /The file is not valid JSON\./],
    [['channels', 'create', 'c', '--keys-file', folder], 1, /folder is a folder, not a file\.\n$/],
    [['users', 'create', 'u', '--password-file', folder], 1, /folder is a folder, not a file\.\n$/],
    [['users', 'create', 'u', '--password-file', join(file, 'x')], 1, /cannot be there: what it lies in is no folder\.\n$/],
    [['users', 'create', 'u', '--password-file', loop], 1, /loop is a link that leads to itself\.\n$/],
    [['users', 'credit', 'admin', 'zork', '--reason', 'r'], 1, /amount/],
    [['config', 'plan', folder], 1, /folder is a folder, not a file\.\n$/],
    [['config', 'plan', file], 1, /the file: Expected/],
    [['import', 'new-api', folder], 1, /folder is a folder, not a file\.\n$/],
    [['import', 'new-api', join(place, 'nowhere')], 1, /nowhere is not there\.\n$/],
    [['import', 'new-api', file], 1, /The file cannot be read as a SQLite database/],
    [['import', 'litellm', folder], 1, /folder is a folder, not a file\.\n$/],
    [['import', 'litellm', lite, '--out', folder], 1, /folder is a folder, not a file\.\n$/],
    [['import', 'portkey', file], 1, /./],
    [['import', 'prices', folder], 1, /folder is a folder, not a file\.\n$/],
    [['import', 'prices', empty], 1, /neither models.dev’s api.json nor LiteLLM’s/],
    [['invoices', 'check', file, '--vendor', 'zork'], 2, /^parley: --vendor takes one of/],
    [['invoices', 'check', folder, '--vendor', 'openai'], 1, /folder is a folder, not a file\.\n$/],
    [['agent', 'setup', 'zork'], 2, /^parley: There is no agent zork\. There are: claude/],
    [['doctor', 'zork'], 2, /^parley: There is no agent zork/],
    [['requests', 'export', '--out', folder], 1, /folder is a folder, not a file\.\n$/],
    [['ready', 'zork'], 2, /^The address must begin with http/],
    [['ready', 'http://127.0.0.1:9', 'zork'], 2, /^Usage:/],
    [['route', '--url', 'zork'], 2, /^The address must begin with http/],
    [['route', folder], 1, /folder is a folder, not a file\.\n$/],
    [['route', '--zork'], 2, /^Usage:/],
    [['db', 'backup', folder], 1, /there is no database|folder is there already/],
    [['db', 'backup', join(place, 'backup'), '--from', file], 1, /^parley db backup: /],
    [['db', 'restore', folder], 1, /^parley db restore: .*folder is a folder, not a file\n$/],
    [['db', 'restore', file], 1, /^parley db restore: .*file is damaged/],
    [['db', 'drill', folder], 1, /^parley db drill: .*folder is a folder, not a file\n$/],
    [['db', 'verify', join(place, 'nowhere')], 1, /^parley db verify: there is no database in/],
    [['db', 'copy', '--from', 'mysql://x', '--to', folder], 1, /^parley db copy: /],
    [['books', 'check', '--at', file], 2, /^parley books check: /],
  ])(
    '%p',
    async (words, code, complaint) => {
      const ended = await runParley(words, { ...env, PARLEY_DATA: join(place, 'no-data') })
      expect([ended.code, ended.complaint]).toEqual([code, expect.stringMatching(complaint)])
      expect([ended.complaint, isPlain(ended.complaint)]).toEqual([ended.complaint, true])
    },
    30_000,
  )

  test('a setting that makes no sense is named by each command that reads settings', async () => {
    for (const words of [
      ['books', 'check'],
      ['db', 'verify'],
    ]) {
      const { code, complaint } = await runParley(words, { PARLEY_PORT: 'zork', PARLEY_DATA: folder })
      expect([words, code > 0, complaint]).toEqual([words, true, expect.stringMatching(/: PARLEY_PORT must be a whole number/)])
      expect(isPlain(complaint)).toBe(true)
    }
  }, 30_000)

  test('help is no mistake', async () => {
    for (const words of [
      ['help'],
      ['--help'],
      ['-h'],
      ['help', 'keys'],
      ['keys', '--help'],
      ['help', 'keys', 'create'],
      ['keys', 'create', '-h'],
      ['usage', '--help'],
    ]) {
      const { code, said, complaint } = await runParley(words, env)
      expect([words, code, complaint, said.length > 100]).toEqual([words, 0, '', true])
    }
    for (const own of ['route', 'db', 'books', 'ready'])
      for (const words of [
        [own, '--help'],
        ['help', own],
      ]) {
        const { code, said, complaint } = await runParley(words)
        expect([words, code, complaint, said]).toEqual([words, 0, '', expect.stringContaining(` ${own} `)])
      }
    for (const words of [['version'], ['--version']])
      expect(await runParley(words)).toEqual({ code: 0, said: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), complaint: '' })
    expect((await runParley(['help'])).said).toMatch(/keys create.*db restore.*books check.*parley ready/s)
  }, 60_000)

  test('after -- everything is an argument', async () => {
    const credited = await runParley(['users', 'credit', 'admin', '--reason', 'a gift', '--', '-1'], env)
    expect([credited.code, credited.complaint]).toEqual([0, ''])
    expect((await runParley(['users', 'credit', 'admin', '-1', '--reason', 'another'], env)).code).toBe(0)
    const named = await runParley(['keys', 'create', '--json', '--', '--strange'], env)
    expect([named.code, JSON.parse(named.said)]).toEqual([0, expect.objectContaining({ name: '--strange' })])
    expect((await runParley(['keys', 'show', '--', '--help'], env)).complaint).toContain('There is nothing with the id or name --help.')
  }, 60_000)
})

describe('settings', () => {
  test.each<[name: string, env: Record<string, string>, complaint: RegExp]>([
    ['a folder for a file', { PARLEY_CONFIG: folder }, /^Parley cannot start: PARLEY_CONFIG: .*folder is a folder, not a file\n$/],
    ['a path through a file', { PARLEY_CONFIG: join(file, 'x') }, /PARLEY_CONFIG: .*x cannot be there: what it lies in is no folder\n$/],
    ['a link to itself', { PARLEY_CONFIG: loop }, /PARLEY_CONFIG: .*loop is a link that leads to itself\n$/],
    ['text that is no YAML of ours', { PARLEY_CONFIG: file }, /parley\.yaml:1:1: the file: Expected an object of fields\n$/],
    ['a file for the data folder', { PARLEY_DATA: file }, /the data folder .*file is a file, or inside one\n$/],
    ['a file for the folder of bodies', { PARLEY_BODIES: file }, /PARLEY_BODIES/],
    ['a file for the folder of backups', { PARLEY_BACKUPS: file }, /PARLEY_BACKUPS/],
    ['a fraction for a whole number', { PARLEY_DRAIN_SECONDS: '1.5' }, /PARLEY_DRAIN_SECONDS must be a whole number/],
    ['a number without its unit', { PARLEY_MAX_LAG: '100' }, /PARLEY_MAX_LAG must be/],
    ['a word', { PARLEY_JOURNAL_MAX: 'much' }, /PARLEY_JOURNAL_MAX must be/],
    ['an address that is none', { PARLEY_PUBLIC_URL: 'zork' }, /PARLEY_PUBLIC_URL must be/],
    ['an address for metrics that is none', { PARLEY_METRICS: 'zork' }, /PARLEY_METRICS must be/],
    [
      'a sampler that is none',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER: 'zork' },
      /OTEL_TRACES_SAMPLER must be/,
    ],
    [
      'a certificate that is not there',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://127.0.0.1:9', OTEL_EXPORTER_OTLP_CERTIFICATE: join(place, 'no.pem') },
      /OTEL_EXPORTER_OTLP_CERTIFICATE/,
    ],
  ])(
    '%s',
    async (_name, env, complaint) => {
      const { code, stderr, stdout } = await runToExit({ env })
      expect([code, stderr, isPlain(stderr), /listening/.test(stdout)]).toEqual([1, expect.stringMatching(complaint), true, false])
    },
    90_000,
  )

  test('parley.yaml says what it takes where several kinds of values are allowed', async () => {
    const key = 'keys: [{ name: k, user: u, key: sk-12345678, logBodies: 1.5 }]\nusers: [{ name: u }]\n'
    const { code, stderr } = await runToExit({ config: key })
    expect([code, stderr]).toEqual([
      1,
      'Parley cannot start: parley.yaml:1:57: keys.0.logBodies: Expected true or false, errors or a number from 0 to 1\n',
    ])
  }, 90_000)
})
