/**
 * `import`: converts other gateways' configuration to a parley.yaml, which Parley then applies in one transaction or not at all, with a
 * remark about everything that has no equivalent.
 */
import { parse, stringify } from 'yaml'
import { readDeclaration } from '#declare/declaration'
import { fromLiteLlm } from '#imports/litellm'
import { fromLiteLlmDatabase } from '#imports/litellm-database'
import { openedValue } from '#imports/litellm-secrets'
import { liteLlmTables } from '#imports/litellm-tables'
import type { Moved, Remark } from '#imports/moved'
import { type Flavour, fromNewApi } from '#imports/new-api'
import { fromPortkey } from '#imports/portkey'
import { demandFile, FileFault } from '#runtime/small-file'
import { foreignTables, isDatabaseUrl, type TableRows } from '#runtime/storage/foreign-tables'
import { GatewayError } from '#shared/errors'
import { CommandError } from './api.ts'
import { type Command, type Input, type Output, table } from './command.ts'
import { importPricesCommand } from './price-import.ts'

/** Supplies every variable while the file is checked. */
const anyVariable: Record<string, string> = new Proxy(
  {},
  {
    get: () => 'https://example.com',
    has: () => true,
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: 'https://example.com' }),
  },
)

const remarkTable = (remarks: readonly Remark[]) =>
  table<Remark>(
    remarks,
    [
      ['about', ({ about }) => about],
      ['field', ({ field }) => field],
      ['why it is not there', ({ why }) => why],
    ],
    'Everything has its place.',
  )

/** Prints the result, and writes it with --out. Throws CommandError where Parley would not accept it; then nothing is written. */
async function finish(moved: Moved, { flags, files }: Input): Promise<Output> {
  const { remarks, ...sections } = moved
  const counts = Object.fromEntries(
    Object.entries(sections).map(([name, rows]) => [name, Array.isArray(rows) ? rows.length : Object.keys(rows).length]),
  )
  const filled = Object.fromEntries(Object.entries(sections).filter(([name]) => (counts[name] ?? 0) > 0))
  const text = stringify(filled, { lineWidth: 0 })
  try {
    readDeclaration(text, anyVariable, flags.out ?? 'parley.yaml')
  } catch (thrown) {
    if (thrown instanceof GatewayError)
      throw new CommandError(`Parley would not accept the result; nothing was written.\n${thrown.message}`)
    throw thrown
  }
  if (flags.out !== undefined && flags.out !== '') {
    if ((await files.read(flags.out)) !== null) throw new CommandError(`${flags.out} already exists; nothing was written.`)
    await files.write(flags.out, text)
  }
  const found = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  const next =
    flags.out === undefined
      ? 'Nothing was written: --out parley.yaml writes it, secrets included.'
      : `Written to ${flags.out}, with secrets. Review it, then start Parley with it (PARLEY_CONFIG), or reload it: it is applied completely, or not at all.`
  return { value: { counts, remarks, written: flags.out ?? null }, text: `${found.join(', ')}\n\n${remarkTable(remarks)}\n\n${next}` }
}

const out = { out: { value: 'FILE', help: 'Write the parley.yaml; without it only the report is printed' } }

/** The URL or path of a database: as given, or from the variable of `env:NAME`, which no process list shows. */
function placeOf({ args: [given = ''], env }: Input): string {
  const name = /^env:(.+)$/.exec(given)?.[1]
  const place = name === undefined ? given : env[name]
  if (place === undefined || place === '') throw new CommandError(`The environment variable ${name ?? 'of the database'} is not set.`)
  return place
}

async function tablesOf(place: string, names: readonly string[]): Promise<TableRows> {
  if (!isDatabaseUrl(place)) await demandFile(place)
  try {
    return await foreignTables(place, names)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.split('\n')[0] || thrown.name : String(thrown)
    throw new CommandError(
      isDatabaseUrl(place) ? `The database cannot be read: ${why}` : `The file cannot be read as a SQLite database: ${why}`,
    )
  }
}

const fromDatabase = (flavour: Flavour): Command => ({
  words: `import ${flavour}`,
  args: ['DATABASE'],
  keyless: true,
  flags: out,
  help: `Makes a parley.yaml from the database of ${flavour} (a SQLite file, or postgres://, mysql://, env:NAME)`,
  async run(input) {
    const {
      users = [],
      tokens = [],
      channels = [],
      options = [],
    } = await tablesOf(placeOf(input), ['users', 'tokens', 'channels', 'options'])
    if (users.length + channels.length === 0)
      throw new CommandError(`The database has no users and no channels. Is it a database of ${flavour}?`)
    return finish(fromNewApi({ users, tokens, channels, options }, flavour), input)
  },
})

/** Parses a file; errors become one readable line. */
async function made(work: () => Promise<Moved> | Moved): Promise<Moved> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof CommandError || thrown instanceof FileFault) throw thrown
    throw new CommandError(thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown))
  }
}

async function fromLiteLlmAnywhere(input: Input): Promise<Moved> {
  const place = placeOf(input)
  if (!isDatabaseUrl(place)) return fromLiteLlm(parse(await input.readText(place)))
  const tables = await tablesOf(place, liteLlmTables)
  if (!liteLlmTables.some((name) => (tables[name]?.length ?? 0) > 0))
    throw new CommandError('The database has no LiteLLM rows. Is it the right database?')
  const { flags, env } = input
  const file = flags.config === undefined ? undefined : parse(await input.readText(flags.config))
  const saltKey = env.LITELLM_SALT_KEY ?? env.LITELLM_MASTER_KEY
  const open = (sealed: string) => (saltKey === undefined ? undefined : openedValue(sealed, saltKey))
  return fromLiteLlmDatabase(tables, { open, file, balance: flags.balance })
}

/** `import ...`. */
export const importCommands: readonly Command[] = [
  fromDatabase('new-api'),
  fromDatabase('one-api'),
  {
    words: 'import litellm',
    args: ['FILE'],
    keyless: true,
    flags: {
      ...out,
      config: { value: 'FILE', help: 'With a database: its config.yaml' },
      balance: { value: 'USD', help: 'With a database: starting balance of users and teams without a total budget there' },
    },
    help: 'Makes a parley.yaml from LiteLLM’s config.yaml, or from its database (postgres://, env:NAME) with users, teams and keys',
    run: async (input) => finish(await made(() => fromLiteLlmAnywhere(input)), input),
  },
  {
    words: 'import portkey',
    args: ['FILE'],
    keyless: true,
    flags: { ...out, models: { value: 'LIST', help: 'Models of targets that name none, separated by commas' } },
    help: 'Makes a parley.yaml from a Portkey config (JSON): targets with their order, weights and keys',
    async run(input) {
      const models = (input.flags.models ?? '').split(',').flatMap((name) => name.trim() || [])
      return finish(await made(async () => fromPortkey(JSON.parse(await input.readText(input.args[0] ?? '')), models)), input)
    },
  },
  importPricesCommand,
]
